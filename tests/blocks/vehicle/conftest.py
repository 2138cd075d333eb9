"""A HMMWV to drive: compiled where there is a compiler, else interpreted, which is the same within rounding."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from drawbar.blocks.vehicle.hmmwv_vehicle import HmmwvVehicle
from drawbar.fmus.instance import Instance
from drawbar.fmus.interpreted import InterpretedInstance
from drawbar.fmus.native import native_instance
from drawbar.fmus.toolchain import find_compiler

H = 5e-3  # s, two micro-steps


class Drive:
    """One vehicle at the end of its initialization; arrays are given and read whole."""

    def __init__(self, **starts: Any) -> None:
        make = InterpretedInstance if find_compiler() is None else native_instance
        self.instance: Instance = make(HmmwvVehicle, "car")
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


@pytest.fixture
def drive() -> Iterator[Callable[..., Drive]]:
    made: list[Drive] = []

    def begin(**starts: Any) -> Drive:
        made.append(Drive(**starts))
        return made[-1]

    yield begin
    for one in made:
        one.instance.close()


def grounds(**values: Any) -> dict[str, Any]:
    """Start values of the ground under all wheels."""
    return {f"ground_{w}__{name}": v for w in ("fl", "fr", "rl", "rr") for name, v in values.items()}
