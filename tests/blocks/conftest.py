"""What tests of blocks share: a block on the bench, terrain asked at places, and a wheel under a quarter of a car."""

from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import casadi as ca
import numpy as np
import pytest
from numpy.typing import NDArray

from drawbar.blocks import Block, Continuous, Parameter, State
from drawbar.blocks.terrain.soil.soil_stress import SoilStress
from drawbar.blocks.vehicle.hub.hub import UPRIGHT, Hub
from drawbar.diagrams import Diagram
from drawbar.fmus.backends.native import native_instance
from drawbar.orchestrator.runs.run import Run
from drawbar.orchestrator.simulate import simulate

Array = NDArray[np.float64]
G = 9.80665


# n, k_c, k_phi in kN, c in kPa, phi in degrees, K in m: Wong, Theory of Ground Vehicles
WONG: dict[str, tuple[float, ...]] = {
    "LETE sand": (0.79, 102.0, 5301.0, 1.3, 31.1, 0.012),
    "dry sand": (1.1, 0.99, 1528.43, 1.04, 28.0, 0.025),
    "sandy loam": (0.7, 5.27, 1515.04, 1.72, 29.0, 0.025),
    "clayey soil": (0.5, 13.19, 692.15, 4.14, 13.0, 0.01),
    "upland loam": (1.1, 74.6, 2080.0, 3.3, 33.7, 0.025),
    "rubicon loam": (0.66, 6.9, 752.0, 3.7, 29.8, 0.025),
    "north gower clay loam": (0.73, 41.6, 2471.0, 6.1, 26.6, 0.025),
}


class Bench:
    """A block called with named values, stepped by an integrator that is not Drawbar's."""

    def __init__(self, block: type[Block], **parameters: Any) -> None:
        self.model = block.model()
        self.p = self.pack("p", parameters)
        if self.model.derive is not None:
            derived = np.asarray(self.model.derive(0.0, *(self.pack(g, {}) for g in "xzu"), self.p)).ravel()
            self.p[len(self.p) - len(derived) :] = derived

    def pack(self, group: str, values: dict[str, Any]) -> Array:
        """The named values of a group (p, u, x or z) as its flat array; what is not named takes its start value."""
        parts: list[Array] = []
        for port in getattr(self.model, group):
            given = values.get(port.name, port.start or 0.0)
            parts.append(np.broadcast_to(np.asarray(given, float).ravel(), (port.size,)))
        known = {port.name for port in self.model.ports} | {"time"}
        assert set(values) <= known, f"no port named {set(values) - known}"
        return np.concatenate([np.zeros(0), *parts])

    def _call(self, function: ca.Function, group: str, values: dict[str, Any]) -> dict[str, Any]:
        x, z, u = (self.pack(g, values) for g in "xzu")
        flat = np.asarray(function(values.get("time", 0.0), x, z, u, self.p)).ravel()
        return self.unpack(group, flat)

    def unpack(self, group: str, flat: Array) -> dict[str, Any]:
        result, at = {}, 0
        for port in getattr(self.model, group):
            part = flat[at : at + port.size]
            result[port.name] = part if port.shape else float(part[0])
            at += port.size
        return result

    def out(self, **values: Any) -> dict[str, Any]:
        return self._call(self.model.out, "y", values)

    def ode(self, **values: Any) -> dict[str, Any]:
        return self._call(self.model.ode, "x", values)

    def update(self, **values: Any) -> dict[str, Any]:
        return self._call(self.model.update, "z", values)

    def rk4(self, h: float) -> Callable[[Array, Array], Array]:
        """One classical Runge-Kutta step of the states with inputs held."""
        x, u, none = (
            ca.SX.sym("x", self.model.ode.size1_out(0)),
            ca.SX.sym("u", self.model.ode.size1_in(3)),
            ca.SX(0, 1),
        )

        def f(at: Any) -> Any:
            return self.model.ode(0, at, none, u, self.p)

        k1 = f(x)
        k2 = f(x + h / 2 * k1)
        k3 = f(x + h / 2 * k2)
        k4 = f(x + h * k3)
        step = ca.Function("step", [x, u], [x + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)])
        return lambda state, inputs: np.asarray(step(state, inputs)).ravel()


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
def bench() -> type[Bench]:
    return Bench


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


@pytest.fixture(scope="session")
def wong_soil() -> Callable[[str], SoilStress]:
    """Return a soil of the table by its name."""

    def soil(name: str) -> SoilStress:
        n, k_c, k_phi, c, phi, K = WONG[name]
        return SoilStress(n, 1e3 * k_c, 1e3 * k_phi, 1e3 * c, np.radians(phi), K)

    return soil
