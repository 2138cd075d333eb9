"""The guards of vehicles with double wishbones: the loops of each wheel close, and what to do where they do not."""

from __future__ import annotations

from drawbar.blocks.vehicle.multibody.embedded import Configuration
from drawbar.blocks.vehicle.multibody.spatial import Matrix
from drawbar.blocks.vehicle.wishbone_car import WHEELS, axle


def closing(configuration: Configuration, beyond: str) -> dict[str, tuple[Matrix, str]]:
    """A guard for each wheel; `beyond` says what to do where an arm went too far."""
    return {
        f"the suspension loops of the wheel {w} close": (
            configuration.margins[f"lower_arm_{w}"] > 0.0,
            f"{beyond}, or check hardpoints {axle(w)}_...",
        )
        for w in WHEELS
    }
