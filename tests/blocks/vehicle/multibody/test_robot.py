"""Links and joints of robot files become a tree: rotations and axes by hand, and what is no tree."""

from typing import Any

import numpy as np
import pytest

from drawbar.blocks.core.errors import DefinitionError
from drawbar.blocks.vehicle.multibody.robot import (
    IDENTITY,
    Frame,
    Joint,
    Link,
    direction,
    mechanism,
    numbers,
    rotation_rpy,
    tree,
)

X, Y, Z = np.eye(3)


def link(mass: float = 1.0) -> Link:
    return Link(mass, IDENTITY, np.eye(3))


def joint(parent: str, child: str, kind: str = "rev") -> Joint:
    return Joint(f"joint {parent}-{child}", kind, parent, child, np.zeros(3), (Z,) if kind == "rev" else ())


def robot(names: str, *joints: Joint, floating: bool = True, **masses: float) -> Any:
    links = {name: link(masses.get(name, 1.0)) for name in names}
    return mechanism(links, dict.fromkeys(links, IDENTITY), joints, floating=floating)


def test_roll_pitch_and_yaw_are_about_fixed_axes_in_this_order() -> None:
    quarter = np.pi / 2
    assert rotation_rpy(np.array([0, 0, quarter])) @ X == pytest.approx(Y)
    assert rotation_rpy(np.array([quarter, 0, 0])) @ Y == pytest.approx(Z)
    # roll turns y to z, then pitch turns z to x, then yaw turns x to y
    assert rotation_rpy(np.array([quarter, quarter, quarter])) @ Y == pytest.approx(Y)
    assert rotation_rpy(np.array([0, quarter, quarter])) @ Z == pytest.approx(Y)


def test_a_frame_in_a_frame() -> None:
    turned = Frame(rotation_rpy(np.array([0, 0, np.pi / 2])), np.array([1.0, 2.0, 3.0]))
    found = turned.after(turned)
    assert found.p == pytest.approx([-1.0, 3.0, 6.0])
    assert (found.R @ X).tolist() == pytest.approx([-1.0, 0.0, 0.0])


def test_an_axis_is_scaled_to_unit_length() -> None:
    assert direction(np.array([0.0, 3.0, 4.0]), np.eye(3), "joint a") == pytest.approx([0.0, 0.6, 0.8])
    with pytest.raises(DefinitionError, match="joint a: its axis has no length"):
        direction(np.zeros(3), np.eye(3), "joint a")


def test_numbers_of_a_text() -> None:
    assert numbers(" 1 -2e1\n3.5 ", 3, "link a") == pytest.approx([1.0, -20.0, 3.5])
    assert numbers(None, 3, "link a", (0.0, 0.0, 1.0)) == pytest.approx(Z)
    for text in ("1 2", "1 2 x", "1 2 nan", ""):
        with pytest.raises(DefinitionError, match=r"^link a: "):
            numbers(text, 3, "link a")


def test_bodies_are_ordered_from_the_root_outwards() -> None:
    found = robot("dcba", joint("c", "d"), joint("a", "b"), joint("b", "c"))
    assert [(b.name, b.parent, b.joint) for b in found.bodies] == [
        ("a", None, "free"),
        ("b", "a", "rev"),
        ("c", "b", "rev"),
        ("d", "c", "rev"),
    ]
    fixed = robot("ab", joint("a", "b"), floating=False)
    assert [(b.name, b.parent) for b in fixed.bodies] == [("b", None)]


def test_a_floating_joint_frees_the_child_of_a_root_without_mass() -> None:
    found = robot("ab", joint("a", "b", "free"), a=0.0)
    assert [(b.name, b.parent, b.joint) for b in found.bodies] == [("b", None, "free")]
    with pytest.raises(DefinitionError, match="joint a-b: a floating joint is for"):
        robot("ab", joint("a", "b", "free"))


@pytest.mark.parametrize(
    ("names", "joints", "message"),
    [
        ("ab", [joint("a", "c")], "joint a-c: there is no link 'c' for its child"),
        ("abc", [joint("a", "c"), joint("b", "c")], "joint b-c: 'c' is already the child of joint a-c"),
        ("abc", [joint("a", "b")], "one link without a parent; here: a, c"),
        ("ab", [joint("a", "b"), joint("b", "a")], "the joints form a circle"),
    ],
)
def test_what_is_no_tree_is_refused(names: str, joints: list[Joint], message: str) -> None:
    with pytest.raises(DefinitionError, match=message):
        tree({name: link() for name in names}, joints)


def test_a_circle_beside_the_root_is_refused() -> None:
    with pytest.raises(DefinitionError, match="link 'b' is not connected to the root"):
        robot("abc", joint("b", "c"), joint("c", "b"))


def test_a_joint_that_moves_no_mass_is_refused() -> None:
    with pytest.raises(DefinitionError, match="joint a-b: it moves 'b', which has no mass"):
        robot("ab", joint("a", "b"), b=0.0)
    assert len(robot("abc", joint("a", "b"), joint("b", "c"), b=0.0).bodies) == 3, "b carries c"
