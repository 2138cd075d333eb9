"""Groups of bodies that move as one: welded bodies, and rotors with the body that carries them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import casadi as ca

from drawbar.blocks.vehicle.multibody.mechanism import GROUND, Body, Mechanism
from drawbar.blocks.vehicle.multibody.nodes import Compound
from drawbar.blocks.vehicle.multibody.spatial import Matrix, Pose, rotated


@dataclass(frozen=True)
class MassProperties:
    """Mass, centre of mass and inertia about the centre of mass, at the design position."""

    mass: Matrix
    com: Matrix
    inertia: Matrix


class BodyGroups:
    """The groups of bodies that move as one; each group is named by its first body, the leader."""

    def __init__(self, m: Mechanism, compounds: Sequence[Compound]) -> None:
        self._m = m
        self._groups: dict[str, list[str]] = {m.base: [m.base]} if m.base != GROUND else {}
        self._rotors: dict[str, list[Compound]] = {}
        self.leader = {m.base: m.base}
        for k in compounds:
            if k.rotor:
                self._rotors.setdefault(self.leader[k.node.parent], []).append(k)
                self.leader.update(dict.fromkeys(k.kinematics, next(iter(k.kinematics))))
                continue
            leader_of: dict[int, str] = {}
            for name, body in k.kinematics.items():
                first = leader_of.setdefault(id(body), name)  # bodies with the same kinematics move as one
                self._groups.setdefault(first, []).append(name)
                self.leader[name] = first

    @property
    def names(self) -> list[str]:
        """Return the leaders, in the order of the bodies."""
        return list(self._groups)

    def wrenches(self, on: Mapping[str, Matrix]) -> dict[str, Matrix]:
        """Return wrenches on bodies as wrenches on their leaders."""
        found: dict[str, Matrix] = {}
        for name, wrench in on.items():
            found[self.leader[name]] = found.get(self.leader[name], 0) + wrench
        return found

    def mass_properties(self, leader: str) -> MassProperties:
        """Return a group as one body, including its rotors except for their inertia about their axes."""
        bodies = [self._m.by_name[n] for n in self._groups[leader]]
        rotors = []
        for k in self._rotors.get(leader, ()):
            axis = self._m.by_name[next(iter(k.kinematics))].axes[0]
            body = combined([self._m.by_name[n] for n in k.kinematics])
            rotors.append(MassProperties(body.mass, body.com, body.inertia - self.about_axis(k) * (axis @ axis.T)))
        return combined([*bodies, *rotors])

    def about_axis(self, k: Compound) -> Matrix:
        """Return the inertia of a rotor about its axis."""
        axis = self._m.by_name[next(iter(k.kinematics))].axes[0]
        return axis.T @ combined([self._m.by_name[n] for n in k.kinematics]).inertia @ axis


class MovingBody:
    """A rigid body in motion: its inertia, and its inertial wrench for given accelerations.

    It is computed about the centre of mass, at half the cost of 6 x 6 matrices about the origin; the results refer to
    the origin.
    """

    def __init__(self, lump: MassProperties, pose: Pose, V: Matrix, bias: Matrix) -> None:
        self._mass, self._com = lump.mass, pose.at(lump.com)
        self._inertia = rotated(pose.R, lump.inertia)
        omega, alpha = V[:3], bias[:3]
        speed = V[3:] + ca.cross(omega, self._com)
        force = self._mass * (bias[3:] + ca.cross(alpha, self._com) + ca.cross(omega, speed))
        moment = self._inertia @ alpha + ca.cross(omega, self._inertia @ omega)
        self.wrench = ca.vertcat(moment + ca.cross(self._com, force), force)

    def times(self, J: Matrix) -> Matrix:
        """Return the product of the inertia and the columns of J."""
        found = []
        for column in ca.horzsplit(J):
            omega = column[:3]
            momentum = self._mass * (column[3:] + ca.cross(omega, self._com))
            found.append(ca.vertcat(self._inertia @ omega + ca.cross(self._com, momentum), momentum))
        return ca.horzcat(ca.SX(6, 0), *found)

    def about_origin(self) -> tuple[Matrix, Matrix, Matrix]:
        """Return mass, first moment and inertia about the origin."""
        h = self._mass * self._com
        return self._mass, h, self._inertia + ca.dot(self._com, h) * ca.DM.eye(3) - self._com @ h.T


def composite(bodies: Sequence[MovingBody]) -> Matrix:
    """Return the 6 x 6 inertia of several bodies about the origin; only its lower triangle is used."""
    mass, h, whole = (sum_of(list(part)) for part in zip(*(b.about_origin() for b in bodies), strict=True))
    return ca.vertcat(ca.horzcat(whole, ca.skew(h)), ca.horzcat(-ca.skew(h), mass * ca.DM.eye(3)))


def combined(bodies: Sequence[Body | MassProperties]) -> MassProperties:
    """Return bodies that are welded to each other in the design position as one lump."""
    if len(bodies) == 1:
        return MassProperties(bodies[0].mass, bodies[0].com, bodies[0].inertia)
    mass = sum_of([b.mass for b in bodies])
    com = sum_of([b.mass * b.com for b in bodies]) / mass
    return MassProperties(mass, com, sum_of([b.inertia + b.mass * _square(b.com - com) for b in bodies]))


def _square(r: Matrix) -> Matrix:
    """Return ``r.r - r r'``, the inertia of a unit mass at r."""
    return ca.dot(r, r) * ca.DM.eye(3) - r @ r.T


def sum_of(terms: Sequence[Matrix]) -> Matrix:
    """Return the sum of the terms, 0 if there are none."""
    total = terms[0] if terms else 0
    for term in terms[1:]:
        total = total + term
    return total
