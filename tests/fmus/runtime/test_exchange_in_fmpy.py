"""Blocks as FMUs for model exchange, integrated by the CVODE of FMPy: the same answer as their own integration."""

from fractions import Fraction
from typing import Any

import fmpy
import numpy as np
import pytest
from numpy.typing import NDArray

from drawbar.blocks import Continuous, Input, Output, Sampled, State, sin
from drawbar.blocks.authoring.block import Block
from drawbar.blocks.signals.first_order_lag import FirstOrderLag
from drawbar.blocks.signals.integrator import Integrator
from drawbar.blocks.signals.pid import PID
from drawbar.blocks.signals.second_order_lag import SecondOrderLag
from drawbar.blocks.signals.sine import Sine
from drawbar.blocks.signals.state_space import StateSpace
from drawbar.blocks.signals.transfer_function import TransferFunction
from drawbar.blocks.vehicle.bodies.single_track import SingleTrack
from drawbar.fmus.export.package import build

pytestmark = pytest.mark.compiler

ORDERS = {"euler": 1, "heun": 2, "rk4": 4}

Rows = dict[str, NDArray[np.float64]]


def run(
    block: type[Block], kind: str, starts: dict[str, Any], *, stop: float, every: float, rtol: float = 1e-9
) -> Rows:
    """Outputs at each multiple of `every`, by name."""
    solver = {"solver": "CVode", "relative_tolerance": rtol, "record_events": False} if kind == "ModelExchange" else {}
    settings = {"start_values": starts, "stop_time": stop, "output_interval": every, **solver}
    rows = fmpy.simulate_fmu(str(build(block)), fmi_type=kind, **settings)
    assert len(rows) == round(stop / every) + 1
    return {name: rows[name].copy() for name in rows.dtype.names}


@pytest.mark.parametrize(
    ("block", "starts"),
    [
        (FirstOrderLag, {"u": 2.0, "time_constant": 0.5}),
        (Integrator, {"u": 0.7, "gain": 3.0}),
        (SecondOrderLag, {"u": 1.0}),
        (StateSpace, {"u": 1.0, "x[2]": -1.0, "D": 0.5}),
        (TransferFunction, {"u": 1.0, "numerator[1]": 0.5}),
        (SingleTrack, {"steer": 0.03, "acceleration": 0.4}),
        (Sine, {}),
    ],
)
def test_model_exchange_agrees_with_co_simulation(block: type[Block], starts: dict[str, Any]) -> None:
    """To the tolerance of CVODE: micro-steps of RK4 of a millisecond err less."""
    exchange, stepped = (run(block, k, starts, stop=2.0, every=0.1) for k in ("ModelExchange", "CoSimulation"))
    assert exchange.keys() == stepped.keys()
    for name, values in stepped.items():
        scale = max(np.abs(values).max(), 1e-3)
        assert np.abs(exchange[name] - values).max() < 2e-6 * scale, name
    assert np.ptp(stepped[max(stepped, key=lambda n: np.ptp(stepped[n]) if n != "time" else 0.0)]) > 0.1, "it moves"


def oscillator(method: str, step: float) -> type[Block]:
    class Pendulum(Continuous, method=method, step=step):
        """A pendulum under a torque that swings."""

        angle = State(1.0, "rad", "angle", output=True)
        rate = State(0.0, "rad/s", "rate", output=True)

        def derivatives(self) -> dict[str, Any]:
            return {"angle": self.rate, "rate": -9.0 * sin(self.angle) + 0.5 * sin(2.0 * self.time)}

    return Pendulum


@pytest.mark.parametrize("method", ORDERS)
def test_co_simulation_converges_to_model_exchange_at_the_order_of_the_method(method: str) -> None:
    coarse = {"euler": 4e-3, "heun": 2e-2, "rk4": 5e-2}[method]
    errors = []
    for step in (coarse, coarse / 2.0, coarse / 4.0):
        block = oscillator(method, step)
        exact = run(block, "ModelExchange", {}, stop=2.0, every=0.2, rtol=1e-12)
        stepped = run(block, "CoSimulation", {}, stop=2.0, every=0.2)
        errors.append(np.abs(stepped["angle"] - exact["angle"]).max())
    orders = np.log2(np.array(errors[:-1]) / np.array(errors[1:]))
    np.testing.assert_allclose(orders, ORDERS[method], atol=0.15)


class Ticks(Sampled, period="1/30"):
    """Counts its samples and holds what it saw."""

    u = Input("1", "signal", start=0.5)
    count = State(0.0, "1", "samples before this one")
    total = State(0.0, "1", "sum of what it saw")
    number = Output("1", "samples so far", type=int)
    sum = Output("1", "sum so far")

    def outputs(self) -> dict[str, Any]:
        return {"number": self.count + 1, "sum": self.total + self.u}

    def update(self) -> dict[str, Any]:
        return {"count": self.count + 1, "total": self.total + self.u}


@pytest.mark.parametrize("every", [Fraction(1, 90), Fraction(1, 30), Fraction(1, 10), Fraction(7, 100)])
def test_a_sampled_block_ticks_exactly_at_its_time_events(every: Fraction) -> None:
    """The sample due at the end of the run has run there; in co-simulation it belongs to the next step."""
    rows = run(Ticks, "ModelExchange", {}, stop=float(7 * every * 3), every=float(every))
    ticks = [int(k * every * 30) + 1 for k in range(len(rows["time"]))]
    assert rows["number"].tolist() == ticks
    np.testing.assert_array_equal(rows["sum"], 0.5 * np.array(ticks))


def test_a_sampled_block_shows_at_an_event_what_it_shows_after_the_step_from_there() -> None:
    starts = {"target": 1.0, "integral": 2.0, "measured": 0.25}
    exchange, stepped = (run(PID, k, starts, stop=1.0, every=0.01) for k in ("ModelExchange", "CoSimulation"))
    np.testing.assert_array_equal(exchange["command"][:-1], stepped["command"][1:])
    assert np.ptp(exchange["command"]) > 1.0
    assert (exchange["command"][1:-1] != stepped["command"][1:-1]).all(), "negative control: not in the same row"
