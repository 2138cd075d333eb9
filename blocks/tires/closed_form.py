"""The closed wheel-soil formula at a given sinkage, with side-wall resistance, and its stiffness at a load."""

from __future__ import annotations

from typing import Any

from drawbar.blocks import fmax, fmin
from drawbar.blocks.terrain.soil.entry_angle import LEAST, MOST, entry_angle
from drawbar.blocks.terrain.soil.soil_stress import Shear, SixForces, SoilStress
from drawbar.blocks.terrain.soil.tbf import TBF
from drawbar.blocks.tires.contact import Contact
from drawbar.blocks.tires.soil_rolling import DROWNED, SHALLOW, Law, touching


def closed_form(law: TBF, soil: SoilStress) -> Law:
    """Return the forces at the entry angle of the sinkage on a wheel that rolls forward, with side-wall resistance."""

    def forces(c: Contact, shear: Shear) -> SixForces:
        R = law.radius
        depth = fmax(SHALLOW * R, fmin(c.deflection, DROWNED * R))
        entry = fmax(LEAST, fmin(MOST, law.entry(depth)))
        return law.acting(soil, entry, shear).faded(touching(c.deflection, R))

    return forces


def spring_at(law: TBF, soil: SoilStress, load: Any) -> tuple[Any, Any]:
    """Return the free radius, in m, and the stiffness, in N/m, at a load.

    The load grows about as the power n + 1/2 of the sinkage.
    """
    h = law.sinkage(entry_angle(law, soil, Shear(0.0, 0.0), load))
    stiffness = (soil.n + 0.5) * load / h
    return law.radius - h + load / stiffness, stiffness
