"""SDFormat, the model description of Gazebo, read as a mechanism.

Joints: revolute, continuous, prismatic, fixed, ball, universal; a joint whose parent is ``world`` hangs on the ground.
In an SDF, links are given in the frame of the model, joints in that of their child link, and axes in that of their
joint, unless ``relative_to`` or ``expressed_in`` names a link or ``__model__``. The frame of the mechanism is the
model's.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from drawbar.blocks.core.errors import DefinitionError, did_you_mean
from drawbar.blocks.vehicle.multibody.mechanism import Mechanism
from drawbar.blocks.vehicle.multibody.robot import (
    IDENTITY,
    Frame,
    Joint,
    Link,
    attribute,
    direction,
    mechanism,
    numbers,
    parse,
    rotation_rpy,
)

KINDS = {
    "revolute": ("rev", 1),
    "continuous": ("rev", 1),
    "prismatic": ("pris", 1),
    "fixed": ("fix", 0),
    "ball": ("ball", 0),
    "universal": ("univ", 2),
}
MAX_DEPTH = 200  # poses relative to each other
WORLD, MODEL = "world", "__model__"
ENTRIES = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")


def read_sdf(path: str | Path, *, floating: bool = True) -> Mechanism:
    """Read the mechanism of the only model in an SDF file; `DefinitionError` begins with the name of the file.

    A model without a joint to the world moves freely unless `floating` is false.
    """
    path = Path(path)
    root = parse(path, "sdf")
    try:
        models = root.findall("model") + root.findall("world/model")
        if len(models) != 1:
            raise DefinitionError(f"it has {len(models)} models; one is read")
        return _model(models[0], floating)
    except DefinitionError as error:
        raise DefinitionError(f"{path.name}: {error}") from None


def _model(model: Any, floating: bool) -> Mechanism:
    for inner in ("model", "include"):
        if model.find(inner) is not None:
            raise DefinitionError(
                f"the model has a <{inner}> inside, which is not supported; write its links into the model"
            )
    elements = {}
    for element in model.findall("link"):
        name = attribute(element, "name", "a link")
        if name in elements or name == WORLD:
            raise DefinitionError(f"link '{name}': there is already one of this name")
        elements[name] = element
    if not elements:
        raise DefinitionError("the model has no link")
    links = {name: _link(element, f"link '{name}'") for name, element in elements.items()}
    frames = {name: _frame_of(name, elements, ()) for name in elements}
    joints = [_joint(element, frames) for element in model.findall("joint")]
    grounded = any(joint.parent == WORLD for joint in joints)
    if grounded:
        links[WORLD], frames[WORLD] = Link(0.0, IDENTITY, np.zeros((3, 3))), IDENTITY
    return mechanism(links, frames, joints, floating=floating and not grounded)


def _link(element: Any, where: str) -> Link:
    inertial = element.find("inertial")
    if inertial is None:
        raise DefinitionError(f"{where}: it has no <inertial>; the format would give it 1 kg, so write its mass")
    mass, inertia = inertial.findtext("mass"), inertial.find("inertia")
    if mass is None or inertia is None:
        raise DefinitionError(f"{where}: <inertial> has no {'mass' if mass is None else 'inertia'}")
    xx, xy, xz, yy, yz, zz = (float(numbers(inertia.findtext(n), 1, where, (0.0,))[0]) for n in ENTRIES)
    matrix = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    return Link(float(numbers(mass, 1, where)[0]), _pose(inertial.find("pose"), where), matrix)


def _pose(element: Any, where: str) -> Frame:
    """Return a pose in the frame to which it is relative."""
    if element is None:
        return IDENTITY
    if element.get("rotation_format", "euler_rpy") != "euler_rpy":
        raise DefinitionError(
            f"{where}: the rotation_format '{element.get('rotation_format')}' is not read; use euler_rpy"
        )
    values = numbers(element.text or "0 0 0 0 0 0", 6, where)
    angles = np.radians(values[3:]) if element.get("degrees") in ("true", "1") else values[3:]
    return Frame(rotation_rpy(angles), values[:3])


def _frame_of(name: str, elements: Mapping[str, Any], inside: tuple[str, ...]) -> Frame:
    """Return the frame of a link in the model, through all frames to which it is relative."""
    where = f"link '{name}'"
    if name in inside:
        raise DefinitionError(f"{where}: its pose is relative to itself, through {', '.join(inside)}")
    if len(inside) > MAX_DEPTH:
        raise DefinitionError(f"{where}: more than {MAX_DEPTH} poses are relative to each other")
    element = elements[name].find("pose")
    pose = _pose(element, where)
    base = None if element is None else element.get("relative_to")
    if base in (None, "", MODEL):
        return pose
    if base not in elements:
        raise DefinitionError(
            f"{where}: its pose is relative to '{base}', which is not a link" + did_you_mean(base, elements)
        )
    return _frame_of(base, elements, (*inside, name)).after(pose)


def _joint(element: Any, frames: Mapping[str, Frame]) -> Joint:
    name = attribute(element, "name", "a joint")
    where = f"joint '{name}'"
    kind = attribute(element, "type", where)
    if kind not in KINDS:
        raise DefinitionError(f"{where}: its type '{kind}' is not read" + did_you_mean(kind, KINDS))
    ends = []
    for end in ("parent", "child"):
        text = (element.findtext(end) or "").strip()
        if not text:
            raise DefinitionError(f"{where}: it has no <{end}>")
        if text not in frames and not (end == "parent" and text == WORLD):
            raise DefinitionError(f"{where}: there is no link '{text}' for its {end}" + did_you_mean(text, frames))
        ends.append(text)
    pose = element.find("pose")
    base = None if pose is None else pose.get("relative_to")
    frame = _named(base or ends[1], frames, where).after(_pose(pose, where))
    joint, count = KINDS[kind]
    axes = tuple(_axis(element.find(axis), frame, frames, where) for axis in ("axis", "axis2")[:count])
    return Joint(where, joint, ends[0], ends[1], frame.p, axes)


def _axis(element: Any, frame: Frame, frames: Mapping[str, Frame], where: str) -> Any:
    xyz = None if element is None else element.find("xyz")
    base = None if xyz is None else xyz.get("expressed_in")
    if element is not None and element.findtext("use_parent_model_frame", "").strip() in ("true", "1"):
        base = MODEL
    R = _named(base, frames, where).R if base else frame.R
    return direction(numbers(None if xyz is None else xyz.text, 3, where, (0.0, 0.0, 1.0)), R, where)


def _named(name: str, frames: Mapping[str, Frame], where: str) -> Frame:
    if name == MODEL:
        return IDENTITY
    if name not in frames:
        raise DefinitionError(f"{where}: there is no link '{name}'" + did_you_mean(name, frames))
    return frames[name]
