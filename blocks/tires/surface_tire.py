"""A wheel whose traction depends on the surface under it, as a block."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import casadi as ca

from drawbar.blocks import Output, Parameter, State, dot, fmax, fmin, if_else, logic_and, norm_2, vertcat
from drawbar.blocks.authoring.stability_bounds import Oscillator
from drawbar.blocks.tires.contact import Contact, contact
from drawbar.blocks.tires.relaxation import Relaxation, forward_share, slips_at_forces
from drawbar.blocks.tires.rolling_wheel import Brake
from drawbar.blocks.tires.support import static_brake_capacity
from drawbar.blocks.tires.surfaces import CODES, DATA, FINE, LINEAR_SLIP, Section, Surfaces
from drawbar.blocks.tires.wheel import Wheel, WheelForces
from drawbar.blocks.vehicle.multibody.spatial import force_at, velocity

TIRE = DATA["tire_hmmwv"]
BRISTLE_LENGTH = 0.02  # m, way within which the motion resistance builds up
MAX_TRACTION_SLOPE = 25.0  # largest slope of traction over load with slip: B C D of a wet road
DRY_FRICTION = 0.6, 1.25  # bounds of the friction that stands for a dry road; the largest traction here is 1


@dataclass(frozen=True)
class _RollingWheel:
    contact: Contact
    load: Any
    traction: Any
    lateral: Any
    resistance: Brake
    slip: Any
    side_slip: Any
    slip_angle: Any
    rates: tuple[Any, Any]
    speeds: tuple[Any, Any, Any]


class SurfaceTire(Wheel, step=1e-3):
    """A wheel on pavement, snow, ice or soil, by the code of the surface and the cone index of the ground.

    The law of the vehicle-terrain interaction of MAVS: a vertical spring and damper at the contact with the ground
    plane, traction and motion resistance of the surface, lateral force by Crolla, and both forces within an ellipse,
    turned against the sliding as the tire slides (`Surfaces`). The friction of the ground is not used, because every
    surface has its own: on a road without surface codes a friction outside 0.6 to 1.25 ends the run, as does an unknown
    code. A cone index of zero, which a ground without soil data sends, stands for 250 psi. Slips relax (`Relaxation`),
    so the wheel can stand.

    Valid on nearly plane ground, at standstill as well, for slip angles below 45 degrees. Sinkage is considered in the
    resistance only; the wheel does not sink. The damper has the fastest eigenvalue: a light body needs a shorter
    micro-step.

    ::

        hub (motion) ---> |             | --> hub (force, moment, spin)
        ground ---------> | SurfaceTire | --> ground.at
        drive, brake ---> |             | --> load, force_x, force_y, slip, slip_angle, resistance

    Source: the 2020 paper on MAVS and Gazebo; data of ``blocks/data/surfaces.json``.
    """

    radius = Parameter(TIRE["radius_m"], "m", "unloaded radius, d/2", min=0.05)
    width = Parameter(TIRE["width_m"], "m", "b, section width", min=0.01)
    section_height = Parameter(TIRE["section_height_m"], "m", "h, section height", min=0.01)
    stiffness = Parameter(TIRE["stiffness_N_per_m"], "N/m", "vertical stiffness", min=1.0)
    damping = Parameter(TIRE["damping_Ns_per_m"], "N.s/m", "vertical damping", min=0.0)
    crolla_angle = Parameter(0.0872664625997165, "rad", "slip angle at 63 % of the largest lateral force", min=1e-3)
    published_law = Parameter(
        False, "1", "whether the forces do not turn against the sliding, as in the law of MAVS", type=bool
    )
    relaxation = Parameter([0.3, 0.3], "m", "sigma, longitudinal and lateral relaxation length", size=2, min=0.01)
    damping_time = Parameter(0.1, "s", "tau, damping time of the slips at low speed", min=0.0)
    slow_speed = Parameter(2.5, "m/s", "speed below which the slips are damped", min=0.01)

    s = State(0.0, "1", "s, relaxed longitudinal slip")
    t = State(0.0, "1", "t, relaxed lateral slip")
    bristle_force = State(0.0, "N", "force of the bristles by which the motion resistance holds", nominal=1000.0)

    slip = Output("1", "longitudinal slip with its damping, driving positive")
    slip_angle = Output("rad", "slip angle with its damping, positive where the tire moves to its right")
    resistance = Output("N", "motion resistance of the soil, against the rolling direction")

    @cached_property
    def rolling_wheel(self) -> _RollingWheel:
        """Return the wheel on its ground, about its centre, in world axes."""
        hub, ground = self.hub, self.ground
        carrier = vertcat(hub.omega, hub.velocity)
        c = contact(ca.SX(3, 1), self.axis, self.radius, ground.point - hub.position, ground.normal)
        at_ground = velocity(carrier, c.point)
        load = c.load(self.stiffness, self.damping, at_ground)
        v_x, v_y, tread = dot(hub.velocity, c.x), dot(at_ground, c.y), self.turning * c.radius
        slip_relaxation, law = self.slip_relaxation, self.law
        slip, side_slip = slip_relaxation.damped_slips(v_x, v_y, tread, self.s, self.t)
        traction, lateral, M = law.forces(
            ground.surface,
            self.section(load),
            slip,
            side_slip,
            forward_share(v_x, tread),
            slip_relaxation.sliding(v_x, v_y, tread),
        )
        rates = slip_relaxation.rates(v_x, v_y, tread, self.s, self.t, self.law.sliding_slips)
        angle = slip_relaxation.slip_angle(v_x, v_y, tread, side_slip)
        return _RollingWheel(
            c, load, traction, lateral, self.motion_resistance(M), slip, side_slip, angle, rates, (v_x, v_y, tread)
        )

    def motion_resistance(self, M: Any) -> Brake:
        """Return the motion resistance along the wheel with the capacity M, in N; at rest it holds by bristles."""
        return Brake(0.0, self.bristle_force, BRISTLE_LENGTH, resistance=M)

    @property
    def resisting_force(self) -> Any:
        """Return the force of the motion resistance, in N, against the rolling."""
        r = self.rolling_wheel
        return r.resistance.resistance_torque(r.speeds[0])

    def section(self, load: Any) -> Section:
        """Return the cross section of the tire under a load, for its law."""
        cone_index = self.ground.cone_index + DATA["cone_index_default_Pa"] * (self.ground.cone_index <= 0.0)
        return Section(self.width, 2.0 * self.radius, self.section_height, load / self.stiffness, load, cone_index)

    @property
    def law(self) -> Surfaces:
        """Return the law of the forces along the ground."""
        return Surfaces(self.crolla_angle, self.published_law)

    def guards(self) -> dict[str, Any]:
        """Return the guards that the surface is a known one, and that a ground without one asks for no other friction.

        A ground that knows no surfaces, as `FlatRoad`, sends the code 0, dry pavement, with any friction.
        """
        ground = self.ground
        is_dry_road = logic_and(ground.surface < 0.5, ground.k_c + ground.k_phi <= 0.0)
        friction = if_else(is_dry_road, ground.friction, DRY_FRICTION[0])
        return {
            "the surface has a law": (
                ground.surface < len(CODES) - 0.5,
                f"the codes of SurfaceTire are {', '.join(f'{i} {name}' for i, name in enumerate(CODES))}",
            ),
            "a ground of surface 0 has the friction of a dry road": (
                logic_and(friction >= DRY_FRICTION[0], friction <= DRY_FRICTION[1]),
                "SurfaceTire takes its grip from the surface code: send another code, or use FialaTire",
            ),
        }

    def initial(self) -> dict[str, Any]:
        """Return the start values, with the slips at which the tire holds the vehicle."""
        s, section = self.support, self.section(self.support.contact_load)
        v_x = dot(self.hub.velocity, s.contact.x)

        def forces(slip: Any, side_slip: Any) -> tuple[Any, Any]:
            traction, lateral, _ = self.law.forces(
                self.ground.surface, section, slip, side_slip, forward_share(v_x, v_x)
            )
            return traction, lateral

        slip, side_slip = slips_at_forces(forces, s.longitudinal_force, s.lateral_force, self.law.sliding_slips)
        _, _, M = self.law.forces(self.ground.surface, section, 0.0, 0.0, 1.0)
        resistance = static_brake_capacity(M, norm_2(self.hub.velocity))
        required = s.longitudinal_force - s.contact_load * dot(s.tangential_ratio, s.contact.x)
        bristle_force = fmax(-resistance, fmin(resistance, required))
        return super().initial() | {"s": slip, "t": side_slip, "bristle_force": bristle_force}

    def equivalent_spring(self) -> tuple[Any, Any]:
        """Return the free radius and the stiffness of the tire."""
        return self.radius, self.stiffness

    @property
    def rolling_radius(self) -> Any:
        """Return the loaded radius, in m."""
        return self.loaded_radius(self.rolling_wheel.contact.radius)

    def oscillators(self) -> list[Oscillator]:
        """Return the oscillator of the slip, by the steepest slope of roads or soils.

        The motion of the hub is an input, so the lateral force contributes nothing.
        """
        r = self.rolling_wheel
        # on soil the traction, at most 1, is linear up to this slip
        steepest = if_else(self.ground.surface > FINE - 0.5, 1.0 / LINEAR_SLIP, MAX_TRACTION_SLOPE)
        stiffness = steepest * r.load * self.radius**2 / self.inertia
        return list(
            self.slip_relaxation.oscillators(r.speeds, (self.s, self.t), self.law.sliding_slips, (stiffness, 0.0))
        )

    @property
    def slip_relaxation(self) -> Relaxation:
        """Return the relaxation of the slips."""
        return Relaxation(self.relaxation[0], self.relaxation[1], self.damping_time, self.slow_speed)

    @cached_property
    def ground_forces(self) -> WheelForces:
        """Return the load and the forces of the surface; the motion resistance acts at the axle."""
        r = self.rolling_wheel
        c = r.contact
        wrench = force_at(c.point, r.traction * c.x + r.lateral * c.y + r.load * c.z)
        wrench += force_at(ca.SX(3, 1), self.resisting_force * c.x)
        return WheelForces(wrench, r.load, r.traction + self.resisting_force, r.lateral)

    def derivatives(self) -> dict[str, Any]:
        """Return the rates of spin, brake and slips."""
        return super().derivatives() | {
            "s": self.rolling_wheel.rates[0],
            "t": self.rolling_wheel.rates[1],
            "bristle_force": self.rolling_wheel.resistance.rate(self.rolling_wheel.speeds[0]),
        }

    def outputs(self) -> dict[str, Any]:
        """Return the outputs of the wheel, and slips and resistance."""
        r = self.rolling_wheel
        own = {"slip": r.slip, "slip_angle": r.slip_angle, "resistance": self.resisting_force}
        return super().outputs() | own
