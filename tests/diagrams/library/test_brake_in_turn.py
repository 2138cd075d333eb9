"""Braking in a turn, by ISO 7975."""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest

from drawbar.diagrams.library import find
from drawbar.diagrams.ssp.ssp import read
from drawbar.orchestrator.runs.run import Run
from drawbar.orchestrator.simulate import simulate

BEGIN = 12.0  # s
Braked = Callable[..., Run]


@pytest.fixture(scope="module")
def braked(tmp_path_factory: pytest.TempPathFactory) -> Braked:
    @cache
    def run(**changes: Any) -> Run:
        diagram = read(find("brake_in_turn"))
        for name, value in changes.items():
            part, _, variable = name.partition("__")
            diagram.parts[part].set(variable, value)
        return simulate(diagram, out=tmp_path_factory.mktemp("runs") / "run")

    return run


def at(run: Run, signal: str, t: float) -> float:
    return float(np.interp(t, run.time(signal), run[signal]))


def locked(run: Run) -> list[bool]:
    """Which wheels stand while the vehicle drives at more than 5 m/s."""
    moving = run["vehicle.velocity[1]"] > 5.0
    return [bool((run[f"vehicle.wheel_speed[{i}]"][moving] < 0.5).any()) for i in (1, 2, 3, 4)]


def test_it_brakes_out_of_a_steady_turn_with_the_steering_held(braked: Braked) -> None:
    run = braked()
    assert at(run, "vehicle.velocity[1]", BEGIN) == pytest.approx(20.0, abs=0.05)
    assert at(run, "vehicle.a[2]", BEGIN) == pytest.approx(4.0, abs=0.05)
    assert at(run, "vehicle.yaw_rate", BEGIN) == pytest.approx(0.2, abs=0.005)
    after = run.time("hand.y") > BEGIN + 0.05
    assert np.ptp(run["hand.y"][after]) == 0.0
    assert np.abs(run["vehicle.velocity[1]"][-1]) < 0.01


def test_distance_and_time_to_the_stop_are_those_of_the_speed(braked: Braked) -> None:
    run = braked()
    t, u = run.time("vehicle.velocity[1]"), run["vehicle.velocity[1]"]
    first = BEGIN + 0.02
    stop = t[np.argmax((t > first) & (u < 0.05))]
    part = (t >= first) & (t <= stop)
    assert run["trial.ended"][-1] == 1.0
    assert run["trial.duration"][-1] == pytest.approx(stop - first, abs=0.05)
    assert run["trial.distance"][-1] == pytest.approx(np.trapezoid(u[part], t[part]), rel=0.01)


def test_at_2_metres_per_second_squared_the_inner_rear_wheel_locks_and_it_turns_in(braked: Braked) -> None:
    run = braked()
    assert at(run, "vehicle.a[1]", BEGIN + 1.0) == pytest.approx(-1.9, abs=0.1)
    ratio = at(run, "vehicle.yaw_rate", BEGIN + 1.0) / at(run, "vehicle.yaw_rate", BEGIN)
    assert ratio == pytest.approx(1.95, abs=0.05)
    assert 0.0 < at(run, "course.lateral_error", BEGIN + 1.0) < 0.3
    assert locked(run) == [False, False, True, False]
    inner, outer = (at(run, f"vehicle.wheel_load[{i}]", BEGIN) for i in (3, 4))
    assert inner / (inner + outer) == pytest.approx(0.22, abs=0.01)


def test_at_3_metres_per_second_squared_inner_wheels_lock_and_with_front_brakes_alone_none_and_it_turns_in_less(
    braked: Braked,
) -> None:
    both = braked(speed__lower_limit=-2.5)
    front = braked(speed__lower_limit=-3.7, brakes__knee=0.0, brakes__slope=0.0)
    assert locked(both) == [True, False, True, False]
    # the force of a wheel that slides in a turn comes to oppose its braking slip, so the inner front wheel still rolls
    assert locked(front) == [False, False, False, False]
    for run, wanted in ((both, -2.5), (front, -3.0)):
        assert at(run, "vehicle.a[1]", BEGIN + 1.0) == pytest.approx(wanted, abs=0.2)
    assert at(both, "vehicle.yaw_rate", BEGIN + 1.0) > 1.2 * at(front, "vehicle.yaw_rate", BEGIN + 1.0)
