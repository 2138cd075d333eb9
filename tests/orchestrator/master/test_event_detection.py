"""No part receives a value that its source did not come near where that source jumped, however late the jump shows.

The parts are FMUs that pass their input on and show what they were sent (tests/foreign/through.c), and blocks that do
the same. A foreign FMU shows a jump of its input only after its next step, a chain of them after as many steps.
"""

import itertools
import random
import runpy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from drawbar.blocks import Continuous, Input, Output, Parameter, Sampled, State, if_else
from drawbar.diagrams.model.diagram import Diagram
from drawbar.diagrams.model.master_settings import ALGORITHMS
from drawbar.orchestrator.master import event_detection, reference
from drawbar.orchestrator.planning.plan import make_plan
from drawbar.orchestrator.runs.run import Run
from drawbar.orchestrator.scenario.inputs import read_inputs
from drawbar.orchestrator.simulate import simulate

pytestmark = pytest.mark.compiler
BUILDER = runpy.run_path(str(Path(__file__).parents[2] / "foreign" / "builder.py"))
Digests = Callable[[Path], dict[str, str]]
STOP = 1.0  # s
DIAGRAMS = 40
ENGINES = ["c", "python"]


class Square(Sampled, period="1/5"):
    """Alternates between 0 and 10."""

    n = State(0.0, "1", "0 or 1")
    y = Output("1", "0 or 10")

    def outputs(self) -> dict[str, Any]:
        return {"y": 10.0 * self.n}

    def update(self) -> dict[str, Any]:
        return {"n": 1.0 - self.n}


class Ramp(Continuous):
    """A ramp that jumps far; nothing marks it."""

    at = Parameter(0.37, "s", "when it jumps")
    y = Output("1", "t, and 5 more after the jump")

    def outputs(self) -> dict[str, Any]:
        return {"y": self.time + if_else(self.time < self.at, 0.0, 5.0)}


class FlaggedRamp(Ramp):
    """A ramp that jumps by as much as it changes in some steps; a flag marks it."""

    late = Output("1", "whether it has jumped", type=bool)

    def outputs(self) -> dict[str, Any]:
        late = if_else(self.time < self.at, 0.0, 1.0)
        return {"y": self.time + 0.15 * late, "late": late}


class Pass(Continuous):
    u = Input("1", "signal")
    k = Parameter(0.0, "1", "added", tunable=True)
    y = Output("1", "signal and k")

    def outputs(self) -> dict[str, Any]:
        return {"y": self.u + self.k}


class Integral(Continuous, method="euler", step="1/1000"):
    u = Input("1", "signal")
    y = State(0.0, "1", "integral", output=True)

    def derivatives(self) -> dict[str, Any]:
        return {"y": self.u}


