"""Pacing on a clock that the test turns itself: no test here depends on how fast the machine is."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from drawbar.blocks import UsageError
from drawbar.orchestrator.scenario.pacing import BINS, SPIN, Pacer


class Wall:
    """A clock that moves when it is read, slept by or told to; sleeps take longer than they should, or shorter."""

    def __init__(self, oversleep: float = 0.0, tick: float = 1e-6) -> None:
        self.now = 100.0
        self.oversleep = oversleep
        self.tick = tick
        self.slept: list[float] = []

    def read(self) -> float:
        self.now += self.tick
        return self.now

    def sleep(self, seconds: float) -> None:
        assert seconds > 0.0
        self.slept.append(seconds)
        self.now += max(seconds + self.oversleep, seconds / 2)

    def pacer(self, pace: float = 1.0) -> Pacer:
        return Pacer(pace, clock=self.read, sleep=self.sleep)


@pytest.mark.parametrize("pace", [0.5, 1.0, 2.0])
def test_simulated_time_passes_pace_times_as_fast_as_the_clock(pace: float) -> None:
    wall = Wall(oversleep=1e-4)
    pacer = wall.pacer(pace)
    pacer.wait(0.0)
    begin = wall.now
    for k in range(1, 101):
        pacer.wait(k * 0.01)
        assert wall.now - begin == pytest.approx(k * 0.01 / pace, abs=1e-5)
    report = pacer.report()
    assert (report["steps"], report["overruns"], report["pace"]) == (101, 0, pace)
    assert report["late_max_s"] < 1e-5


def test_a_sleep_ends_early_and_the_clock_is_watched_for_the_rest() -> None:
    wall = Wall()
    pacer = wall.pacer()
    pacer.wait(0.0)
    pacer.wait(0.1)
    assert wall.slept == [pytest.approx(0.1 - SPIN, abs=1e-5)]
    pacer.wait(0.1 + SPIN / 2)
    assert len(wall.slept) == 1


def test_a_sleep_that_is_cut_short_is_continued() -> None:
    wall = Wall(oversleep=-0.03)
    pacer = wall.pacer()
    pacer.wait(0.0)
    begin = wall.now
    pacer.wait(0.1)
    assert len(wall.slept) > 1
    assert wall.now - begin >= 0.1 - 1e-5


def test_a_late_step_is_made_up_for_and_reported() -> None:
    wall = Wall(tick=0.0)
    pacer = wall.pacer()
    wall.tick = 1e-6
    for k in range(1001):
        if k == 500:
            wall.now += 0.025  # a step of 10 ms that takes 25 ms
        pacer.wait(k * 0.01)
    assert wall.now - 100.0 == pytest.approx(10.0, abs=1e-4)
    report = pacer.report()
    assert report["late_max_s"] == pytest.approx(0.015, abs=1e-4)
    assert report["worst_time_s"] == 5.0
    assert report["overruns"] == 1  # 15 ms is more than a step; the 5 ms of the next one are less
    assert report["late_p99_s"] < 1e-5
    assert report["late_mean_s"] == pytest.approx(0.020 / 1001, rel=0.1)


def test_lateness_is_that_of_the_wall_clock_whatever_the_pace() -> None:
    wall = Wall()
    pacer = wall.pacer(10.0)
    pacer.wait(0.0)
    wall.now += 0.004  # 3 ms after the 1 ms that 10 ms of simulated time take
    pacer.wait(0.01)
    report = pacer.report()
    assert report["late_max_s"] == pytest.approx(0.003, abs=1e-5)
    assert report["overruns"] == 1


def test_of_equally_late_steps_the_first_is_named() -> None:
    wall = Wall(tick=0.0)
    pacer = wall.pacer()
    for now, simulated in ((100.0, 0.0), (101.0, 0.5), (101.5, 1.0)):
        wall.now = now
        pacer.wait(simulated)
    assert (pacer.report()["late_max_s"], pacer.report()["worst_time_s"]) == (0.5, 0.5)


def test_without_a_wait_there_is_nothing_late() -> None:
    report = Pacer(1.0).report()
    assert report == {
        "pace": 1.0,
        "steps": 0,
        "late_mean_s": 0.0,
        "late_p99_s": 0.0,
        "late_max_s": 0.0,
        "overruns": 0,
        "worst_time_s": None,
    }


@pytest.mark.parametrize("pace", [0.0, -1.0, math.inf, math.nan])
def test_a_pace_that_is_none_is_refused(pace: float) -> None:
    with pytest.raises(UsageError, match="give a positive number; 1 is real time"):
        Pacer(pace)


def test_the_real_clock_is_the_default() -> None:
    pacer = Pacer(1e9)
    for k in range(10):
        pacer.wait(float(k))
    assert pacer.report()["steps"] == 10


@given(st.lists(st.floats(0.0, 1e3), min_size=1, max_size=300))
def test_the_percentile_is_right_within_two_percent(lates: list[float]) -> None:
    wall = Wall(tick=0.0)
    pacer = wall.pacer()
    pacer.wait(0.0)
    for late in lates:
        wall.now = 100.0 + late
        pacer.wait(0.0)
    exact = float(np.percentile([0.0, *(100.0 + late - 100.0 for late in lates)], 99, method="inverted_cdf"))
    report = pacer.report()
    assert exact <= report["late_p99_s"] * (1 + 1e-9)
    assert report["late_p99_s"] <= max(1.02 * exact * (1 + 1e-9), 1e-7)
    assert report["late_max_s"] == max(100.0 + late - 100.0 for late in lates)


def test_memory_does_not_grow_with_the_run() -> None:
    wall = Wall(tick=1e-7)
    pacer = wall.pacer()
    for k in range(5000):
        wall.now += 10.0 ** (k % 12)
        pacer.wait(0.0)
    sizes = [len(value) for value in vars(pacer).values() if hasattr(value, "__len__")]
    assert sizes == [BINS]
    assert pacer.report()["late_p99_s"] <= pacer.report()["late_max_s"]
