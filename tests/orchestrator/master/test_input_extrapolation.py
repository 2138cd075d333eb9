"""Extrapolated inputs: within the limits of the input at both ends, and anew after each change from outside."""

import runpy
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from drawbar.blocks import Continuous, Output
from drawbar.blocks.signals.constant import Constant
from drawbar.diagrams.model.diagram import Diagram
from drawbar.orchestrator.simulate import simulate

SOURCES = runpy.run_path(str(Path(__file__).parents[1] / "sources.py"))
H, Sum, sent = (SOURCES[name] for name in ("H", "Sum", "sent"))
BUILD = runpy.run_path(str(Path(__file__).parents[2] / "foreign" / "builder.py"))["build"]
T = np.arange(16) * H  # of the steps


class Parabolas(Continuous):
    up = Output("1", "10 t^2")
    down = Output("1", "-10 t^2")

    def outputs(self) -> dict[str, Any]:
        return {"up": 10.0 * self.time * self.time, "down": -10.0 * self.time * self.time}


@pytest.mark.parametrize(("name", "sign", "limit"), [("up", 1.0, 1.6875), ("down", -1.0, -10.0)])
def test_an_extrapolated_value_stays_within_min_and_max(
    name: str, sign: float, limit: float, how: dict[str, str], tmp_path: Path
) -> None:
    """The input takes -10 to 1.6875; an exchanged value that lies beyond is sent as it is."""
    d = Diagram("limits", step=H, stop=2.0)
    source, total = d.add("source", Parabolas), d.add("sum", Sum)
    d.connect(source[name], total.u)
    u = 10.0 * T**2
    extrapolated = u + np.concatenate(([0.0], np.diff(u))) / 2
    expected = sign * np.where(extrapolated > abs(limit), np.maximum(u, abs(limit)), extrapolated)
    np.testing.assert_array_equal(sent(d, tmp_path / "r", **how), expected)
    assert (expected == limit).any(), "a step in which the limit itself is sent"
    assert (np.abs(expected) < abs(limit)).any() and (np.abs(expected) > abs(limit)).any()


@pytest.mark.compiler
@pytest.mark.parametrize("engine", ["c", "python"])
def test_nothing_is_extrapolated_across_a_change_that_shows_a_step_later(engine: str, tmp_path: Path) -> None:
    """A foreign FMU may be read after a step only, so the jump of a parameter at t shows at t + H.

    Its input is driven, so that its count of calls that set changes at every step and marks no event.
    """
    d = Diagram("changed", step=H, stop=2.0)
    spy, total = d.add("spy", BUILD(tmp_path, "spy"), T=1.0, d=0.0), d.add("sum", Sum)
    d.connect(d.add("one", Constant, value=1.0).y, spy.u)
    d.connect(spy.y2, total.u)
    run = simulate(d, out=tmp_path / "r", engine=engine, changes=["1:spy.d=0.05"])
    y, arrived = run["spy.y2"][:-1], np.diff(run["sum.x"]) / H
    smooth = 1.0 - np.exp(-T)
    np.testing.assert_allclose(y, smooth + np.where(T > 1.0, 0.05, 0.0), atol=1e-12)
    expected = y + np.concatenate(([0.0], np.diff(y))) / 2
    held = np.isin(T, [0.0, 1.0, 1.0 + H, 1.0 + 2 * H])  # the last one: inputs that were held move again
    # its step counters may be events until they have changed three times
    np.testing.assert_allclose(arrived[4:], np.where(held, y, expected)[4:], rtol=1e-12)
