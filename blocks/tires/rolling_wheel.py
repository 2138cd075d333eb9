"""A wheel that rolls on its ground: its load, the forces of tire and brake, and the rates of their states."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from drawbar.blocks import dot, fabs, fmax, fmin
from drawbar.blocks.authoring.stability_bounds import Oscillator
from drawbar.blocks.tires.contact import Contact, contact
from drawbar.blocks.tires.fiala import Fiala
from drawbar.blocks.vehicle.multibody.spatial import couple, force_at, velocity

SLACK = (0.01, 1e-3)  # of the capacity, and N m, that bristles may hold beyond it
HANGING = 1e-3  # stiffness of a tire off the ground over that on it, while an equilibrium is sought


@dataclass(frozen=True)
class Tire:
    """An upright spring and damper, and the law of the forces along the ground."""

    radius: Any  # m, unloaded
    stiffness: Any  # N/m
    damping: Any  # N s/m
    law: Fiala


@dataclass(frozen=True)
class Brake:
    """A brake that holds by bristles, so that it can stand still.

    Against the spin w it gives the torque T of its bristles, with the capacity C::

        T' = (C w - |w| T)/(angle + lag |w|) - (what |T| has beyond C)/lag

    In motion T becomes C with the sign of w within `angle` of turning, but not faster than within `lag`; at rest it is
    a spring of stiffness C/angle. A capacity that rises while the wheel stands changes nothing by itself, one that
    falls lets go within `lag`. At constant capacity it gives out no more work than it took, but for what the lag leaves
    behind when the spin turns about. What is beyond C counts from a hundredth of it on, so that there is no corner
    where a sliding brake is.
    """

    capacity: Any  # C, N m
    hold: Any  # T, N m
    angle: Any  # rad
    lag: float = 0.005  # s, which keeps explicit integration of some milliseconds stable

    def torque(self) -> Any:
        """Return the torque on the wheel, in N m."""
        return -self.hold

    @property
    def beyond(self) -> Any:
        """Return the torque of the bristles beyond the capacity, with its sign, in N m."""
        most = (1.0 + SLACK[0]) * self.capacity + SLACK[1]
        return self.hold - fmax(-most, fmin(most, self.hold))

    def rate(self, spin: Any) -> Any:
        """Return the rate of T, in N m/s."""
        speed = fabs(spin)
        return (self.capacity * spin - speed * self.hold) / (self.angle + self.lag * speed) - self.beyond / self.lag

    def oscillator(self, spin: Any, inertia: Any) -> Oscillator:
        """Return the oscillator of the bristles with the inertia that they hold, in kg m2."""
        speed = fabs(spin)
        taking = self.angle + self.lag * speed
        letting_go = (fabs(self.beyond) > 0.0) / self.lag
        return Oscillator((self.capacity + fabs(self.hold)) / inertia / taking, 0.0, speed / taking + letting_go)


@dataclass(frozen=True)
class Rolling:
    """A wheel on its ground; forces along the contact frame, N."""

    contact: Contact
    load: Any
    F_x: Any
    F_y: Any
    slip: Any  # that acts, with its damping at low speed
    side_slip: Any
    slip_rate: Any
    side_slip_rate: Any
    speeds: tuple[Any, Any, Any]  # v_x, v_y, of the tread, m/s
    held: tuple[Any, Any]  # slips at which it slides
    wrench: Any  # on the wheel but for its hinge


def rolling(
    tire: Tire, slips: tuple[Any, Any], spin: Any, carrier: Any, centre: Any, axis: Any, plane: Any, friction: Any
) -> Rolling:
    """Return a wheel that spins relative to its carrier, which has the motion `carrier`.

    `plane` is a point and the normal of the ground. All of them are in the axes of the motion, about its origin.
    """
    law = tire.law
    c = contact(centre, axis, tire.radius, *plane)
    at_ground = velocity(carrier, c.point)
    load = fmax(0.0, tire.stiffness * c.deflection - tire.damping * dot(at_ground, c.z)) * (c.deflection > 0.0)
    v_x, v_y = dot(velocity(carrier, centre), c.x), dot(at_ground, c.y)
    turning = spin + dot(carrier[:3], axis)
    tread = turning * c.radius
    kappa, t = law.relaxation.damped(v_x, v_y, tread, *slips)
    F_x, F_y, M_z = law.forces(load, kappa, t, friction)
    M_y = law.resistance(load, turning) * c.radius
    wrench = force_at(c.point, F_x * c.x + F_y * c.y + load * c.z) + couple(M_z * c.z + M_y * c.y)
    rates = law.slip_rates(v_x, v_y, tread, *slips, load, friction)
    held = law.held(*slips, load, friction)
    return Rolling(c, load, F_x, F_y, kappa, t, *rates, (v_x, v_y, tread), held, wrench)


def static_contact(stance: tuple[Any, Any], centre: Any, axis: Any, plane: Any) -> tuple[Contact, Any]:
    """Return the contact and the load of a wheel at rest with a free radius and a stiffness.

    Off the ground a small force draws the wheel to it, which leads a solver to contact.
    """
    radius, stiffness = stance
    c = contact(centre, axis, radius, *plane)
    return c, stiffness * (fmax(0.0, c.deflection) + HANGING * fmin(0.0, c.deflection))
