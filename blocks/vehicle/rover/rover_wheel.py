"""A wheel in soil whose load is known, as in a quasi-static vehicle, by the closed formula."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from drawbar.blocks import fmax, fmin
from drawbar.blocks.terrain.soil.entry_angle import entry_angle
from drawbar.blocks.terrain.soil.soil_stress import Shear, SixForces, SoilStress
from drawbar.blocks.terrain.soil.tbf import TBF
from drawbar.blocks.tires.relaxation import Relaxation

SLIDES = 1.0  # slip at which small wheels slide; their contact is hardly longer than the soil's shear modulus
STEEPEST = 5.0  # upper limit of the side slip


@dataclass(frozen=True)
class RoverWheel:
    """Forces about the centre of the wheel, along its heading and to its left, with slips, their rates and sinkage."""

    forces: SixForces
    slip: Any
    side_slip: Any
    rates: tuple[Any, Any]  # of the two slips, 1/s
    sinkage: Any  # m

    @classmethod
    def of(
        cls, law: TBF, soil: SoilStress, load: Any, relaxes: Relaxation, motion: tuple[Any, Any, Any], slips: Any
    ) -> RoverWheel:
        """Return the wheel for a load in N and (v_x, v_y, tread) in m/s; the entry angle follows from the load.

        A wheel that rolls backwards is the mirror image of one that rolls forwards; the two are blended near
        standstill.
        """
        v_x, v_y, tread = motion
        slip, side_slip = relaxes.damped(v_x, v_y, tread, slips[0], slips[1])
        s, t = fmax(-1.0, fmin(1.0, slip)), fmax(-STEEPEST, fmin(STEEPEST, side_slip))
        sense = fmax(-1.0, fmin(1.0, (v_x + tread) / (2.0 * relaxes.slow)))
        entry = entry_angle(law, soil, Shear(sense * s, t), load)
        ahead, back = (law.acting(soil, entry, Shear(way * s, t)) for way in (1.0, -1.0))
        forces = ahead.mixed(back.mirrored(), 0.5 + 0.5 * sense)
        rates = relaxes.rates(v_x, v_y, tread, slips[0], slips[1], (SLIDES, SLIDES))
        return cls(forces, slip, side_slip, rates, law.sinkage(entry))
