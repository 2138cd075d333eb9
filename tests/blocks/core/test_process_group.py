"""A program and what it starts: all of it ends with an interruption or a time limit."""

import gc
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from drawbar.blocks.core.process_group import run_group

if sys.platform != "linux":
    pytest.skip("processes are observed through /proc", allow_module_level=True)

# a driver with a pass of its own, like a compiler, which tells the pass by its file
DRIVER = "sleep 60 & echo $! > pass; wait"


def is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def ended(pid: int) -> bool:
    """Whether a process ends within the moment between the end of its output and its own."""
    deadline = time.monotonic() + 2.0
    while is_alive(pid) and time.monotonic() < deadline:
        time.sleep(0.01)
    return not is_alive(pid)


def pass_of(folder: Path) -> int:
    return int((folder / "pass").read_text())


def test_output_and_exit_code_are_returned(tmp_path: Path) -> None:
    done = run_group(["sh", "-c", "pwd; echo $WORD; echo no >&2; exit 3"], 10.0, tmp_path, {"WORD": "a"}, merged=True)
    assert (done.returncode, done.stdout.decode().split()) == (3, [str(tmp_path), "a", "no"])
    assert run_group(["sh", "-c", "echo no >&2"], 10.0).stdout == b""


def test_a_time_limit_ends_the_children_too(tmp_path: Path) -> None:
    with pytest.raises(subprocess.TimeoutExpired):
        run_group(["sh", "-c", DRIVER], 0.5, tmp_path)
    assert ended(pass_of(tmp_path))


def test_a_program_that_ignores_the_request_is_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("drawbar.blocks.core.process_group.GRACE", 0.2)
    began = time.monotonic()
    with pytest.raises(subprocess.TimeoutExpired):
        run_group(["sh", "-c", f"trap '' TERM; {DRIVER}; sleep 60"], 0.5, tmp_path)
    assert time.monotonic() - began < 20.0
    assert ended(pass_of(tmp_path))


def interrupted(run: Callable[[], object], folder: Path) -> None:
    """Call `run`, and send this process a SIGINT as soon as the pass runs."""

    def send() -> None:
        while not (folder / "pass").is_file() or not (folder / "pass").read_text():
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGINT)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    sender = threading.Thread(target=send)
    sender.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            run()
    finally:
        sender.join()
        signal.signal(signal.SIGINT, before)


def test_an_interruption_ends_the_children_too(tmp_path: Path) -> None:
    interrupted(lambda: run_group(["sh", "-c", DRIVER], 60.0, tmp_path), tmp_path)
    assert ended(pass_of(tmp_path))


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # the Popen object that it leaves
def test_without_a_group_the_children_go_on(tmp_path: Path) -> None:
    """Negative control: what subprocess.run leaves behind."""
    interrupted(lambda: subprocess.run(["sh", "-c", DRIVER], cwd=tmp_path, check=False), tmp_path)
    gc.collect()
    pid = pass_of(tmp_path)
    assert not ended(pid)
    os.kill(pid, signal.SIGKILL)


def test_a_program_that_is_not_there_is_an_os_error() -> None:
    with pytest.raises(OSError):
        run_group([f"{sys.executable}-absent"], 1.0)
