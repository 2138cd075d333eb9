"""Events: after a jump nothing is foreseen, whether a flag tells of it or the values alone."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from drawbar.blocks import Continuous, Input, Output, State, if_else
from drawbar.diagrams.diagram import Diagram
from drawbar.orchestrator.simulate import simulate

H = 0.125  # s; sums of it are exact
T = np.arange(16) * H  # of the steps


class Clock(Continuous):
    """A parabola, and a saw that falls far at t = 1 s; a flag tells of it, or none."""

    parabola = Output("1", "t^2")
    saw = Output("1", "t, from t = 1 s on t - 5")

    def outputs(self) -> dict[str, Any]:
        return {
            "parabola": self.time * self.time,
            "saw": if_else(self.time < 1.0, self.time, self.time - 5.0),
        }


class Flagged(Clock):
    late = Output("1", "whether t >= 1 s", type=bool)

    def outputs(self) -> dict[str, Any]:
        return {**super().outputs(), "late": if_else(self.time < 1.0, 0.0, 1.0)}


class Sum(Continuous, method="euler", step=H):
    """An integrator of one Euler step: what it was sent is what it grows by, over h."""

    u = Input("1", "signal", min=-10.0, max=1.6875)
    x = State(0.0, "1", "integral", output=True)

    def derivatives(self) -> dict[str, Any]:
        return {"x": self.u}


def sent(d: Diagram, folder: Path, part: str = "sum", **how: Any) -> np.ndarray:
    """What a `Sum` was sent for each of its steps."""
    return np.diff(simulate(d, out=folder, **how)[f"{part}.x"]) / H


def pair(source: str, what: type[Clock] = Clock, **options: Any) -> Diagram:
    d = Diagram("pair", step=H, stop=2.0, **options)
    clock, total = d.add("clock", what), d.add("sum", Sum)
    d.connect(clock[source], total.u)
    return d


@pytest.mark.parametrize("what", [Clock, Flagged], ids=["a jump far beyond", "a flag that changes"])
def test_nothing_is_foreseen_across_a_jump(what: type[Clock], how: dict[str, str], tmp_path: Path) -> None:
    u = np.where(T < 1.0, T, T - 5.0)
    expected = np.where(np.isin(T, [0.0, 1.0]), u, u + H / 2)
    np.testing.assert_array_equal(sent(pair("saw", what), tmp_path / "r", **how), expected)


def test_a_number_that_changes_at_every_step_tells_nothing(how: dict[str, str], tmp_path: Path) -> None:
    """As the step counters of many units do; the parabola beside it is foreseen all the same."""

    class Counter(Clock):
        n = Output("1", "steps", type=int)

        def outputs(self) -> dict[str, Any]:
            return {**super().outputs(), "n": self.time / H}

    counted = sent(pair("parabola", Counter), tmp_path / "c", **how)
    plain = sent(pair("parabola"), tmp_path / "p", **how)
    np.testing.assert_array_equal(counted[4:], plain[4:])
    np.testing.assert_array_equal(counted[1:4], T[1:4] ** 2, "the first three changes might have been events")


@pytest.mark.parametrize("until", [0.1, 0.6])
def test_each_change_of_a_flag_is_an_event(until: float, how: dict[str, str], tmp_path: Path) -> None:
    """A pulse of one step with its flag, also one that is there from the start: nothing of it is foreseen."""

    class Pulse(Continuous):
        y = Output("1", "one for a step")
        flag = Output("1", "whether it is there", type=bool)

        def outputs(self) -> dict[str, Any]:
            there = if_else(self.time > until, 0.0, if_else(self.time > until - H, 1.0, 0.0))
            return {"y": there, "flag": there}

    d = Diagram("pair", step=H, stop=2.0)
    pulse, total = d.add("pulse", Pulse), d.add("sum", Sum)
    d.connect(pulse.y, total.u)
    run = simulate(d, out=tmp_path / "r", **how)
    np.testing.assert_array_equal(np.diff(run["sum.x"]) / H, run["pulse.y"][:-1])


@pytest.mark.parametrize("listener", ["gauss-seidel", "interpolated"])
def test_who_listens_beside_changes_nothing(listener: str, how: dict[str, str], tmp_path: Path) -> None:
    """A source that is read early for one part jumps for another where it jumps, and not a step before."""

    def made(beside: str | None) -> np.ndarray:
        d = pair("saw", Flagged)
        other = d.add("other", Sum)
        d.connect(d.parts["clock"]["saw"], other.u, algorithm=beside)
        return sent(d, tmp_path / f"{beside}", **how)

    np.testing.assert_array_equal(made(listener), made(None))


def test_a_small_step_of_a_flagged_source_is_not_foreseen(how: dict[str, str], tmp_path: Path) -> None:
    """Only the flag tells here: the change is no larger than those before."""

    class Kink(Continuous):
        y = Output("1", "t, one h less from t = 1 s on")
        late = Output("1", "whether t >= 1 s", type=bool)

        def outputs(self) -> dict[str, Any]:
            return {"y": self.time - if_else(self.time < 1.0, 0.0, 2 * H), "late": if_else(self.time < 1.0, 0.0, 1.0)}

    d = Diagram("pair", step=H, stop=2.0)
    kink, total = d.add("kink", Kink), d.add("sum", Sum)
    d.connect(kink.y, total.u)
    u = np.where(T < 1.0, T, T - 2 * H)
    expected = np.where(np.isin(T, [0.0, 1.0]), u, u + H / 2)
    np.testing.assert_array_equal(sent(d, tmp_path / "r", **how), expected)
