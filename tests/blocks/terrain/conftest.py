"""A block of terrain that is asked at places, and a wheel under a quarter of a car."""

from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from drawbar.blocks import Continuous, Parameter, State
from drawbar.blocks.authoring.block import Block
from drawbar.blocks.vehicle.hub import UPRIGHT, Hub
from drawbar.diagrams import Diagram
from drawbar.fmus.native import native_instance
from drawbar.orchestrator.run import Run
from drawbar.orchestrator.simulate import simulate

Array = NDArray[np.float64]
G = 9.80665


class Quarter(Continuous):
    """A mass on one hub that does not turn; `free` says along which axes of the world it moves."""

    hub = Hub.source("hub")
    mass = Parameter(640.0, "kg", "mass")
    free = Parameter([1.0, 0.0, 1.0], "1", "whether it is free along an axis", size=3)
    p = State([0.0, 0.0, 0.44], "m", "place", size=3, output=True)
    v = State([0.0, 0.0, 0.0], "m/s", "velocity", size=3, output=True)

    def derivatives(self) -> dict[str, Any]:
        a = [self.free[i] * (self.hub.force[i] / self.mass - (G if i == 2 else 0.0)) for i in range(3)]
        return {"p": self.v, "v": a}

    def outputs(self) -> dict[str, Any]:
        motion = {"hub.position": self.p, "hub.velocity": self.v}
        return motion | {"hub.rotation": UPRIGHT, "hub.omega": [0.0, 0.0, 0.0], "hub.at": self.p[:2]}


@pytest.fixture
def ask() -> Callable[..., dict[str, Any]]:
    """All outputs of a block under its front left wheel, an array over the places."""

    def asked(block: type[Block], places: Any, **values: float) -> dict[str, Any]:
        instance = native_instance(block, "a")
        names = {p.name: p.scalar_names() for p in block.interface().of("output")}
        try:
            instance.initialize(0.0, values)
            instance.start()
            rows = []
            for x, y in np.asarray(places, float).reshape(-1, 2):
                instance.set({"ground_fl.at[1]": x, "ground_fl.at[2]": y})
                rows.append([instance.get(n) for n in names.values()])
        finally:
            instance.close()
        found = {name: np.array([row[k] for row in rows]) for k, name in enumerate(names)}
        return {name.removeprefix("ground_fl."): v[:, 0] if v.shape[1] == 1 else v for name, v in found.items()}

    return asked


@pytest.fixture
def drive_quarter(tmp_path: Path) -> Callable[..., Run]:
    """A run of a wheel under a quarter of a car; the slope rises along x."""
    number = count()

    def run(
        wheel: type[Block], *, stop: float = 3.0, slope: float = 0.0, body: dict[str, Any] | None = None, **values: Any
    ) -> Run:
        diagram = Diagram("ride", step=1e-3, stop=stop)
        quarter = diagram.add("body", Quarter, **(body or {}))
        values["ground.normal"] = np.array([-slope, 0.0, 1.0]) / np.hypot(slope, 1.0)
        part = diagram.add("wheel", wheel, **values)
        diagram.connect(quarter.hub, part.hub)
        return simulate(diagram, out=tmp_path / f"run{next(number)}")

    return run
