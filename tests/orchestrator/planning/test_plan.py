"""The plan of a diagram: the common tick, and diagrams that cannot be planned."""

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from drawbar.blocks import (
    Continuous,
    Local,
    Output,
    Sampled,
    State,
    UsageError,
)
from drawbar.blocks.signals.first_order_lag import FirstOrderLag
from drawbar.blocks.signals.sample_and_hold import SampleAndHold
from drawbar.diagrams.model.diagram import Diagram
from drawbar.orchestrator.planning.plan import common_tick, make_plan
from drawbar.orchestrator.simulate import simulate


@pytest.mark.parametrize(
    ("periods", "tick"),
    [(["1/100", "1/30"], "1/300"), (["1/1000", "1/30", "1/100"], "1/3000"), (["2", "3"], "1"), (["1/1000"], "1/1000")],
)
def test_tick_is_the_greatest_common_divisor(periods: list[str], tick: str) -> None:
    assert common_tick(map(Fraction, periods)) == Fraction(tick)


class Watched(Continuous):
    """A ramp with something inside worth a look."""

    x = State(0.0, "m", "ramp")
    inside = Local("m", "twice the ramp", size=2)
    y = Output("m", "ramp")

    def derivatives(self) -> dict[str, Any]:
        return {"x": 1.0}

    def outputs(self) -> dict[str, Any]:
        return {"inside": [2.0 * self.x, 3.0 * self.x], "y": self.x}


def test_steps_with_too_many_micro_steps_are_refused(tmp_path: Path) -> None:
    d = Diagram("long", step="1000000", stop=1e6)
    d.add("w", Watched)
    with pytest.raises(UsageError, match=r"part 'w' takes micro-steps of 0\.001 s"):
        simulate(d, out=tmp_path / "r")
    assert not (tmp_path / "r").exists()


def test_periods_without_a_common_tick_are_refused() -> None:
    class Odd(Sampled, period="0.00100000001"):
        y = Output("1", "one")

        def outputs(self) -> dict[str, Any]:
            return {"y": 1.0}

    d = Diagram("odd", step="0.001", stop=1.0)
    d.add("odd", Odd)
    with pytest.raises(UsageError, match="have no useful common tick"):
        make_plan(d)


def test_the_parts_of_a_plan_step_at_their_own_period() -> None:
    d = Diagram("mixed", step="1/30")
    d.connect(d.add("lag", FirstOrderLag).y, d.add("hold", SampleAndHold).u)
    plan = make_plan(d, decimation=2)
    assert {part.name: part.period_ticks for part in plan.parts} == {"lag": 10, "hold": 3}
    assert {rate.period_ticks: rate.rate.period for rate in plan.rates} == {6: Fraction(1, 50), 20: Fraction(1, 15)}


@pytest.mark.parametrize(
    ("options", "message"),
    [({"record": ["w.z"]}, "matches 'w.z'; did you mean 'w."), ({"decimation": 0}, "every 0 steps")],
)
def test_recording_that_makes_no_sense_is_refused(options: dict[str, Any], message: str) -> None:
    d = Diagram("d", step="0.01")
    d.add("w", Watched)
    with pytest.raises(UsageError, match=message):
        make_plan(d, **options)
