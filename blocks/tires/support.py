"""The forces that hold a vehicle at the start: along slopes too, by the brakes and by lateral forces of the tires."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import casadi as ca

from drawbar.blocks import dot, fabs, fmax, fmin, norm_2, vertcat
from drawbar.blocks.core.units import STANDARD_GRAVITY
from drawbar.blocks.tires.contact import Contact
from drawbar.blocks.vehicle.multibody.spatial import couple, force_at

UNEVEN = 0.02  # what the mean of the normals lacks of 1, from which on no acceleration along the ground is made out
STEEPEST = 0.1  # the vertical part of a normal, from which on a ground holds as a wall
STILL = 1e-6  # m/s, a speed below which brakes hold and do not slide


def capacity(brake: Any, speed: Any) -> Any:
    """Return the torque, in N m, that a brake can hold at the start: zero in motion, where it slides."""
    return brake * (fabs(speed) < STILL)


@dataclass(frozen=True)
class Support:
    """What the ground does to a wheel at the start: it bears a part of the weight, straight up.

    A load N on a ground with the normal n is the part across the ground of a force that points up, so along the ground
    there is ``t N`` with ``t = up/(n.up) - n``. Such forces on all wheels have no moment about the vertical and hold
    the vehicle, whatever its loads. Left of where the wheel heads the tire gives all of its share. Where it heads only
    what the brake holds, T, and what spins the wheel up that rolls with the part m of the mass on it::

        F_x = (m T r + t.x N J)/(m r^2 + J)        T = t.x N r within the capacity of the brake

    `share` is t; all vectors in the same axes. Torque of the drive is not asked for. Valid on grounds that tires can
    hold; beyond their grip, as on ice, it slides from the start on, under the loads of one that is held.
    """

    contact: Contact
    load: Any  # N, N
    share: Any  # t
    brake: Any  # capacity, N m
    inertia: Any  # J, kg m2

    @property
    def borne(self) -> Any:
        """Return the load, in N, of a wheel that touches the ground.

        A wheel in the air is drawn to it and holds nothing.
        """
        return fmax(0.0, self.load)

    @cached_property
    def torque(self) -> Any:
        """Return T, the torque by which the brake holds the vehicle, in N m."""
        return -self.bristles(0.0)

    @cached_property
    def forward(self) -> Any:
        """Return F_x, along the heading of the wheel, in N."""
        r = self.contact.radius
        mass = self.borne * norm_2(self.share + self.contact.z) / STANDARD_GRAVITY
        held = mass * self.torque * r + self.borne * dot(self.share, self.contact.x) * self.inertia
        return held / (mass * r**2 + self.inertia)

    @property
    def aside(self) -> Any:
        """Return F_y, to the left of the wheel, in N."""
        return self.borne * dot(self.share, self.contact.y)

    @property
    def along(self) -> Any:
        """Return the force along the ground, in N."""
        return self.forward * self.contact.x + self.aside * self.contact.y

    def bristles(self, drive: Any) -> Any:
        """Return the torque that the brake holds, in N m: to hold the wheel, and against the drive torque."""
        wanted = drive - self.borne * dot(self.share, self.contact.x) * self.contact.radius
        return fmax(-self.brake, fmin(self.brake, wanted))

    def wrench(self, axis: Any) -> Any:
        """Return the moment and force on the upright: all of the force, but about the axle only the brake torque."""
        c = self.contact
        rolling = self.forward * c.radius - self.torque
        return force_at(c.point, self.load * c.z + self.along) + couple(rolling * axis)


def share(normal: Any) -> Any:
    """Return the share t of the ground under a wheel, in world axes; slopes beyond 84 degrees count as 84 degrees."""
    return vertcat(0.0, 0.0, 1.0) / fmax(STEEPEST, normal[2]) - normal


def pull(supports: Sequence[Support], normals: Sequence[Any], mass: Any, R: Any) -> Any:
    """Return gravity less the remaining acceleration of the vehicle along the ground, in m/s2, in vehicle axes.

    With this as its weight, a vehicle that rolls or slides away is in equilibrium like one that stands. The more uneven
    the ground, the less of that acceleration is estimated: a wall before one wheel would otherwise overturn the
    vehicle. `normals` are those of the grounds, in world axes, where the vehicle has the rotation R.
    """
    total = sum(normals)
    n, mean = total / norm_2(total), norm_2(total) / len(normals)
    even = fmax(0.0, 1.0 - (1.0 - mean) / UNEVEN)

    def flat(vector: Any, normal: Any) -> Any:
        return vector - normal * dot(normal, vector)

    gravity = ca.DM([0.0, 0.0, -STANDARD_GRAVITY])
    # in the world first: on level ground nothing is left, not even by rounding
    left = flat(gravity, n) + sum(s.load * flat(k, n) for s, k in zip(supports, normals, strict=True)) / mass
    return R.T @ (gravity - even * left) - even * flat(sum(s.along for s in supports) / mass, R.T @ n)
