"""The step at its instant, and the tolerance of instants."""

from typing import Any

import pytest

from drawbar.blocks.signals.step import Step, reached


@pytest.mark.parametrize(("time", "y"), [(0.0, 3.0), (0.799, 3.0), (0.8, 1.0), (100.0, 1.0)])
def test_a_step_is_done_at_its_instant(source: Any, time: float, y: float) -> None:
    assert source(Step, offset=3.0, height=-2.0, at=0.8)(time) == y


def test_rounding_of_time_costs_no_step(source: Any) -> None:
    assert 0.7 + 0.1 < 0.8, "else there is nothing to show"
    assert source(Step, at=0.8)(0.7 + 0.1) == 1.0


def test_an_instant_is_reached_a_nanosecond_early_and_no_more() -> None:
    assert reached(0.8 - 0.9e-9, 0.8)
    assert not reached(0.8 - 1.1e-9, 0.8)
