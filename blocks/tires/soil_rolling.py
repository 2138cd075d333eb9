"""A wheel that rolls in soft soil: slips, both directions of travel and sinkage, around a law of forward rolling."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from drawbar.blocks import dot, fmax, fmin, if_else
from drawbar.blocks.terrain.soil.soil_stress import Shear, SixForces
from drawbar.blocks.tires.contact import Contact, contact
from drawbar.blocks.tires.relaxation import Relaxation, forwards
from drawbar.blocks.tires.rolling_wheel import Rolling
from drawbar.blocks.vehicle.multibody.spatial import couple, force_at, velocity

Law = Callable[[Contact, Shear], SixForces]
SLIDES = 0.3  # a slip at which most of the soil's strength is reached
SHALLOW = 1e-4  # of the radius, a sinkage below which all fades, as the laws would be infinitely stiff
AGAINST = 1.0  # m/s, from which on a wheel turns against its travel; less is how one stands
STEEPEST = 5.0  # largest side slip
DROWNED = 0.88  # of the radius, a sinkage at which a wheel does not get out


@dataclass(frozen=True)
class SoilRolling:
    """How a wheel rolls in soil, by any law.

    Slips relax (`Relaxation`), so a wheel can stand on a slope. A wheel that rolls backward is the mirror image of one
    that rolls forward; below 0.1 m/s, of axle and tread together, the two are mixed, so that the soil does not push a
    standing wheel. Soil is no spring: while a wheel sinks, the load is larger by a share of the rate; while it rises,
    all forces are smaller by that share. With less of it, a wheel that pulls hard at low speed would hop, as its grip
    follows its load. Ruts are not modelled: every place is fresh soil.
    """

    radius: Any  # R, m
    rim: Any  # the radius over which the rim slips, m
    relaxation: Relaxation
    damping: Any  # share of the load per rate of sinking, s/m

    def at(
        self, law: Law, slips: tuple[Any, Any], spin: Any, carrier: Any, centre: Any, axis: Any, plane: Any
    ) -> Rolling:
        """Return a wheel that spins relative to its carrier, which has the motion `carrier`.

        `plane` is a point and the normal of the ground. All of them are in the axes of the motion, about its origin.
        """
        c = contact(centre, axis, self.radius, *plane)
        at_ground = velocity(carrier, c.point)
        v_x, v_y = dot(velocity(carrier, centre), c.x), dot(at_ground, c.y)
        tread = (spin + dot(carrier[:3], axis)) * self.rim
        slip, side_slip = self.relaxation.damped(v_x, v_y, tread, *slips)
        s, t = fmax(-1.0, fmin(1.0, slip)), fmax(-STEEPEST, fmin(STEEPEST, side_slip))
        f = law(c, Shear(s, t)).mixed(law(c, Shear(-s, t)).mirrored(), forwards(v_x, tread))
        pressed = fmax(0.0, 1.0 - self.damping * dot(at_ground, c.z))
        f = f.faded(fmin(1.0, pressed))  # a wheel that rises loses its grip with its load
        # one that turns against its travel is outside of what the laws were made for: it must not be pushed on
        on = if_else(v_x > 0.0, fmin(f.F_x, 0.0), fmax(f.F_x, 0.0))
        against = fmax(0.0, fmin(1.0, -v_x * tread / AGAINST**2))
        f = replace(f, F_z=f.F_z * fmax(1.0, pressed), F_x=f.F_x + against * (on - f.F_x))
        force, moment = (a * c.x + b * c.y + d * c.z for a, b, d in ((f.F_x, f.F_y, f.F_z), (f.M_x, f.M_y, f.M_z)))
        held = (SLIDES, SLIDES)
        rates = self.relaxation.rates(v_x, v_y, tread, *slips, held)
        wrench = force_at(centre, force) + couple(moment)
        return Rolling(c, f.F_z, f.F_x, f.F_y, slip, side_slip, *rates, (v_x, v_y, tread), held, wrench)


def touching(h: Any, radius: Any, shallow: float = SHALLOW) -> Any:
    """Return 0 off the ground, and 1 from a small sinkage on, which is given as a share of the radius."""
    return fmax(0.0, fmin(1.0, h / (shallow * radius)))


def carries(modulus: Any, deflection: Any, radius: Any, wheel: str = "the wheel") -> dict[str, Any]:
    """Return the guards: there must be soil, and the wheel must not sink in it beyond `DROWNED`."""
    return {
        f"there is soil under {wheel}": (
            modulus > 0.0,
            "its ground has moduli of sinkage of zero: connect a ground that knows of soil",
        ),
        f"{wheel} does not sink to its axle": (
            deflection < DROWNED * radius,
            "the soil does not carry it: it is immobilised",
        ),
    }
