"""SDF files become mechanisms: the same robot as URDF gives the same one, and a wrong file is told where."""

from pathlib import Path
from typing import Any

import casadi as ca
import numpy as np
import pytest

from drawbar.blocks.core.errors import DefinitionError
from drawbar.blocks.vehicle.multibody.embedded import Embedded
from drawbar.blocks.vehicle.multibody.mechanism import GROUND
from drawbar.blocks.vehicle.multibody.mechanism_file import to_dict
from drawbar.blocks.vehicle.multibody.sdf import read_sdf
from drawbar.blocks.vehicle.multibody.urdf import read_urdf

PLACE, LEAN = "0.4 0.1 -0.3", "0.2 -0.6 1.1"
CENTRE, TURN = "0.1 -0.05 0.2", "0.3 -0.2 0.5"
INERTIA = {"ixx": 0.3, "ixy": 0.01, "ixz": -0.02, "iyy": 0.25, "iyz": 0.03, "izz": 0.2}


def link(name: str, pose: str = "", mass: float = 2.0) -> str:
    entries = "".join(f"<{k}>{v}</{k}>" for k, v in INERTIA.items())
    inertial = f"<inertial><pose>{CENTRE} {TURN}</pose><mass>{mass}</mass><inertia>{entries}</inertia></inertial>"
    return f'<link name="{name}">{pose}{inertial}</link>'


def joint(name: str, kind: str, parent: str, child: str, extra: str = "") -> str:
    return f'<joint name="{name}" type="{kind}"><parent>{parent}</parent><child>{child}</child>{extra}</joint>'


def written(folder: Path, text: str) -> Path:
    path = folder / "robot.sdf"
    path.write_text(f'<sdf version="1.9"><model name="r">{text}</model></sdf>', "utf-8")
    return path


def numbers(value: Any) -> Any:
    return ca.DM(value).full().squeeze()


ARM = "".join(
    [
        link("base"),
        link("shoulder", f'<pose relative_to="base">{PLACE} {LEAN}</pose>'),
        link("elbow", f'<pose relative_to="shoulder">{PLACE} {LEAN}</pose>'),
        joint("yaw", "revolute", "base", "shoulder", "<axis><xyz>0 2 1</xyz></axis>"),
        joint("reach", "prismatic", "shoulder", "elbow", "<axis><xyz>1 -1 0.5</xyz></axis>"),
    ]
)


def urdf(folder: Path) -> Path:
    entries = " ".join(f'{k}="{v}"' for k, v in INERTIA.items())
    inertial = f'<inertial><origin xyz="{CENTRE}" rpy="{TURN}"/><mass value="2"/><inertia {entries}/></inertial>'
    text = "".join(f'<link name="{n}">{inertial}</link>' for n in ("base", "shoulder", "elbow"))
    for name, kind, parent, child, axis in (
        ("yaw", "revolute", "base", "shoulder", "0 2 1"),
        ("reach", "prismatic", "shoulder", "elbow", "1 -1 0.5"),
    ):
        text += f'<joint name="{name}" type="{kind}"><origin xyz="{PLACE}" rpy="{LEAN}"/>'
        text += f'<parent link="{parent}"/><child link="{child}"/><axis xyz="{axis}"/></joint>'
    path = folder / "robot.urdf"
    path.write_text(f'<robot name="r">{text}</robot>')
    return path


@pytest.mark.parametrize("floating", [True, False])
def test_the_same_robot_as_urdf_is_the_same_mechanism(floating: bool, tmp_path: Path) -> None:
    ours, theirs = (
        to_dict(m)
        for m in (read_sdf(written(tmp_path, ARM), floating=floating), read_urdf(urdf(tmp_path), floating=floating))
    )
    assert len(ours["bodies"]) == 2 + floating
    for mine, other in zip(ours["bodies"], theirs["bodies"], strict=True):
        assert {k: v for k, v in mine.items() if isinstance(v, str)} == {
            k: v for k, v in other.items() if isinstance(v, str)
        }
        for key in ("point_m", "axes", "mass_kg", "com_m", "inertia_com_kgm2_rowmajor"):
            np.testing.assert_allclose(mine[key], other[key], rtol=0, atol=1e-14)


def test_a_joint_stands_in_its_child_and_its_axis_in_the_joint_unless_told(tmp_path: Path) -> None:
    """A link a quarter turn about z: its joint 1 m along its own x is 1 m along y of the model."""
    pose = "<pose>2 0 0 0 0 1.5707963267948966</pose>"
    inner = "<pose>1 0 0 0 0 0</pose><axis><xyz>1 0 0</xyz></axis>"
    b = read_sdf(written(tmp_path, link("a") + link("b", pose) + joint("j", "revolute", "a", "b", inner))).by_name["b"]
    np.testing.assert_allclose(numbers(b.point), [2, 1, 0], rtol=0, atol=1e-15)
    np.testing.assert_allclose(numbers(b.axes[0]), [0, 1, 0], rtol=0, atol=1e-15)
    told = '<pose relative_to="__model__">1 0 0 0 0 0</pose><axis><xyz expressed_in="__model__">1 0 0</xyz></axis>'
    b = read_sdf(written(tmp_path, link("a") + link("b", pose) + joint("j", "revolute", "a", "b", told))).by_name["b"]
    np.testing.assert_allclose([numbers(b.point), numbers(b.axes[0])], [[1, 0, 0], [1, 0, 0]], rtol=0, atol=1e-15)


