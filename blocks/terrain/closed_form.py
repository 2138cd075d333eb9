"""The closed wheel-soil formula at a depth, with the soil at the side, and what spring it is at a load."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from drawbar.blocks import fmax, fmin, tanh
from drawbar.blocks.terrain.contact import Contact
from drawbar.blocks.terrain.entry_angle import LEAST, MOST, entry_angle
from drawbar.blocks.terrain.soil_rolling import DROWNED, SHALLOW, Law, touching
from drawbar.blocks.terrain.soil_stress import Shear, SixForces, SoilStress
from drawbar.blocks.terrain.tbf import TBF

SIDE = 0.0349  # rad, 2 degrees of slip angle, within which the soil at the side takes hold


def closed_form(law: TBF, soil: SoilStress) -> Law:
    """Forces at the entry angle of the sinkage, with the soil at the side, of a wheel that rolls forwards."""

    def forces(c: Contact, shear: Shear) -> SixForces:
        R = law.radius
        depth = fmax(SHALLOW * R, fmin(c.deflection, DROWNED * R))
        entry = fmax(LEAST, fmin(MOST, law.entry(depth)))
        found = law.reaction(soil, entry, shear)
        side = law.side_wall(soil, entry) * tanh(shear.t / SIDE)
        found = replace(found, F_z=fmax(0.0, found.F_z), F_y=found.F_y + side)
        return found.faded(touching(c.deflection, R))

    return forces


def spring_at(law: TBF, soil: SoilStress, load: Any) -> tuple[Any, Any]:
    """Free radius in m and stiffness in N/m at a load, which goes about as the power n + 1/2 of the sinkage."""
    h = law.sinkage(entry_angle(law, soil, Shear(0.0, 0.0), load))
    stiffness = (soil.n + 0.5) * load / h
    return law.radius - h + load / stiffness, stiffness
