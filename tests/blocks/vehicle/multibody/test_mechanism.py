"""A description says what is wrong with it, and how large its equations are."""

from collections.abc import Callable, Mapping
from typing import Any

import casadi as ca
import numpy as np
import pytest

from drawbar.blocks.core.errors import DefinitionError
from drawbar.blocks.vehicle.multibody.mechanism import Body, Cut, Mechanism, unit

Made = Mapping[str, Callable[..., Mechanism]]
BALL = np.diag([0.1, 0.1, 0.1])


def arm(**changed: Any) -> Body:
    given = {"name": "arm", "parent": None, "joint": "rev", "mass": 1.0, "com": (0.5, 0, 0), "inertia": BALL}
    return Body(**{**given, "axes": ((0, 1, 0),), **changed})


def free(**changed: Any) -> Body:
    return Body(
        **{"name": "plate", "parent": None, "joint": "free", "mass": 1.0, "com": (0, 0, 0), "inertia": BALL, **changed}
    )


SECOND = arm(name="hand", parent="arm")


def cut(**changed: Any) -> Cut:
    return Cut(
        **{"kind": "ball", "body_a": "hand", "body_b": "ground", "point_a": (1, 0, 0), "point_b": (1, 0, 0), **changed}
    )


FAULTS: dict[str, Callable[[], object]] = {
    "a mechanism has at least one body": lambda: Mechanism(()),
    "body 'arm': there is already one of this name": lambda: Mechanism((arm(), arm())),
    "body 'ground': there is already one": lambda: Mechanism((arm(name="ground"),)),
    "body 'arm': there is no joint 'revo'; did you mean 'rev'": lambda: Mechanism((arm(joint="revo"),)),
    "body 'hand': the joint free is for the first body": lambda: Mechanism((arm(), free(name="hand"))),
    "body 'plate': the joint free is for the first body alone, without a parent": lambda: Mechanism(
        (free(parent="x"),)
    ),
    "body 'hand': its parent 'amr' is not defined before it; did you mean 'arm'": lambda: Mechanism(
        (arm(), arm(name="hand", parent="amr"))
    ),
    "body 'arm': it is joined to the ground, but the base 'plate' moves freely": lambda: Mechanism((free(), arm())),
    "body 'arm': a rev joint takes 1 axes, not 0": lambda: Mechanism((arm(axes=()),)),
    "body 'arm': its axis has length 2, not 1": lambda: Mechanism((arm(axes=((0, 2, 0),)),)),
    "body 'arm': its mass is -1 kg": lambda: Mechanism((arm(mass=-1.0),)),
    "body 'arm': its mass is nan kg": lambda: Mechanism((arm(mass=float("nan")),)),
    "body 'arm': its mass is inf kg": lambda: Mechanism((arm(mass=float("inf")),)),
    "body 'arm': its inertia is not symmetric": lambda: Mechanism((arm(inertia=BALL + np.eye(3, k=1)),)),
    "body 'arm': its inertia has a negative": lambda: Mechanism((arm(inertia=np.diag([1.0, 1.0, -1.0])),)),
    "body 'arm': its principal moments of inertia are 0.4, 0.4 and 0.8938 kg m2; no body has one above the sum of the "
    "other two, which is 0.8": lambda: Mechanism((arm(inertia=np.diag([0.4, 0.8938, 0.4])),)),
    "body 'arm': its inertia has 2 x 2 numbers instead of 3 x 3": lambda: arm(inertia=np.eye(2)),
    "body 'arm': its com has numbers that are not finite": lambda: arm(com=(0, float("nan"), 0)),
    "body 'arm': its point is 'here', which are not numbers": lambda: arm(point="here"),
    "body 'arm': its axis has 2 x 1 numbers instead of 3 x 1": lambda: arm(axes=((0, 1),)),
    "between 'hand' and 'ground': there is no kind 'bal'; did you mean 'ball'": lambda: Mechanism(
        (arm(), SECOND), (cut(kind="bal"),)
    ),
    "between 'hand' and 'ram': there is no body 'ram'; did you mean 'arm'": lambda: Mechanism(
        (arm(), SECOND), (cut(body_b="ram"),)
    ),
    "between 'hand' and 'hand': it joins a body to itself": lambda: Mechanism((arm(), SECOND), (cut(body_b="hand"),)),
    "between 'hand' and 'ground': it is attached to the ground, but the base 'plate' moves freely": lambda: Mechanism(
        (free(), arm(parent="plate"), SECOND), (cut(),)
    ),
    "directions are for inplane cuts": lambda: Mechanism((arm(), SECOND), (cut(directions=((1, 0, 0),)),)),
    "which need at least one": lambda: Mechanism((arm(), SECOND), (cut(kind="inplane"),)),
    "its direction has length 3, not 1": lambda: Mechanism(
        (arm(), SECOND), (cut(kind="inplane", directions=((3, 0, 0),)),)
    ),
    "there is no body 'han'; did you mean 'hand'": lambda: Mechanism(
        (arm(), SECOND), (cut(kind="inplane", directions=((1, 0, 0),), fixed_in="han"),)
    ),
    "its points coincide, so their distance is zero": lambda: Mechanism((arm(), SECOND), (cut(kind="dist"),)),
    "its points are 1 m apart in the design position": lambda: Mechanism((arm(), SECOND), (cut(point_b=(2, 0, 0)),)),
    "its point_a has 2 x 1 numbers": lambda: cut(point_a=(1, 0)),
    "independent joint 'amr': there is no such body; did you mean 'arm'": lambda: Mechanism((arm(),), (), ("amr",)),
    "independent joint 'arm': it is named twice": lambda: Mechanism((arm(),), (), ("arm", "arm")),
    "is not a direction in space": lambda: unit([0.0, 0.0, 0.0]),
    "[1.0, nan, 0.0] is not a direction in space": lambda: unit([1.0, float("nan"), 0.0]),
}


