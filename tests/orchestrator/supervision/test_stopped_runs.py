"""Runs that end before their time: interrupted, killed, out of disk. What was complete is there afterwards."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from drawbar.orchestrator.runs.run import Run

DRAWBAR = str(Path(sys.executable).with_name("drawbar"))
LONG = ["run", "double_lane_change_planar", "--stop", "1000000", "--no-page", "--out"]


def started(folder: Path) -> subprocess.Popen[str]:
    """A long run in a process of its own, once it has written two chunks."""
    command = [DRAWBAR, *LONG, str(folder)]
    # the tests themselves may have been started in the background, where SIGINT is ignored
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, start_new_session=True)
    finally:
        signal.signal(signal.SIGINT, before)
    for _ in range(600):
        if len(list(folder.rglob("00002.parquet"))) == 2:
            return process
        assert process.poll() is None, process.stderr and process.stderr.read()
        time.sleep(0.05)
    process.kill()
    raise AssertionError("no second chunk within 30 s")


def test_an_interrupted_run_says_so_and_is_readable(tmp_path: Path) -> None:
    process = started(tmp_path / "run")
    process.send_signal(signal.SIGINT)
    _, error = process.communicate(timeout=30)
    assert process.returncode == 1
    assert error.startswith("drawbar: error: interrupted at t = ")
    assert len(error.splitlines()) == 1
    run = Run(tmp_path / "run")
    assert run.info["outcome"] == "interrupted"
    t = run.time("vehicle.x")
    assert len(t) == round(t[-1] / 0.001) + 1 > 2 * 16384, "every row up to the interruption"


def test_a_run_that_is_killed_with_its_supervisor_is_readable_up_to_its_last_chunk(tmp_path: Path) -> None:
    """As when the machine stops."""
    process = started(tmp_path / "run")
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate(timeout=30)
    run = Run(tmp_path / "run")
    assert run.info["outcome"] == "running"
    assert not run.complete
    assert len(run["vehicle.x"]) >= 2 * 16384
    assert [p.name for p in tmp_path.iterdir()] == ["run"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="limits of a process are POSIX")
def test_a_full_disk_is_one_message_and_loses_nothing_complete(tmp_path: Path) -> None:
    """A limit on the size of a file stands in for the disk: writing fails in the same call with an OSError."""
    script = (
        "import resource, signal, sys; signal.signal(signal.SIGXFSZ, signal.SIG_IGN);"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, 300_000));"
        "from drawbar.orchestrator.cli.commands import main; sys.exit(main(sys.argv[1:]))"
    )
    command = [sys.executable, "-c", script, *LONG, str(tmp_path / "run")]
    # FMUs are built before, by a process without the limit
    subprocess.run(
        [DRAWBAR, *LONG[:2], "--stop", "1", "--no-page", "--out", str(tmp_path / "warm")], check=True, stdout=-3
    )
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 1
    assert "00001.parquet could not be written: File too large" in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert Run(tmp_path / "run").info["outcome"] == "failed"
    left = sorted(p.name for p in (tmp_path / "run").rglob("*") if p.is_file())
    assert left == ["run.json", "timing.json"], "nothing half-written"
