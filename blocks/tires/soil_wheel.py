"""The base of all wheels in soft soil: slips, both directions of travel, sinkage and initialization."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import casadi as ca

from drawbar.blocks import Output, Parameter, State, dot, fmax, if_else, vertcat
from drawbar.blocks.authoring.stability_bounds import Oscillator
from drawbar.blocks.data.default_vehicle import TIRE
from drawbar.blocks.terrain.soil.soil_stress import ForcesAndMoments, Shear, SoilStress
from drawbar.blocks.tires.contact import Contact
from drawbar.blocks.tires.relaxation import MAX_SIDE_SLIP, Relaxation
from drawbar.blocks.tires.rolling_wheel import RollingWheel
from drawbar.blocks.tires.soil_rolling import SoilRolling, soil_guards
from drawbar.blocks.tires.traction_slope import TractionSlope
from drawbar.blocks.tires.wheel import Wheel, WheelForces


class SoilWheel(Wheel, abstract=True):
    """The base of wheels in soft soil; a subclass adds `soil_forces`, the law of a wheel that rolls forward.

    The rolling of the wheel is described in `SoilRolling`. On a slope the vehicle starts with the loads of a vehicle at
    rest, but the soil resists only as the wheel slips: a parked vehicle settles by about a centimetre.
    """

    radius = Parameter(TIRE["unloaded_radius_m"], "m", "R, unloaded radius", min=0.01)
    width = Parameter(TIRE["width_m"], "m", "b, width of the wheel", min=0.01)
    relaxation = Parameter([0.1, 0.1], "m", "sigma, longitudinal and lateral relaxation length", size=2, min=0.01)
    damping_time = Parameter(0.05, "s", "tau, damping time of the slips at low speed", min=0.0)
    slow_speed = Parameter(0.5, "m/s", "speed below which the slips are damped", min=0.01)
    sinking_damping = Parameter(
        1.0, "s/m", "relative change of the load per sinking speed; rising reduces the load", min=0.0
    )
    rated_load = Parameter(6000.0, "N", "load at which the soil is linearized for the initial equilibrium", min=1.0)

    s = State(0.0, "1", "s, relaxed longitudinal slip")
    t = State(0.0, "1", "t, relaxed lateral slip")

    slip = Output("1", "longitudinal slip with its damping, driving positive")
    slip_angle = Output("rad", "slip angle with its damping, positive where the wheel moves to its right")
    sinkage = Output("m", "depth of the lowest point below the ground")
    drawbar_pull = Output("N", "longitudinal force of the ground, available as drawbar pull")
    torque = Output("N.m", "moment of the ground about the axle, driving positive")

    def soil_forces(self, c: Contact, shear: Shear) -> ForcesAndMoments:
        """Return the forces of the soil on a wheel that rolls forward, without damping; every law defines its own."""
        raise TypeError(f"{type(self).__name__} has no soil law: define soil_forces()")

    @property
    def soil(self) -> SoilStress:
        """Return the soil under the wheel."""
        return SoilStress.of(self.ground)

    @property
    def rolling_radius(self) -> Any:
        """Return the radius at which the rim slips in the soil, in m: that of the wheel, at any sinkage."""
        return self.radius

    @property
    def depth(self) -> Any:
        """Return the depth of the lowest point below the ground, in m."""
        return self.rolling_wheel.contact.deflection

    @cached_property
    def rolling_wheel(self) -> RollingWheel:
        """Return the wheel in this state, about its centre, in world axes."""
        hub, ground = self.hub, self.ground
        return SoilRolling(self.radius, self.rolling_radius, self.slip_relaxation, self.sinking_damping).wheel(
            self.soil_forces,
            (self.s, self.t),
            self.spin,
            vertcat(hub.omega, hub.velocity),
            ca.SX(3, 1),
            self.axis,
            (ground.point - hub.position, ground.normal),
        )

    def oscillators(self) -> list[Oscillator]:
        """Return the oscillators of the slip and of the transition between forward and backward.

        The motion of the hub is an input, so the lateral force contributes nothing.
        """
        r, inverse_mass = self.rolling_wheel, self.rolling_radius**2 / self.inertia
        stiffness = self.traction_slope.by_slip() * inverse_mass, 0.0
        slips = self.slip_relaxation.oscillators(
            r.speeds, (self.s, self.t), r.sliding_slips, stiffness, sliding_stiffness=1.0
        )
        return [*slips, Oscillator(0.0, self.traction_slope.by_speed() * inverse_mass)]

    @property
    def traction_slope(self) -> TractionSlope:
        """Return the bounds of the slope of force over slip; every law has its own contact geometry."""
        raise TypeError(f"{type(self).__name__} has no bound of its traction: define traction_slope")

    @property
    def slip_relaxation(self) -> Relaxation:
        """Return the relaxation of the slips."""
        return Relaxation(self.relaxation[0], self.relaxation[1], self.damping_time, self.slow_speed, MAX_SIDE_SLIP)

    @cached_property
    def ground_forces(self) -> WheelForces:
        """Return the six forces of the soil."""
        r = self.rolling_wheel
        return WheelForces(r.wrench, r.load, r.F_x, r.F_y)

    def guards(self) -> dict[str, Any]:
        """Return the guards that there is soil and that the wheel does not sink too deep."""
        return soil_guards(self.soil.modulus(self.width), self.rolling_wheel.contact.deflection, self.radius)

    def derivatives(self) -> dict[str, Any]:
        """Return the rates of spin, brake and slips."""
        return super().derivatives() | {"s": self.rolling_wheel.slip_rate, "t": self.rolling_wheel.side_slip_rate}

    def outputs(self) -> dict[str, Any]:
        """Return the outputs of the wheel, and slips and sinkage."""
        w, found = self.rolling_wheel, super().outputs()
        # without soil a guard fails, but the body must find its initial pose before
        has_soil = self.soil.modulus(self.width) > 0.0
        found["hub.radius"] = if_else(has_soil, found["hub.radius"], self.radius)
        found["hub.stiffness"] = if_else(has_soil, found["hub.stiffness"], 20.0 * self.rated_load / self.radius)
        return found | {
            "slip": w.slip,
            "slip_angle": w.slip_angle,
            "sinkage": fmax(0.0, self.depth),
            "drawbar_pull": w.F_x,
            "torque": dot(self.axis, self.ground_forces.wrench[:3]),
        }
