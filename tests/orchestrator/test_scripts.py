"""Scripts on a diagram: when they act, equal rows under both masters, and what is said when they fail."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from drawbar.blocks import Continuous, Input, Local, Output, Parameter, RunError, Sampled, Script, State, sin
from drawbar.blocks.authoring.registry import block_class, open_workspace
from drawbar.diagrams.model.diagram import Diagram
from drawbar.diagrams.ssp.ssp import write
from drawbar.fmus.export.package import build
from drawbar.orchestrator.reports.run_report import show
from drawbar.orchestrator.runs.run import Run
from drawbar.orchestrator.simulate import simulate

DRAWBAR = str(Path(sys.executable).with_name("drawbar"))


class Wave(Continuous):
    """A sine beside what is fed back."""

    back = Input("1", "fed back")
    x = State(0.0, "1", "state")
    y = Output("1", "sine")
    fast = Output("1", "whether the state moves fast", type=bool)

    def derivatives(self) -> dict[str, Any]:
        return {"x": self.back - self.x}

    def outputs(self) -> dict[str, Any]:
        return {"y": sin(3.0 * self.time) + self.x, "fast": self.x > 0.05}


class FilterLaw(Sampled, period=0.1):
    """A smoothing filter."""

    u = Input("1", "signal to smooth")
    last = State(0.0, "1", "y of the last sample")
    y = Output("1", "smoothed signal")

    def outputs(self) -> dict[str, Any]:
        return {"y": self.last + 0.25 * (self.u - self.last)}

    def update(self) -> dict[str, Any]:
        return {"last": self.outputs()["y"]}


class FilterScript(Script, period=0.1):
    """The same in Python."""

    u = Input("1", "signal to smooth")
    y = Output("1", "smoothed signal")

    def step(self, t: float, dt: float) -> None:
        self.y = self.y + 0.25 * (self.u - self.y)


class Statistics(Script, period=0.05):
    """What a signal has been like; numpy, arrays and all types."""

    u = Input("1", "signal")
    flag = Input("1", "a flag", type=bool)
    number = Input("1", "a number", type=int, start=4)
    pair = Input("1", "two signals", size=2)
    weight = Parameter(1.0, "1", "weight", tunable=True)
    spread = Output("1", "mean and deviation", size=2)
    samples = Output("1", "samples so far", type=int)
    high = Output("1", "above the mean", type=bool)
    at = Local("s", "time of the last sample")
    seen: list[float] = []

    def start(self) -> None:
        self.total = self.number

    def step(self, t: float, dt: float) -> None:
        assert self.time == t and dt == 0.05
        self.seen.append(self.weight * self.u + self.pair.sum())
        self.spread = [np.mean(self.seen), np.std(self.seen)]
        self.samples = len(self.seen) + self.total + self.flag
        self.high = self.seen[-1] > self.spread[0]
        self.at = t


def mixed(script: type[Script] = Statistics, step: float = 0.01) -> Diagram:
    """A loop of a continuous, a sampled and two script parts."""
    diagram = Diagram("mixed", step=step, stop=2.0)
    wave = diagram.add("wave", Wave)
    law, filtered = diagram.add("law", FilterLaw), diagram.add("script", FilterScript)
    statistics = diagram.add("statistics", script)
    diagram.connect(wave.y, law.u)
    diagram.connect(wave.y, filtered.u)
    diagram.connect(filtered.y, statistics.u)
    diagram.connect(wave.fast, statistics.flag)
    diagram.connect(filtered.y, wave.back)
    return diagram


def test_a_script_acts_when_a_sampled_block_acts(how: dict[str, str], tmp_path: Path) -> None:
    run = simulate(mixed(), out=tmp_path / "run", record=["*.*"], **how)
    np.testing.assert_array_equal(run["script.y"], run["law.y"])
    assert np.ptp(run["law.y"]) > 0.3
    at = run["statistics.at"]
    np.testing.assert_allclose(at[:4], [0.0, 0.0, 0.05, 0.1])
    assert run["statistics.samples"].tolist()[:3] == [5, 5, 6]


@pytest.mark.compiler
@pytest.mark.parametrize("algorithm", ["second-order", "jacobi", "gauss-seidel", "interpolated"])
def test_both_masters_write_the_same_bytes(
    algorithm: str, tmp_path: Path, digests: Callable[[Path], dict[str, str]]
) -> None:
    found = []
    for engine in ("c", "python"):
        diagram = mixed()
        diagram.algorithm = algorithm
        run = simulate(diagram, out=tmp_path / engine, engine=engine, record=["*.*"], changes=["1:statistics.weight=2"])
        assert run.info["engine"] == engine
        found.append(digests(run.folder))
    assert found[0] == found[1]


@pytest.mark.compiler
def test_a_script_that_differs_writes_other_bytes(tmp_path: Path, digests: Callable[[Path], dict[str, str]]) -> None:
    class Other(Statistics):
        """The same a little later."""

        def step(self, t: float, dt: float) -> None:
            super().step(t, dt)
            self.at = t + 1e-15

    a, b = (simulate(mixed(s), out=tmp_path / s.__name__, record=["*.*"]) for s in (Statistics, Other))
    assert digests(a.folder) != digests(b.folder)
    assert a.info["fmus"]["statistics"] != b.info["fmus"]["statistics"], "its identity is another"
    assert a.info["fmus"]["script"] == b.info["fmus"]["script"]


def test_a_second_run_remembers_nothing_of_the_first(tmp_path: Path) -> None:
    diagram = mixed()
    first, second = (simulate(diagram, out=tmp_path / name, record=["*.*"]) for name in "ab")
    np.testing.assert_array_equal(first["statistics.samples"], second["statistics.samples"])


class Failing(Script, period=0.1):
    """Fails in one of several ways once its time has come."""

    u = Input("1", "signal", start=2.0)
    way = Parameter(0, "1", "how it fails", type=int)
    late = Parameter(0.3, "s", "when")
    alarm = Output("1", "alarm")
    pair = Output("1", "two", size=2)

    def start(self) -> None:
        if self.late < 0.0:
            raise RuntimeError("no such sensor\nat all")

    def step(self, t: float, dt: float) -> None:
        if t < self.late:
            return
        ways: list[Callable[[], Any]] = [
            lambda: 1 / 0,
            lambda: setattr(self, "alarm", np.nan),
            lambda: setattr(self, "pair", [1.0]),
            lambda: setattr(self, "alarm", "high"),
            lambda: setattr(self, "alram", 1.0),
            lambda: json.loads("{"),
            lambda: sys.exit(3),
            lambda: self.pair.__setitem__(1, np.inf),
            lambda: np.linalg.inv(np.zeros((2, 2))),
        ]
        ways[self.way]()


SAID = [
    "ZeroDivisionError: division by zero (test_scripts.py:",
    "'alarm' is nan (test_scripts.py:",
    "'pair' has shape (1,), but its declaration says (2,) (test_scripts.py:",
    "'alarm' is 'high', not a number (test_scripts.py:",
    "'alram' is not declared; did you mean the output 'alarm'?",
    "JSONDecodeError: Expecting property name enclosed in double quotes: line 1 column 2 (char 1) (test_scripts.py:",
    "SystemExit: 3 (test_scripts.py:",
    "'pair[2]' is inf",
    "LinAlgError: Singular matrix (test_scripts.py:",
]


@pytest.mark.parametrize("way", range(len(SAID)))
def test_a_failure_ends_the_run_with_one_sentence(way: int, how: dict[str, str], tmp_path: Path) -> None:
    diagram = Diagram("alone", step=0.1, stop=1.0)
    diagram.add("watch", Failing, way=way)
    wave = diagram.add("wave", Wave)
    diagram.connect(wave.y, diagram.parts["watch"].u)
    with pytest.raises(RunError) as raised:
        simulate(diagram, out=tmp_path / "run", **how)
    text = str(raised.value)
    assert text.startswith("part 'watch': the step from t = 0.3 s returned 'error' (inputs: u = ")
    assert f"it said: step() at t = 0.3 s: {SAID[way]}" in text
    assert "\n" not in text
    assert raised.value.__cause__ is not None, "the traceback is there for those who ask"
    run = Run(tmp_path / "run")
    assert run.outcome == "failed"
    np.testing.assert_allclose(run.time("watch.alarm"), [0.0, 0.1, 0.2, 0.3])


@pytest.mark.parametrize(
    ("late", "said"),
    [(-1.0, "start() at t = 0 s: RuntimeError: no such sensor; at all"), (0.0, "step() at t = 0 s: ZeroDivision")],
)
def test_a_failure_before_the_first_step_says_so(late: float, said: str, how: dict[str, str], tmp_path: Path) -> None:
    diagram = Diagram("alone", step=0.1, stop=1.0)
    diagram.add("watch", Failing, late=late)
    with pytest.raises(RunError) as raised:
        simulate(diagram, out=tmp_path / "run", **how)
    assert str(raised.value).startswith(f"part 'watch': {said}")


class Leaving(Script, period=0.1):
    """Changes the working directory when it starts and at each of its samples."""

    y = Output("s", "the time")

    def start(self) -> None:
        os.chdir("/")

    def step(self, t: float, dt: float) -> None:
        os.chdir("/")
        self.y = t


def test_a_script_that_changes_the_working_directory_loses_no_row(
    how: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither those of a run with a relative folder, nor what the caller does after it."""
    monkeypatch.chdir(tmp_path)
    diagram = Diagram("leaving", step=0.1, stop=1.0)
    diagram.add("away", Leaving)
    run = simulate(diagram, out="run", **how)
    assert (Path.cwd(), run.folder) == (tmp_path, Path("run")), "it is called what it was called"
    assert len(run["away.y"]) == 11
    files = {p.name for p in (tmp_path / "run").iterdir()}
    assert files == {"run.json", "timing.json", "signals"}


