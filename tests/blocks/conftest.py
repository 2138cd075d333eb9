"""A block on the bench: called with named values, stepped by an integrator that is not Drawbar's."""

from collections.abc import Callable
from typing import Any

import casadi as ca
import numpy as np
import pytest
from numpy.typing import NDArray

from drawbar.blocks import Block

Array = NDArray[np.float64]


class Bench:
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


@pytest.fixture
def bench() -> type[Bench]:
    return Bench
