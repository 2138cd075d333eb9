"""The table of faults holds: one message naming part, call and time, all complete rows kept, nothing left behind."""

import json
import os
import re
import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

if sys.platform != "linux":
    pytest.skip("faults are observed through /proc", allow_module_level=True)

TABLE = runpy.run_path(str(Path(__file__).with_name("faults.py")))
pytestmark = pytest.mark.compiler

STEP = r"part 'theirs' {} during the step from t = 0\.5 s \({}\); what was recorded until then is in "
RETURNED = r"part 'theirs': the step from t = 0\.5 s returned '{}'{} \(inputs: u = 0\.0067\d+\)"
SLOW = r"did not return within 2 s \(--timeout\); "
# fault: message, outcome, rows of the lag; rows None: more than one chunk
EXPECTED: dict[str, tuple[str, str, int | None]] = {
    "crash": (STEP.format("crashed", "segmentation fault, SIGSEGV"), "failed", 501),
    "exit_process": (STEP.format("ended the process", "exit code 3"), "failed", 501),
    "hang": (r"part 'theirs': the step from t = 0\.5 s " + SLOW, "failed", 501),
    "error": (RETURNED.format("error", "") + r"; it said: the lag broke at t = 0\.5 s; ", "failed", 501),
    "discard": (RETURNED.format("discard", r" after t = 0\.5005 s"), "failed", 501),
    "warning": ("^$", "ok", 1001),
    "not_a_number": (r"theirs\.y is nan at t = 0\.501 s \(inputs: u = ", "failed", 501),
    "abort": (STEP.format("crashed", "abort, SIGABRT"), "failed", 501),
    "logger_flood": ("^$", "ok", 1001),
    "pending": (RETURNED.format("pending", ", but Drawbar does not step asynchronously"), "failed", 501),
    "fatal": (RETURNED.format("fatal", ""), "failed", 501),
    "stack_overflow": (STEP.format("crashed", "segmentation fault, SIGSEGV"), "failed", 501),
    "crash_in_exit_initialization": (
        r"part 'theirs' crashed during the end of initialization at t = 0 s \(segmentation fault, SIGSEGV\)",
        "failed",
        0,
    ),
    "hang_in_enter_initialization": (r"part 'theirs': initialization at t = 0 s " + SLOW, "failed", 0),
    "infinite": (r"theirs\.y is inf at t = 0\.501 s \(inputs: u = ", "failed", 501),
    "stdout_flood": ("^$", "ok", 1001),
    "crash_in_terminate": (
        r"part 'theirs' crashed during termination at t = 1 s \(segmentation fault, SIGSEGV\); the run is complete in ",
        "ok",
        1001,
    ),
    "hang_in_free": (r"part 'theirs': termination at t = 1 s " + SLOW + "the run is complete in ", "ok", 1001),
    "crash_in_get": (r"part 'theirs' crashed during reading outputs at t = 0\.5 s ", "failed", 500),
    "error_in_set": (
        r"part 'theirs': setting inputs at t = 0\.5 s returned 'error' .*it said: it takes nothing any more",
        "failed",
        501,
    ),
    "crash_in_status": (
        r"part 'theirs' crashed during reading how far the discarded step came at t = 0\.5 s \(segmentation",
        "failed",
        501,
    ),
    "hang_in_status": (
        r"part 'theirs': reading how far the discarded step came at t = 0\.5 s " + SLOW + "what was recorded",
        "failed",
        501,
    ),
    "discard_and_crash_in_free": (
        RETURNED.format("discard", r" after t = 0\.5005 s")
        + r"; then part 'theirs' crashed during termination at t = 0\.5 s \(segmentation fault, SIGSEGV\); what was",
        "failed",
        501,
    ),
    "error_after_many_messages": (
        RETURNED.format("error", "")
        + r"; it said: the step failed \(run\.json holds the messages before it\); what was",
        "failed",
        501,
    ),
    "crash_after_messages": (
        STEP.format("crashed", "segmentation fault, SIGSEGV").replace(
            "; what", r"; it said: message 12 before the crash \(run\.json holds the messages before it\); what"
        ),
        "failed",
        501,
    ),
    "warning_with_status_ok": ("^$", "ok", 1001),
    "missing_library": (
        r"part 'theirs': misbehaving\S* needs the library libabsent\.so\.7, which is not on this machine",
        "no run",
        0,
    ),
    "full_disk": (r"parquet could not be written: File too large; what is there already is kept; ", "failed", None),
    "killed": (r"the run was ended from outside at t = [\d.e+]+ s \(SIGKILL\); what was recorded", "failed", None),
    "killed_parent": (r"interrupted at t = [\d.e+]+ s; what was recorded is in ", "interrupted", None),
    "terminated": (r"interrupted at t = [\d.e+]+ s; what was recorded is in ", "interrupted", None),
    "hung_up": (r"interrupted at t = [\d.e+]+ s; what was recorded is in ", "interrupted", None),
    "interrupted": (r"interrupted at t = [\d.e+]+ s; what was recorded is in ", "interrupted", None),
    "interrupted_in_a_hang": (
        r"interrupted at t = 50 s; part 'theirs' did not return from the step from t = 50 s; what was recorded",
        "interrupted",
        50001,
    ),
    "killed_parent_in_a_hang": (
        r"interrupted at t = 50 s; part 'theirs' did not return from the step from t = 50 s$",
        "interrupted",
        50001,
    ),
}


