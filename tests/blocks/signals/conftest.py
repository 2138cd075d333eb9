"""Sources asked at any time, and sampled blocks played through many samples: by their equations, without a runtime."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from drawbar.blocks import Block, Port

Played = Callable[..., dict[str, list[float]]]


def pack(ports: Sequence[Port], given: dict[str, Any]) -> Any:
    """The values of a group of ports as its flat array: those that are given, whole, and else the start values."""
    values = [np.broadcast_to(np.ravel(given.get(port.name, port.start)), port.size) for port in ports]
    return np.concatenate([np.zeros(0), *values]).astype(float)


def ask(block: type[Block], **parameters: Any) -> Callable[[float], float]:
    """The output y of a source as a function of time."""
    model = block.model()
    assert set(parameters) <= {port.name for port in model.p}
    return lambda time: float(model.out(time, [], [], [], pack(model.p, parameters)))


def play(block: type[Block], inputs: dict[str, Sequence[float]], **starts: Any) -> dict[str, list[float]]:
    """The outputs at each sample, from the equations alone; `starts` gives parameters and states, arrays whole."""
    model = block.model()
    assert set(inputs) <= {port.name for port in model.u}
    assert set(starts) <= {port.name for port in model.p + model.z}

    p, z = pack(model.p, starts), pack(model.z, starts)
    rows: list[Any] = []
    for k in range(len(next(iter(inputs.values())))):
        u = np.array([inputs[port.name][k] if port.name in inputs else port.start[0] for port in model.u], float)
        rows.append(np.asarray(model.out(k * float(model.period or 1), [], z, u, p)).ravel())
        z = np.asarray(model.update(k * float(model.period or 1), [], z, u, p)).ravel()
    return {port.name: [float(row[i]) for row in rows] for i, port in enumerate(model.y)}


@pytest.fixture(scope="session")
def source() -> Callable[..., Callable[[float], float]]:
    return ask


@pytest.fixture(scope="session")
def played() -> Played:
    return play


class Response:
    """The output y of a linear block under the signal `u`, held over each step, integrated from its equations."""

    h = 1e-3
    t = np.arange(2001) * h
    u = np.sign(np.sin(7.0 * t)) + np.cos(3.0 * t)

    def __call__(self, bench: Any, block: type[Block], **parameters: Any) -> Any:
        made = bench(block, **parameters)
        step, x, rows = made.rk4(self.h), made.pack("x", {}), []
        for u in self.u:
            states = made.unpack("x", x)
            rows.append(made.out(u=u, **states)["y"] if made.model.out else states["y"])
            x = step(x, np.array([u]))
        return np.array(rows)


@pytest.fixture(scope="session")
def response() -> Response:
    return Response()
