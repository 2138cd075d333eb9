"""The description of force elements: what is refused, with its place."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from drawbar.blocks.core.errors import DefinitionError
from drawbar.blocks.vehicle.multibody.embedded import Embedded
from drawbar.blocks.vehicle.multibody.force_element import ForceLaw, JointElement, LineElement
from drawbar.blocks.vehicle.multibody.mechanism import GROUND, Body, Mechanism

X, Y, Z = np.eye(3)


def block(**changed: Any) -> Body:
    """A mass of 2 kg that slides up and down."""
    given = {"name": "block", "parent": None, "joint": "pris", "mass": 2.0, "com": (0, 0, 1), "inertia": np.eye(3)}
    return Body(**{**given, "point": (0, 0, 1), "axes": (Z,), **changed})


def arm(**changed: Any) -> Body:
    return block(**{"name": "arm", "joint": "rev", "axes": (Y,), **changed})


HAND = block(name="hand", parent="arm", joint="ball", axes=())


def line(law: ForceLaw | None = None, **changed: Any) -> LineElement:
    given = {"body_a": GROUND, "body_b": "hand", "point_a": (0, 0, 0), "point_b": (1, 0, 0), **changed}
    return LineElement(**given, law=law or ForceLaw(1.0))


def made(*forces: Any, free: bool = False) -> Mechanism:
    base = (Body("plate", None, "free", 1.0, (0, 0, 0), np.eye(3)),) if free else ()
    return Mechanism((*base, arm(parent="plate" if free else None), HAND), forces=forces)


def joint(law: ForceLaw, name: str = "arm") -> JointElement:
    return JointElement(name, law)


TABLE = ((0, 0), (0.1, 10))
FAULTS: dict[str, Callable[[], object]] = {
    "the force between 'ground' and 'han': there is no body 'han'; did you mean 'hand'": lambda: made(
        line(body_b="han")
    ),
    "the force between 'hand' and 'hand': it joins a body to itself": lambda: made(line(body_a="hand")),
    "the force between 'ground' and 'hand': it is attached to the ground, but the base 'plate' moves freely": lambda: (
        made(line(), free=True)
    ),
    "its points coincide in the design position": lambda: made(line(point_b=(0, 0, 0))),
    "the force between 'ground' and 'hand': its point_b has 2 x 1 numbers instead of 3 x 1": lambda: line(
        point_b=(0, 0)
    ),
    "its free length is -1 m; a distance must not be negative": lambda: made(line(ForceLaw(1.0, -1.0))),
    "its stop is -1 m; a distance": lambda: made(line(ForceLaw(stops=(-1, 1), stop_table=TABLE))),
    "the force along the joint of 'amr': there is no body 'amr'; did you mean 'arm'": lambda: made(
        joint(ForceLaw(), "amr")
    ),
    "'hand': that is a ball joint; a force has one coordinate, so the joint is rev or pris": lambda: made(
        joint(ForceLaw(), "hand")
    ),
    "the force along the joint of 'arm': its rate is -2; it must not be negative": lambda: made(joint(ForceLaw(-2.0))),
    "its compression is -3; it must not be negative": lambda: made(joint(ForceLaw(compression=-3.0, rebound=1.0))),
    "its rebound is -1; it must not": lambda: made(joint(ForceLaw(compression=3.0, rebound=-1.0))),
    "the law of a force: its rate has numbers that are not finite: nan": lambda: ForceLaw(float("nan")),
    "the law of a force: its free has numbers that are not finite: inf": lambda: ForceLaw(1.0, float("inf")),
    "the law of a force: its preload is 'much', which are not numbers": lambda: ForceLaw(preload="much"),
    "its stops is 3, which is not a pair of numbers": lambda: ForceLaw(stops=3),  # type: ignore[arg-type]
    "a row of its stop_table is (1, 2, 3), which is not a pair": lambda: ForceLaw(stop_table=((1, 2, 3),)),  # type: ignore
    "its free angle is 7 rad; the angle of a hinge is between -pi and pi": lambda: made(joint(ForceLaw(1.0, 7.0))),
    "its stop is -4 rad; the angle": lambda: made(joint(ForceLaw(stops=(-4, 1), stop_table=TABLE))),
    "stops and stop_table go together": lambda: made(joint(ForceLaw(stops=(0, 1)))),
    "and stop_table go together": lambda: made(joint(ForceLaw(stop_table=TABLE))),
    "its stops are 1 and 0; the lower one comes first": lambda: made(joint(ForceLaw(stops=(1, 0), stop_table=TABLE))),
    "its stop_table needs two points or more": lambda: made(joint(ForceLaw(stops=(0, 1), stop_table=((0, 0),)))),
    "the first of them depth 0 and force 0": lambda: made(joint(ForceLaw(stops=(0, 1), stop_table=((0, 1), (0.1, 2))))),
    "its stop_table goes from depth 0.1 to 0.1; depths must increase": lambda: made(
        joint(ForceLaw(stops=(0, 1), stop_table=(*TABLE, (0.1, 20))))
    ),
    "its stop_table goes from force 10 to 9; forces must not decrease": lambda: made(
        joint(ForceLaw(stops=(0, 1), stop_table=(*TABLE, (0.2, 9))))
    ),
}


@pytest.mark.parametrize("message", FAULTS)
def test_a_fault_is_told_with_its_place(message: str) -> None:
    with pytest.raises(DefinitionError) as caught:
        FAULTS[message]()
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_what_the_faults_are_faults_of_is_accepted() -> None:
    law = ForceLaw(2.0, -1.0, -0.1, -3.0, 3.0, 0.0, (0, 1), TABLE)
    made(joint(law), line())
    made(joint(law), line(body_a="plate"), free=True)
    made(line(ForceLaw(1.0, 0.0)))


def test_a_rotor_takes_no_element_that_needs_its_angle() -> None:
    base = Body("plate", None, "free", 9.0, (0, 0, 0), np.eye(3))
    wheel = Body("wheel", "plate", "rev", 1.0, (0, 0, 0), np.eye(3), (0, 0, 0), (Y,))
    on_axis, off = (LineElement("plate", "wheel", (1, 0, 0), p, ForceLaw(1.0)) for p in ((0, 0.3, 0), (0, 0, 0.3)))
    Embedded(
        Mechanism((base, wheel), forces=(joint(ForceLaw(0, preload=2.0, compression=1), "wheel"), on_axis)), ("wheel",)
    )
    for wrong, message in (
        (joint(ForceLaw(1.0), "wheel"), "the force along the joint of 'wheel': a rotor has no angle"),
        (joint(ForceLaw(stops=(0, 1), stop_table=TABLE), "wheel"), "a damper or a motor, but no spring"),
        (
            off,
            "between 'plate' and 'wheel': a rotor has no angle, but the point on 'wheel' is 0.3 m off its axis",
        ),
    ):
        m = Mechanism((base, wheel), forces=(wrong,))
        Embedded(m)
        with pytest.raises(DefinitionError) as caught:
            Embedded(m, ("wheel",))
        assert message in str(caught.value)
