"""What happens to a run from outside: input files, timed changes, stop conditions, and a run paced by the clock."""

import json
import runpy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from drawbar.blocks import Continuous, Input, Local, Output, Parameter, RunError, Sampled, State, UsageError, if_else
from drawbar.blocks.signals.first_order_lag import FirstOrderLag
from drawbar.diagrams.model.diagram import Diagram
from drawbar.diagrams.ssp.ssp import write
from drawbar.orchestrator.cli.commands import main
from drawbar.orchestrator.runs.run import Run
from drawbar.orchestrator.scenario.changes import read_change
from drawbar.orchestrator.scenario.inputs import read_inputs
from drawbar.orchestrator.simulate import simulate

H = 0.125


class Gain(Continuous):
    u = Input("1", "signal")
    k = Parameter(2.0, "1", "gain", tunable=True)
    y = Output("1", "k u")

    def outputs(self) -> dict[str, Any]:
        return {"y": self.k * self.u}


class Sum(Continuous, method="euler", step=H):
    u = Input("1", "signal")
    x = State(0.0, "1", "integral", output=True)

    def derivatives(self) -> dict[str, Any]:
        return {"x": self.u}


class Slow(Sampled, period=4 * H):
    u = Input("1", "signal")
    n = State(0.0, "1", "samples")
    y = Output("1", "last sample")
    count = Output("1", "samples before", type=int)

    def outputs(self) -> dict[str, Any]:
        return {"y": self.u, "count": self.n}

    def update(self) -> dict[str, Any]:
        return {"n": self.n + 1}


class Bomb(Continuous):
    y = Output("1", "infinite from t = 1 s on")

    def outputs(self) -> dict[str, Any]:
        return {"y": 1.0 / if_else(self.time < 1.0, 1.0, 0.0)}


def diagram() -> Diagram:
    d = Diagram("scenario", step=H, stop=4.0)
    gain, total, slow = d.add("gain", Gain), d.add("sum", Sum), d.add("slow", Slow)
    d.connect(gain.y, total.u)
    d.connect(total.x, slow.u)
    return d


def ramp(folder: Path, name: str = "gain.u") -> Path:
    """t to 1 s, then a jump to 3 that holds."""
    path = folder / "in.csv"
    path.write_text(f'"time","{name}"\n0,0\n1,1\n1,3\n9,3\n')
    return path


def u_of(t: np.ndarray) -> np.ndarray:
    return np.where(t < 1.0, t, 3.0)


def test_a_file_drives_an_input(how: dict[str, str], tmp_path: Path) -> None:
    d = diagram()
    run = simulate(d, out=tmp_path / "r", inputs=read_inputs(ramp(tmp_path), d), **how)
    t = run.time("gain.y")
    np.testing.assert_array_equal(run["gain.y"], 2.0 * u_of(t), "read afresh, from the first row on")
    # the integrator is sent the middle of the step; the first step and the one of the jump are held
    y = 2.0 * u_of(t)[:-1]
    sent = np.where(t[:-1] < 1.0, y + H, y)
    sent[0] = 0.0
    np.testing.assert_allclose(np.diff(run["sum.x"]) / H, sent, rtol=1e-12, atol=1e-12)
    assert run.info["inputs"] == ["gain.u"]
    assert len(run.info["inputs_sha256"]) == 64


def test_a_connector_of_the_diagram_takes_its_units_along(how: dict[str, str], tmp_path: Path) -> None:
    class Angle(Continuous):
        a = Input("rad", "angle")
        y = Output("rad", "angle")

        def outputs(self) -> dict[str, Any]:
            return {"y": self.a}

    d = Diagram("outer", step=H, stop=1.0)
    part = d.add("part", Angle)
    d.expose(part.a, "heading")
    run = simulate(d, out=tmp_path / "r", inputs=read_inputs(ramp(tmp_path, "heading"), d), **how)
    np.testing.assert_array_equal(run["part.y"], u_of(run.time("part.y")))


def test_a_parameter_changes_at_its_time(how: dict[str, str], tmp_path: Path) -> None:
    d = diagram()
    d.parts["gain"].set("u", 1.0)
    changes = [read_change("2:gain.k=5", d), read_change("1:gain.u=3", d), read_change("2:gain.u=0.5", d)]
    run = simulate(d, out=tmp_path / "r", changes=changes, **how)
    t = run.time("gain.y")
    # the row of that time was read before the change
    expected = np.where(t <= 1.0, 2.0, np.where(t <= 2.0, 6.0, 2.5))
    np.testing.assert_array_equal(run["gain.y"], expected)
    assert run.info["changes"] == [
        {"time": 1.0, "part": "gain", "values": {"u": 3.0}},
        {"time": 2.0, "part": "gain", "values": {"k": 5.0}},
        {"time": 2.0, "part": "gain", "values": {"u": 0.5}},
    ]


