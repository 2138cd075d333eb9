"""URDF, the robot description of ROS, read as a mechanism.

Joints: revolute and continuous, prismatic, fixed, and floating, which frees the only child of a root without mass. The
root moves freely unless `floating` is false. In a URDF the frame of a link is that of its joint, placed in the frame of
the parent link; inertias are in the frame of ``<inertial><origin>``. The frame of the mechanism is that of the root
link.
"""

from __future__ import annotations

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
    joints_of,
    mechanism,
    numbers,
    parse,
    rotation_rpy,
    tree,
)

KINDS = {"revolute": "rev", "continuous": "rev", "prismatic": "pris", "fixed": "fix", "floating": "free"}
X = (1.0, 0.0, 0.0)


def read_urdf(path: str | Path, *, floating: bool = True) -> Mechanism:
    """Read the mechanism of a URDF file; `DefinitionError` begins with the name of the file."""
    path = Path(path)
    root = parse(path, "robot")
    try:
        links: dict[str, Link] = {}
        for element in root.findall("link"):
            name = attribute(element, "name", "a link")
            if name in links:
                raise DefinitionError(f"link '{name}': there is already one of this name")
            links[name] = _link(element, f"link '{name}'")
        if not links:
            raise DefinitionError("it has no link")
        joints = [_joint(element) for element in root.findall("joint")]
        joints_in_root, frames = _in_root_frame(links, joints)
        return mechanism(links, frames, joints_in_root, floating=floating)
    except DefinitionError as error:
        raise DefinitionError(f"{path.name}: {error}") from None


def _link(element: Any, where: str) -> Link:
    inertial = element.find("inertial")
    if inertial is None:
        return Link(0.0, IDENTITY, np.zeros((3, 3)))
    mass, inertia = inertial.find("mass"), inertial.find("inertia")
    if mass is None or inertia is None:
        raise DefinitionError(f"{where}: <inertial> has no {'mass' if mass is None else 'inertia'}")
    xx, xy, xz, yy, yz, zz = (
        numbers(attribute(inertia, name, where), 1, where)[0] for name in ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
    )
    matrix = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    return Link(float(numbers(attribute(mass, "value", where), 1, where)[0]), _origin(inertial, where), matrix)


def _origin(element: Any, where: str) -> Frame:
    origin = element.find("origin")
    if origin is None:
        return IDENTITY
    rpy = numbers(origin.get("rpy"), 3, where, (0.0, 0.0, 0.0))
    return Frame(rotation_rpy(rpy), numbers(origin.get("xyz"), 3, where, (0.0, 0.0, 0.0)))


def _joint(element: Any) -> tuple[Joint, Frame, Any]:
    """Return a joint without its place, its frame in that of the parent link, and its axis there."""
    name = attribute(element, "name", "a joint")
    where = f"joint '{name}'"
    kind = attribute(element, "type", where)
    if kind not in KINDS:
        raise DefinitionError(f"{where}: its type '{kind}' is not read" + did_you_mean(kind, KINDS))
    if element.find("mimic") is not None:
        raise DefinitionError(f"{where}: it follows another joint (<mimic>), which is not supported")
    ends = []
    for end in ("parent", "child"):
        found = element.find(end)
        if found is None:
            raise DefinitionError(f"{where}: it has no <{end}>")
        ends.append(attribute(found, "link", where))
    axis = element.find("axis")
    along = numbers(None if axis is None else axis.get("xyz"), 3, where, X)
    return Joint(where, KINDS[kind], ends[0], ends[1], IDENTITY.p, ()), _origin(element, where), along


def _in_root_frame(
    links: dict[str, Link], joints: list[tuple[Joint, Frame, Any]]
) -> tuple[list[Joint], dict[str, Frame]]:
    """Return the joints and link frames in the frame of the root."""
    plain_joints = [joint for joint, _, _ in joints]
    root, _ = tree(links, plain_joints)
    known = {joint.child: (frame, along) for joint, frame, along in joints}
    frames, queue, joints_in_root = {root: IDENTITY}, [root], []
    while queue:
        name = queue.pop()
        for joint in joints_of(name, plain_joints):
            inner, along = known[joint.child]
            frame = frames[name].after(inner)
            frames[joint.child] = frame
            axes = (direction(along, frame.R, joint.where),) if joint.kind in ("rev", "pris") else ()
            joints_in_root.append(Joint(joint.where, joint.kind, joint.parent, joint.child, frame.p, axes))
            queue.append(joint.child)
    for name in links:
        if name not in frames:
            raise DefinitionError(f"link '{name}' is not connected to the root: its joints form a circle")
    return joints_in_root, frames
