"""The base of wheels with a tire on a hard road."""

from __future__ import annotations

from abc import abstractmethod
from functools import cached_property
from typing import Any

import casadi as ca

from drawbar.blocks import Output, Parameter, State, dot, vertcat
from drawbar.blocks.authoring.stability_bounds import Oscillator
from drawbar.blocks.tires.rolling_wheel import Brake, RollingWheel, Tire, rolling_wheel
from drawbar.blocks.tires.tire_law import TireLaw
from drawbar.blocks.tires.wheel import Wheel, WheelForces


class RoadTire(Wheel, abstract=True):
    """A wheel whose load is that of a vertical spring and damper at its contact with the ground plane (`Contact`).

    The forces along the ground are those of a `TireLaw`, whose slips are states. A subclass declares the parameters
    `radius`, `stiffness` and `damping`, and defines `law` and `slip_stiffness`.
    """

    radius: Any
    stiffness: Any
    damping: Any

    damping_time = Parameter(0.1, "s", "tau, damping time of the slips at low speed", min=0.0)
    slow_speed = Parameter(2.5, "m/s", "speed below which the slips are damped", min=0.01)

    kappa = State(0.0, "1", "kappa, relaxed longitudinal slip")
    t = State(0.0, "1", "t, relaxed lateral slip")

    slip = Output("1", "longitudinal slip with its damping, driving positive")
    slip_angle = Output("rad", "slip angle with its damping, positive where the tire moves to its right")

    @property
    @abstractmethod
    def law(self) -> TireLaw:
        """Return the law of the forces along the ground."""

    @property
    @abstractmethod
    def slip_stiffness(self) -> Any:
        """Return the steepest slope of the longitudinal force over its slip, in N."""

    @cached_property
    def rolling_wheel(self) -> RollingWheel:
        """Return the wheel on its ground, about its centre, in world axes."""
        hub, ground = self.hub, self.ground
        return rolling_wheel(
            Tire(self.radius, self.stiffness, self.damping, self.law),
            (self.kappa, self.t),
            self.spin,
            Brake(self.brake, self.bristle_torque, self.bristle_angle),
            vertcat(hub.omega, hub.velocity),
            ca.SX(3, 1),
            self.axis,
            (ground.point - hub.position, ground.normal),
            ground.friction,
        )

    def equivalent_spring(self) -> tuple[Any, Any]:
        """Return the free radius and the stiffness of the tire."""
        return self.radius, self.stiffness

    @property
    def rolling_radius(self) -> Any:
        """Return the loaded radius, in m."""
        return self.loaded_radius(self.rolling_wheel.contact.radius)

    def oscillators(self) -> list[Oscillator]:
        """Return the oscillators of the slips.

        The motion of the hub is an input, so the lateral force contributes nothing.
        """
        stiffness = self.slip_stiffness * self.radius**2 / self.inertia, 0.0
        return list(self.law.oscillators(self.rolling_wheel, (self.kappa, self.t), stiffness))

    @property
    def brakes(self) -> Brake:
        """Return the brake, with the rolling resistance of the tire."""
        brake = self.rolling_wheel.brake
        assert brake is not None
        return brake

    def resistance_capacity(self, load: Any, radius: Any) -> Any:
        """Return the rolling resistance, in N m."""
        return self.law.resistance(load, radius)

    @cached_property
    def ground_forces(self) -> WheelForces:
        """Return the load and the forces of the tire."""
        r = self.rolling_wheel
        return WheelForces(r.wrench, r.load, r.F_x, r.F_y)

    def initial(self) -> dict[str, Any]:
        """Return the start values, with the slips at which the tire holds the vehicle."""
        s = self.support
        speed = dot(self.hub.velocity, s.contact.x)
        law = self.law.in_motion(s.contact.camber(self.axis), speed, speed)
        kappa, t = law.slips_at_forces(
            s.contact_load, s.longitudinal_force, s.lateral_force, self.ground.friction, speed
        )
        return super().initial() | {"kappa": kappa, "t": t}

    def derivatives(self) -> dict[str, Any]:
        """Return the rates of spin, brake and slips."""
        return super().derivatives() | {"kappa": self.rolling_wheel.slip_rate, "t": self.rolling_wheel.side_slip_rate}

    def outputs(self) -> dict[str, Any]:
        """Return the outputs of the wheel, and the slips."""
        return super().outputs() | {"slip": self.rolling_wheel.slip, "slip_angle": self.rolling_wheel.slip_angle}
