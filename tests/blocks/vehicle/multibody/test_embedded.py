"""What is asked of an embedded mechanism by wrong names, or with too few or too many numbers, is refused."""

from typing import Any

import casadi as ca
import numpy as np
import pytest

from drawbar.blocks.core.errors import DefinitionError
from drawbar.blocks.vehicle.multibody.embedded import Embedded, independent_forces
from drawbar.blocks.vehicle.multibody.mechanism import Body, Mechanism

Y = np.eye(3)[1]
RODS = Mechanism(
    (
        Body("upper", None, "rev", 1.0, (0, 0, -0.5), 0.1 * np.eye(3), axes=(Y,)),
        Body("lower", "upper", "rev", 1.0, (0, 0, -1.5), 0.1 * np.eye(3), point=(0, 0, -1), axes=(Y,)),
    )
)


@pytest.mark.parametrize(
    ("q", "u", "message"),
    [
        ({"uper": 0, "lower": 0}, (0, 0), "'uper' is not an independent joint; did you mean 'upper'"),
        ({"lower": 0}, (0, 0), "the coordinates of the independent joints upper are missing"),
        ({"upper": 0, "lower": 0}, (0, 0, 0), "expected a column of 2 rates, got 3 x 1"),
    ],
)
def test_a_configuration_of_other_joints_is_refused(q: dict[str, Any], u: tuple[float, ...], message: str) -> None:
    with pytest.raises(DefinitionError, match=message):
        Embedded(RODS).configuration({name: ca.SX(v) for name, v in q.items()}, ca.SX(ca.DM(u)))


@pytest.mark.parametrize("key", [("uper", 0), "upper", ("upper", 1)])
def test_a_force_along_another_joint_is_refused(key: Any) -> None:
    with pytest.raises(DefinitionError, match=r"is not a rate of an independent joint; .*upper.*0"):
        independent_forces(Embedded(RODS), {key: ca.SX(1.0)})
