"""Error bars from half the step: beside the true error, where nothing depends on the step, at events, and in tables."""

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.linalg import expm

from drawbar.blocks import Continuous, Input, Output, Sampled, State, if_else
from drawbar.diagrams.model.diagram import Diagram
from drawbar.orchestrator.reports.step_check import ErrorBar, error_bars, error_table, errors_to_json
from drawbar.orchestrator.runs.recorder import Column, Rate, Recorder
from drawbar.orchestrator.runs.run import Run
from drawbar.orchestrator.simulate import simulate

MICRO = Fraction(1, 4096)  # s, so short that what is left of the error is the coupling
# of x1, v1, x2, v2: springs of 10 and 20 N/m to the ground, of 10 N/m and 0.5 N.s/m between the masses of 1 kg
MATRIX = np.array([[0, 1, 0, 0], [-20, -0.7, 10, 0.5], [0, 0, 0, 1], [10, 0.5, -30, -0.8]])
START = np.array([0.0, 0.0, 0.5, 0.0])


class First(Continuous, step=MICRO):
    """The mass that is pushed by the coupling force."""

    F = Input("N", "coupling force")
    x = State(0.0, "m", "position", output=True)
    v = State(0.0, "m/s", "velocity", output=True)

    def derivatives(self) -> dict[str, Any]:
        return {"x": self.v, "v": -10.0 * self.x - 0.2 * self.v + self.F}


class Second(Continuous, step=MICRO):
    """The mass that carries the coupling spring and damper."""

    x1 = Input("m", "position of the other mass")
    v1 = Input("m/s", "velocity of the other mass")
    x = State(0.5, "m", "position", output=True)
    v = State(0.0, "m/s", "velocity", output=True)
    F = Output("N", "coupling force on the other mass")
    pair = Output("m", "position, and half of it", size=2)

    def force(self) -> Any:
        return 10.0 * (self.x - self.x1) + 0.5 * (self.v - self.v1)

    def derivatives(self) -> dict[str, Any]:
        return {"x": self.v, "v": -20.0 * self.x - 0.3 * self.v - self.force()}

    def outputs(self) -> dict[str, Any]:
        return {"F": self.force(), "pair": [self.x, 0.5 * self.x]}


class Wave(Continuous):
    y = Output("1", "a parabola")

    def outputs(self) -> dict[str, Any]:
        return {"y": self.time * self.time}


class Watch(Sampled, period=0.25):
    u = Input("m", "signal")
    n = Output("1", "whole numbers of it", type=int)
    late = Output("m", "last sample")

    def outputs(self) -> dict[str, Any]:
        return {"n": 20.0 * self.u, "late": self.u}


class Relay(Sampled, period=1 / 64):
    u = Input("m", "signal")
    y = Output("1", "on which side of 0.05 m it is")
    on = Output("1", "whether it is beyond", type=bool)

    def outputs(self) -> dict[str, Any]:
        return {"y": if_else(self.u > 0.05, 1.0, -1.0), "on": self.u > 0.05}


def two_mass(step: Fraction, algorithm: str) -> Diagram:
    d = Diagram("two_mass", step=step, stop=5.0, algorithm=algorithm)
    first, second = d.add("first", First), d.add("second", Second)
    d.connect(first.x, second.x1)
    d.connect(first.v, second.v1)
    d.connect(second.F, first.F)
    d.connect(first.x, d.add("watch", Watch).u)
    d.connect(first.x, d.add("relay", Relay).u)
    d.add("wave", Wave)
    return d


def exact(t: np.ndarray) -> np.ndarray:
    """The four states at each time."""
    return np.array([expm(MATRIX * s) @ START for s in t])


def both(folder: Path, algorithm: str, **how: Any) -> tuple[Run, dict[str, ErrorBar]]:
    run = simulate(two_mass(Fraction(1, 64), algorithm), out=folder / "whole", **how)
    half = simulate(two_mass(Fraction(1, 128), algorithm), out=folder / "half", **how)
    return run, {bar.signal: bar for bar in error_bars(run, half, run.info["order"])}