FILES = """
import time
from drawbar.blocks import Output, Parameter, Script

class Stuck(Script, period=0.1):
    "Never returns, or fails."

    loops = Parameter(True, "1", "never returns", type=bool)
    y = Output("1", "nothing")

    def step(self, t, dt):
        print("stepping", flush=True)
        while t > 0.15 and self.loops:
            pass
        if t > 0.15:
            {}["missing"]
"""


@pytest.fixture
def stuck(tmp_path: Path) -> tuple[Path, Path]:
    name = f"stuck_{tmp_path.name}"
    (tmp_path / f"{name}.py").write_text(FILES)
    open_workspace(tmp_path)
    diagram = Diagram("stuck", step=0.1, stop=1.0)
    diagram.add("watch", block_class(f"{name}:Stuck"))
    write(diagram, tmp_path / "SystemStructure.ssd")
    return tmp_path / "SystemStructure.ssd", tmp_path


def drawbar(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([DRAWBAR, *words], capture_output=True, text=True, check=False, timeout=100)


def test_a_loop_without_end_is_timed_out_by_part_and_time(stuck: tuple[Path, Path]) -> None:
    file, folder = stuck
    words = ["run", str(file), "--workspace", str(folder), "--out", str(folder / "run"), "--no-page", "--timeout", "1"]
    done = drawbar(*words)
    assert done.returncode == 1
    said = "drawbar: error: part 'watch': the step from t = 0.2 s did not return within 1 s (--timeout)"
    assert said in done.stderr and "Traceback" not in done.stderr
    run = Run(folder / "run")
    assert run.outcome == "failed" and len(run["watch.y"]) == 3


@pytest.mark.parametrize("as_fmu", [False, True])
def test_an_interruption_within_a_script_is_one(stuck: tuple[Path, Path], as_fmu: bool) -> None:
    file, folder = stuck
    if as_fmu:  # the text then names the file alone
        diagram = Diagram("stuck", step=0.1, stop=1.0)
        diagram.add("watch", build(block_class(f"stuck_{folder.name}:Stuck")))
        write(diagram, file)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        words = [
            "run",
            str(file),
            "--workspace",
            str(folder),
            "--out",
            str(folder / "run"),
            "--no-page",
            "--timeout",
            "30",
        ]
        process = subprocess.Popen([DRAWBAR, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    finally:
        signal.signal(signal.SIGINT, before)
    assert process.stderr is not None
    seen = 0
    for line in process.stderr:
        seen += line == "stepping\n"
        if seen == 3:  # this step never ends
            break
    time.sleep(0.2)
    process.send_signal(signal.SIGINT)
    _, error = process.communicate(timeout=30)
    assert process.returncode == 1
    assert "drawbar: error: interrupted at t = 0.2 s; what was recorded is in " in error
    run = Run(folder / "run")
    assert run.info["outcome"] == "interrupted" and len(run["watch.y"]) == 3


def test_there_is_no_traceback_unless_it_is_asked_for(stuck: tuple[Path, Path]) -> None:
    file, folder = stuck
    words = ["run", str(file), "--workspace", str(folder), "--no-page", "--set", "watch.loops=false"]
    done = drawbar(*words, "--out", str(folder / "a"))
    assert done.returncode == 1 and "Traceback" not in done.stderr
    line = 1 + FILES.splitlines().index('            {}["missing"]')
    errors = [text for text in done.stderr.splitlines() if text.startswith("drawbar: error")]
    assert len(errors) == 1 and f"KeyError: 'missing' (stuck_{folder.name}.py:{line})" in errors[0]
    as_json = drawbar(*words, "--out", str(folder / "c"), "--json")
    assert json.loads(as_json.stdout)["outcome"] == "failed", "what it prints does not come between"
    assert "stepping" in as_json.stderr
    debug = drawbar(*words, "--out", str(folder / "b"), "--debug")
    assert "Traceback" in debug.stderr and '{}["missing"]' in debug.stderr


class Every(Script, period=0.01):
    """Acts at each step."""

    y = Output("s", "the time")

    def step(self, t: float, dt: float) -> None:
        self.y = t


def test_the_report_says_what_entering_python_costs(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    seen = []
    for step in (0.01, 0.1):
        diagram = Diagram("alone", step=step, stop=1.0)
        diagram.add("clock", Every)
        diagram.add("slow", FilterScript)
        show(simulate(diagram, out=tmp_path / f"r{step}"), {}, [])
        seen.append(capsys.readouterr().out)
    assert "script clock acts at every step: Python is called at each, " in seen[0]
    assert "script slow" not in seen[0]
    assert "script clock acts at every step" in seen[1]