def test_every_fault_is_expected() -> None:
    assert set(EXPECTED) == set(TABLE["FAULTS"])


@pytest.mark.parametrize("fault", TABLE["FAULTS"])
def test_a_fault_is_told_and_costs_no_data(fault: str, tmp_path: Path) -> None:
    message, outcome, rows = EXPECTED[fault]
    row: dict[str, Any] = TABLE["observe"](fault, tmp_path / fault)
    assert re.search(message, row["message"]), row["message"]
    assert row["outcome"] == outcome
    assert row["rows_kept"] == rows if rows is not None else row["rows_kept"] > 2 * 16384
    assert row["orphans"] == 0
    assert row["litter"] == []
    assert row["exit_code"] == (-9 if fault.startswith("killed_parent") else 0 if message == "^$" else 1)
    untold = message == "^$" or fault == "killed_parent_in_a_hang"  # there run.json alone has it
    assert row["messages"] == (not untold), "one message"


def test_without_a_fault_nothing_is_told(tmp_path: Path) -> None:
    """Negative control: the same two parts, and a supervisor that has nothing to say."""
    row = TABLE["observe"]("none", tmp_path / "none")
    assert row == {
        "message": "",
        "messages": 0,
        "exit_code": 0,
        "outcome": "ok",
        "rows_kept": 1001,
        "orphans": 0,
        "litter": [],
    }


def test_a_run_is_two_processes(tmp_path: Path) -> None:
    """The one that steps and the one that watches, however often the command is handed on."""
    fmu = TABLE["BUILDER"]["build"](tmp_path, "misbehaving")
    path, run = TABLE["diagram"](tmp_path, fmu, "interrupted"), tmp_path / "run"
    words = TABLE["drawbar"]("run", str(path), "--out", str(run), "--no-page")
    with subprocess.Popen(words, env={**os.environ, "DRAWBAR_MARK": str(tmp_path)}, stderr=subprocess.DEVNULL) as child:
        try:
            TABLE["until_it_records"](run, child, "00002.parquet")
            assert len(TABLE["processes_with"](f"DRAWBAR_MARK={tmp_path}")) == 2
        finally:
            child.terminate()
    assert child.returncode == 1


def test_what_a_part_prints_does_not_break_the_json(tmp_path: Path) -> None:
    fmu = TABLE["BUILDER"]["build"](tmp_path, "misbehaving")
    path = TABLE["diagram"](tmp_path, fmu, "stdout_flood")
    words = TABLE["drawbar"]("run", str(path), "--out", str(tmp_path / "run"), "--json", "--no-page")
    done = subprocess.run(words, capture_output=True, text=True, check=True, timeout=60)
    assert json.loads(done.stdout)["outcome"] == "ok"


def test_the_message_of_a_crash_is_json_where_asked(tmp_path: Path) -> None:
    fmu = TABLE["BUILDER"]["build"](tmp_path, "misbehaving")
    path = TABLE["diagram"](tmp_path, fmu, "crash")
    words = TABLE["drawbar"]("run", str(path), "--out", str(tmp_path / "run"), "--json", "--no-page")
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=60)
    told = json.loads(done.stdout)
    assert told["outcome"] == "failed"
    assert "part 'theirs' crashed during the step from t = 0.5 s" in told["message"]


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ("error_after_many_messages", {"last": ("iteration 0 at", "the step failed"), "warnings": (1, 1)}),
        ("crash_after_messages", {"last": ("message 1 before the crash", "message 12 before the crash")}),
        ("warning_with_status_ok", {"warnings": (500,)}),
        ("none", {}),
    ],
)
def test_run_json_holds_what_the_fmu_said(fault: str, said: dict[str, Any], tmp_path: Path) -> None:
    TABLE["observe"](fault, tmp_path / fault)
    found = json.loads((tmp_path / fault / "run" / "run.json").read_bytes()).get("messages", {}).get("theirs", {})
    assert set(found) == set(said)
    if "last" in said:
        assert (found["last"][0][: len(said["last"][0])], found["last"][-1]) == said["last"]
    if "warnings" in said:
        assert tuple(warning["count"] for warning in found["warnings"]) == said["warnings"]
    if fault == "error_after_many_messages":
        assert found["last"][-2] == "the Jacobian is singular at t = 0.5 s", "the cause"
