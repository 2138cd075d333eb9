"""A wheel in soil with a known load, as in a quasi-static vehicle, by the closed formula."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from drawbar.blocks import fmax, fmin
from drawbar.blocks.terrain.soil.soil_stress import ForcesAndMoments, Shear, SoilStress
from drawbar.blocks.terrain.soil.tbf import TBF, entry_angle
from drawbar.blocks.tires.relaxation import MAX_SIDE_SLIP, Relaxation

SLIDING_SLIP = 1.0  # sliding slip of small wheels, whose contact is hardly longer than the shear modulus


@dataclass(frozen=True)
class RoverWheel:
    """Forces about the centre of the wheel, along its heading and to its left, with slips, their rates and sinkage."""

    forces: ForcesAndMoments
    slip: Any
    side_slip: Any
    slip_angle: Any  # rad
    rates: tuple[Any, Any]  # of the two slips, 1/s
    sinkage: Any  # m

    @classmethod
    def of(
        cls,
        law: TBF,
        soil: SoilStress,
        load: Any,
        slip_relaxation: Relaxation,
        motion: tuple[Any, Any, Any],
        slips: Any,
    ) -> RoverWheel:
        """Return the wheel for a load in N and (v_x, v_y, tread) in m/s; the entry angle follows from the load.

        A wheel that rolls backwards is the mirror image of one that rolls forwards; the two are blended near
        standstill.
        """
        v_x, v_y, tread = motion
        slip, side_slip = slip_relaxation.damped_slips(v_x, v_y, tread, slips[0], slips[1])
        s, t = fmax(-1.0, fmin(1.0, slip)), fmax(-MAX_SIDE_SLIP, fmin(MAX_SIDE_SLIP, side_slip))
        direction = fmax(-1.0, fmin(1.0, (v_x + tread) / (2.0 * slip_relaxation.slow_speed)))
        entry = entry_angle(law, soil, Shear(direction * s, t), load)
        forward, backward = (law.forces(soil, entry, Shear(sign * s, t)) for sign in (1.0, -1.0))
        forces = forward.blended(backward.mirrored(), 0.5 + 0.5 * direction)
        rates = slip_relaxation.rates(v_x, v_y, tread, slips[0], slips[1], (SLIDING_SLIP, SLIDING_SLIP))
        slip_angle = slip_relaxation.slip_angle(v_x, v_y, tread, side_slip)
        return cls(forces, slip, side_slip, slip_angle, rates, law.sinkage(entry))