def test_nothing_is_extrapolated_across_a_change(how: dict[str, str], tmp_path: Path) -> None:
    """The gain grows while its input ramps: the value sent is new from the change on: held, then extrapolated."""
    d = diagram()
    table = read_inputs(ramp(tmp_path), d)
    run = simulate(d, out=tmp_path / "r", inputs=table, changes=[read_change("0.5:gain.k=2.5", d)], stop=1, **how)
    sent, y = np.diff(run["sum.x"]) / H, run["gain.y"][:-1]
    t = run.time("gain.y")[:-1]
    assert sent[t == 0.5] == 2.5 * 0.5, "the row shows what was until the change"
    assert y[t == 0.5] == 2.0 * 0.5
    assert sent[t == 0.75] == pytest.approx(y[t == 0.75] + 2.5 * H / 2)


@pytest.mark.compiler
def test_an_fmu_that_refuses_a_change_costs_no_rows(tmp_path: Path) -> None:
    module = runpy.run_path(str(Path(__file__).parents[2] / "foreign" / "builder.py"))
    d = Diagram("refused", step=H, stop=2.0)
    theirs = d.add("theirs", module["build"](tmp_path, "misbehaving"), fault=module["FAULTS"]["error_in_set"], at=0.5)
    assert theirs.name == "theirs"
    with pytest.raises(RunError, match=r"part 'theirs': setting 'at' to 3.* the run stopped at t = 1 s"):
        simulate(d, out=tmp_path / "r", changes=[read_change("1:theirs.at=3", d)])
    assert Run(tmp_path / "r").time("theirs.y")[-1] == 1.0


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("0.3:gain.k=1", r"gain\.k at 0\.3 s falls between two steps of 0\.125 s of that part; the nearest is 0\.25 s"),
        ("4:gain.k=1", r"gain\.k at 4 s comes too late: the run stops at 4 s"),
        ("1:gain.u=1", r"gain\.u at 1 s would not last: column 'gain\.u' of the input file drives it"),
    ],
)
def test_changes_that_make_no_sense_are_refused(change: str, message: str, tmp_path: Path) -> None:
    d = diagram()
    with pytest.raises(UsageError, match=message):
        simulate(d, out=tmp_path / "r", inputs=read_inputs(ramp(tmp_path), d), changes=[read_change(change, d)])
    assert not (tmp_path / "r").exists()


def test_a_condition_ends_the_run_where_it_first_holds(how: dict[str, str], tmp_path: Path) -> None:
    d = diagram()
    d.parts["gain"].set("u", 1.0)
    run = simulate(d, out=tmp_path / "r", until="sum.x > 3 and slow.count >= 2", **how)
    # x = 2 t passes 3 behind t = 1.5, and the third sample is seen at t = 1.5
    assert run.time("sum.x")[-1] == run["sum.x"][-1] / 2 == 1.625
    assert run.time("slow.y")[-1] == 1.5, "rows behind the stop are dropped at every rate"
    assert run.info["outcome"] == "ok"
    assert run.info["message"] == "the stop condition held at t = 1.625 s"
    assert run.timing["simulated_s"] == 1.625
    whole = simulate(d, out=tmp_path / "w", until="sum.x > 1e9", **how)
    assert whole.time("sum.x")[-1] == 4.0
    assert whole.info["message"] == "the stop condition never held"
    np.testing.assert_array_equal(whole["sum.x"][: len(run["sum.x"])], run["sum.x"])


def test_a_condition_that_held_before_a_fault_ends_the_run_well(how: dict[str, str], tmp_path: Path) -> None:
    d = Diagram("bomb", step=H, stop=4.0)
    d.add("bomb", Bomb)
    assert simulate(d, out=tmp_path / "r", until="time >= 0.875 or bomb.y > 2", **how).info["outcome"] == "ok"
    with pytest.raises(RunError, match=r"bomb\.y is inf at t = 1 s"):
        simulate(d, out=tmp_path / "f", until="time > 1.0 or bomb.y > 2", **how)
    assert len(Run(tmp_path / "f")["bomb.y"]) == 8


def test_a_condition_may_look_at_what_is_not_recorded(how: dict[str, str], tmp_path: Path) -> None:
    d = diagram()
    run = simulate(d, out=tmp_path / "r", record=["gain.*"], until="time >= 1 and sum.x == 0", **how)
    assert list(run.signals) == ["gain.y"]
    assert run.time("gain.y")[-1] == 1.0


@pytest.mark.parametrize("until", ["time > 1", "time > 1 and sum.x >= 0"])
def test_a_condition_may_look_at_the_time_alone(until: str, how: dict[str, str], tmp_path: Path) -> None:
    run = simulate(diagram(), out=tmp_path / "r", until=until, **how)
    assert run.time("sum.x")[-1] == 1.125
    assert run.timing["parts"]["sum"]["steps"] == 9, "nothing is stepped beyond the stop"


