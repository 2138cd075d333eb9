"""Robot files (URDF, SDF): XML is checked before it is trusted, and links and joints are ordered into a mechanism.

Both formats are trees of links. Shapes, limits, friction, motors and sensors are not read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from lxml import etree

from drawbar.blocks.core.errors import DefinitionError, did_you_mean
from drawbar.blocks.core.safe_xml import DoctypeError, MalformedXml, parse_hostile
from drawbar.blocks.vehicle.multibody.mechanism import Body, Mechanism

MAX_BYTES = 10_000_000  # bytes of a file
Numbers = np.ndarray[Any, np.dtype[np.float64]]


@dataclass(frozen=True)
class Frame:
    """A coordinate frame: its axes as the columns of R, and its origin p."""

    R: Numbers
    p: Numbers

    def after(self, inner: Frame) -> Frame:
        """Return the frame that is at `inner` in this frame."""
        return Frame(self.R @ inner.R, self.R @ inner.p + self.p)


IDENTITY = Frame(np.eye(3), np.zeros(3))


@dataclass(frozen=True)
class Link:
    """A body in its own frame: mass, and the frame of its centre of mass in which `inertia` is given."""

    mass: float
    centre: Frame
    inertia: Numbers


@dataclass(frozen=True)
class Joint:
    """A joint in the frame of the mechanism; `where` begins its messages."""

    where: str
    kind: str
    parent: str
    child: str
    point: Numbers
    axes: tuple[Numbers, ...]


def parse(path: Path, root: str) -> Any:
    """Return the root element of an XML file, which must have this name; raise `DefinitionError` if it is unsafe."""
    try:
        with path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise DefinitionError(f"{path.name}: {error.strerror}") from None
    if len(content) > MAX_BYTES:
        raise DefinitionError(f"{path.name}: it has more than {MAX_BYTES} bytes")
    try:
        found = parse_hostile(content)
    except (MalformedXml, ValueError) as error:
        raise DefinitionError(f"{path.name}: this is not XML: {error}") from None
    except DoctypeError:
        raise DefinitionError(f"{path.name}: it has a DOCTYPE; entities are not read") from None
    if found.tag != root:
        raise DefinitionError(f"{path.name}: the root element is <{found.tag}> instead of <{root}>")
    if any("xacro" in (element.prefix or "") for element in found.iter(etree.Element)):
        raise DefinitionError(f"{path.name}: it has xacro macros; expand them first (xacro file > robot.urdf)")
    return found


def attribute(element: Any, name: str, where: str) -> str:
    """Return a required attribute."""
    found = element.get(name)
    if not found:
        raise DefinitionError(f"{where}: <{element.tag}> has no {name}")
    return str(found)


def numbers(text: str | None, count: int, where: str, default: Sequence[float] = ()) -> Numbers:
    """Return the finite numbers of a text, separated by spaces, or the default if there is no text."""
    if text is None:
        return np.array(default, float)
    try:
        found = np.array([float(word) for word in text.split()])
    except ValueError:
        raise DefinitionError(f"{where}: '{text.strip()[:80]}' is not a list of numbers") from None
    if found.shape != (count,) or not np.isfinite(found).all():
        raise DefinitionError(f"{where}: '{text.strip()[:80]}' is not a list of {count} finite numbers")
    return found


def rotation_rpy(rpy: Numbers) -> Numbers:
    """Return the rotation by roll, pitch and yaw about fixed axes x, y, z."""
    (cr, cp, cy), (sr, sp, sy) = np.cos(rpy), np.sin(rpy)
    Rx = np.array([[1, 0, 0], [0, cr, -sr], [0, sr, cr]])
    Ry = np.array([[cp, 0, sp], [0, 1, 0], [-sp, 0, cp]])
    Rz = np.array([[cy, -sy, 0], [sy, cy, 0], [0, 0, 1]])
    return np.asarray(Rz @ Ry @ Rx)


def direction(axis: Numbers, R: Numbers, where: str) -> Numbers:
    """Return an axis scaled to unit length and rotated by R."""
    length = float(np.linalg.norm(axis))
    if length == 0.0:
        raise DefinitionError(f"{where}: its axis has no length")
    return np.asarray(R @ axis / length)


def tree(links: Mapping[str, Link], joints: Sequence[Joint]) -> tuple[str, dict[str, Joint]]:
    """Return the root link and the joint of each other link; raise `DefinitionError` if they are not a tree."""
    of: dict[str, Joint] = {}
    for joint in joints:
        for end, name in (("parent", joint.parent), ("child", joint.child)):
            if name not in links:
                raise DefinitionError(
                    f"{joint.where}: there is no link '{name}' for its {end}" + did_you_mean(name, links)
                )
        if joint.child in of:
            raise DefinitionError(
                f"{joint.where}: '{joint.child}' is already the child of {of[joint.child].where}; "
                "loops are not supported"
            )
        of[joint.child] = joint
    roots = [name for name in links if name not in of]
    if len(roots) != 1:
        shown = ", ".join(roots) if roots else "none: the joints form a circle"
        raise DefinitionError(f"a robot has one link without a parent; here: {shown}")
    return roots[0], of


def mechanism(
    links: Mapping[str, Link], frames: Mapping[str, Frame], joints: Sequence[Joint], *, floating: bool
) -> Mechanism:
    """Return the mechanism with its bodies ordered from the root outwards.

    The root moves freely if `floating`; otherwise it is the ground, as it is when a joint of kind ``free`` hangs on it.
    """
    root, of = tree(links, joints)
    floating_joints = [j for j in joints if j.kind == "free"]
    if floating_joints and (
        len(floating_joints) > 1
        or floating_joints[0].parent != root
        or links[root].mass > 0
        or len(joints_of(root, joints)) > 1
    ):
        raise DefinitionError(
            f"{floating_joints[0].where}: a floating joint is for the one child of a root without mass"
        )
    grounded = bool(floating_joints) or not floating
    bodies = [] if grounded else [_body(root, None, "free", links[root], frames[root], IDENTITY.p, ())]
    queue, reached = [root], {root}
    while queue:
        name = queue.pop()
        for joint in joints_of(name, joints):
            parent = None if grounded and name == root else name
            bodies.append(
                _body(joint.child, parent, joint.kind, links[joint.child], frames[joint.child], joint.point, joint.axes)
            )
            queue.append(joint.child)
            reached.add(joint.child)
    if len(reached) < len(links):
        unreachable = next(name for name in links if name not in reached)
        raise DefinitionError(f"link '{unreachable}' is not connected to the root: its joints form a circle")
    _check_weights(links, joints, of)
    return Mechanism(tuple(bodies))


def joints_of(name: str, joints: Sequence[Joint]) -> list[Joint]:
    """Return the joints whose parent is a link."""
    return [j for j in joints if j.parent == name]


def _body(
    name: str, parent: str | None, kind: str, link: Link, frame: Frame, point: Numbers, axes: tuple[Numbers, ...]
) -> Body:
    centre = frame.after(link.centre)
    return Body(name, parent, kind, link.mass, centre.p, centre.R @ link.inertia @ centre.R.T, point, axes)


def _check_weights(links: Mapping[str, Link], joints: Sequence[Joint], of: Mapping[str, Joint]) -> None:
    """Raise `DefinitionError` if a joint moves no mass, which would leave its acceleration undefined."""
    has_mass = {name: link.mass > 0 for name, link in links.items()}
    for name in links:
        while has_mass[name] and name in of and not has_mass[of[name].parent]:
            name = of[name].parent
            has_mass[name] = True
    for joint in joints:
        if joint.kind != "fix" and not has_mass[joint.child]:
            raise DefinitionError(f"{joint.where}: it moves '{joint.child}', which has no mass and carries none")