@pytest.fixture(scope="module")
def jacobi(tmp_path_factory: pytest.TempPathFactory) -> tuple[Run, dict[str, ErrorBar]]:
    return both(tmp_path_factory.mktemp("jacobi"), "jacobi")


@pytest.fixture(scope="module")
def second_order(tmp_path_factory: pytest.TempPathFactory) -> tuple[Run, dict[str, ErrorBar]]:
    return both(tmp_path_factory.mktemp("second_order"), "second-order")


@pytest.mark.parametrize(("case", "order"), [("second_order", 2), ("jacobi", 1)])
def test_the_bar_is_the_true_error(case: str, order: int, request: pytest.FixtureRequest) -> None:
    """Against the matrix exponential of the whole, within 25 %: of states, and of what a sampled part has seen."""
    run, bars = request.getfixturevalue(case)
    assert run.info["order"] == order
    t = run.time("first.x")
    for i, name in enumerate(["first.x", "first.v", "second.x", "second.v"]):
        true = np.abs(run[name] - exact(t)[:, i])
        assert bars[name].error == pytest.approx(true.max(), rel=0.25)
        assert bars[name].converges is True
        assert true[t == bars[name].time] > 0.75 * true.max()
        assert bars[name].scale == pytest.approx(np.abs(run[name]).max(), rel=0.1)
    # what is seen after a step was sampled at its beginning
    seen = run["watch.late"][1:]
    true = np.abs(seen - exact(run.time("watch.late"))[:-1, 0]).max()
    assert bars["watch.late"].error == pytest.approx(true, rel=0.25)
    assert bars["watch.late"].converges is True


def test_a_jump_at_another_time_is_an_error_that_no_step_makes_small(
    jacobi: tuple[Run, dict[str, ErrorBar]], second_order: tuple[Run, dict[str, ErrorBar]]
) -> None:
    """The relay turns one sample later where the position is late, and not where it is nearly right."""
    run, bars = jacobi
    relay = bars["relay.y"]
    assert (relay.converges, relay.scale, relay.error) == (False, 1.0, 4.0)
    i = int(np.flatnonzero(run.time("relay.y") == relay.time)[0])
    assert len(set(run["relay.y"][i - 2 : i + 3])) == 2
    _, bars = second_order
    assert (bars["relay.y"].converges, bars["relay.y"].error) == (True, 0.0)


def test_what_does_not_depend_on_the_step_has_no_error(jacobi: tuple[Run, dict[str, ErrorBar]]) -> None:
    wave = jacobi[1]["wave.y"]
    assert (wave.error, wave.differ, wave.time, wave.relative, wave.until) == (0.0, 0.0, None, 0.0, None)


def test_a_run_beside_itself_has_no_error(jacobi: tuple[Run, dict[str, ErrorBar]]) -> None:
    run, _ = jacobi
    assert {(bar.relative, bar.time, bar.until) for bar in error_bars(run, run, 1)} == {(0.0, None, None)}


def test_arrays_show_their_worst_element(jacobi: tuple[Run, dict[str, ErrorBar]]) -> None:
    _, bars = jacobi
    assert "second.pair[2]" not in bars
    assert bars["second.pair[1]"].error == bars["second.x"].error


@pytest.mark.parametrize("name", ["watch.n", "relay.on"])
def test_of_whole_numbers_and_flags_rows_that_differ_are_counted(
    name: str, jacobi: tuple[Run, dict[str, ErrorBar]]
) -> None:
    run, bars = jacobi
    half = Run(run.folder.parent / "half")
    common = np.isin(half.time(name), run.time(name))
    differing = np.asarray(run[name], float) != np.asarray(half[name], float)[common]
    assert 0.0 < bars[name].differ == bars[name].relative == differing.mean()
    assert bars[name].time == run.time(name)[differing][0]
    assert (bars[name].error, bars[name].converges) == (None, None)


