"""The ticks of a plan up to a stop time."""

from fractions import Fraction

import pytest

from drawbar.blocks.core.errors import UsageError
from drawbar.blocks.signals.first_order_lag import FirstOrderLag
from drawbar.blocks.signals.sample_and_hold import SampleAndHold
from drawbar.diagrams.model.diagram import Diagram
from drawbar.orchestrator.planning.plan import make_plan
from drawbar.orchestrator.planning.schedule import Plan, as_text


@pytest.fixture
def plan() -> Plan:
    """A macro step of 1/30 s, which is ten ticks of 1/300 s beside a sample of 0.01 s."""
    d = Diagram("mixed", step="1/30")
    d.connect(d.add("lag", FirstOrderLag).y, d.add("hold", SampleAndHold).u)
    return make_plan(d)


def test_stop_time_must_be_a_whole_number_of_steps(plan: Plan) -> None:
    assert (plan.tick, plan.macro_ticks) == (Fraction(1, 300), 10)
    assert plan.ticks(Fraction(2)) == 2 * 300
    assert plan.ticks(Fraction(1, 3)) == 100
    with pytest.raises(UsageError, match=r"stop time 0.05 s .* 0.0333333 s; the nearest is 0.0666666666667 s"):
        plan.ticks(Fraction("0.05"))
    with pytest.raises(UsageError, match="stop time 0 s is not positive"):
        plan.ticks(Fraction(0))


def test_a_stop_time_is_counted_exactly_or_refused(plan: Plan) -> None:
    assert plan.ticks(Fraction(10**12)) == 300 * 10**12
    with pytest.raises(UsageError, match=r"stop time 1e\+300 s is too many steps"):
        plan.ticks(Fraction(10**300))


def test_a_time_beyond_all_numbers_has_a_text() -> None:
    assert as_text(Fraction(1, 8)) == "0.125"
    assert as_text(Fraction(10**400)) == "1e400"
