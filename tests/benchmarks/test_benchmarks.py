"""The benchmarks run and print their contract; no test asserts a time."""

import importlib.util
import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from drawbar.web.report.screenshot import find_browser

HERE = Path(__file__).parent
Printed = Callable[..., Any]
pytestmark = [pytest.mark.compiler, pytest.mark.slow]


@pytest.fixture(scope="module")
def accuracy_figure(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("accuracy") / "accuracy.png"


@pytest.fixture(scope="module")
def accuracy(printed: Printed, accuracy_figure: Path) -> Any:
    return printed("benchmarks/accuracy.py", *(["--figure", str(accuracy_figure)] if find_browser() else []))


@pytest.fixture
def peers(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(HERE)
    return importlib.import_module("peers")


def test_the_master_is_measured_beside_a_bare_loop_and_the_masters_of_others(printed: Printed) -> None:
    found = printed("benchmarks/master.py", "--steps", "2000")
    for key in ("bare_c_us", "drawbar_us", "default_us", "recorded_us", "from_python_us", "fmpy_us", "ratio_to_bare"):
        assert found[key] > 0, key
    assert found["ratio_to_fmpy"] == pytest.approx(found["fmpy_us"] / found["drawbar_us"])
    assert found["ring_end"] == pytest.approx(1.0, abs=1e-14)
    costs = [c for c in (found["ecos_us"], found["libcosim_us"]) if c is not None]
    assert found["ratio_to_best_peer"] == (pytest.approx(min(costs) / found["recorded_us"]) if costs else None)


def test_the_back_ends_end_in_the_same_state(printed: Printed) -> None:
    found = printed("benchmarks/backends.py")
    assert {"interpreted_us", "native_us", "fmu_us"} < set(found)
    assert found["largest_difference"] < 1e-12


def test_both_methods_drive_the_hmmwv_and_one_that_knows_no_bound_is_lost(printed: Printed) -> None:
    words = ("--interpreted", "--speeds", "0.3", "--lengths", "0.05", "--seconds", "0.2")
    found = printed("benchmarks/integration.py", *words)
    (row,) = found["rows"]
    for column in ("rk4_2.5ms", "rosenbrock_2.5ms", "rosenbrock_4ms"):
        assert row[f"{column}_error_mm"] < 0.1
        assert row[f"{column}_cpu_ms"] > 0.0
    assert row["unbounded_2.5ms_error_mm"] > 10.0 * row["rk4_2.5ms_error_mm"]
    assert found["jacobian"]["factors"] < 1.2 * found["jacobian"]["nonzeros"], "it fills in little"
    assert found["jacobian"]["factor_ns"] > found["jacobian"]["solve_ns"] > 0.0


def test_scripts_end_where_the_sampled_block_ends(printed: Printed) -> None:
    found = printed("benchmarks/scripts.py", "--steps", "2000")
    assert {"sampled_us", "script_us", "script_ten_us", "fmu_us", "fmu_ten_us"} < set(found)
    assert found["largest_difference"] == 0.0


def test_formulations_are_measured_by_solver_and_agree(printed: Printed) -> None:
    """The script stops where two solvers differ; FA, whose code takes minutes to compile, is left out."""
    found = printed("benchmarks/formulations.py", "--only", "TA", "--quick")
    sizes = {name: tuple(found[name][key] for key in ("dof", "constraints", "size")) for name in ("CE", "TA")}
    assert sizes == {"CE": (15, 0, 15), "TA": (45, 30, 75)}
    assert set(found["CE"]["solvers"]) == {"recursion", "projected", "lanes"}
    assert found["CE"]["lanes_baseline_ns"] > 0
    assert set(found["TA"]["solvers"]) == {"sparse", "schur", "superlu", "dense"}
    assert found["TA"]["left_out"] == []
    for name in ("CE", "TA"):
        assert found[name]["ns"] == min(found[name]["solvers"].values()) > 0
        assert found[name]["baseline_ns"] > 0
    assert "-march=native" in found["flags"]
    assert found["production"]["operations"] < found["CE"]["operations"]
    installed = importlib.util.find_spec("cmeel") is not None and shutil.which("g++") is not None
    assert (found["pinocchio_aba_ns"] is not None) == installed


def test_embedded_loops_do_not_drift(printed: Printed) -> None:
    found = printed("benchmarks/drift.py", "--seconds", "0.2")
    assert found["CE"]["largest"] < 1e-14 < found["TA"]["largest"] < found["FA"]["largest"] < 1e-3


def test_a_wheel_on_soil_is_measured_beside_its_model_by_quadrature(printed: Printed) -> None:
    found = printed("benchmarks/wheel_soil.py")
    assert 0.0 < found["forces_ns"] < found["tbf_ns"] < found["quadrature_ns"]
    assert found["paper_us"] == 277.0
    assert found["entry_angle_tbf"] == pytest.approx(np.radians(30.0), rel=5e-4)
    assert found["entry_angle_quadrature"] == pytest.approx(found["entry_angle_tbf"], rel=0.01)


def measured(peers: ModuleType, peer: str = "ecos") -> object:
    return peers.measure(peer, Path("lag.fmu"), {"u": 1, "y": 2}, 8, 1e-3, 1000)


def test_a_peer_that_is_not_installed_is_left_out_and_told(
    peers: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(peers.PACKAGES, "ecos", "no_such_package")
    assert measured(peers) == {}
    assert "no_such_package is not installed" in capsys.readouterr().err


@pytest.mark.parametrize(("ring_end", "counts"), [(1.0, True), (0.999, False)])
def test_a_peer_counts_only_if_its_ring_ends_at_one(
    peers: ModuleType,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    ring_end: float,
    counts: bool,
) -> None:
    answers = iter([{"us": 3.0, "recorded_us": 4.0}, {"us": 2.0, "recorded_us": 5.0}])

    def run(*words: object, **options: object) -> object:
        said = f"a message of the library\n{json.dumps({**next(answers), 'ring_end': ring_end})}\n"
        return subprocess.CompletedProcess([], 0, said, "")

    monkeypatch.setitem(peers.PACKAGES, "ecos", "json")
    monkeypatch.setattr(peers.subprocess, "run", run)
    monkeypatch.setattr(peers.os, "sched_setaffinity", None, raising=False)
    assert measured(peers) == ({"us": 2.0, "recorded_us": 4.0} if counts else {})
    assert ("ends at 0.999" in capsys.readouterr().err) is not counts


def test_a_peer_that_crashes_is_left_out_and_told(
    peers: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(peers.PACKAGES, "ecos", "json")
    monkeypatch.setattr(peers.sys, "executable", "false")
    assert measured(peers) == {}
    assert "ecos: not measured, exit code 1" in capsys.readouterr().err


def error_at(rows: list[tuple[float, float]], step: float) -> float:
    return dict(map(tuple, rows))[step]


@pytest.mark.parametrize(
    ("case", "order", "error"),
    [
        ("second-order", 2, 6.64e-6),
        ("jacobi", 1, 3.12e-3),
        ("gauss-seidel", 1, 1.81e-3),
        ("interpolated", 2, 5.75e-6),
        ("second-order, foreign", 2, 6.64e-6),
        ("second-order, foreign, plain", 1, 1.97e-3),
        ("second-order, mixed", 2, 6.20e-6),
        ("jacobi, foreign", 1, 3.12e-3),
        ("interpolated, foreign", 2, 5.30e-6),
    ],
)
def test_each_algorithm_has_its_order_and_its_error(
    accuracy: dict[str, Any], case: str, order: int, error: float
) -> None:
    assert accuracy["orders"][case] == pytest.approx(order, abs=0.1)
    assert error_at(accuracy[case], 1 / 512) == pytest.approx(error, rel=0.05)
    assert accuracy["stated_orders"][case] == order, "what run.json says of its order"


def test_the_default_is_second_order_on_the_quarter_car_too(accuracy: dict[str, Any]) -> None:
    ends = {name: error_at(accuracy[f"{name}, quarter car"], 1 / 512) for name in ("second-order", "jacobi")}
    assert ends["second-order"] < ends["jacobi"] / 100
    assert accuracy["orders"]["second-order, quarter car"] == pytest.approx(2, abs=0.05)
    assert accuracy["orders"]["jacobi, quarter car"] == pytest.approx(1, abs=0.1)


def test_a_run_is_called_first_order_where_feed_through_cannot_be_read_afresh(accuracy: dict[str, Any]) -> None:
    (remark,) = accuracy["accuracy_notes"]["second-order, foreign, plain"]
    assert "'second'" in remark
    assert "first order" in remark
    assert not any(said for case, said in accuracy["accuracy_notes"].items() if case != "second-order, foreign, plain")


@pytest.mark.browser
@pytest.mark.usefixtures("accuracy")
def test_the_figure_is_drawn(accuracy_figure: Path) -> None:
    assert accuracy_figure.read_bytes().startswith(b"\x89PNG")
    assert accuracy_figure.stat().st_size > 20_000


@pytest.mark.browser
def test_the_page_of_a_run_is_measured_beside_a_naive_one(printed: Printed) -> None:
    found = printed("benchmarks/view.py", "--samples", "30000")
    for key in ("load_s", "zoom_s", "frame_s", "server_cpu_s", "browser_cpu_s", "naive_load_s", "naive_zoom_s"):
        assert found[key] >= 0, key
    assert found["zoom_ratio_to_naive"] == pytest.approx(found["naive_zoom_s"] / found["zoom_s"])
    assert found["load_ratio_to_naive"] == pytest.approx(found["naive_load_s"] / found["load_s"])
    assert found["outside_requests"] == 0
    assert found["spike_kept"] is True


def test_a_query_of_the_ground_is_measured_beside_one_read_and_is_that_of_numpy(printed: Printed) -> None:
    found = printed("benchmarks/elevation.py", "--windows", "2")
    for kind in ("path", "random"):
        assert found[f"{kind}_query_ns"] > found[f"{kind}_floor_ns"] > 0.0
        assert found[f"{kind}_ratio"] == pytest.approx(found[f"{kind}_query_ns"] / found[f"{kind}_floor_ns"])
    assert found["largest_difference"] < 1e-6, "32-bit heights"


def test_commands_are_measured_beside_an_import_of_numpy(printed: Printed) -> None:
    rows = {row["command"]: row for row in printed("benchmarks/startup.py", "--repeats", "1")}
    assert {"import numpy", "--help", "list", "info Ramp", "check double_lane_change", "run rover --stop 0.1"} <= set(
        rows
    )
    assert rows["import numpy"]["ratio_to_numpy"] == 1.0
    assert all(row["cpu_s"] > 0.0 for row in rows.values())


def test_many_connections_are_measured_beside_fmpy(printed: Printed) -> None:
    """The script itself ends with an error unless Drawbar and FMPy end with the same value."""
    rows = {row["way"]: row for row in printed("benchmarks/connections.py", "--repeats", "1")}
    assert set(rows) == {"FMPy", "drawbar check", "drawbar run"}
    assert rows["FMPy"]["ratio_to_fmpy"] == 1.0
    assert all(row["cpu_s"] > 0.0 for row in rows.values())
