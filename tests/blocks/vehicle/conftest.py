"""A HMMWV to drive: compiled where there is a compiler, else interpreted, which is the same within rounding."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from drawbar.blocks import Block
from drawbar.blocks.vehicle.bodies.hub_body import HubBody
from drawbar.blocks.vehicle.hmmwv.hmmwv_vehicle import HmmwvVehicle
from drawbar.fmus.backends.instance import Instance
from drawbar.fmus.backends.interpreted import InterpretedInstance
from drawbar.fmus.backends.native import native_instance
from drawbar.fmus.toolchain.compilers import find_compiler

H = 5e-3  # s, two micro-steps


class Implicit(HmmwvVehicle, method="rosenbrock", step=H):
    """By the other method; interpreted, as its code takes longer to compile than it runs here."""


class Drive:
    """One vehicle at the end of its initialization; arrays are given and read whole."""

    def __init__(self, block: type[Block] = HmmwvVehicle, *, method: str = "rk4", **starts: Any) -> None:
        make = InterpretedInstance if find_compiler() is None or method != "rk4" else native_instance
        self.instance: Instance = make(block if method == "rk4" else Implicit, "car")
        self._ports = {port.name: port for port in self.instance.interface.ports}
        self.now = 0.0
        self.instance.initialize(0.0, self._scalars(starts))
        self.instance.start()

    def _scalars(self, values: dict[str, Any]) -> dict[str, float]:
        found: dict[str, float] = {}
        for name, value in values.items():
            port = self._ports[name.replace("__", ".")]
            found |= zip(port.scalar_names(), np.broadcast_to(np.ravel(value), port.size).tolist(), strict=True)
        return found

    def set(self, **values: Any) -> None:
        """Inputs; a member of a bus is `ground_fl__point`."""
        self.instance.set(self._scalars(values))

    def ground(self, **values: Any) -> None:
        """The ground under all wheels."""
        self.set(**{f"ground_{w}__{name}": v for w in ("fl", "fr", "rl", "rr") for name, v in values.items()})

    def get(self, name: str) -> Any:
        """A value, an array of those of a vector."""
        port = self._ports[name]
        values = np.array(self.instance.get(port.scalar_names()))
        return values.reshape(port.shape) if port.shape else float(values[0])

    def run(self, seconds: float, names: Sequence[str] = (), h: float = H) -> dict[str, NDArray[np.float64]]:
        """Drive on; the named values after each step."""
        step, rows = self.instance.stepper(), {name: [] for name in names}
        for _ in range(round(seconds / h)):
            assert step(self.now, h) == 0, self.instance.messages()
            self.now += h
            for name in names:
                rows[name].append(self.get(name))
        return {name: np.array(values) for name, values in rows.items()}


class Standing:
    """A body that is cut at its hubs, after its initialization on wheels that are springs; values by scalar name."""

    def __init__(self, body: type[HubBody], tire: dict[str, float], starts: dict[str, float]) -> None:
        self.body, self.tire, self.instance = body, tire, InterpretedInstance(body, "body")
        self.instance.initialize(0.0, self.hubs(**tire) | starts)
        self.instance.start()
        ports = [n for p in body.model().ports for n in p.scalar_names()]
        self.values = dict(zip(ports, self.instance.get(ports), strict=True))

    def hubs(self, **values: float) -> dict[str, float]:
        """Values of members of all hubs."""
        return {f"hub_{w}.{name}": v for w in self.body.wheels for name, v in values.items()}

    def loads(self) -> list[float]:
        """What the springs in the place of the wheels bear on a level ground."""
        heights = [self.values[f"hub_{w}.position[3]"] for w in self.body.wheels]
        return [self.tire["stiffness"] * (self.tire["radius"] - z) for z in heights]

    def rates(self, **changed: Any) -> dict[str, Any]:
        """The state derivatives with some values changed."""
        return self._call("ode", "x", changed)

    def outputs(self, **changed: Any) -> dict[str, Any]:
        """The outputs with some values changed."""
        return self._call("out", "y", changed)

    def _call(self, function: str, group: str, changed: dict[str, Any]) -> dict[str, Any]:
        model, now = self.body.model(), self.values | changed
        flat = [[now[n] for p in getattr(model, g) for n in p.scalar_names()] for g in "xzup"]
        found = np.array(getattr(model, function)(0.0, *flat)).ravel()
        return dict(zip([n for p in getattr(model, group) for n in p.scalar_names()], found, strict=True))

    def drift(self, seconds: float = 0.3, h: float = 1e-3, **changed: float) -> float:
        """How far the energy changes in a flight, over the kinetic energy at its beginning."""
        names, values = [n for p in self.body.model().x for n in p.scalar_names()], self.values | changed
        x = np.array([values[n] for n in names])

        def state(at: NDArray[np.float64]) -> dict[str, Any]:
            return dict(zip(names, at, strict=True))

        def f(at: NDArray[np.float64]) -> NDArray[np.float64]:
            return np.array(list(self.rates(**state(at)).values()))

        def energy(at: NDArray[np.float64]) -> tuple[float, float]:
            found = self.outputs(**state(at))
            return found["kinetic_energy"], found["potential_energy"]

        before = energy(x)
        for _ in range(round(seconds / h)):
            k1 = f(x)
            k2 = f(x + h / 2 * k1)
            k3 = f(x + h / 2 * k2)
            x = x + h / 6 * (k1 + 2 * k2 + 2 * k3 + f(x + h * k3))
        return abs(sum(energy(x)) - sum(before)) / before[0]


@pytest.fixture
def stand() -> Iterator[Callable[..., Standing]]:
    made: list[Standing] = []

    def begin(body: type[HubBody], *, radius: float = 0.47, stiffness: float = 326332.0, **starts: float) -> Standing:
        made.append(Standing(body, {"radius": radius, "stiffness": stiffness}, starts))
        return made[-1]

    yield begin
    for one in made:
        one.instance.close()


@pytest.fixture
def drive() -> Iterator[Callable[..., Drive]]:
    made: list[Drive] = []

    def begin(block: type[Block] = HmmwvVehicle, **starts: Any) -> Drive:
        made.append(Drive(block, **starts))
        return made[-1]

    yield begin
    for one in made:
        one.instance.close()


def grounds(**values: Any) -> dict[str, Any]:
    """Start values of the ground under all wheels."""
    return {f"ground_{w}__{name}": v for w in ("fl", "fr", "rl", "rr") for name, v in values.items()}
