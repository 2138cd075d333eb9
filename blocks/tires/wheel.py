"""The base of all wheel blocks: the hub, the ground, the spin and the brake."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import casadi as ca

from drawbar.blocks import Continuous, Input, Output, Parameter, State, cross, dot, fmax, fmin, norm_2, sign
from drawbar.blocks.authoring.stability_bounds import Oscillator, spectral_bound
from drawbar.blocks.data.default_vehicle import SPIN_INERTIA
from drawbar.blocks.terrain.ground.ground import Ground
from drawbar.blocks.tires.rolling_wheel import OVERLOAD, Brake, static_contact
from drawbar.blocks.tires.support import Support, static_brake_capacity, tangential_ratio
from drawbar.blocks.vehicle.hub.hub import Hub


@dataclass(frozen=True)
class WheelForces:
    """The forces of the ground on a wheel, about its centre in world axes, and their components in the contact frame.

    `load` is along the normal of the ground, `F_x` along the heading of the wheel and `F_y` to its left, in N. `wrench`
    stacks moment and force, six numbers: everything that the ground exerts, including the moment about the axle.
    """

    wrench: Any
    load: Any
    F_x: Any
    F_y: Any


class Wheel(Continuous, abstract=True):
    """The base of the blocks between a hub (`Hub`) and a ground (`Ground`); a subclass adds the tire law.

    The state is the angular velocity w about the axle n in the world, so that the motion of the upright need not be
    differentiated::

        J w' = n.M_ground + T_drive + T_brake        spin = w - n.omega

    The brake holds by bristles (`Brake`), so the wheel can stand. Force and moment of the ground act on the upright,
    except that about the axle only the brake torque does. Axes are ISO 8855: the spin is positive for rolling forward.
    """

    warn_if_multiple = {"load": OVERLOAD}

    hub = Hub.sink("hub of the wheel")
    ground = Ground.sink("ground under the wheel")
    drive = Input("N.m", "drive torque, by a shaft from the chassis")
    brake = Input("N.m", "brake capacity", min=0.0)

    inertia = Parameter(SPIN_INERTIA, "kg.m2", "J, spin inertia of the wheel and what turns with it", min=1e-6)
    bristle_angle = Parameter(0.02, "rad", "angle within which the brake engages", min=1e-4)

    turning = State(0.0, "rad/s", "w, angular velocity about the axle in the world", nominal=10.0)
    bristle_torque = State(0.0, "N.m", "torque of the brake's bristles", nominal=1000.0)

    load = Output("N", "wheel load, along the normal of the ground")
    force_x = Output("N", "longitudinal force of the ground on the wheel")
    force_y = Output("N", "lateral force of the ground on the wheel, to its left")

    @cached_property
    def ground_forces(self) -> WheelForces:
        """Return the forces of the ground on the wheel in this state; every law defines its own."""
        raise TypeError(f"{type(self).__name__} has no tire law: define ground_forces")

    def equivalent_spring(self) -> tuple[Any, Any]:
        """Return the free radius, in m, and the stiffness, in N/m, of the wheel in the initial equilibrium."""
        raise TypeError(f"{type(self).__name__} has no equivalent spring: define equivalent_spring()")

    def resistance_capacity(self, load: Any, radius: Any) -> Any:
        """Return the rolling resistance, in N m, by which a wheel holds: a constant times load and radius."""
        return 0.0

    @property
    def rolling_radius(self) -> Any:
        """Return the rolling radius at the start, in m: distance per radian."""
        return self.equivalent_spring()[0]

    def loaded_radius(self, height: Any) -> Any:
        """Return the loaded radius for a height of the centre over the ground, in m; in the air the free radius."""
        free = self.equivalent_spring()[0]
        return fmax(0.5 * free, fmin(free, height))

    @property
    def axis(self) -> Any:
        """Return n, the direction of the axle to the left, in world axes."""
        return self.hub.rotation[:, 1]

    @property
    def brakes(self) -> Brake:
        """Return the brake."""
        return Brake(self.brake, self.bristle_torque, self.bristle_angle, damped_spin=self.spin)

    @property
    def spin(self) -> Any:
        """Return the spin: the speed relative to the upright, in rad/s."""
        return self.turning - dot(self.axis, self.hub.omega)

    @cached_property
    def support(self) -> Support:
        """Return the forces of the ground on the wheel at the start."""
        ground, v = self.ground, self.hub.velocity
        plane = ground.point - self.hub.position, ground.normal
        c, load = static_contact(self.equivalent_spring(), ca.SX(3, 1), self.axis, plane)
        speed, resistance = norm_2(v), self.resistance_capacity(fmax(0.0, load), c.radius)
        return Support(
            c,
            load,
            tangential_ratio(ground.normal),
            static_brake_capacity(self.brake, speed),
            self.inertia,
            static_brake_capacity(resistance, speed),
            (resistance - static_brake_capacity(resistance, speed)) * sign(dot(v, c.x)),
        )

    def initial(self) -> dict[str, Any]:
        """Return the start values of a wheel that rolls with the hub and holds its part of the vehicle (`Support`)."""
        ahead = cross(self.axis, self.ground.normal)
        return {
            "turning": dot(self.hub.velocity, ahead) / norm_2(ahead) / self.rolling_radius,
            "bristle_torque": self.support.initial_bristle_torque(self.drive),
        }

    def oscillators(self) -> list[Oscillator]:
        """Return the oscillators that act on the spin, without that of the brake; a subclass adds those of its law."""
        return []

    def stability_bounds(self) -> dict[str, Any]:
        """Return the stability bound of the spin."""
        return {
            "spin against slip and brake": spectral_bound(
                [self.brakes.oscillator(self.spin, self.inertia), *self.oscillators()]
            )
        }

    def derivatives(self) -> dict[str, Any]:
        """Return the rates of spin and brake; a subclass adds its own states."""
        ground_torque = dot(self.axis, self.ground_forces.wrench[:3])
        return {
            "turning": (ground_torque + self.drive + self.brakes.torque()) / self.inertia,
            "bristle_torque": self.brakes.rate(self.spin),
        }

    def outputs(self) -> dict[str, Any]:
        """Return the outputs to hub and ground, and the forces; a subclass adds its own."""
        n, wrench = self.axis, self.ground_forces.wrench
        radius, stiffness = self.equivalent_spring()
        axle_torque = dot(n, wrench[:3]) + self.brakes.torque()
        return {
            "load": self.ground_forces.load,
            "force_x": self.ground_forces.F_x,
            "force_y": self.ground_forces.F_y,
            "hub.force": wrench[3:],
            "hub.moment": wrench[:3] - axle_torque * n,
            "hub.spin": self.spin,
            "hub.radius": radius,
            "hub.stiffness": stiffness,
            "hub.point": self.ground.point,
            "hub.normal": self.ground.normal,
            "hub.brake": self.brake,
            "hub.rolling_resistance": self.resistance_capacity(1.0, 1.0),
            "ground.at": self.hub.at,
        }
