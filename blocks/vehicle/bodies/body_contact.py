"""Contact of a chassis with the ground: bumpers, underside and roof as points on a compliant ground with friction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from typing import Any

import casadi as ca

from drawbar.blocks import Parameter, cross, dot, fmax, fmin, if_else, sqrt, vertcat
from drawbar.blocks.authoring.stability_bounds import Oscillator, spectral_bound
from drawbar.blocks.core.units import STANDARD_GRAVITY

PARTS = {"bumper": "bumpers", "underside": "underside", "roof": "roof edges"}
# The stiffness is chosen: four points carry the vehicle with this compression. A corner of the HMMWV that falls at
# 3 m/s is then compressed by 0.1 m, as bodies are crushed in rollovers; no datum of the vehicle is known.
STATIC_COMPRESSION = 0.01  # m
# Chosen as well: a point returns with 0.41 of its speed after an impact at 1 m/s, and with 0.17 after one at 3 m/s.
DAMPING = 2.0  # s/m
# Vehicles that slide and roll on body and wheels are decelerated by 0.2 to 0.6 g: Rose and Beauchamp, Development of a
# Variable Deceleration Rate Approach to Rollover Crash Reconstruction, SAE 2009-01-0093.
FRICTION = 0.4
# Friction falls to zero where a point slides slower than sqrt(v_s^2 + (mu N/D)^2), D = k times the creep time: at rest,
# on four points, that is 0.04 m/s, so a body that lies on a slope of 10 % creeps by 1 cm/s. It bounds the eigenvalues.
LEAST_SPEED, CREEP_TIME = 0.01, 0.1  # v_s in m/s, s
NO_COMPRESSION = 1e-12  # m, far below any, keeps the sliding speed of an unloaded corner defined
CORNER = 10.0  # inverse mass of a point times the mass of the vehicle: 7 at a solid box, 10 at bumpers of the HMMWV


@dataclass(frozen=True)
class CornerContact:
    """Points of a body on a plane with the unit normal n, all in axes of the body about its origin.

    Of a point that is d below the plane and moves with v, the load is::

        N = k d max(0, 1 - c v.n)

    It is exactly zero above the plane, and never pulls. The damping is that of Hunt and Crossley (Coefficient of
    Restitution Interpreted as Damping in Vibroimpact, 1975) with exponent 1: the load does not jump at contact, and
    each impact takes energy. Friction acts in the centre of the loads, which slides with v_t::

        F = -mu N v_t/sqrt(v_t^2 + v_s^2 + (mu N/D)^2)

    It is Coulomb's; a slow body creeps by a viscous friction of at most D.
    """

    plane: tuple[Any, Any]  # a point, and n
    points: Sequence[Any]
    base: Any  # motion of the body
    stiffness: Any  # k, N/m
    damping: Any  # c, s/m
    friction: Any  # mu

    @cached_property
    def gaps(self) -> list[Any]:
        """Return the distances of the points above the plane, in m."""
        at, n = self.plane
        level = dot(n, at)
        return [dot(n, p) - level for p in self.points]

    @cached_property
    def depths(self) -> list[Any]:
        """Return d of each point, in m."""
        return [fmax(0.0, -gap) for gap in self.gaps]

    @cached_property
    def compressions(self) -> list[Any]:
        """Return N/k of each point, in m."""
        _, n = self.plane
        rising, by_point = dot(self.base[3:], n), cross(n, self.base[:3])
        return [
            d * fmax(0.0, 1.0 - self.damping * (rising + dot(by_point, p)))
            for d, p in zip(self.depths, self.points, strict=True)
        ]

    @cached_property
    def compression(self) -> Any:
        """Return S, the sum of the compressions, in m."""
        return sum(self.compressions)

    @property
    def load(self) -> Any:
        """Return the sum of the loads, in N."""
        return self.stiffness * self.compression

    @cached_property
    def moment(self) -> Any:
        """Return S times the position of the centre of the loads, in m2."""
        return sum((s * p for s, p in zip(self.compressions, self.points, strict=True)), ca.SX(3, 1))

    @cached_property
    def sliding(self) -> Any:
        """Return S v_t, in m2/s, where S is never zero: what is divided by S, is divided once."""
        _, n = self.plane
        flow = (self.compression + NO_COMPRESSION) * self.base[3:] + cross(self.base[:3], self.moment)
        return flow - dot(flow, n) * n

    @cached_property
    def drag(self) -> Any:
        """Return friction over sliding speed and S, in N s/m2."""
        S, slow = self.compression + NO_COMPRESSION, self.friction * self.compression / CREEP_TIME
        speed_times_S = sqrt(dot(self.sliding, self.sliding) + S**2 * (LEAST_SPEED**2 + slow**2))
        return self.friction * self.stiffness / speed_times_S

    @property
    def wrench(self) -> Any:
        """Return moment and force on the body."""
        _, n = self.plane
        force = self.stiffness * n - self.drag * self.sliding  # over S
        return vertcat(cross(self.moment, force), self.compression * force)

    @property
    def energy(self) -> Any:
        """Return the energy stored in the points, in J."""
        return sum(0.5 * self.stiffness * d**2 for d in self.depths)

    def oscillators(self, inverse_mass: Any) -> list[Oscillator]:
        """Return the oscillators of a body on these points, which have that `inverse_mass`, in 1/kg."""
        normal = [
            Oscillator(self.stiffness * (d > 0.0) * inverse_mass, self.stiffness * self.damping * d * inverse_mass)
            for d in self.depths
        ]
        return [*normal, Oscillator(0.0, self.drag * self.compression**2 * inverse_mass)]


class BodyContact:
    """The corners of a chassis on the ground under its wheels, in chassis axes about the chassis origin.

    Each corner has a point of a bumper, of the underside and of the roof. It takes the ground at its wheel, of the
    first or of the last axle, to extend around it along the least steep of these grounds (`least_steep`).
    """

    def __init__(self, dynamics: Any) -> None:
        block = dynamics.block
        law = block.body_stiffness, block.body_damping, block.body_friction
        wheels = (*block.wheels[:2], *block.wheels[-2:])
        planes = [dynamics.plane(w) for w in wheels]
        normal = least_steep([n for _, n in planes], [block.wheel_port(w).normal[2] for w in wheels])
        self.corners = []
        for i, (wheel, (at, own)) in enumerate(zip(wheels, planes, strict=True)):
            side = ca.DM([1, 1 if i % 2 == 0 else -1, 1])
            points = [getattr(block, f"{part}_points")[i // 2, :].T * side for part in PARTS]
            ground = foot(dynamics.centre(wheel), at, own), normal
            self.corners.append(CornerContact(ground, points, dynamics.base, *law))

    @property
    def wrench(self) -> Any:
        """Return moment and force on the chassis."""
        return sum((corner.wrench for corner in self.corners), ca.SX(6, 1))

    @property
    def clearance(self) -> Any:
        """Return the smallest distance of a point to the ground, in m; it is negative where the body is compressed."""
        return reduce(fmin, [gap for corner in self.corners for gap in corner.gaps])

    @property
    def load(self) -> Any:
        """Return the sum of the normal forces, in N."""
        return sum(corner.load for corner in self.corners)

    @property
    def energy(self) -> Any:
        """Return the energy stored in the points, in J."""
        return sum(corner.energy for corner in self.corners)

    def stability_bound(self, mass: Any) -> Any:
        """Return a bound on the rates at which the ground moves a vehicle of that mass, in 1/s; zero above the ground.

        It takes each point to move the vehicle as at the corner of a box.
        """
        return spectral_bound(o for corner in self.corners for o in corner.oscillators(CORNER / mass))


def foot(centre: Any, at: Any, normal: Any) -> Any:
    """Return the point of a plane that is nearest to the centre of a wheel."""
    return centre - dot(centre - at, normal) * normal


def least_steep(normals: Sequence[Any], heights: Sequence[Any]) -> Any:
    """Return the normal whose vertical component in `heights` is the largest.

    A wheel on a short obstacle has a steep plane that ends before the bumper. On a plane all are equal.
    """
    found, best = normals[0], heights[0]
    for normal, height in zip(normals[1:], heights[1:], strict=True):
        found, best = if_else(height > best, normal, found), fmax(height, best)
    return found


def contact_parameters(points: Mapping[str, Sequence[Sequence[float]]], mass: float) -> dict[str, Parameter]:
    """Return the parameters of the contact of a vehicle by name; `points` are those of each of its `PARTS`."""
    found = {
        f"{part}_points": Parameter(
            points[part], "m", f"front and rear point of the {meaning}, left side, vehicle axes", size=(2, 3)
        )
        for part, meaning in PARTS.items()
    }
    stiffness = round(mass * STANDARD_GRAVITY / (4.0 * STATIC_COMPRESSION), -3)
    return found | {
        "body_stiffness": Parameter(stiffness, "N/m", "k, stiffness of a point of the body on the ground", min=1.0),
        "body_damping": Parameter(DAMPING, "s/m", "c, relative change of its force per sinking speed", min=0.0),
        "body_friction": Parameter(FRICTION, "1", "mu, friction of the body on the ground", min=0.0),
    }
