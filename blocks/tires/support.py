"""The forces of the ground that hold a vehicle at the start, on slopes as well, by brakes and lateral tire forces."""

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

UNEVEN_LIMIT = (
    0.02  # deficit of the mean normal from unit length at which no acceleration along the ground is estimated
)
MIN_NORMAL_Z = 0.1  # smallest vertical component of a normal; a steeper ground counts as one of this slope
STANDSTILL_SPEED = 1e-6  # m/s, speed below which brakes hold


def static_brake_capacity(brake: Any, speed: Any) -> Any:
    """Return the torque, in N m, that a brake can hold at the start; it is zero in motion, where the brake slides."""
    return brake * (fabs(speed) < STANDSTILL_SPEED)


@dataclass(frozen=True)
class Support:
    """The force of the ground on a wheel at the start, which carries a part of the weight vertically.

    The load N on a ground with the normal n is the normal component of a vertical force, whose tangential component is
    ``t N`` with ``t = up/(n.up) - n``. Such forces on all wheels have no moment about the vertical and hold the vehicle
    for any distribution of loads. Laterally the tire provides all of the tangential force. Longitudinally it provides
    only the torque T that brake and rolling resistance hold, and the force that accelerates the spin of a rolling wheel
    with its part m of the mass::

        F_x = (m T r + t.x N J)/(m r^2 + J)        T = t.x N r within the capacity of brake and rolling resistance

    All vectors are in the same axes. Drive torque is not considered. Valid where the tires can hold the vehicle; beyond
    their grip, as on ice, it slides from the start on with the loads of a vehicle that is held.
    """

    contact: Contact
    load: Any  # N, N
    tangential_ratio: Any  # t
    brake_capacity: Any  # N m
    inertia: Any  # J, kg m2
    resistance_capacity: Any = 0.0  # N m, of the rolling resistance between wheel and ground, in motion zero
    rolling_torque: Any = 0.0  # N m, that rolling resistance takes in motion, with the sign of the spin

    @property
    def contact_load(self) -> Any:
        """Return the load in N, which is zero for a wheel in the air.

        There the `load` is negative: it draws the wheel to the ground while the equilibrium is solved for.
        """
        return fmax(0.0, self.load)

    @cached_property
    def torque(self) -> Any:
        """Return T, the torque by which brake and rolling resistance hold the vehicle, in N m."""
        return -self.bristle_torque(0.0)

    @cached_property
    def longitudinal_force(self) -> Any:
        """Return F_x, in N."""
        r = self.contact.radius
        mass = self.contact_load * norm_2(self.tangential_ratio + self.contact.z) / STANDARD_GRAVITY
        driving_moment = (
            mass * self.torque * r + self.contact_load * dot(self.tangential_ratio, self.contact.x) * self.inertia
        )
        return driving_moment / (mass * r**2 + self.inertia)

    @property
    def lateral_force(self) -> Any:
        """Return F_y, in N, positive to the left."""
        return self.contact_load * dot(self.tangential_ratio, self.contact.y)

    @property
    def tangential_force(self) -> Any:
        """Return the force along the ground, in N."""
        return self.longitudinal_force * self.contact.x + self.lateral_force * self.contact.y

    def bristle_torque(self, drive: Any) -> Any:
        """Return the bristle torque, in N m, that holds the wheel and opposes the drive torque."""
        required = drive - self.contact_load * dot(self.tangential_ratio, self.contact.x) * self.contact.radius
        capacity = self.brake_capacity + self.resistance_capacity
        return fmax(-capacity, fmin(capacity, required))

    def initial_bristle_torque(self, drive: Any) -> Any:
        """Return the bristle torque at the start: at rest what holds, in motion the rolling resistance."""
        return self.bristle_torque(drive) + self.rolling_torque

    def wrench(self, axis: Any) -> Any:
        """Return the moment and force on the upright: the whole force, but about the axle only the brake torque."""
        c = self.contact
        brake_torque = fmax(-self.brake_capacity, fmin(self.brake_capacity, self.torque))
        rolling = self.longitudinal_force * c.radius - brake_torque
        return force_at(c.point, self.load * c.z + self.tangential_force) + couple(rolling * axis)


def tangential_ratio(normal: Any) -> Any:
    """Return t, tangential over normal force of a vertical force, in world axes; slopes count as at most 84 degrees."""
    return vertcat(0.0, 0.0, 1.0) / fmax(MIN_NORMAL_Z, normal[2]) - normal


def effective_gravity(supports: Sequence[Support], normals: Sequence[Any], mass: Any, R: Any) -> Any:
    """Return gravity less the acceleration of the vehicle along the ground, in m/s2, in vehicle axes.

    With this as gravity, a vehicle that starts to roll or slide is in equilibrium like one at rest. The more uneven the
    ground, the smaller the share of that acceleration that is subtracted: a wall in front of one wheel would otherwise
    overturn the vehicle. `normals` are those of the grounds in world axes; R is the rotation of the vehicle.
    """
    total = sum(normals)
    n, mean = total / norm_2(total), norm_2(total) / len(normals)
    even = fmax(0.0, 1.0 - (1.0 - mean) / UNEVEN_LIMIT)

    def in_plane(vector: Any, normal: Any) -> Any:
        return vector - normal * dot(normal, vector)

    gravity = ca.DM([0.0, 0.0, -STANDARD_GRAVITY])
    # first in world axes, so that on level ground the result is exactly zero
    remaining = (
        in_plane(gravity, n) + sum(s.load * in_plane(k, n) for s, k in zip(supports, normals, strict=True)) / mass
    )
    return R.T @ (gravity - even * remaining) - even * in_plane(
        sum(s.tangential_force for s in supports) / mass, R.T @ n
    )