@pytest.mark.parametrize("message", FAULTS)
def test_a_fault_is_told_with_its_place(message: str) -> None:
    with pytest.raises(DefinitionError) as caught:
        FAULTS[message]()
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_what_the_faults_are_faults_of_is_accepted() -> None:
    Mechanism((arm(), SECOND), (cut(),), ("arm",))
    Mechanism((free(), arm(parent="plate"), SECOND), (cut(body_b="plate"),))
    Mechanism((free(parent="ground"),))
    Mechanism(
        (arm(inertia=np.diag([0.4, 0.8, 0.4])), arm(name="none", parent="arm", mass=0.0, inertia=np.zeros((3, 3))))
    )


def test_values_may_be_symbols() -> None:
    mass, point, axis = ca.SX.sym("mass"), ca.SX.sym("point", 3), ca.SX.sym("axis", 3)
    m = Mechanism((arm(mass=mass, point=point, axes=(axis,)),))
    assert m.by_name["arm"].mass is mass


SIZES = {
    "four-bar": ((18, 17), (3, 2), (1, 0)),
    "slider-crank": ((18, 17), (3, 2), (1, 0)),
    "pendulum": ((36, 30), (6, 0), (6, 0)),
    "hexapod": ((114, 72), (42, 0), (42, 0)),
    "quarter car": ((30, 27), (7, 4), (3, 0)),
    "hmmwv": ((216, 201), (45, 30), (15, 0)),  # as in the papers of the HMMWV
}


@pytest.mark.parametrize("name", SIZES)
def test_sizes_follow_from_the_description(name: str, mechanisms: Made) -> None:
    sizes = mechanisms[name]().sizes()
    assert (sizes.absolute, sizes.tree, sizes.embedded) == SIZES[name]


def test_the_production_car_has_the_freedom_of_the_detailed_one(mechanisms: Made) -> None:
    assert mechanisms["hmmwv"](False).sizes().embedded == mechanisms["hmmwv"](True).sizes().embedded == (15, 0)


def test_a_path_leads_to_the_base(mechanisms: Made) -> None:
    m = mechanisms["hexapod"]()
    assert m.path("foot3") == ["foot3", "shin3", "thigh3"]
    assert m.path(m.base) == []
    assert mechanisms["pendulum"](3).path("rod2") == ["rod2", "rod1", "rod0"]
