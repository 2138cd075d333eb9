"""A wheel that rolls in soft soil: slips, both directions of travel and sinkage, around a law of forward rolling."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from drawbar.blocks import dot, fmax, fmin, if_else
from drawbar.blocks.terrain.soil.soil_stress import ForcesAndMoments, Shear
from drawbar.blocks.tires.contact import Contact, contact
from drawbar.blocks.tires.relaxation import MAX_SIDE_SLIP, Relaxation, forward_share
from drawbar.blocks.tires.rolling_wheel import RollingWheel
from drawbar.blocks.vehicle.multibody.spatial import couple, force_at, velocity

Law = Callable[[Contact, Shear], ForcesAndMoments]
SLIDING_SLIP = 0.3  # slip at which most of the soil strength is reached
ONSET_SINKAGE = 1e-4  # over the radius; below this sinkage all forces fade, where the laws would be infinitely stiff
REVERSED_SPEED = (
    1.0  # m/s, geometric mean of axle and tread speed from which a wheel counts as turning against its travel
)
MAX_SINKAGE = 0.88  # over the radius; a wheel that sinks deeper is immobilized


@dataclass(frozen=True)
class SoilRolling:
    """A wheel that rolls in soil, with any law of the soil forces.

    Slips relax (`Relaxation`), so a wheel can stand on a slope. A wheel that rolls backward is the mirror image of one
    that rolls forward; where the sum of axle and tread speed is below 0.1 m/s the two are blended, so that the soil
    does not push a standing wheel. Soil is not elastic: while a wheel sinks, the load increases in proportion to the
    sinking speed; while it rises, all forces decrease likewise. With less damping a wheel that pulls hard at low speed
    would hop, because its traction follows its load. Ruts are not modelled: every place is undisturbed soil.
    """

    radius: Any  # R, m
    rim: Any  # radius at which the rim slips, m
    relaxation: Relaxation
    damping: Any  # relative change of the load per sinking speed, s/m

    def wheel(
        self, law: Law, slips: tuple[Any, Any], spin: Any, carrier: Any, centre: Any, axis: Any, plane: Any
    ) -> RollingWheel:
        """Return a wheel that spins relative to its carrier, which has the motion `carrier`.

        `plane` is a point and the normal of the ground. All of them are in the axes of the motion, about its origin.
        """
        c = contact(centre, axis, self.radius, *plane)
        at_ground = velocity(carrier, c.point)
        v_x, v_y = dot(velocity(carrier, centre), c.x), dot(at_ground, c.y)
        tread = (spin + dot(carrier[:3], axis)) * self.rim
        slip, side_slip = self.relaxation.damped_slips(v_x, v_y, tread, *slips)
        s, t = fmax(-1.0, fmin(1.0, slip)), fmax(-MAX_SIDE_SLIP, fmin(MAX_SIDE_SLIP, side_slip))
        f = law(c, Shear(s, t)).blended(law(c, Shear(-s, t)).mirrored(), forward_share(v_x, tread))
        load_factor = fmax(0.0, 1.0 - self.damping * dot(at_ground, c.z))
        f = f.scaled(fmin(1.0, load_factor))  # the traction of a rising wheel decreases with its load
        # the laws do not hold for a wheel that turns against its travel: the soil must not push it on
        opposing = if_else(v_x > 0.0, fmin(f.F_x, 0.0), fmax(f.F_x, 0.0))
        reversed_share = fmax(0.0, fmin(1.0, -v_x * tread / REVERSED_SPEED**2))
        f = replace(f, F_z=f.F_z * fmax(1.0, load_factor), F_x=f.F_x + reversed_share * (opposing - f.F_x))
        force, moment = (a * c.x + b * c.y + d * c.z for a, b, d in ((f.F_x, f.F_y, f.F_z), (f.M_x, f.M_y, f.M_z)))
        sliding_slips = (SLIDING_SLIP, SLIDING_SLIP)
        rates = self.relaxation.rates(v_x, v_y, tread, *slips, sliding_slips)
        wrench = force_at(centre, force) + couple(moment)
        slip_angle = self.relaxation.slip_angle(v_x, v_y, tread, side_slip)
        return RollingWheel(
            c, f.F_z, None, f.F_x, f.F_y, slip, side_slip, slip_angle, *rates, (v_x, v_y, tread), sliding_slips, wrench
        )


def contact_onset(h: Any, radius: Any, onset_sinkage: float = ONSET_SINKAGE) -> Any:
    """Return 0 off the ground, rising to 1 at a small sinkage, which is given over the radius."""
    return fmax(0.0, fmin(1.0, h / (onset_sinkage * radius)))


def soil_guards(modulus: Any, deflection: Any, radius: Any, wheel: str = "the wheel") -> dict[str, Any]:
    """Return the guards that there is soil and that the wheel does not sink beyond `MAX_SINKAGE`."""
    return {
        f"there is soil under {wheel}": (
            modulus > 0.0,
            "the sinkage moduli of its ground are zero: connect a ground with soil data",
        ),
        f"{wheel} does not sink to its axle": (
            deflection < MAX_SINKAGE * radius,
            "the soil does not carry the wheel, which is immobilized",
        ),
    }
