"""The base of all wheel blocks: the hub, the ground, the spin and the brake."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import casadi as ca

from drawbar.blocks import Continuous, Input, Output, Parameter, State, cross, dot, fmax, fmin, norm_2
from drawbar.blocks.authoring.stability_bounds import Oscillator, spectral_bound
from drawbar.blocks.data.default_vehicle import SPIN_INERTIA
from drawbar.blocks.terrain.ground.ground import Ground
from drawbar.blocks.tires.rolling_wheel import Brake, static_contact
from drawbar.blocks.tires.support import Support, capacity, share
from drawbar.blocks.vehicle.hub.hub import Hub


@dataclass(frozen=True)
class Acting:
    """The forces of the ground on a wheel, about its centre in world axes, and their components in the contact frame.

    `load` is along the normal of the ground, `F_x` along the heading of the wheel and `F_y` to its left, in N. `wrench`
    is the moment over the force, six numbers: all that the ground exerts, with the moment about the axle.
    """

    wrench: Any
    load: Any
    F_x: Any
    F_y: Any


class Wheel(Continuous, abstract=True):
    """The base of the blocks between a hub (`Hub`) and a ground (`Ground`); a law adds the forces that act.

    The state is the speed w of turning about the axle n against the world, so that the upright's own motion needs no
    derivative::

        J w' = n.M_ground + T_drive + T_brake        spin = w - n.omega

    The brake holds by bristles (`Brake`), so it can stand. The upright takes the ground's force and moment, but along
    the axle only what the brake takes from the wheel. Axes are ISO 8855: a driven wheel's spin is positive forwards.
    """

    hub = Hub.sink("hub")
    ground = Ground.sink("ground under the wheel")
    drive = Input("N.m", "drive torque, by a shaft from the chassis")
    brake = Input("N.m", "brake capacity", min=0.0)

    inertia = Parameter(SPIN_INERTIA, "kg.m2", "J, of the wheel and what turns with it, about its axle", min=1e-6)
    brush_angle = Parameter(0.02, "rad", "turn in which the brake takes hold", min=1e-4)

    turning = State(0.0, "rad/s", "w, speed of turning about the axle, against the world", nominal=10.0)
    brush = State(0.0, "N.m", "torque that the bristles of the brake hold", nominal=1000.0)

    load = Output("N", "load of the wheel, along the normal of the ground")
    force_x = Output("N", "force of the ground on the wheel, where the wheel heads")
    force_y = Output("N", "force of the ground on the wheel, to its left")

    def acting(self) -> Acting:
        """Return the forces of the ground on the wheel in this state; every law defines its own."""
        raise TypeError(f"{type(self).__name__} does not say what acts on it: give it acting()")

    def stance(self) -> tuple[Any, Any]:
        """Return the free radius, in m, and the stiffness, in N/m, of the wheel as a spring at the start."""
        raise TypeError(f"{type(self).__name__} does not say how it stands: give it stance()")

    @property
    def rolling_radius(self) -> Any:
        """Return the distance per radian of a wheel that rolls at the start, in m."""
        return self.stance()[0]

    def loaded(self, reach: Any) -> Any:
        """Return the distance from the centre to the ground, in m; for a wheel in the air it is the free radius."""
        free = self.stance()[0]
        return fmax(0.5 * free, fmin(free, reach))

    @property
    def axis(self) -> Any:
        """Return n, the direction of the axle to the left, in world axes."""
        return self.hub.rotation[:, 1]

    @cached_property
    def acts(self) -> Acting:
        """Return `acting`, evaluated once."""
        return self.acting()

    @property
    def brakes(self) -> Brake:
        """Return the brake."""
        return Brake(self.brake, self.brush, self.brush_angle)

    @property
    def spin(self) -> Any:
        """Return the speed relative to the upright, in rad/s."""
        return self.turning - dot(self.axis, self.hub.omega)

    @cached_property
    def support(self) -> Support:
        """Return the forces of the ground on the wheel at the start."""
        ground, v = self.ground, self.hub.velocity
        plane = ground.point - self.hub.position, ground.normal
        c, load = static_contact(self.stance(), ca.SX(3, 1), self.axis, plane)
        return Support(c, load, share(ground.normal), capacity(self.brake, norm_2(v)), self.inertia)

    def initial(self) -> dict[str, Any]:
        """Return the start values: a wheel that rolls at the speed of the hub and is held as `Support` describes."""
        ahead = cross(self.axis, self.ground.normal)
        return {
            "turning": dot(self.hub.velocity, ahead) / norm_2(ahead) / self.rolling_radius,
            "brush": self.support.bristles(self.drive),
        }

    def oscillators(self) -> list[Oscillator]:
        """Return the oscillators of the springs that move the spin, without the brake; a law adds its own."""
        return []

    def stability_bounds(self) -> dict[str, Any]:
        """Return the bounds of the spin with the springs that hold it."""
        return {
            "spin against slip and brake": spectral_bound(
                [self.brakes.oscillator(self.spin, self.inertia), *self.oscillators()]
            )
        }

    def derivatives(self) -> dict[str, Any]:
        """Return the rates of spin and brake; a law adds its own states."""
        about = dot(self.axis, self.acts.wrench[:3])
        return {
            "turning": (about + self.drive + self.brakes.torque()) / self.inertia,
            "brush": self.brakes.rate(self.spin),
        }

    def outputs(self) -> dict[str, Any]:
        """Return the outputs to the hub and those for observation; a law adds its own."""
        n, wrench = self.axis, self.acts.wrench
        radius, stiffness = self.stance()
        along = dot(n, wrench[:3]) + self.brakes.torque()
        return {
            "load": self.acts.load,
            "force_x": self.acts.F_x,
            "force_y": self.acts.F_y,
            "hub.force": wrench[3:],
            "hub.moment": wrench[:3] - along * n,
            "hub.spin": self.spin,
            "hub.radius": radius,
            "hub.stiffness": stiffness,
            "hub.point": self.ground.point,
            "hub.normal": self.ground.normal,
            "hub.brake": self.brake,
            "ground.at": self.hub.at,
        }
