"""A wheel whose grip is that of the surface under it, as a block of its own."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import casadi as ca

from drawbar.blocks import Output, Parameter, State, atan, dot, fmax, if_else, vertcat
from drawbar.blocks.authoring.stability_bounds import Oscillator
from drawbar.blocks.tires.contact import Contact, contact
from drawbar.blocks.tires.relaxation import Relaxation, forwards, holding
from drawbar.blocks.tires.surfaces import DATA, FINE, STRAIGHT, Section, Surfaces
from drawbar.blocks.tires.wheel import Acting, Wheel
from drawbar.blocks.vehicle.multibody.spatial import force_at, velocity

TIRE = DATA["tire_hmmwv"]
STEEPEST = 25.0  # traction over load per slip, at most: B C D of a wet road
SLIDES = 0.2  # about the slip of the largest traction


@dataclass(frozen=True)
class _Rolling:
    contact: Contact
    load: Any
    traction: Any
    side: Any
    resistance: Any
    slip: Any
    side_slip: Any
    rates: tuple[Any, Any]
    speeds: tuple[Any, Any, Any]


class SurfaceTire(Wheel, step=1e-3):
    """A wheel on pavement, snow, ice or soil, by the code of the surface and the cone index of the ground.

    The law of MAVS's vehicle-terrain interaction: an upright spring and damper where the wheel touches the plane of its
    ground, traction and motion resistance of the surface, side force by Crolla, both together within an ellipse
    (`Surfaces`). The friction of the ground is not read: the surface has its own. A cone index of zero, which a
    ground without soil data sends, stands for 250 psi. Slips relax (`Relaxation`), so it can park.

    Valid from standstill on, on ground about plane under the wheel, with a slip angle below 45 degrees; sinkage is in
    the resistance only, the wheel does not sink. The damper makes the stiffest pole: with a light body take a shorter
    micro-step.

    ::

        hub (motion) ---> |             | --> hub (force, moment, spin)
        ground ---------> | SurfaceTire | --> ground.at
        drive, brake ---> |             | --> load, force_x, force_y, slip, slip_angle, resistance

    Source: the 2020 paper on MAVS and Gazebo; numbers of ``blocks/data/surfaces.json``.
    """

    radius = Parameter(TIRE["radius_m"], "m", "unloaded radius, half of d", min=0.05)
    width = Parameter(TIRE["width_m"], "m", "b", min=0.01)
    section_height = Parameter(TIRE["section_height_m"], "m", "h, of the tire's cross section", min=0.01)
    stiffness = Parameter(TIRE["stiffness_N_per_m"], "N/m", "vertical stiffness", min=1.0)
    damping = Parameter(TIRE["damping_Ns_per_m"], "N.s/m", "vertical damping", min=0.0)
    crolla_angle = Parameter(0.0872664625997165, "rad", "slip angle of 63 % of the side force", min=1e-3)
    relaxation = Parameter([0.3, 0.3], "m", "sigma, along and across", size=2, min=0.01)
    damping_time = Parameter(0.1, "s", "tau, damping of the slips at low speed", min=0.0)
    slow_speed = Parameter(2.5, "m/s", "below which that damping sets in", min=0.01)

    s = State(0.0, "1", "relaxed longitudinal slip")
    t = State(0.0, "1", "relaxed side slip")

    slip = Output("1", "longitudinal slip that acts, driving positive")
    slip_angle = Output("rad", "slip angle that acts, positive where the tire moves to its right")
    resistance = Output("N", "motion resistance of the soil, against the rolling")

    @cached_property
    def rolls(self) -> _Rolling:
        """Return the wheel on its ground, about its centre, in world axes."""
        hub, ground = self.hub, self.ground
        carrier = vertcat(hub.omega, hub.velocity)
        c = contact(ca.SX(3, 1), self.axis, self.radius, ground.point - hub.position, ground.normal)
        at_ground = velocity(carrier, c.point)
        pressed = self.stiffness * c.deflection - self.damping * dot(at_ground, c.z)
        load = fmax(0.0, pressed) * (c.deflection > 0.0)
        v_x, v_y, tread = dot(hub.velocity, c.x), dot(at_ground, c.y), self.turning * c.radius
        relaxes, law = self.relaxes, self.law
        slip, side_slip = relaxes.damped(v_x, v_y, tread, self.s, self.t)
        traction, side, M = law.forces(ground.surface, self.section(load), slip, side_slip, forwards(v_x, tread))
        rates = relaxes.rates(v_x, v_y, tread, self.s, self.t, self.slides)
        return _Rolling(c, load, traction, side, law.resistance(M, v_x), slip, side_slip, rates, (v_x, v_y, tread))

    def section(self, load: Any) -> Section:
        """Return the cross section of the tire under a load, for its law."""
        cone_index = self.ground.cone_index + DATA["cone_index_default_Pa"] * (self.ground.cone_index <= 0.0)
        return Section(self.width, 2.0 * self.radius, self.section_height, load / self.stiffness, load, cone_index)

    @property
    def law(self) -> Surfaces:
        """Return the law of the forces along the ground."""
        return Surfaces(self.crolla_angle)

    @property
    def slides(self) -> tuple[Any, Any]:
        """Return about the longitudinal and lateral slips at which the tire slides."""
        return SLIDES, 3.0 * self.crolla_angle

    def initial(self) -> dict[str, Any]:
        """Return the start values, with the slips at which the tire holds the vehicle."""
        s, section = self.support, self.section(self.support.borne)
        v_x = dot(self.hub.velocity, s.contact.x)

        def forces(slip: Any, side_slip: Any) -> tuple[Any, Any]:
            traction, side, _ = self.law.forces(self.ground.surface, section, slip, side_slip, forwards(v_x, v_x))
            return traction, side

        slip, side_slip = holding(forces, s.forward, s.aside, self.slides)
        return super().initial() | {"s": slip, "t": side_slip}

    def stance(self) -> tuple[Any, Any]:
        """Return the free radius and the stiffness of the tire."""
        return self.radius, self.stiffness

    @property
    def rolling_radius(self) -> Any:
        """Return the loaded radius, in m."""
        return self.loaded(self.rolls.contact.radius)

    def oscillators(self) -> list[Oscillator]:
        """Return the oscillator of the slip, by the steepest slope of roads or soils.

        The motion of the hub is an input, so the lateral force moves nothing.
        """
        r = self.rolls
        # on soil a traction of 1 at most runs straight to its smallest slip
        steepest = if_else(self.ground.surface > FINE - 0.5, 1.0 / STRAIGHT, STEEPEST)
        stiffness = steepest * r.load * self.radius**2 / self.inertia
        return list(self.relaxes.oscillators(r.speeds, (self.s, self.t), self.slides, (stiffness, 0.0)))

    @property
    def relaxes(self) -> Relaxation:
        """Return the relaxation of the slips."""
        return Relaxation(self.relaxation[0], self.relaxation[1], self.damping_time, self.slow_speed)

    def acting(self) -> Acting:
        """Return the load and the forces of the surface; the motion resistance acts at the axle."""
        r = self.rolls
        c = r.contact
        wrench = force_at(c.point, r.traction * c.x + r.side * c.y + r.load * c.z)
        wrench += force_at(ca.SX(3, 1), r.resistance * c.x)
        return Acting(wrench, r.load, r.traction + r.resistance, r.side)

    def derivatives(self) -> dict[str, Any]:
        """Return the rates of spin, brake and slips."""
        return super().derivatives() | {"s": self.rolls.rates[0], "t": self.rolls.rates[1]}

    def outputs(self) -> dict[str, Any]:
        """Return the outputs of the wheel, and slips and resistance."""
        r = self.rolls
        seen = {"slip": r.slip, "slip_angle": atan(r.side_slip), "resistance": r.resistance}
        return super().outputs() | seen
