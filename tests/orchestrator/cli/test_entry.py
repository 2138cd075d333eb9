"""The installed command: on a terminal, in pipes, and on a full disk."""

import contextlib
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

DRAWBAR = str(Path(sys.executable).with_name("drawbar"))


def test_the_installed_command_is_quiet_when_piped(tmp_path: Path) -> None:
    words = ["run", "double_lane_change_planar", "--stop", "1", "--out", str(tmp_path / "r"), "--no-page"]
    command = [DRAWBAR, *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""


def on_a_terminal(*words: str) -> str:
    """What a verb says to a pseudo-terminal that is its stderr."""
    import pty

    ours, theirs = pty.openpty()
    command = [DRAWBAR, *words]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=theirs, env={**os.environ, "COLUMNS": "90"}):
        os.close(theirs)
        said = b""
        with contextlib.suppress(OSError):  # Linux ends a terminal by an error
            while piece := os.read(ours, 4096):
                said += piece
    os.close(ours)
    return said.decode()


def test_a_terminal_sees_how_far_a_run_is(tmp_path: Path) -> None:
    """Through the child process that steps."""
    out = str(tmp_path / "r")
    said = on_a_terminal("run", "double_lane_change_planar", "--stop", "300", "--out", out, "--no-page")
    shown = [int(n) for n in re.findall(r"double_lane_change_planar +(\d+) %", said)]
    assert len(set(shown)) > 2, said[:500]
    assert "of 300 s" in said


def test_a_closed_pipe_is_no_error() -> None:
    done = subprocess.run(
        ["sh", "-c", f'"{DRAWBAR}" info SingleTrack | head -1'], capture_output=True, text=True, check=False
    )
    assert done.stderr == ""
    assert "SingleTrack" in done.stdout


# words, and whether Python writes at once or at the end of what fits its buffer
PRINTING = [
    ("list", ""),
    ("list --json", "1"),
    ("--help", ""),
    ("--help", "1"),
    ("--version", ""),
    ("info -h", "1"),
    ("run double_lane_change_planar --stop 1", ""),
    ("run double_lane_change_planar --stop 1", "1"),
    ("view nowhere --json", ""),
]


def printing(words: str, tmp_path: Path, end: str, unbuffered: str) -> subprocess.CompletedProcess[str]:
    command = ["bash", "-c", f'"{DRAWBAR}" {words} {end}']
    environment = {**os.environ, "PYTHONUNBUFFERED": unbuffered}
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path, env=environment)


@pytest.mark.parametrize(("words", "unbuffered"), PRINTING)
def test_a_reader_that_leaves_before_the_end_is_no_error(words: str, unbuffered: str, tmp_path: Path) -> None:
    done = printing(words, tmp_path, "| true; exit ${PIPESTATUS[0]}", unbuffered)
    fails = "nowhere" in words
    assert done.returncode in ((0, 2) if fails else (0,)), "that of the verb, if it came to its end"
    assert [line for line in done.stderr.splitlines() if "'nowhere'" not in line] == []


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
@pytest.mark.parametrize(("words", "unbuffered"), PRINTING[:-1])
def test_a_full_stdout_is_one_message(words: str, unbuffered: str, tmp_path: Path) -> None:
    done = printing(words, tmp_path, "> /dev/full", unbuffered)
    assert done.stderr == "drawbar: error: standard output: No space left on device\n"
    assert done.returncode == 1
