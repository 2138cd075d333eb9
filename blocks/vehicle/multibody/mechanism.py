"""The description of a mechanism: bodies on a tree of joints, and the cuts that close its loops.

All points and axes are given in the vehicle frame at the design position, where every body frame coincides with it and
all joint coordinates are zero. The base is the root of the tree: a free body, or the ground.

Joints, with their degrees of freedom, the axes that they need and their constraint rows in absolute coordinates:

========  =======================================  ===  ====  ====
kind      free motion                              dof  axes  rows
========  =======================================  ===  ====  ====
free      all; for the base only                     6     0     0
rev       rotation about the axis                    1     1     5
pris      translation along the axis                 1     1     5
ball      rotation about the point                   3     0     3
univ      rotation about the first axis, fixed in    2     2     4
          the parent, then about the second one,
          fixed in the body
fix       none                                       0     0     6
========  =======================================  ===  ====  ====

Cuts: ``ball`` (two points coincide, 3 rows), ``dist`` (two points keep their distance, 1 row), ``inplane`` (two points
coincide along each of some directions that are fixed in a third body, one row per direction).

Springs, dampers, stops and actuators are `forces`; see `force_element`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import casadi as ca
import numpy as np

from drawbar.blocks.core.errors import DefinitionError, did_you_mean
from drawbar.blocks.vehicle.multibody.force_element import ForceElement, LineElement, check_force
from drawbar.blocks.vehicle.multibody.inertia_check import inertia_fault
from drawbar.blocks.vehicle.multibody.spatial import constant, matrix

DOF = {"free": 6, "rev": 1, "pris": 1, "ball": 3, "univ": 2, "fix": 0}
AXES = {"free": 0, "rev": 1, "pris": 1, "ball": 0, "univ": 2, "fix": 0}
CUTS = ("ball", "dist", "inplane")
GROUND = "ground"
UNIT_TOLERANCE = 1e-8  # allowed deviation of the length of an axis from 1; formulations differ by as much
POINT_TOLERANCE = 1e-6  # m, allowed distance of the two points of a ball cut in the design position


@dataclass(frozen=True, eq=False)
class Body:
    """A rigid body and the joint to its parent. Numbers may be CasADi symbols; vectors are plain sequences.

    `mass` is in kg, `com` in m, and `inertia` (3 x 3, about the centre of mass) in kg m2, in vehicle axes at the design
    position. A `parent` of None is the ground. `point`, in m, lies on the axes of the joint; `axes` have unit length.
    """

    name: str
    parent: str | None
    joint: str
    mass: Any
    com: Any
    inertia: Any
    point: Any = (0.0, 0.0, 0.0)
    axes: tuple[Any, ...] = ()

    def __post_init__(self) -> None:
        where = f"body '{self.name}'"
        for name, shape in (("com", (3, 1)), ("inertia", (3, 3)), ("point", (3, 1))):
            object.__setattr__(self, name, matrix(getattr(self, name), shape, f"{where}: its {name}"))
        object.__setattr__(self, "axes", tuple(matrix(a, (3, 1), f"{where}: its axis") for a in self.axes))


@dataclass(frozen=True, eq=False)
class Cut:
    """A constraint that closes a loop between `point_a` of one body and `point_b` of another, in m.

    The `directions` of an inplane cut have unit length and are fixed in the body `fixed_in`.
    """

    kind: str
    body_a: str
    body_b: str
    point_a: Any
    point_b: Any
    directions: tuple[Any, ...] = ()
    fixed_in: str = GROUND

    def __post_init__(self) -> None:
        where = f"the cut between '{self.body_a}' and '{self.body_b}'"
        for name in ("point_a", "point_b"):
            object.__setattr__(self, name, matrix(getattr(self, name), (3, 1), f"{where}: its {name}"))
        found = tuple(matrix(d, (3, 1), f"{where}: its direction") for d in self.directions)
        object.__setattr__(self, "directions", found)

    @property
    def rows(self) -> int:
        """Return the number of scalar constraints."""
        return {"ball": 3, "dist": 1, "inplane": len(self.directions)}[self.kind]


@dataclass(frozen=True)
class Sizes:
    """The numbers of unknowns and constraint rows of the absolute (FA), tree (TA) and embedded (CE) formulations."""

    absolute: tuple[int, int]
    tree: tuple[int, int]
    embedded: tuple[int, int]


@dataclass(frozen=True)
class Mechanism:
    """Bodies, with parents before children, and cuts; `independent` names the joints that determine the others.

    `forces` are the springs, dampers and other force elements between the bodies. `DefinitionError` names what is
    wrong.
    """

    bodies: tuple[Body, ...]
    cuts: tuple[Cut, ...] = ()
    independent: tuple[str, ...] = ()
    forces: tuple[ForceElement, ...] = ()
    by_name: Mapping[str, Body] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "by_name", _checked(self))

    @property
    def base(self) -> str:
        """Return the name of the root: the free body, or the ground."""
        return self.bodies[0].name if self.bodies[0].joint == "free" else GROUND

    def parent(self, name: str) -> str:
        """Return the body, or the ground, to which a body is joined."""
        return self.by_name[name].parent or GROUND

    def path(self, name: str) -> list[str]:
        """Return the bodies from the given one up to the base, without the base."""
        found = []
        while name not in (self.base, GROUND):
            found.append(name)
            name = self.parent(name)
        return found

    def sizes(self) -> Sizes:
        """Return the sizes of the three formulations."""
        dof = sum(DOF[b.joint] for b in self.bodies)
        rows = sum(c.rows for c in self.cuts)
        hinges = sum(6 - DOF[b.joint] for b in self.bodies)
        return Sizes((6 * len(self.bodies), hinges + rows), (dof, rows), (dof - rows, 0))


def _checked(m: Mechanism) -> dict[str, Body]:
    if not m.bodies:
        raise DefinitionError("a mechanism has at least one body")
    known: dict[str, Body] = {}
    for body in m.bodies:
        try:
            _check_body(body, m.bodies[0], known)
        except DefinitionError as error:
            raise DefinitionError(f"body '{body.name}': {error}") from None
        known[body.name] = body
    for cut in m.cuts:
        try:
            _check_cut(cut, known, m.base)
        except DefinitionError as error:
            raise DefinitionError(f"the cut between '{cut.body_a}' and '{cut.body_b}': {error}") from None
    for i, name in enumerate(m.independent):
        if name not in known:
            raise DefinitionError(f"independent joint '{name}': there is no such body" + did_you_mean(name, known))
        if name in m.independent[:i]:
            raise DefinitionError(f"independent joint '{name}': it is named twice")
    joints = {body.name: body.joint for body in m.bodies}
    for force in m.forces:
        try:
            if isinstance(force, LineElement):
                _check_ends(force.body_a, force.body_b, known, m.base)
            check_force(force, joints)
        except DefinitionError as error:
            raise DefinitionError(f"{force.where}: {error}") from None
    return known


def _check_body(body: Body, first: Body, before: Mapping[str, Body]) -> None:
    if body.name in before or body.name == GROUND:
        raise DefinitionError("there is already one of this name")
    if body.joint not in DOF:
        raise DefinitionError(f"there is no joint '{body.joint}'" + did_you_mean(body.joint, DOF))
    if body.joint == "free" and (body is not first or body.parent not in (None, GROUND)):
        raise DefinitionError("the joint free is for the first body alone, without a parent")
    if body.joint != "free":
        if body.parent not in (None, GROUND) and body.parent not in before:
            raise DefinitionError(
                f"its parent '{body.parent}' is not defined before it" + did_you_mean(body.parent, before)
            )
        if body.parent in (None, GROUND) and first.joint == "free":
            raise DefinitionError(
                f"it is joined to the ground, but the base '{first.name}' moves freely; name a parent"
            )
    if len(body.axes) != AXES[body.joint]:
        raise DefinitionError(f"a {body.joint} joint takes {AXES[body.joint]} axes, not {len(body.axes)}")
    _check_mass(body)
    for axis in body.axes:
        _check_length(axis, "its axis")


def _check_length(direction: Any, what: str) -> None:
    length = constant(ca.norm_2(direction))
    if length is not None and not abs(length[0, 0] - 1) < UNIT_TOLERANCE:
        raise DefinitionError(f"{what} has length {length[0, 0]:.9g}, not 1; scale it by `unit`")


def _check_mass(body: Body) -> None:
    mass, inertia = constant(body.mass), constant(body.inertia)
    if mass is not None and not 0 <= mass[0, 0] < np.inf:
        raise DefinitionError(f"its mass is {mass[0, 0]:g} kg; it must be positive, or 0 of a body without inertia")
    if inertia is None:
        return
    if (fault := inertia_fault(inertia)) is not None:
        raise DefinitionError(fault)


def _check_ends(a: str, b: str, known: Mapping[str, Body], base: str) -> None:
    for end in (a, b):
        _check_known(end, known)
        if end == GROUND != base:
            raise DefinitionError(
                f"it is attached to the ground, but the base '{base}' moves freely; name a body, or apply external "
                "loads as a wrench"
            )
    if a == b:
        raise DefinitionError("it joins a body to itself")


def _check_known(name: str, known: Mapping[str, Body]) -> None:
    if name not in known and name != GROUND:
        raise DefinitionError(f"there is no body '{name}'" + did_you_mean(name, known))


def _check_cut(cut: Cut, known: Mapping[str, Body], base: str) -> None:
    if cut.kind not in CUTS:
        raise DefinitionError(f"there is no kind '{cut.kind}'" + did_you_mean(cut.kind, CUTS))
    _check_ends(cut.body_a, cut.body_b, known, base)
    if cut.kind == "inplane":
        _check_known(cut.fixed_in, known)
    if (cut.kind == "inplane") != bool(cut.directions):
        raise DefinitionError("directions are for inplane cuts, which need at least one")
    for direction in cut.directions:
        _check_length(direction, "its direction")
    length = constant(ca.norm_2(cut.point_a - cut.point_b))
    if length is None:
        return
    if cut.kind == "dist" and length[0, 0] == 0.0:
        raise DefinitionError("its points coincide, so their distance is zero; use a ball cut")
    if cut.kind == "ball" and length[0, 0] > POINT_TOLERANCE:
        raise DefinitionError(f"its points are {length[0, 0]:.3g} m apart in the design position")


def unit(vector: Sequence[float]) -> ca.DM:
    """Return a direction scaled to unit length; numbers in files have about nine digits."""
    v = np.asarray(vector, float)
    length = float(np.linalg.norm(v))
    if v.shape != (3,) or not np.isfinite(length) or length == 0.0:
        raise DefinitionError(f"{np.ravel(v).tolist()} is not a direction in space")
    return ca.DM(v / length)