def test_degrees_are_read(tmp_path: Path) -> None:
    pose = '<pose degrees="true">0 0 0 0 0 90</pose>'
    text = link("a") + link("b", pose) + joint("j", "revolute", "a", "b", "<axis><xyz>1 0 0</xyz></axis>")
    b = read_sdf(written(tmp_path, text)).by_name["b"]
    np.testing.assert_allclose(numbers(b.axes[0]), [0, 1, 0], rtol=0, atol=1e-15)


def test_balls_and_universal_joints_hang_on_the_world(tmp_path: Path) -> None:
    axes = "<axis><xyz>1 0 0</xyz></axis><axis2><xyz>0 1 0</xyz></axis2>"
    text = link("a") + link("b") + joint("j", "ball", "world", "a") + joint("k", "universal", "a", "b", axes)
    m = read_sdf(written(tmp_path, text))
    assert m.base == GROUND
    assert [(b.name, b.joint) for b in m.bodies] == [("a", "ball"), ("b", "univ")]
    assert len(Embedded(m).rates) == 5


TWO = link("a") + link("b")
FAULTS = {
    "the model has no link": "",
    "link 'a': there is already one of this name": link("a") + link("a"),
    "link 'world': there is already one of this name": link("world"),
    "link 'a': it has no <inertial>": '<link name="a"/>',
    "link 'a': <inertial> has no inertia": '<link name="a"><inertial><mass>1</mass></inertial></link>',
    "a robot has one link without a parent; here: a, b": TWO,
    "joint 'j': its type 'revolut' is not read; did you mean 'revolute'": TWO + joint("j", "revolut", "a", "b"),
    "joint 'j': its type 'screw' is not read": TWO + joint("j", "screw", "a", "b"),
    "joint 'j': there is no link 'c' for its parent": TWO + joint("j", "fixed", "c", "b"),
    "joint 'j': there is no link 'world' for its child": TWO + joint("j", "fixed", "a", "world"),
    "joint 'j': it has no <child>": TWO + '<joint name="j" type="fixed"><parent>a</parent></joint>',
    "joint 'j': its axis has no length": TWO + joint("j", "revolute", "a", "b", "<axis><xyz>0 0 0</xyz></axis>"),
    "joint 'j': '1 0' is not a list of 3": TWO + joint("j", "revolute", "a", "b", "<axis><xyz>1 0</xyz></axis>"),
    "joint 'j': there is no link 'bb'; did you mean 'b'": TWO
    + joint("j", "revolute", "a", "b", '<axis><xyz expressed_in="bb">1 0 0</xyz></axis>'),
    "link 'b': its pose is relative to 'aa', which is not a link; did you mean 'a'": link("a")
    + link("b", '<pose relative_to="aa">0 0 0 0 0 0</pose>'),
    "link 'a': its pose is relative to itself, through a, b": link("a", '<pose relative_to="b">0 0 0 0 0 0</pose>')
    + link("b", '<pose relative_to="a">0 0 0 0 0 0</pose>'),
    "the rotation_format 'quat_xyzw' is not read": link("a", '<pose rotation_format="quat_xyzw">0 0 0 0 0 0 1</pose>'),
    "the model has a <include> inside": link("a") + "<include/>",
    "joint 'k': 'b' is already the child of joint 'j'": TWO
    + joint("j", "fixed", "a", "b")
    + joint("k", "fixed", "a", "b"),
}


@pytest.mark.parametrize("message", FAULTS)
def test_a_wrong_file_is_told_where(message: str, tmp_path: Path) -> None:
    with pytest.raises(DefinitionError) as caught:
        read_sdf(written(tmp_path, FAULTS[message]))
    assert str(caught.value).startswith("robot.sdf: ")
    assert message in str(caught.value)


def test_one_model_is_read(tmp_path: Path) -> None:
    path = tmp_path / "robot.sdf"
    path.write_text('<sdf version="1.9"><model name="a"/><model name="b"/></sdf>')
    with pytest.raises(DefinitionError, match="it has 2 models; one is read"):
        read_sdf(path)


def test_poses_relative_to_hundreds_of_others_are_refused(tmp_path: Path) -> None:
    text = "".join(link(f"l{i}", f'<pose relative_to="l{i + 1}">0 0 0 0 0 0</pose>') for i in range(2000)) + link(
        "l2000"
    )
    with pytest.raises(DefinitionError, match="more than 200 poses are relative to each other"):
        read_sdf(written(tmp_path, text))
