"""Bodies that move as one, lumped: welded ones, and rotors with the body that carries them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import casadi as ca

from drawbar.blocks.vehicle.multibody.compound import Compound
from drawbar.blocks.vehicle.multibody.mechanism import GROUND, Body, Mechanism
from drawbar.blocks.vehicle.multibody.spatial import Matrix, Pose, rotated


@dataclass(frozen=True)
class Lump:
    """Mass, centre of mass and inertia about it, at the design position."""

    mass: Matrix
    com: Matrix
    inertia: Matrix


class Lumps:
    """The groups of bodies that move as one, each known by its leader, the first of them."""

    def __init__(self, m: Mechanism, compounds: Sequence[Compound]) -> None:
        self._m = m
        self._groups: dict[str, list[str]] = {m.base: [m.base]} if m.base != GROUND else {}
        self._rotors: dict[str, list[Compound]] = {}
        self.leader = {m.base: m.base}
        for k in compounds:
            if k.rotor:
                self._rotors.setdefault(self.leader[k.node.parent], []).append(k)
                self.leader.update(dict.fromkeys(k.placed, next(iter(k.placed))))
                continue
            same: dict[int, str] = {}
            for name, body in k.placed.items():
                first = same.setdefault(id(body), name)  # what shares its place moves as one
                self._groups.setdefault(first, []).append(name)
                self.leader[name] = first

    @property
    def names(self) -> list[str]:
        """The leaders, in the order of the bodies."""
        return list(self._groups)

    def wrenches(self, on: Mapping[str, Matrix]) -> dict[str, Matrix]:
        """Wrenches on bodies as wrenches on leaders."""
        found: dict[str, Matrix] = {}
        for name, wrench in on.items():
            found[self.leader[name]] = found.get(self.leader[name], 0) + wrench
        return found

    def lumped(self, leader: str) -> Lump:
        """A group as one body, with its rotors but for their inertia about their axes."""
        bodies = [self._m.by_name[n] for n in self._groups[leader]]
        spun = []
        for k in self._rotors.get(leader, ()):
            axis = self._m.by_name[next(iter(k.placed))].axes[0]
            body = together([self._m.by_name[n] for n in k.placed])
            spun.append(Lump(body.mass, body.com, body.inertia - self.about_axis(k) * (axis @ axis.T)))
        return together([*bodies, *spun])

    def about_axis(self, k: Compound) -> Matrix:
        """The inertia of a rotor about its axis."""
        axis = self._m.by_name[next(iter(k.placed))].axes[0]
        return axis.T @ together([self._m.by_name[n] for n in k.placed]).inertia @ axis


class Rigid:
    """A lump in motion: its inertia, and the wrench that its motion takes while the independent rates are constant.

    About the centre of mass, which costs half of what 6 x 6 matrices about the origin do; the results are about the
    origin again.
    """

    def __init__(self, lump: Lump, pose: Pose, V: Matrix, lean: Matrix) -> None:
        self._mass, self._com = lump.mass, pose.at(lump.com)
        self._inertia = rotated(pose.R, lump.inertia)
        omega, alpha = V[:3], lean[:3]
        speed = V[3:] + ca.cross(omega, self._com)
        force = self._mass * (lean[3:] + ca.cross(alpha, self._com) + ca.cross(omega, speed))
        moment = self._inertia @ alpha + ca.cross(omega, self._inertia @ omega)
        self.wrench = ca.vertcat(moment + ca.cross(self._com, force), force)

    def times(self, J: Matrix) -> Matrix:
        """The inertia times motions."""
        found = []
        for column in ca.horzsplit(J):
            omega = column[:3]
            momentum = self._mass * (column[3:] + ca.cross(omega, self._com))
            found.append(ca.vertcat(self._inertia @ omega + ca.cross(self._com, momentum), momentum))
        return ca.horzcat(ca.SX(6, 0), *found)

    def about_origin(self) -> tuple[Matrix, Matrix, Matrix]:
        """Mass, first moment and inertia about the origin."""
        h = self._mass * self._com
        return self._mass, h, self._inertia + ca.dot(self._com, h) * ca.DM.eye(3) - self._com @ h.T


def composite(bodies: Sequence[Rigid]) -> Matrix:
    """The inertia of bodies together, 6 x 6 about the origin; its lower triangle is what counts."""
    mass, h, whole = (sum_of(list(part)) for part in zip(*(b.about_origin() for b in bodies), strict=True))
    return ca.vertcat(ca.horzcat(whole, ca.skew(h)), ca.horzcat(-ca.skew(h), mass * ca.DM.eye(3)))


def together(bodies: Sequence[Body | Lump]) -> Lump:
    """Bodies welded to each other in the design position."""
    if len(bodies) == 1:
        return Lump(bodies[0].mass, bodies[0].com, bodies[0].inertia)
    mass = sum_of([b.mass for b in bodies])
    com = sum_of([b.mass * b.com for b in bodies]) / mass
    return Lump(mass, com, sum_of([b.inertia + b.mass * _square(b.com - com) for b in bodies]))


def _square(r: Matrix) -> Matrix:
    """``r.r - r r'``, the inertia of a unit mass at r."""
    return ca.dot(r, r) * ca.DM.eye(3) - r @ r.T


def sum_of(terms: Sequence[Matrix]) -> Matrix:
    """The sum; 0 of nothing."""
    total = terms[0] if terms else 0
    for term in terms[1:]:
        total = total + term
    return total
