"""URDF files become the mechanism that MuJoCo's own reader makes of them, and a wrong one is told where."""

from pathlib import Path
from typing import Any

import casadi as ca
import mujoco
import numpy as np
import pytest

from drawbar.blocks.core.errors import DefinitionError
from drawbar.blocks.vehicle.multibody.augmented import tree_equations
from drawbar.blocks.vehicle.multibody.embedded import Embedded
from drawbar.blocks.vehicle.multibody.mechanism import GROUND, Mechanism
from drawbar.blocks.vehicle.multibody.tree import motion_subspace, tree_poses
from drawbar.blocks.vehicle.multibody.urdf import read_urdf

INERTIAL = """<inertial><origin xyz="0.1 -0.05 0.2" rpy="0.3 -0.2 0.5"/><mass value="{mass}"/>
<inertia ixx="0.3" ixy="0.01" ixz="-0.02" iyy="0.25" iyz="0.03" izz="0.2"/></inertial>"""


def link(name: str, mass: float | None = 2.0) -> str:
    return f'<link name="{name}">{INERTIAL.format(mass=mass) if mass is not None else ""}</link>'


def joint(name: str, kind: str, parent: str, child: str, extra: str = '<axis xyz="0 2 1"/>') -> str:
    tree_poses = '<origin xyz="0.4 0.1 -0.3" rpy="0.2 -0.6 1.1"/>'
    return (
        f'<joint name="{name}" type="{kind}">{tree_poses}<parent link="{parent}"/><child link="{child}"/>{extra}'
        '<limit lower="-3" upper="3" effort="1" velocity="1"/></joint>'
    )


ARM = "".join(
    [
        *(link(n, m) for n, m in (("base", 5.0), ("shoulder", 3.0), ("elbow", 2.0), ("gripper", 0.4), ("slide", 1.0))),
        joint("yaw", "revolute", "base", "shoulder"),
        joint("reach", "prismatic", "shoulder", "slide", '<axis xyz="1 -1 0.5"/>'),
        joint("bend", "continuous", "slide", "elbow", ""),
        joint("hold", "fixed", "elbow", "gripper", ""),
    ]
)


def written(folder: Path, text: str) -> Path:
    path = folder / "robot.urdf"
    path.write_text(f'<robot name="r">{text}</robot>', "utf-8")
    return path


def equations(m: Mechanism) -> ca.Function:
    """Mass matrix and bias under gravity over the joints of a mechanism on the ground."""
    joints = [b for b in m.bodies if b.joint in ("rev", "pris")]
    q, u = ca.SX.sym("q", len(joints)), ca.SX.sym("u", len(joints))
    at = {b.name: q[i] for i, b in enumerate(joints)}
    rate = {b.name: u[i] for i, b in enumerate(joints)}
    poses = tree_poses(m, {b.name: at.get(b.name, ca.SX(0, 1)) for b in m.bodies})
    V = {GROUND: ca.SX(6, 1)}
    weights = {}
    for b in m.bodies:
        up = m.parent(b.name)
        V[b.name] = V[up] + motion_subspace(b, poses[up], poses[b.name]) @ rate.get(b.name, ca.SX(0, 1))
        force = ca.DM([0, 0, -9.81]) * b.mass
        weights[b.name] = ca.vertcat(ca.cross(poses[b.name].at(b.com), force), force)
    found = tree_equations(m, poses, V, {}, weights)
    return ca.Function("arm", [q, u], [found.M, -found.f])


