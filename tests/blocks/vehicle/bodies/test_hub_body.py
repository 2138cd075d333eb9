"""What the base of bodies at hubs requires of its subclasses, and the motion that it sends to its hubs."""

from collections.abc import Callable
from typing import Any

import pytest

from drawbar.blocks.vehicle.bodies.hub_body import HubBody
from drawbar.blocks.vehicle.bodies.simple_body import SimpleBody


class Bare(HubBody, abstract=True):
    """A subclass that defines nothing."""


@pytest.mark.parametrize(
    ("method", "arguments"),
    [("tree", ()), ("knuckles", ()), ("joints", ()), ("joint_forces", (1.0,)), ("elastic_energy", ())],
)
def test_a_part_that_a_subclass_lacks_is_named(method: str, arguments: tuple[Any, ...]) -> None:
    with pytest.raises(TypeError, match=rf"^Bare has no .*: define {method}\(\)$"):
        getattr(Bare, method)(object.__new__(Bare), *arguments)


def test_hubs_move_as_points_of_the_chassis(stand: Callable[..., Any]) -> None:
    """A chassis that stands and turns at 0.5 rad/s: the velocity of a hub is omega x r."""
    s = stand(SimpleBody)
    found = s.outputs(**{"omega[3]": 0.5, "omega[1]": 0.0, "omega[2]": 0.0})
    for w in SimpleBody.wheels:
        x, y, _ = (found[f"hub_{w}.position[{k}]"] for k in (1, 2, 3))
        assert found[f"hub_{w}.omega[3]"] == pytest.approx(0.5, rel=1e-3), "the chassis leans by less than 2 degrees"
        assert [found[f"hub_{w}.velocity[{k}]"] for k in (1, 2)] == pytest.approx([-0.5 * y, 0.5 * x], abs=0.02)
        assert [found[f"hub_{w}.at[{k}]"] for k in (1, 2)] == pytest.approx([x, y])
