"""The base of all wheels in soft soil: slips, both directions of travel, sinkage and initialization."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import casadi as ca

from drawbar.blocks import Output, Parameter, State, atan, dot, fmax, if_else, vertcat
from drawbar.blocks.authoring.stability_bounds import Oscillator
from drawbar.blocks.data.default_vehicle import TIRE
from drawbar.blocks.terrain.soil.soil_stress import Shear, SixForces, SoilStress
from drawbar.blocks.tires.contact import Contact
from drawbar.blocks.tires.relaxation import Relaxation
from drawbar.blocks.tires.rolling_wheel import Rolling
from drawbar.blocks.tires.soil_grip import SoilGrip
from drawbar.blocks.tires.soil_rolling import SoilRolling, carries
from drawbar.blocks.tires.wheel import Acting, Wheel


class SoilWheel(Wheel, abstract=True):
    """The base of wheels in soft soil; a law adds `sunk_forces`, the forces on a wheel that rolls forward.

    `SoilRolling` describes how the wheel rolls. On a slope the vehicle starts with the loads of a vehicle that is held,
    but the soil resists only as the wheel slips: a parked vehicle settles by about a centimetre.
    """

    radius = Parameter(TIRE["unloaded_radius_m"], "m", "R, unloaded radius", min=0.01)
    width = Parameter(TIRE["width_m"], "m", "b", min=0.01)
    relaxation = Parameter([0.1, 0.1], "m", "sigma, along and across", size=2, min=0.01)
    damping_time = Parameter(0.05, "s", "tau, damping of the slips at low speed", min=0.0)
    slow_speed = Parameter(0.5, "m/s", "below which that damping sets in", min=0.01)
    sinking_damping = Parameter(1.0, "s/m", "share of the load per rate of sinking; rising takes it off", min=0.0)
    rated_load = Parameter(6000.0, "N", "load at which it is a spring for the start", min=1.0)

    s = State(0.0, "1", "relaxed longitudinal slip")
    t = State(0.0, "1", "relaxed side slip")

    slip = Output("1", "longitudinal slip that acts, driving positive")
    slip_angle = Output("rad", "slip angle that acts, positive where the wheel moves to its right")
    sinkage = Output("m", "of the lowest point below the ground")
    drawbar_pull = Output("N", "force of the ground where the wheel heads, what it can pull")
    torque = Output("N.m", "moment of the ground about the axle, positive where it drives the wheel")

    def sunk_forces(self, c: Contact, shear: Shear) -> SixForces:
        """Return the forces of the soil on a wheel that rolls forward, without its damping.

        Every law defines its own.
        """
        raise TypeError(f"{type(self).__name__} does not say what soil does to it: give it sunk_forces()")

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
        return self.sunk.contact.deflection

    @cached_property
    def sunk(self) -> Rolling:
        """Return the wheel in this state, about its centre, in world axes."""
        hub, ground = self.hub, self.ground
        return SoilRolling(self.radius, self.rolling_radius, self.relaxes, self.sinking_damping).at(
            self.sunk_forces,
            (self.s, self.t),
            self.spin,
            vertcat(hub.omega, hub.velocity),
            ca.SX(3, 1),
            self.axis,
            (ground.point - hub.position, ground.normal),
        )

    def oscillators(self) -> list[Oscillator]:
        """Return the oscillators of the slip and of the transition between forward and backward.

        The motion of the hub is an input, so the lateral force moves nothing.
        """
        r, moved = self.sunk, self.rolling_radius**2 / self.inertia
        stiffness = self.grip.by_slip() * moved, 0.0
        slips = self.relaxes.oscillators(r.speeds, (self.s, self.t), r.held, stiffness, beyond=1.0)
        return [*slips, Oscillator(0.0, self.grip.by_speed() * moved)]

    @property
    def grip(self) -> SoilGrip:
        """Return the bounds of the slope of force over slip; every law has its own contact."""
        raise TypeError(f"{type(self).__name__} does not say how steep the grip of the soil is: give it grip")

    @property
    def relaxes(self) -> Relaxation:
        """Return the relaxation of the slips."""
        return Relaxation(self.relaxation[0], self.relaxation[1], self.damping_time, self.slow_speed)

    def acting(self) -> Acting:
        """Return the six forces of the soil."""
        r = self.sunk
        return Acting(r.wrench, r.load, r.F_x, r.F_y)

    def guards(self) -> dict[str, Any]:
        """Return the guards: there must be soil, and the wheel must not sink too deep in it."""
        return carries(self.soil.modulus(self.width), self.sunk.contact.deflection, self.radius)

    def derivatives(self) -> dict[str, Any]:
        """Return the rates of spin, brake and slips."""
        return super().derivatives() | {"s": self.sunk.slip_rate, "t": self.sunk.side_slip_rate}

    def outputs(self) -> dict[str, Any]:
        """Return the outputs of the wheel, and slips and sinkage."""
        w, found = self.sunk, super().outputs()
        # without soil the guard fails; until then the body must find a start
        there = self.soil.modulus(self.width) > 0.0
        found["hub.radius"] = if_else(there, found["hub.radius"], self.radius)
        found["hub.stiffness"] = if_else(there, found["hub.stiffness"], 20.0 * self.rated_load / self.radius)
        return found | {
            "slip": w.slip,
            "slip_angle": atan(w.side_slip),
            "sinkage": fmax(0.0, self.depth),
            "drawbar_pull": w.F_x,
            "torque": dot(self.axis, self.acts.wrench[:3]),
        }