@pytest.mark.parametrize("algorithm", ["second-order", "interpolated", "jacobi"])
def test_a_column_is_known_within_the_step(algorithm: str, how: dict[str, str], tmp_path: Path) -> None:
    """Its columns are known within the step: a triangle integrates exactly, from the first step on."""

    class Fine(Sum, method="heun", step=H):
        pass

    d = Diagram("triangle", step=H, stop=2.0, algorithm=algorithm)
    d.add("sum", Fine)
    (tmp_path / "in.csv").write_text("time,sum.u\n0,0\n1,1\n2,0\n")
    run = simulate(d, out=tmp_path / "r", inputs=str(tmp_path / "in.csv"), **how)
    t = run.time("sum.x")
    exact = np.where(t <= 1.0, t**2 / 2, 1.0 - (2.0 - t) ** 2 / 2)
    late = np.where(t <= 1.0, t * H / 2, (2.0 - t) * H / 2)  # held for a step
    np.testing.assert_allclose(run["sum.x"], exact - (late if algorithm == "jacobi" else 0.0), rtol=0.0, atol=1e-12)


@pytest.mark.parametrize("algorithm", ["second-order", "interpolated", "jacobi"])
def test_a_jump_of_a_file_counts_from_its_time_on(algorithm: str, how: dict[str, str], tmp_path: Path) -> None:
    """Also for a local beside the output, and the scheme of a held file is called first order."""

    class Told(Continuous, method="heun", step=H):
        u = Input("1", "signal")
        x = State(0.0, "1", "integral", output=True)
        y = Output("1", "the signal")
        beside = Local("1", "the signal")

        def derivatives(self) -> dict[str, Any]:
            return {"x": self.u}

        def outputs(self) -> dict[str, Any]:
            return {"y": self.u, "beside": self.u}

    d = Diagram("jump", step=H, stop=2.0, algorithm=algorithm)
    d.add("told", Told)
    (tmp_path / "in.csv").write_text("time,told.u\n0,0\n1,0\n1,1\n2,1\n")
    run = simulate(d, out=tmp_path / "r", inputs=tmp_path / "in.csv", record=["*", "told.beside"], **how)
    t = run.time("told.x")
    np.testing.assert_allclose(run["told.x"], np.maximum(t - 1.0, 0.0), rtol=0.0, atol=1e-14)
    assert run.info["order"] == (1 if algorithm == "jacobi" else 2)
    if algorithm != "jacobi":
        np.testing.assert_array_equal(run["told.y"], np.where(t < 1.0, 0.0, 1.0))
        np.testing.assert_array_equal(run["told.beside"], run["told.y"])


@pytest.mark.compiler
def test_chunks_of_a_scenario_have_no_seam(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, digests: Callable[[Path], dict[str, str]]
) -> None:
    """Files of 16 ticks, with an input file and a condition across them; C and Python give the same bytes."""
    from drawbar.orchestrator.master import run_loop

    d = diagram()

    def run(name: str, **how: Any) -> Run:
        table = read_inputs(ramp(tmp_path), d)
        return simulate(d, stop=40, out=tmp_path / name, inputs=table, until="sum.x > 100", **how)

    whole = run("whole")
    monkeypatch.setattr(run_loop, "CHUNK", 16)
    pieces, python = run("pieces"), run("python", engine="python")
    assert len(digests(pieces.folder)) > 10
    assert digests(pieces.folder) == digests(python.folder)
    for name in whole.signals:
        np.testing.assert_array_equal(whole[name], pieces[name])


def test_a_paced_run_reports_how_late_it_was(how: dict[str, str], tmp_path: Path) -> None:
    run = simulate(diagram(), stop=1, out=tmp_path / "r", pace=100.0, **how)
    told = run.timing["pace"]
    assert told["pace"] == 100.0
    assert told["steps"] == 9
    assert 0.0 <= told["late_mean_s"] <= told["late_max_s"]
    with pytest.raises(UsageError, match="pace 0"):
        simulate(diagram(), out=tmp_path / "no", pace=0.0)


def test_all_of_it_from_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    d = Diagram("loose", step=H, stop=4.0)
    d.add("lag", FirstOrderLag)
    write(d, tmp_path / "SystemStructure.ssd")
    ramp(tmp_path, "lag.u")
    words = ["run", str(tmp_path / "SystemStructure.ssd"), "--out", str(tmp_path / "r"), "--no-page", "--json"]
    words += ["--input", str(tmp_path / "in.csv"), "--until", "lag.y > 2", "--pace", "1000"]
    assert main(words) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["outcome"] == "ok"
    assert told["message"].startswith("the stop condition held at t = 1.")
    assert Run(tmp_path / "r")["lag.y"][-1] > 2.0
    for wrong, message in [
        (["--until", "lag.z > 2"], "lag.z"),
        (["--input", str(tmp_path / "none.csv")], "none.csv"),
        (["--change", "1:lag.y=3"], "lag.y"),
        (["--pace", "-1"], "pace -1"),
        (["--stop", "1e400000000"], "stop time '1e400000000' is not a number of seconds"),
        (["--timeout", "-1"], "timeout -1"),
    ]:
        assert main([*words[:2], "--no-page", "--out", str(tmp_path / "x"), *wrong]) == 2
        said = capsys.readouterr().err
        assert message in said
        assert len(said.splitlines()) == 1
        assert not (tmp_path / "x").exists()
