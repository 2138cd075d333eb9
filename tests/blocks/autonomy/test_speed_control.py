"""The speed control: no steady error, bounds, and no windup."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from drawbar.blocks.autonomy.speed_control import SpeedControl


def run(bench: Any, start: float, target: float, time: float, drag: float = 0.0, **parameters: float) -> Any:
    control, u, integral = bench(SpeedControl, **parameters), start, 0.0
    speeds: list[float] = []
    for _ in range(round(time / 0.01)):
        values = {"u": u, "target": target, "integral": integral}
        a = control.out(**values)["acceleration"]
        integral = control.update(**values)["integral"]
        u += 0.01 * (a - drag)
        speeds.append(u)
    result: NDArray[np.float64] = np.array(speeds)
    return result


def test_no_steady_error_under_a_constant_drag(bench: Any) -> None:
    assert run(bench, 10.0, 12.0, 30.0, drag=0.5)[-1] == pytest.approx(12.0, abs=1e-3)


def test_holds_the_speed_it_has(bench: Any) -> None:
    assert run(bench, 10.0, 10.0, 1.0) == pytest.approx(10.0, abs=0.0)


def test_no_windup(bench: Any) -> None:
    """Six seconds at the bound: the integral is drawn back, or else it carries the speed far beyond the target."""
    kept = run(bench, 2.0, 20.0, 30.0)
    wound_up = run(bench, 2.0, 20.0, 30.0, tracking_time=1e9)
    assert kept.max() < 20.5
    assert wound_up.max() > 22.0
    assert kept[-1] == pytest.approx(20.0, abs=0.02)


@given(st.floats(-50, 50), st.floats(-50, 50), st.floats(-20, 20))
def test_within_bounds(target: float, u: float, integral: float) -> None:
    model = SpeedControl.model()
    p = model.start()[: model.sizes()[0]]
    assert -4.0 <= float(model.out(0, [], [integral], [target, u], p)) <= 3.0
