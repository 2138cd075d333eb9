"""A wheel with a Fiala tire, as a block."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import casadi as ca

from drawbar.blocks import Output, Parameter, State, dot, vertcat
from drawbar.blocks.authoring.stability_bounds import Oscillator
from drawbar.blocks.data.default_vehicle import TIRE
from drawbar.blocks.tires.fiala import Fiala
from drawbar.blocks.tires.rolling_wheel import Brake, RollingWheel, Tire, rolling_wheel
from drawbar.blocks.tires.wheel import Wheel, WheelForces


class FialaTire(Wheel, step=2.5e-3):
    """A wheel with a Fiala tire, with its spin and slips as states; it connects to a hub.

    The load comes from a vertical spring and damper at the contact of the wheel with the ground plane (`Contact`).
    The forces along the ground are those of `Fiala`, with relaxation.
    Valid on hard ground that is nearly plane under the wheel, at standstill as well.
    RK4 divides its micro-steps where short relaxation lengths require it.

    ::

        hub (motion) ---> |           | --> hub (force, moment, spin)
        ground ---------> | FialaTire | --> ground.at
        drive, brake ---> |           | --> load, force_x, force_y, slip, slip_angle

    Source: the 2015 HMMWV paper, equations 10 to 21; data of ``blocks/data/vehicles/hmmwv.json``.
    """

    radius = Parameter(TIRE["unloaded_radius_m"], "m", "R, unloaded radius", min=0.1)
    stiffness = Parameter(TIRE["vertical_stiffness_N_per_m"], "N/m", "vertical stiffness", min=1.0)
    damping = Parameter(TIRE["vertical_damping_Ns_per_m"], "N.s/m", "vertical damping", min=0.0)
    C_S = Parameter(TIRE["c_slip_N"], "N", "C_S, longitudinal slip stiffness", min=1.0)
    C_a = Parameter(TIRE["c_alpha_N_per_rad"], "N/rad", "C_a, cornering stiffness", min=1.0)
    sliding_ratio = Parameter(
        TIRE["mu_min"] / TIRE["mu_max"], "1", "sliding friction over the friction of the ground", min=0.0, max=1.0
    )
    relaxation = Parameter(
        [TIRE["relaxation_x_m"], TIRE["relaxation_y_m"]],
        "m",
        "sigma, longitudinal and lateral relaxation length",
        size=2,
        min=0.01,
    )
    rolling_resistance = Parameter(TIRE["rolling_resistance"], "1", "C_r, rolling resistance coefficient", min=0.0)
    published_law = Parameter(
        False, "1", "whether both forces follow equations 18 and 19 alone, also where the tire slides", type=bool
    )
    damping_time = Parameter(0.1, "s", "tau, damping time of the slips at low speed", min=0.0)
    slow_speed = Parameter(2.5, "m/s", "speed below which the slips are damped", min=0.01)

    kappa = State(0.0, "1", "kappa, relaxed longitudinal slip")
    t = State(0.0, "1", "t, relaxed lateral slip")

    slip = Output("1", "longitudinal slip with its damping, driving positive")
    slip_angle = Output("rad", "slip angle with its damping, positive where the tire moves to its right")

    @cached_property
    def law(self) -> Fiala:
        """Return the law of the forces along the ground."""
        return Fiala.of(self, TIRE, self.damping_time)

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
        stiffness = self.C_S * self.radius**2 / self.inertia, 0.0
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
        kappa, t = self.law.slips_at_forces(
            s.contact_load, s.longitudinal_force, s.lateral_force, self.ground.friction, speed
        )
        return super().initial() | {"kappa": kappa, "t": t}

    def derivatives(self) -> dict[str, Any]:
        """Return the rates of spin, brake and slips."""
        return super().derivatives() | {"kappa": self.rolling_wheel.slip_rate, "t": self.rolling_wheel.side_slip_rate}

    def outputs(self) -> dict[str, Any]:
        """Return the outputs of the wheel, and the slips."""
        return super().outputs() | {"slip": self.rolling_wheel.slip, "slip_angle": self.rolling_wheel.slip_angle}
