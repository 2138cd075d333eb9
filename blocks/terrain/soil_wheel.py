"""What all wheels in soft soil share: slips, travel both ways, sinking, and how they stand at the start."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import casadi as ca

from drawbar.blocks import Output, Parameter, State, atan, dot, fmax, fmin, vertcat
from drawbar.blocks.terrain.contact import Contact, contact
from drawbar.blocks.terrain.relaxation import Relaxation, forwards
from drawbar.blocks.terrain.soil_stress import Shear, SixForces, SoilStress
from drawbar.blocks.terrain.wheel import Acting, Wheel
from drawbar.blocks.vehicle.hmmwv_parameters import DATA
from drawbar.blocks.vehicle.multibody.spatial import velocity

TIRE = DATA["tire_fiala"]
SLIDES = 0.3  # a slip at which most of the soil's strength is reached
SHALLOW = 1e-4  # of the radius, a sinkage below which all fades, as the laws would be infinitely stiff
STEEPEST = 5.0  # largest side slip


@dataclass(frozen=True)
class Sunk:
    """A wheel in the soil: forces about its centre along the contact frame, and how it moves."""

    contact: Contact
    forces: SixForces
    slip: Any
    side_slip: Any
    slip_rates: tuple[Any, Any]


class SoilWheel(Wheel, abstract=True):
    """The base of wheels in soft soil; a law adds `sunk_forces`, of a wheel that rolls forwards.

    Slips relax (`Relaxation`), so a wheel can stand on a slope. A wheel that rolls backwards is one that rolls forwards
    in a mirror; below 0.1 m/s, of axle and tread together, the two are mixed, so that soil does not push a wheel that
    stands. Soil is no spring: while a wheel sinks the load is larger by a share of the rate, while it rises smaller.
    With less of that, a wheel that pulls hard at low speed would hop, as its grip follows its load. Ruts are not kept:
    each place is fresh soil.
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
        """Of the soil on a wheel that rolls forwards, without its damping; every law has its own."""
        raise TypeError(f"{type(self).__name__} does not say what soil does to it: give it sunk_forces()")

    @property
    def soil(self) -> SoilStress:
        """Under the wheel."""
        return SoilStress.of(self.ground)

    @property
    def rolling_radius(self) -> Any:
        """Over which the rim slips in the soil, m: that of the wheel, however deep it stands."""
        return self.radius

    def touching(self, h: Any) -> Any:
        """0 off the ground, 1 from a small sinkage on."""
        return fmax(0.0, fmin(1.0, h / (SHALLOW * self.radius)))

    @property
    def depth(self) -> Any:
        """Of the lowest point below the ground, m."""
        return self.sunk.contact.deflection

    @cached_property
    def sunk(self) -> Sunk:
        """The wheel in this state."""
        hub, ground = self.hub, self.ground
        c = contact(ca.SX(3, 1), self.axis, self.radius, ground.point - hub.position, ground.normal)
        at_ground = velocity(vertcat(hub.omega, hub.velocity), c.point)
        v_x, v_y, tread = dot(hub.velocity, c.x), dot(at_ground, c.y), self.turning * self.rolling_radius
        relaxes = Relaxation(self.relaxation[0], self.relaxation[1], self.damping_time, self.slow_speed)
        slip, side_slip = relaxes.damped(v_x, v_y, tread, self.s, self.t)
        s, t = fmax(-1.0, fmin(1.0, slip)), fmax(-STEEPEST, fmin(STEEPEST, side_slip))
        ahead, back = self.sunk_forces(c, Shear(s, t)), self.sunk_forces(c, Shear(-s, t)).mirrored()
        found = ahead.mixed(back, forwards(v_x, tread))
        sinking = -dot(at_ground, c.z)
        found = replace(found, F_z=found.F_z * fmax(0.0, 1.0 + self.sinking_damping * sinking))
        rates = relaxes.rates(v_x, v_y, tread, self.s, self.t, (SLIDES, SLIDES))
        return Sunk(c, found, slip, side_slip, rates)

    def acting(self) -> Acting:
        """The six forces of the soil."""
        c, f = self.sunk.contact, self.sunk.forces
        moment = f.M_x * c.x + f.M_y * c.y + f.M_z * c.z
        return Acting(vertcat(moment, f.F_x * c.x + f.F_y * c.y + f.F_z * c.z), f.F_z, f.F_x, f.F_y)

    def guards(self) -> dict[str, Any]:
        """Soil must be there, and the wheel must not drown in it."""
        k = self.soil.modulus(self.width)
        return {
            "there is soil under the wheel": (
                k > 0.0,
                "its ground has moduli of sinkage of zero: connect a ground that knows of soil",
            ),
            "the wheel does not sink to its axle": (
                self.sunk.contact.deflection < 0.88 * self.radius,
                "the soil does not carry it: it is immobilised",
            ),
        }

    def derivatives(self) -> dict[str, Any]:
        """Of spin, brake and slips."""
        rates = self.sunk.slip_rates
        return super().derivatives() | {"s": rates[0], "t": rates[1]}

    def outputs(self) -> dict[str, Any]:
        """With slips and sinkage."""
        w = self.sunk
        return super().outputs() | {
            "slip": w.slip,
            "slip_angle": atan(w.side_slip),
            "sinkage": fmax(0.0, self.depth),
            "drawbar_pull": w.forces.F_x,
            "torque": dot(self.axis, self.acts.wrench[:3]),
        }