@pytest.fixture(scope="module")
def foreign(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """FMUs with all combinations of capabilities, and one that takes steps of 0.04 s only."""
    folder = tmp_path_factory.mktemp("through")
    options = {"name": "slow", "canHandleVariableCommunicationStepSize": False, "stepSize": 0.04}
    return [*BUILDER["variants"](folder, "through"), BUILDER["build"](folder, "through", **options)]


def input_file(path: Path, times: list[float], jump: float, name: str) -> Path:
    """A ramp of 1/s that jumps at each of `times`, up and down in turn."""
    rows, height = [(0.0, 0.0)], 0.0
    for i, t in enumerate(times):
        rows += [(t, t + height)]
        height += jump if i % 2 == 0 else -jump
        rows += [(t, t + height)]
    rows += [(2.0, 2.0 + height)]
    path.write_text(f"time,{name}\n" + "".join(f"{t!r},{y!r}\n" for t, y in rows))
    return path


def overshoots(run: Run, d: Diagram, ramp: bool = False) -> list[str]:
    """What parts were sent beyond all values that their source exchanged next to a jump.

    The connections are a chain. Its signal is a ramp of 1/s, or constant between jumps.
    """
    found = []
    scale = 1.0
    for c in d.connections:
        source, gain = f"{c.start.part}.{c.start.name}", c.factor or 1.0
        t, y = run.time(source), gain * run[source]
        # what the source has right after its step is exchanged with parts that step later, before it is corrected
        early = gain * run[f"{c.start.part}.last"] if d.parts[c.start.part or ""].block is None else y
        scale *= abs(gain)
        # a ramp of 1/s changes by 0.04 in a step, three times as much after it was held, and jumps by 0.15 or more
        jumped = np.abs(np.diff(y)) > (0.14 * scale if ramp else 1e-9)
        for end in ("first", "last") if d.parts[c.end.part or ""].block is None else ():
            sent, times = run[f"{c.end.part}.{end}"][1:], run.time(f"{c.end.part}.{end}")
            for value, start, stop in zip(sent, times[:-1], times[1:], strict=True):
                i = int(np.searchsorted(t, start + 1e-9, side="right")) - 1
                j = min(int(np.searchsorted(t, stop - 1e-9, side="left")), len(t) - 1)
                near = slice(max(i - 1, 0), j + 1)
                if i == 0 or not jumped[i - 1]:  # what follows is not known yet
                    continue
                low, high = min(*y[near], early[j]), max(*y[near], early[j])
                if not low - 1e-9 <= value <= high + 1e-9:
                    found.append(f"{c.end.part}.{end} {value:g} at {start:g} s, not in {low:g} to {high:g}")
    return found


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("kind", [0, 4], ids=["unknown dependencies", "declared ones"])
def test_a_jump_of_the_input_file_reaches_the_second_fmu_as_it_is(
    foreign: list[Path], kind: int, engine: str, tmp_path: Path
) -> None:
    d = Diagram("chain", step=0.1, stop=STOP)
    parts = [d.add(f"p{i}", foreign[kind]) for i in range(4)]
    for a, b in itertools.pairwise(parts):
        d.connect(a["y"], b.u)
    (tmp_path / "in.csv").write_text("time,p0.u\n0,5\n0.5,5\n0.5,7\n2,7\n")
    run = simulate(d, out=tmp_path / "r", inputs=read_inputs(tmp_path / "in.csv", d), engine=engine)
    for i in range(4):
        assert sorted(set(run[f"p{i}.last"][1:])) == [5.0, 7.0]


@pytest.mark.parametrize("engine", ENGINES)
def test_samples_reach_the_second_fmu_as_they_are(foreign: list[Path], engine: str, tmp_path: Path) -> None:
    d = Diagram("chain", step=0.02, stop=STOP)
    square, first, second = d.add("square", Square), d.add("first", foreign[0]), d.add("second", foreign[0])
    d.connect(square.y, first.u)
    d.connect(first["y"], second.u)
    run = simulate(d, out=tmp_path / "r", engine=engine)
    assert set(run["second.last"][1:]) == {0.0, 10.0}


@pytest.mark.parametrize("engine", ENGINES)
def test_a_small_jump_on_a_ramp_is_held_behind_each_fmu(foreign: list[Path], engine: str, tmp_path: Path) -> None:
    """Only the flag shows it; the ramp beside it is extrapolated in all other steps."""
    h = 0.02
    d = Diagram("chain", step=h, stop=STOP)
    parts = [d.add("ramp", FlaggedRamp), *(d.add(f"p{i}", foreign[4]) for i in range(3))]
    for a, b in itertools.pairwise(parts):
        d.connect(a["y"], b.u)
    run = simulate(d, out=tmp_path / "r", engine=engine)
    assert not overshoots(run, d, ramp=True)
    for i in range(3):
        source, sent = run["ramp.y" if i == 0 else f"p{i - 1}.y"], run[f"p{i}.last"][1:]
        held = np.isclose(sent, source[:-1], rtol=0.0, atol=1e-9)
        assert np.isclose(sent, source[:-1] + h / 2, rtol=0.0, atol=1e-9)[~held].all()
        assert held.sum() == 2 + 4 * i, "once at the start and at the jump, and twice more for each FMU before"


def chain(r: random.Random, foreign: list[Path], folder: Path) -> tuple[Diagram, dict[str, Any], bool]:
    step = 0.02
    d = Diagram("random", step=step, stop=STOP, algorithm=r.choice([*ALGORITHMS, "second-order", "second-order"]))
    kinds = [Pass, *r.sample(foreign[:-1], 4), foreign[-1]]
    parts = [d.add(f"p{i}", r.choice(kinds)) for i in range(r.randint(2, 5))]
    for part in parts:
        part.algorithm = r.choice(ALGORITHMS) if r.random() < 0.2 else None
    source = r.choice(["file", Square, Ramp, FlaggedRamp])
    if source != "file":
        d.connect(d.add("source", source)["y"], parts[0].u)
    for a, b in itertools.pairwise(parts):
        algorithm = r.choice(ALGORITHMS) if r.random() < 0.2 else None
        d.connect(a["y"], b.u, factor=r.choice([1.0, -2.0]), algorithm=algorithm)
    options: dict[str, Any] = {}
    if source == "file":
        times = r.choice([[0.48], [0.24, 0.64], [0.251, 0.633]])
        table = input_file(folder / "in.csv", times, r.choice([0.15, 2.0]), "p0.u")
        options["inputs"] = read_inputs(table, d)
    changed = [p for p in parts if p.block is Pass]
    if changed and r.random() < 0.5:
        options["changes"] = [f"0.8:{r.choice(changed).name}.k=1.5"]
    integral = d.add("integral", Integral)
    d.connect(parts[-1]["y"], integral.u)
    return d, options, source is not Square


def test_no_random_chain_overshoots(foreign: list[Path], digests: Digests, tmp_path: Path) -> None:
    for seed in range(DIAGRAMS):
        folder = tmp_path / str(seed)
        folder.mkdir()
        d, options, ramp = chain(random.Random(seed), foreign, folder)
        runs = {engine: simulate(d, out=folder / engine, engine=engine, **options) for engine in ENGINES}
        assert digests(folder / "c") == digests(folder / "python"), f"seed {seed}"
        assert not overshoots(runs["c"], d, ramp), f"seed {seed}"


def test_without_delayed_events_they_overshoot(
    foreign: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The negative control of all tests above."""
    monkeypatch.setattr(event_detection.PendingEvent, "advance", lambda *_: None)
    d = Diagram("chain", step=0.1, stop=STOP)
    parts = [d.add(f"p{i}", foreign[0]) for i in range(3)]
    for a, b in itertools.pairwise(parts):
        d.connect(a["y"], b.u)
    (tmp_path / "in.csv").write_text("time,p0.u\n0,5\n0.5,5\n0.5,7\n2,7\n")
    run = simulate(d, out=tmp_path / "r", inputs=read_inputs(tmp_path / "in.csv", d), engine="python")
    assert overshoots(run, d)
    assert reference.PendingEvent is event_detection.PendingEvent


def test_the_first_step_of_a_foreign_fmu_may_be_a_jump(foreign: list[Path], tmp_path: Path) -> None:
    """Outputs that many tools calculate only in a step: what follows is held, and the order is planned so."""
    d = Diagram("start", step=0.1, stop=STOP)
    first, second = d.add("first", foreign[0]), d.add("second", foreign[0])
    d.connect(first["y"], second.u)
    first.set("u", 5.0)
    plan = make_plan(d)
    assert len(plan.delayed_events) == 2 and all(e.at_start for e in plan.delayed_events)
    for engine in ENGINES:
        run = simulate(d, out=tmp_path / engine, engine=engine)
        assert set(run["second.last"][1:]) == {5.0}
