"""A run in a process of its own: however it ends, this is reported once and with one exit code."""

import json
import os
import re
import resource
import runpy
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

if sys.platform != "linux":
    pytest.skip("processes are observed through /proc", allow_module_level=True)

TABLE = runpy.run_path(str(Path(__file__).parents[2] / "faults.py"))
GRACE = 5.0  # s, of the supervisor
pytestmark = pytest.mark.compiler


@pytest.fixture(scope="module")
def fmu(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return Path(TABLE["BUILDER"]["build"](tmp_path_factory.mktemp("fmu"), "misbehaving"))


class Started:
    """A run that goes on for ever, or into a fault, in a session of its own."""

    def __init__(self, folder: Path, fmu: Path, fault: str, *words: str) -> None:
        path = TABLE["diagram"](folder, fmu, fault)
        self.folder, self.mark = folder / "run", f"DRAWBAR_MARK={folder}"
        self.process = subprocess.Popen(
            TABLE["drawbar"]("run", str(path), "--out", str(self.folder), "--no-page", *words),
            env={**os.environ, "DRAWBAR_MARK": str(folder)},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def until(self, name: str) -> None:
        TABLE["until_it_records"](self.folder, self.process, name)

    def outcome(self) -> str:
        return str(json.loads((self.folder / "run.json").read_bytes())["outcome"])

    def ended(self) -> tuple[int, list[str]]:
        """Exit code and the lines of stderr, once nothing of it is alive."""
        _, said = self.process.communicate(timeout=60)
        self.leaves_nothing()
        return self.process.returncode, said.splitlines()

    def leaves_nothing(self) -> None:
        deadline = time.monotonic() + 30.0
        while TABLE["processes_with"](self.mark):
            assert time.monotonic() < deadline, "an orphan"
            time.sleep(0.05)


@pytest.fixture
def start(tmp_path: Path, fmu: Path) -> Any:
    started = []

    def starting(fault: str, *words: str) -> Started:
        folder = tmp_path / str(len(started))
        folder.mkdir()
        started.append(Started(folder, fmu, fault, *words))
        return started[-1]

    yield starting
    for one in started:
        if one.process.poll() is None:
            os.killpg(one.process.pid, signal.SIGKILL)
        one.process.communicate(timeout=30)


@pytest.mark.parametrize("closed", ["<&- >&- 2>&-", "<&-", ">&-", "2>&-"])
def test_a_daemon_without_standard_streams_can_run(closed: str, tmp_path: Path) -> None:
    """Nothing is taken for a stream that has its number."""
    words = " ".join(TABLE["drawbar"]("run", "double_lane_change_planar", "--stop", "1", "--no-page", "--out"))
    run = tmp_path / "run"
    done = subprocess.run(["sh", "-c", f"{words} {run} {closed}"], timeout=60, check=False, capture_output=True)
    assert done.returncode == 0, done.stderr
    assert json.loads((run / "run.json").read_bytes())["outcome"] == "ok"
    assert (b"drawbar" in done.stderr, bool(done.stdout)) == (False, ">&-" not in closed.replace("2>&-", ""))


def test_time_that_the_terminal_has_stopped_does_not_count(start: Callable[..., Started]) -> None:
    run = start("interrupted_in_a_hang", "--timeout", "3")
    run.until("00003.parquet")
    os.killpg(run.process.pid, signal.SIGSTOP)
    time.sleep(4.0)
    os.killpg(run.process.pid, signal.SIGCONT)
    time.sleep(1.0)
    assert TABLE["children_of"](run.process.pid), "it was not ended"
    code, said = run.ended()
    assert code == 1
    assert "did not return within 3 s (--timeout)" in said[0], "what it does not return in counts"


def test_a_call_that_hangs_is_ended_after_the_timeout_and_not_long_after(start: Callable[..., Started]) -> None:
    run = start("interrupted_in_a_hang", "--timeout", "2")
    run.until("00003.parquet")
    began = time.monotonic()
    code, said = run.ended()
    assert time.monotonic() - began < 15.0
    assert code == 1
    assert "did not return within 2 s (--timeout)" in said[0]


@pytest.mark.parametrize("delay", [0.0, 0.003, 0.02, 0.05, 0.1, 0.2])
def test_two_interruptions_in_a_row_are_reported_once(delay: float, start: Callable[..., Started]) -> None:
    run = start("interrupted")
    run.until("00001.parquet")
    for _ in range(2):  # as a terminal does it: to all of them
        os.killpg(run.process.pid, signal.SIGINT)
        time.sleep(delay)
    code, said = run.ended()
    assert code == 1
    assert len(said) == 1, said
    assert re.match(r"drawbar: error: interrupted at t = [\d.e+]+ s; what was recorded is in ", said[0])
    assert run.outcome() == "interrupted"


def test_who_asks_twice_does_not_wait_for_a_part_that_hangs(start: Callable[..., Started]) -> None:
    run = start("interrupted_in_a_hang", "--timeout", "0")
    run.until("00003.parquet")
    began = time.monotonic()
    for _ in range(2):
        run.process.send_signal(signal.SIGINT)
        time.sleep(0.2)
    code, said = run.ended()
    assert time.monotonic() - began < GRACE - 1.0
    assert (code, len(said)) == (1, 1)
    assert "part 'theirs' did not return from the step from t = 50 s" in said[0]
    assert run.outcome() == "interrupted"


@pytest.mark.parametrize("as_json", [False, True])
def test_a_process_that_is_killed_before_its_run_is_reported(as_json: bool, start: Callable[..., Started]) -> None:
    run = start("interrupted", *["--json"] * as_json)
    while not (children := TABLE["children_of"](run.process.pid)):
        assert run.process.poll() is None, "it has ended without a process of its run"
        time.sleep(0.001)
    os.kill(children[0], signal.SIGKILL)
    printed, error = run.process.communicate(timeout=30)
    assert run.process.returncode == 1
    message = "the process of the run was ended from outside (SIGKILL) while no part was being run"
    assert error == f"drawbar: error: {message}\n"
    assert (json.loads(printed) if as_json else printed) == (
        {"outcome": "failed", "message": message} if as_json else ""
    )


def test_a_disk_that_is_slow_is_waited_for_when_the_supervisor_was_killed(start: Callable[..., Started]) -> None:
    """Writing into a pipe that nobody reads stands in for it."""
    run = start("interrupted")
    run.until("00001.parquet")
    pipe = next(run.folder.rglob("run.json")).with_name(".run.json.part")
    os.mkfifo(pipe)  # what closes the run is written into it
    child = TABLE["children_of"](run.process.pid)[0]
    run.process.send_signal(signal.SIGKILL)
    time.sleep(GRACE + 2.0)
    assert Path(f"/proc/{child}").exists(), "it writes still"
    assert run.outcome() == "running"
    with pipe.open("rb") as reader:
        assert json.loads(reader.read())["outcome"] == "interrupted"
    run.leaves_nothing()


def test_a_run_that_cannot_be_started_is_one_sentence(tmp_path: Path) -> None:
    done = subprocess.run(
        TABLE["drawbar"]("run", "double_lane_change_planar", "--out", str(tmp_path / "run")),
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (5, 5)),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 1
    assert done.stderr.startswith(
        "drawbar: error: the run could not be given a process of its own: Too many open files;"
    )
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize("size", [80_000_000, 120_000_000, 300_000_000])
def test_a_machine_without_memory_is_one_message_of_drawbar(size: int, tmp_path: Path) -> None:
    """Libraries may say more before it, or end the process themselves."""
    done = subprocess.run(
        TABLE["drawbar"]("run", "double_lane_change_planar", "--out", str(tmp_path / "run")),
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (size, size)),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert len(re.findall("^drawbar: error: ", done.stderr, re.MULTILINE)) == 1


@pytest.mark.parametrize("act", ["os.kill(os.getpid(), 11)", "time.sleep(600)", "os._exit(7)"])
def test_what_happens_to_a_process_that_is_done_changes_nothing(act: str, tmp_path: Path) -> None:
    """As libraries do that clean up badly when their process ends."""
    lines = ("import atexit, os, time", 'if "DRAWBAR_SUPERVISED" in os.environ:', f"    atexit.register(lambda: {act})")
    (tmp_path / "sitecustomize.py").write_text("\n".join(lines))
    words = TABLE["drawbar"](
        "run", "double_lane_change_planar", "--stop", "1", "--no-page", "--out", str(tmp_path / "run")
    )
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    done = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert f"run   {tmp_path / 'run'}" in done.stdout


@pytest.fixture
def with_cases(tmp_path: Path, fmu: Path) -> Path:
    """A diagram whose report has a good case, one that the fault of the test spoils, and one more."""
    path: Path = TABLE["diagram"](tmp_path, fmu, "none")
    report = {
        "responses": {"top": {"signal": "theirs.y", "label": "where it ends", "unit": "1"}},
        "cases": [
            {"name": "slower", "set": {"theirs.T": 0.2}},
            {"name": "spoilt", "set": {"theirs.fault": 1}},
            {"name": "behind it", "set": {"theirs.T": 0.3}},
        ],
    }
    (tmp_path / "report.json").write_text(json.dumps(report))
    return path


def spoil(path: Path, fault: str) -> None:
    report = path.with_name("report.json")
    text = report.read_text().replace('"theirs.fault": 1', f'"theirs.fault": {TABLE["BUILDER"]["FAULTS"][fault]}')
    report.write_text(text)


SPOILT = {
    "crash": "case 'spoilt': part 'theirs' crashed during the step from t = 0.5 s (segmentation fault, SIGSEGV); ",
    "error": "case 'spoilt': part 'theirs': the step from t = 0.5 s returned 'error' (inputs: ",
}


@pytest.mark.parametrize("fault", SPOILT)
def test_a_case_that_fails_costs_neither_the_main_run_nor_its_report(fault: str, with_cases: Path) -> None:
    spoil(with_cases, fault)
    run = with_cases.with_name("run")
    words = TABLE["drawbar"]("run", str(with_cases), "--no-page", "--out", str(run))
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 1
    assert done.stderr.startswith(f"drawbar: error: {SPOILT[fault]}")
    assert len(done.stderr.splitlines()) == 1
    assert done.stdout.startswith("faults: ok")
    for words_of_the_report in ("as it stands: theirs.T = ", "slower: theirs.T = 0.2", "where it ends", f"run   {run}"):
        assert words_of_the_report in done.stdout
    assert "spoilt" not in done.stdout
    assert json.loads((run / "cases" / "spoilt" / "run.json").read_bytes())["outcome"] == "failed"


@pytest.mark.parametrize("fault", SPOILT)
def test_the_json_of_a_case_that_fails_is_one_object_with_the_main_run(fault: str, with_cases: Path) -> None:
    spoil(with_cases, fault)
    words = TABLE["drawbar"]("run", str(with_cases), "--no-page", "--json", "--out", str(with_cases.with_name("run")))
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=60)
    told = json.loads(done.stdout)
    assert (done.returncode, told["outcome"], told["simulated_s"]) == (1, "failed", 1.0)
    assert told["message"].startswith(SPOILT[fault])
    behind = [("behind it", "ok")] if fault == "error" else []  # a crash ends the process
    assert [(case["name"], case["outcome"]) for case in told["cases"]] == [("slower", "ok"), *behind]


def test_cases_that_do_not_fail_are_all_reported(with_cases: Path) -> None:
    """Negative control."""
    spoil(with_cases, "none")
    words = TABLE["drawbar"]("run", str(with_cases), "--no-page", "--json", "--out", str(with_cases.with_name("run")))
    done = subprocess.run(words, capture_output=True, text=True, check=True, timeout=60)
    told = json.loads(done.stdout)
    assert told["outcome"] == "ok"
    assert [case["name"] for case in told["cases"]] == ["slower", "spoilt", "behind it"]
