"""Standard streams that are full or without a reader; errors of other files are told apart from theirs."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

CODE = """
import sys
from drawbar.orchestrator.supervision import standard_streams as streams
streams.open_closed_streams()
print("a line")
code = streams.flushed_exit_code(0)
print(code, streams.is_writable(), file=sys.stderr)
sys.exit(code)
"""


def run(end: str) -> subprocess.CompletedProcess[str]:
    command = f'"{sys.executable}" -c "$CODE" {end}'
    return subprocess.run(
        ["bash", "-c", command], capture_output=True, text=True, check=False, env={**os.environ, "CODE": CODE}
    )


def test_what_can_be_written_is_written() -> None:
    done = run("")
    assert (done.returncode, done.stdout, done.stderr) == (0, "a line\n", "0 True\n")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
def test_a_full_disk_is_an_error() -> None:
    done = run("> /dev/full")
    assert done.returncode == 1
    assert done.stderr.splitlines()[0] == "drawbar: error: standard output: No space left on device"


def test_a_pipe_without_a_reader_is_no_error() -> None:
    done = run("| true; exit ${PIPESTATUS[0]}")
    assert done.returncode == 0
    assert "error" not in done.stderr


def test_closed_streams_are_opened_to_the_null_device() -> None:
    done = run("<&- >&-")
    assert (done.returncode, done.stderr) == (0, "0 True\n")