def test_an_arm_has_the_mass_matrix_and_bias_of_mujoco(tmp_path: Path) -> None:
    path = written(tmp_path, ARM)
    m = read_urdf(path, floating=False)
    assert [(b.name, b.joint) for b in m.bodies] == [
        ("shoulder", "rev"),
        ("slide", "pris"),
        ("elbow", "rev"),
        ("gripper", "fix"),
    ]
    model = mujoco.MjModel.from_xml_string(path.read_text("utf-8"))
    data = mujoco.MjData(model)
    order = [int(model.joint(name).dofadr[0]) for name in ("yaw", "reach", "bend")]
    ours = equations(m)
    rng = np.random.default_rng(2)
    for _ in range(5):
        q, u = rng.uniform(-2, 2, 3), rng.normal(size=3)
        data.qpos[order], data.qvel[order] = q, u
        mujoco.mj_forward(model, data)
        M = np.zeros((3, 3))
        mujoco.mj_fullM(model, data, M)
        mine, bias = ours(q, u)
        np.testing.assert_allclose(mine.full(), M[np.ix_(order, order)], rtol=1e-10)
        np.testing.assert_allclose(bias.full().ravel(), data.qfrc_bias[order], rtol=1e-9, atol=1e-10)


def test_the_root_moves_freely_unless_told_otherwise(tmp_path: Path) -> None:
    m = read_urdf(written(tmp_path, ARM))
    assert (m.base, m.sizes().tree) == ("base", (9, 0))
    assert read_urdf(written(tmp_path, ARM), floating=False).base == GROUND
    assert len(Embedded(m).rates) == 3


def test_a_floating_joint_frees_the_child_of_a_root_without_mass(tmp_path: Path) -> None:
    text = link("world", None) + ARM + joint("loose", "floating", "world", "base", "")
    m = read_urdf(written(tmp_path, text))
    assert (m.base, m.sizes().tree) == ("base", (9, 0))


def test_inertias_and_places_by_hand(tmp_path: Path) -> None:
    """A quarter turn of the joint and another of the inertial frame: x of the inertia is -x of the root."""
    text = """<link name="a"><inertial><mass value="1"/>
    <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
    <link name="b"><inertial><origin xyz="0 3 0" rpy="0 0 1.5707963267948966"/><mass value="2"/>
    <inertia ixx="0.1" ixy="0.01" ixz="0" iyy="0.2" iyz="0" izz="0.3"/></inertial></link>
    <joint name="j" type="revolute"><origin xyz="1 0 0" rpy="0 0 1.5707963267948966"/><parent link="a"/>
    <child link="b"/><axis xyz="1 0 0"/><limit effort="1" velocity="1" lower="-1" upper="1"/></joint>"""
    b = read_urdf(written(tmp_path, text)).by_name["b"]

    def numbers(value: Any) -> Any:
        return ca.DM(value).full().squeeze()

    np.testing.assert_allclose(numbers(b.point), [1, 0, 0], rtol=0, atol=1e-15)
    np.testing.assert_allclose(numbers(b.com), [-2, 0, 0], rtol=0, atol=1e-15)
    np.testing.assert_allclose(numbers(b.axes[0]), [0, 1, 0], rtol=0, atol=1e-15)
    np.testing.assert_allclose(numbers(b.inertia), [[0.1, 0.01, 0], [0.01, 0.2, 0], [0, 0, 0.3]], rtol=0, atol=1e-15)