def test_bars_begin_with_the_worst(jacobi: tuple[Run, dict[str, ErrorBar]]) -> None:
    found = [bar.relative for bar in jacobi[1].values()]
    assert found == sorted(found, reverse=True)
    assert found[0] > found[-1]


def test_thinned_runs_are_compared_where_they_meet(tmp_path: Path, jacobi: tuple[Run, dict[str, ErrorBar]]) -> None:
    run, _ = jacobi
    decimation = simulate(two_mass(Fraction(1, 64), "jacobi"), out=tmp_path / "thin", decimation=3)
    found = error_bars(run, decimation, 1)
    assert {bar.signal.partition("[")[0] for bar in found} == set(run.signals)
    assert {(bar.relative, bar.until) for bar in found} == {(0.0, None)}


def test_of_a_run_that_ended_early_the_common_part_is_compared_and_that_is_said(
    tmp_path: Path, jacobi: tuple[Run, dict[str, ErrorBar]]
) -> None:
    run, bars = jacobi
    short = simulate(two_mass(Fraction(1, 128), "jacobi"), out=tmp_path / "short", stop=1.625)
    found = {bar.signal: bar for bar in error_bars(run, short, 1)}
    assert (found["first.x"].until, found["watch.late"].until) == (1.625, 1.5)
    assert 0.0 < found["first.x"].error < bars["first.x"].error
    assert error_table(list(found.values())).splitlines()[-1].split(",")[0] == "  compared up to 1.625 s"
    assert "compared up to" not in error_table(list(bars.values()))


def recorded(folder: Path, *columns: list[float], type: str = "Real", period: str = "1/10") -> Run:
    """A run of a signal ``p.y``, by its values at multiples of the period."""
    step = Fraction(period)
    names = ["p.y"] if len(columns) == 1 else [f"p.y[{i + 1}]" for i in range(len(columns))]
    recorder = Recorder(folder, {}, [Rate(step, tuple(Column(name, "m", type) for name in names))])
    times = np.arange(len(columns[0])) * step.numerator / step.denominator
    recorder.write(0, np.column_stack([times, *columns]))
    recorder.finish("ok")
    return Run(folder)


STEP = [0.0, 0.01, 0.02, 0.03, 1.04, 1.05, 1.06, 1.07]
LATER = [0.0, 0.01, 0.02, 0.03, 0.04, 1.05, 1.06, 1.07]
NEVER = [0.0, 0.01, 0.02, 0.03, 0.04, 0.05, 0.06, 0.07]


@pytest.mark.parametrize(
    ("x", "y", "converges"),
    [
        (STEP, LATER, False),
        (LATER, STEP, False),
        (STEP, NEVER, False),
        (NEVER, STEP, False),
        (NEVER, [1.1 * v for v in NEVER], True),
        # both jump at once, and the difference goes on growing as before
        (STEP, [v + g for v, g in zip(STEP, [0, 0.1, 0.2, 0.3, 0.42, 0.5, 0.6, 0.7], strict=True)], True),
        # the difference jumps, but what it is of is no smoother elsewhere
        ([0.0, 1.0, 0.0, 1.0, 0.0], [0.0, 0.9, 0.1, 0.9, 0.1], True),
        ([0.0, 1.0], [0.0, 2.0], None),
    ],
)
def test_a_jump_is_distinguished_from_what_converges(
    x: list[float], y: list[float], converges: bool | None, tmp_path: Path
) -> None:
    (found,) = error_bars(recorded(tmp_path / "x", x), recorded(tmp_path / "y", y), 1)
    assert found.converges is converges


def test_of_whole_numbers_the_first_row_that_differs_is_reported_not_the_worst(tmp_path: Path) -> None:
    x, y = (
        recorded(tmp_path / "x", [0, 1, 2, 3, 9], type="Integer"),
        recorded(tmp_path / "y", [0, 1, 3, 3, 4], type="Integer"),
    )
    (found,) = error_bars(x, y, 1)
    assert (found.time, found.differ) == (0.2, 0.4)


