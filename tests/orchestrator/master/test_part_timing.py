"""Which steps of a part are timed: enough of a short run, few of a long one, and not the first alone."""

import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest

from drawbar.blocks.signals.first_order_lag import FirstOrderLag
from drawbar.diagrams.model.diagram import Diagram
from drawbar.fmus.backends.native import native_instance
from drawbar.orchestrator.master import part_timing
from drawbar.orchestrator.master.master import Master
from drawbar.orchestrator.master.part_timing import PartTiming
from drawbar.orchestrator.master.reference import ReferenceMaster
from drawbar.orchestrator.planning.plan import make_plan


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """A clock in a list, which the test sets."""
    now = [0.0]
    monkeypatch.setattr(part_timing.time, "perf_counter", lambda: now[0])
    return now


def timed(n: int, costs: Iterator[float], clock: list[float]) -> tuple[list[int], float]:
    """The steps that are timed of n, and the mean cost that follows."""
    timing, found = PartTiming(), []
    for step in range(n):
        timing.choose(step)
        began = timing.begin()
        clock[0] += next(costs)
        timing.end(began)
        found += [step] if timing.on else []
    return found, timing.seconds / max(1, timing.covered)


def test_the_first_steps_are_all_timed_and_later_ones_more_and_more_seldom(clock: list[float]) -> None:
    found, _ = timed(100_000, itertools.repeat(1.0), clock)
    assert found[:14] == [0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96]
    assert [sum(step < n for step in found) for n in (10, 100, 1000)] == [7, 14, 20]
    gaps = [b - a for a, b in itertools.pairwise(found)]
    assert gaps == sorted(gaps) and max(gaps) == 256
    assert len(found) < 0.005 * 100_000


@pytest.mark.parametrize("n", [2, 3, 10, 100, 256, 257, 5000])
def test_a_cold_first_step_has_no_weight(n: int, clock: list[float]) -> None:
    costs = itertools.chain([1000.0], itertools.repeat(2.0))
    assert timed(n, costs, clock)[1] == 2.0


def test_a_single_step_counts(clock: list[float]) -> None:
    assert timed(1, itertools.repeat(3.0), clock)[1] == 3.0
    assert timed(0, itertools.repeat(3.0), clock)[1] == 0.0


def test_each_timed_step_stands_for_those_up_to_the_next(clock: list[float]) -> None:
    """A cost that grows from 1 to 2 in the course of the run is 1.5 on average, however few late steps are timed."""
    n = 4096
    assert timed(n, (1.0 + step / n for step in range(n)), clock)[1] == pytest.approx(1.5, rel=0.05)


@pytest.mark.compiler
@pytest.mark.parametrize("n", [1, 2, 9, 100, 3000])
def test_both_masters_time_the_same_steps(n: int, tmp_path: Path) -> None:
    d = Diagram("d", step="1/1000")
    a, b = d.add("a", FirstOrderLag), d.add("b", FirstOrderLag)
    d.connect(a.y, b.u)
    plan, found = make_plan(d), []
    for engine in (Master, ReferenceMaster):
        instances = {name: native_instance(FirstOrderLag, name) for name in d.parts}
        for instance in instances.values():
            instance.initialize(0.0, {})
            instance.start()
        master = engine(plan, instances)
        assert master.exchange() is None
        assert master.advance(n) is None
        timings = [part.timing for part in master._parts[: len(plan.parts)]]
        found.append([(t.next, t.interval, t.covered, bool(t.on)) for t in timings])
        assert all(t.seconds > 0.0 for t in timings)
        for instance in instances.values():
            instance.close()
    assert found[0] == found[1]
