"""The guards of double wishbones: the loops of each wheel close, and the advice where they do not."""

from __future__ import annotations

from drawbar.blocks.terrain.ground.ground import WHEELS
from drawbar.blocks.vehicle.hmmwv.hmmwv_mechanism import axle
from drawbar.blocks.vehicle.multibody.embedded import Configuration
from drawbar.blocks.vehicle.multibody.spatial import Matrix

# The square root of the margin is the sine of the angle between a loop and its opening. Rates and forces grow with its
# inverse: at 0.05, 13 degrees before opening, they are 2.4 times those of the HMMWV at rest, where the margin is 0.29.
NEARLY_OPEN = (0.05, "a suspension loop was near opening: stiffen the stops, or check the hardpoints")


def loop_guards(configuration: Configuration, beyond: str) -> dict[str, tuple[Matrix, str]]:
    """Return a guard for each wheel; `beyond` is the advice where an arm moved too far."""
    return {
        f"the suspension loops of the wheel {w} close": (
            configuration.margins[f"lower_arm_{w}"] > 0.0,
            f"{beyond}, or check hardpoints {axle(w)}_...",
        )
        for w in WHEELS
    }
