"""Loops become nodes, and one that cannot be solved says why."""

from collections.abc import Callable, Mapping

import casadi as ca
import numpy as np
import pytest

from drawbar.blocks.core.errors import DefinitionError
from drawbar.blocks.vehicle.multibody.embedded import Embedded
from drawbar.blocks.vehicle.multibody.mechanism import Body, Cut, Mechanism
from drawbar.blocks.vehicle.multibody.nodes import nodes

Made = Mapping[str, Callable[..., Mechanism]]
X, Y, Z = np.eye(3)
TIP = (3, 0, 1.5)


def other(m: Mechanism, cuts: tuple[Cut, ...], independent: tuple[str, ...] = ()) -> Mechanism:
    return Mechanism(m.bodies, cuts, independent)


def test_the_car_has_one_node_for_the_front_and_one_for_each_rear_corner(mechanisms: Made) -> None:
    front, *rest = nodes(mechanisms["hmmwv"]())
    assert [b for b, _ in front.independent] == ["pitman", "lower_arm_fl", "lower_arm_fr"]
    loops = [n for n in rest if n.cuts]
    assert [[b for b, _ in n.independent] for n in loops] == [["lower_arm_rl"], ["lower_arm_rr"]]
    wheels = [n for n in rest if not n.cuts]
    assert wheels[0].bodies == ("spindle_fl", "rim_fl", "tire_fl")
    assert {n.parent for n in wheels} == {f"upright_{w}" for w in ("fl", "fr", "rl", "rr")}


def test_without_a_name_the_joint_that_decides_best_is_chosen(mechanisms: Made) -> None:
    """Rates of the four-bar with the coupler along x and the rocker straight up: the crank is not at a dead centre."""
    m = mechanisms["four-bar"]()
    (node,) = nodes(other(m, m.cuts))
    assert len(node.independent) == 1
    assert len(node.dependent) == 2


FAULTS: dict[str, Callable[[Made], Mechanism]] = {
    "has 1 degrees of freedom; the independent joints crank, rocker have 2": lambda made: other(
        made["four-bar"](), made["four-bar"]().cuts, ("crank", "rocker")
    ),
    "is constrained 3 times, but only 2 of the rows differ": lambda made: other(
        made["four-bar"](), (Cut("ball", "coupler", "rocker", TIP, TIP),)
    ),
    "has 6 constraints for 3 joint rates": lambda made: other(
        made["four-bar"](), (Cut("ball", "coupler", "rocker", TIP, TIP), Cut("ball", "coupler", "ground", X, X))
    ),
    "its directions are fixed in 'far', which neither belongs to its loop nor carries it": lambda made: Mechanism(
        (*made["four-bar"]().bodies, Body("far", None, "rev", 1.0, X, np.eye(3), X, (Y,))),
        (Cut("inplane", "coupler", "rocker", TIP, TIP, (X, Z), "far"),),
        ("crank",),
    ),
}


@pytest.mark.parametrize("message", FAULTS)
def test_a_loop_that_cannot_be_solved_says_why(message: str, mechanisms: Made) -> None:
    with pytest.raises(DefinitionError) as caught:
        nodes(FAULTS[message](mechanisms))
    assert message in str(caught.value)


def test_an_independent_joint_at_its_dead_centre_is_refused() -> None:
    """Crank and rod in line: the piston's motion does not decide that of the crank."""
    crank = Body("crank", None, "rev", 1.0, X, np.eye(3), (0, 0, 0), (Y,))
    conrod = Body("conrod", "crank", "rev", 1.0, X, np.eye(3), X, (Y,))
    piston = Body("piston", None, "pris", 1.0, 3 * X, np.eye(3), 3 * X, (X,))
    pin = Cut("inplane", "conrod", "piston", 3 * X, 3 * X, (X, Z))
    with pytest.raises(DefinitionError, match="piston do not determine its motion"):
        nodes(Mechanism((crank, conrod, piston), (pin,), ("piston",)))
    assert nodes(Mechanism((crank, conrod, piston), (pin,), ("crank",)))


def test_a_loop_with_symbols_needs_its_independent_joints_named(mechanisms: Made) -> None:
    m = mechanisms["four-bar"]()
    tip = ca.SX.sym("tip", 3)
    pin = Cut("inplane", "coupler", "rocker", tip, tip, (X, Z))
    with pytest.raises(DefinitionError, match="symbols in its geometry; name its independent joints"):
        nodes(other(m, (pin,)))
    assert nodes(other(m, (pin,), ("crank",)))


def test_a_part_of_a_joint_cannot_be_independent() -> None:
    """A pendulum on a ball whose tip keeps its distance from a point: two of its three rates are free."""
    rod = Body("rod", None, "ball", 1.0, X, np.eye(3), (0, 0, 0))
    with pytest.raises(DefinitionError, match="only some coordinates of the joint rod would be independent"):
        nodes(Mechanism((rod,), (Cut("dist", "rod", "ground", (2, 0, 0), (2, 1, 1)),)))


def test_a_rotor_is_round_and_at_the_end_of_the_tree(mechanisms: Made) -> None:
    car = mechanisms["hmmwv"](False)
    assert Embedded(car, ("wheel_fl",)).rotors == {"wheel_fl"}
    for name, message in (
        ("upright_fl", "'upright_fl' is not a rotor: a rotor is a body at the end"),
        ("whel_fl", "there is no such body; did you mean 'wheel_fl'"),
    ):
        with pytest.raises(DefinitionError, match=message):
            Embedded(car, (name,))


@pytest.mark.parametrize(
    ("com", "inertia"), [((1, 0, 0.1), np.diag([1, 2, 1])), ((1, 0, 0), np.diag([1, 2, 1.1])), ((1, 0, 0), None)]
)
def test_a_wheel_that_is_not_balanced_is_no_rotor(com: tuple[float, ...], inertia: object) -> None:
    tilted = np.array([[1, 0.1, 0], [0.1, 1.8, 0], [0, 0, 1]])
    wheel = Body("wheel", None, "rev", 1.0, com, tilted if inertia is None else inertia, (1, 0, 0), (Y,))
    with pytest.raises(DefinitionError, match="'wheel' is not a rotor: its centre of mass"):
        Embedded(Mechanism((wheel,)), ("wheel",))


def test_a_balanced_wheel_is_a_rotor() -> None:
    wheel = Body("wheel", None, "rev", 1.0, (1, 0.5, 0), np.diag([1, 2, 1]), (1, 0, 0), (Y,))
    assert Embedded(Mechanism((wheel,)), ("wheel",)).joints == []