ONE = link("a")
TWO = ONE + link("b")
FAULTS = {
    "it has no link": "",
    "a link: <link> has no name": "<link/>",
    "link 'a': there is already one of this name": ONE + ONE,
    "a robot has one link without a parent; here: a, b": TWO,
    "joint 'j': its type 'revolut' is not read; did you mean 'revolute'": TWO + joint("j", "revolut", "a", "b"),
    "joint 'j': its type 'planar' is not read": TWO + joint("j", "planar", "a", "b"),
    "joint 'j': there is no link 'c' for its child": TWO + joint("j", "fixed", "a", "c"),
    "joint 'j': there is no link 'bb' for its parent; did you mean": link("body")
    + link("bbb")
    + joint("j", "fixed", "bb", "body"),
    "joint 'k': 'b' is already the child of joint 'j'; loops are not supported": TWO
    + joint("j", "fixed", "a", "b")
    + joint("k", "fixed", "a", "b"),
    "here: none: the joints form a circle": TWO + joint("j", "fixed", "a", "b") + joint("k", "fixed", "b", "a"),
    "link 'b' is not connected to the root": TWO
    + link("c")
    + joint("j", "fixed", "c", "b")
    + joint("k", "fixed", "b", "c"),
    "joint 'j': it follows another joint (<mimic>)": TWO + joint("j", "revolute", "a", "b", '<mimic joint="x"/>'),
    "joint 'j': its axis has no length": TWO + joint("j", "revolute", "a", "b", '<axis xyz="0 0 0"/>'),
    "joint 'j': '1 2' is not a list of 3 finite numbers": TWO + joint("j", "revolute", "a", "b", '<axis xyz="1 2"/>'),
    "joint 'j': '1 2 x' is not a list of numbers": TWO + joint("j", "revolute", "a", "b", '<axis xyz="1 2 x"/>'),
    "joint 'j': '1 nan 0' is not a list of 3 finite numbers": TWO
    + joint("j", "revolute", "a", "b", '<axis xyz="1 nan 0"/>'),
    "joint 'j': it has no <child>": TWO + '<joint name="j" type="fixed"><parent link="a"/></joint>',
    "joint 'j': <parent> has no link": TWO + '<joint name="j" type="fixed"><parent/><child link="b"/></joint>',
    "joint 'j': a floating joint is for the one child of a root without mass": TWO + joint("j", "floating", "a", "b"),
    "joint 'j': it moves 'b', which has no mass and carries none": ONE
    + link("b", None)
    + joint("j", "revolute", "a", "b"),
    "link 'a': <inertial> has no mass": '<link name="a"><inertial><inertia/></inertial></link>',
    "link 'a': <inertia> has no ixx": '<link name="a"><inertial><mass value="1"/><inertia/></inertial></link>',
    "body 'a': its mass is -2 kg": link("a", -2.0),
}


@pytest.mark.parametrize("message", FAULTS)
def test_a_wrong_file_is_told_where(message: str, tmp_path: Path) -> None:
    with pytest.raises(DefinitionError) as caught:
        read_urdf(written(tmp_path, FAULTS[message]))
    assert str(caught.value).startswith("robot.urdf: ")
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


HOSTILE = {
    "this is not XML": b"<robot>",
    "has a DOCTYPE": b'<!DOCTYPE r [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]><robot name="r">&b;</robot>',
    "the root element is <sdf> instead of <robot>": b"<sdf/>",
    "has xacro macros": b'<robot xmlns:xacro="http://ros.org/wiki/xacro"><xacro:wheel/></robot>',
    "more than 10000000 bytes": b" " * 10_000_001,
}


@pytest.mark.parametrize("message", HOSTILE)
def test_a_hostile_file_is_refused(message: str, tmp_path: Path) -> None:
    path = tmp_path / "robot.urdf"
    path.write_bytes(HOSTILE[message])
    with pytest.raises(DefinitionError, match=message):
        read_urdf(path)


def test_an_entity_never_reads_another_file(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("hidden")
    path = tmp_path / "robot.urdf"
    path.write_text(f'<!DOCTYPE r [<!ENTITY x SYSTEM "{tmp_path}/secret">]><robot><link name="&x;"/></robot>')
    with pytest.raises(DefinitionError) as caught:
        read_urdf(path)
    assert "hidden" not in str(caught.value)


def test_a_chain_of_a_thousand_links_is_read(tmp_path: Path) -> None:
    links = "".join(link(f"l{i}") for i in range(1000))
    joints = "".join(joint(f"j{i}", "revolute", f"l{i}", f"l{i + 1}") for i in range(999))
    assert len(read_urdf(written(tmp_path, links + joints)).bodies) == 1000


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(DefinitionError, match=r"none\.urdf: No such file"):
        read_urdf(tmp_path / "none.urdf")