def test_a_row_differs_if_one_element_does(tmp_path: Path) -> None:
    x = recorded(tmp_path / "x", [0.0, 1.0, 2.0, 3.0], [5.0, 5.0, 5.0, 5.0])
    y = recorded(tmp_path / "y", [0.0, 1.0, 2.0, 3.0], [5.0, 5.0, 5.0, 4.0])
    (found,) = error_bars(x, y, 2)
    assert (found.signal, found.differ, found.time, found.scale) == ("p.y[2]", 0.25, pytest.approx(0.3), 5.0)
    assert found.error == pytest.approx(4 / 3)


def test_a_signal_that_only_the_half_run_has_seen_move_is_measured_by_that(tmp_path: Path) -> None:
    (found,) = error_bars(recorded(tmp_path / "x", [0.0, 0.0, 0.0]), recorded(tmp_path / "y", [0.0, 1.0, 2.0]), 1)
    assert (found.scale, found.error, found.relative) == (2.0, 4.0, 2.0)


@pytest.mark.parametrize(
    ("rows", "others", "until"),
    [(12, 7, None), (13, 7, 1.8), (11, 6, 1.2), (9, 6, None), (9, 9, 1.2), (1, 9, 0.0)],
)
def test_a_common_time_that_one_run_lacks_is_noticed(
    rows: int, others: int, until: float | None, tmp_path: Path
) -> None:
    """Rows each 0.2 s and each 0.3 s meet each 0.6 s."""
    x = recorded(tmp_path / "x", [1.0] * rows, period="1/5")
    y = recorded(tmp_path / "y", [1.0] * others, period="3/10")
    (found,) = error_bars(x, y, 1)
    assert found.until == until


def bar(signal: str, error: float | None, converges: bool | None, differ: float = 0.5) -> ErrorBar:
    return ErrorBar(signal, "m", "Real" if error is not None else "Integer", error, 2.0, differ, 0.5, converges, None)


def test_the_table_shows_the_worst_and_gives_advice() -> None:
    lines = error_table([bar("a.y", 0.5, True), bar("b.y", 0.1, True), bar("c.y", 0.01, True)], limit=2).splitlines()
    assert [line.split() for line in lines[:3]] == [
        ["signal", "unit", "error", "of", "at", "t,", "s"],
        ["a.y", "m", "0.5", "2", "25", "%", "0.5"],
        ["b.y", "m", "0.1", "2", "5", "%", "0.5"],
    ]
    assert lines[3:] == [
        "  and 1 more with smaller errors",
        "  the error of a.y is above 1 %: take a shorter step",
    ]
    assert error_table([]) == "  no common signals"


def test_a_shorter_step_is_advised_only_where_it_helps() -> None:
    assert len(error_table([bar("a.y", 0.019, True)]).splitlines()) == 2
    few = error_table([bar("a.y", 0.5, None)])
    assert "take a shorter step" in few
    assert "jumps" not in few
    assert "a.n" in error_table([bar("a.n", None, None)])
    assert "shorter" not in error_table([bar("a.n", None, None)])
    jumping = error_table([bar("a.y", 4.0, False)])
    assert "a.y jumps at 0.5 s in one run and not in the other" in jumping
    assert "at an event, a shorter step moves the jump but does not make its error smaller" in jumping
    assert "is above 1 %: take a shorter step" not in jumping
    assert "the error of b.y is above 1 %" in error_table([bar("a.y", 4.0, False), bar("b.y", 0.1, True)])


def test_programs_get_all_of_it(jacobi: tuple[Run, dict[str, ErrorBar]]) -> None:
    found = list(jacobi[1].values())
    told = json.loads(json.dumps(errors_to_json(found), allow_nan=False))
    assert [item["signal"] for item in told] == [b.signal for b in found]
    assert [item["relative"] for item in told] == [b.relative for b in found]
    assert {item["converges"] for item in told} == {True, False, None}
