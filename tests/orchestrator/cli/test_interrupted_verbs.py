"""Ctrl-C while a block is traced or compiled: every verb ends at once, says so, and leaves nothing half-written."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from drawbar.blocks.signals.first_order_lag import FirstOrderLag
from drawbar.diagrams.model.diagram import Diagram
from drawbar.diagrams.ssp.ssp import write

if sys.platform != "linux":
    pytest.skip("processes are observed through /proc", allow_module_level=True)

DRAWBAR = str(Path(sys.executable).with_name("drawbar"))
LAG = "drawbar.blocks.signals.first_order_lag:FirstOrderLag"
SAID = "drawbar: error: interrupted\n"
# the signal arrives while CasADi asks whether an object is an expression, and CasADi drops the exception
SLOW = '''
import contextlib
import os
import signal
import time

import casadi as ca

from drawbar.blocks.signals.first_order_lag import FirstOrderLag


class Asked:
    def __SX__(self):
        os.kill(os.getpid(), signal.SIGINT)
        return ca.SX(1.0)


class Slow(FirstOrderLag):
    """A lag whose equations take long."""

    def derivatives(self):
        with contextlib.suppress(Exception):
            ca.sin(Asked())
        open("lost", "w").close()
        time.sleep(20.0)
        return super().derivatives()
'''
# a compiler whose pass takes long: a `sleep` in the process group of the driver, beside files that are not complete
SLOW_CC = """#!/bin/sh
case "$*" in *--version*) exec cc --version;; esac
touch half_written.o "$TMPDIR/temporary.s"
sleep 60 &
echo $! > "$PASS"
wait
"""
VERBS = [
    ["build", "slow:Slow", "--out", "out"],
    ["info", "slow:Slow"],
    ["check", "d"],
    ["pack", "d", "--out", "d.ssp"],
    ["run", "d", "--no-page", "--out", "run"],
]


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """A block whose tracing takes long, and a diagram with it."""
    (tmp_path / "slow.py").write_text(SLOW, encoding="utf-8")
    d = Diagram("d", step=0.1, stop=1.0)
    d.add("s", FirstOrderLag)
    file = tmp_path / "d" / "SystemStructure.ssd"
    file.parent.mkdir()
    write(d, file)
    text = file.read_text("utf-8")
    assert LAG in text
    file.write_text(text.replace(LAG, "slow:Slow"), encoding="utf-8")
    return tmp_path


def started(words: list[str], folder: Path, **environment: str) -> subprocess.Popen[str]:
    """A verb in a process group of its own, with an empty cache."""
    # the tests themselves may have been started in the background, where SIGINT is ignored
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        return subprocess.Popen(
            [DRAWBAR, *words],
            cwd=folder,
            env={**os.environ, "DRAWBAR_CACHE": str(folder / "cache"), **environment},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
    finally:
        signal.signal(signal.SIGINT, before)


def wait_for(path: Path, process: subprocess.Popen[str]) -> float:
    """Wait until a file has appeared, and return the time."""
    while not path.is_file():
        assert process.poll() is None, process.communicate()[1]
        time.sleep(0.01)
    return time.monotonic()


def is_alive(pid: str) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def incomplete(folder: Path) -> list[str]:
    """What a verb has not completed: results, scratch folders and temporary files."""
    names = [p.relative_to(folder) for p in folder.rglob("*") if "__pycache__" not in p.parts]
    return sorted(
        str(p)
        for p in names
        if p.suffix in (".o", ".s", ".fmu", ".ssp", ".tmp", ".part") or "build-" in p.name or p.name == "run"
    )


@pytest.mark.parametrize("words", VERBS, ids=lambda words: words[0])
def test_an_interruption_that_is_dropped_while_equations_are_traced_is_raised_again(
    words: list[str], workspace: Path
) -> None:
    process = started([*words, "--workspace", "."], workspace)
    lost = wait_for(workspace / "lost", process)
    _, said = process.communicate(timeout=30)
    assert time.monotonic() - lost < 5.0, "the equations take 20 s"
    assert (process.returncode, said) == (1, SAID)
    assert incomplete(workspace) == []


@pytest.mark.compiler
@pytest.mark.parametrize("words", [["build", "FirstOrderLag", "--out", "out"], ["run", "d", "--out", "run"]])
@pytest.mark.parametrize("to_group", [True, False], ids=["from a terminal", "to the process alone"])
def test_an_interruption_ends_the_compiler_with_all_its_passes(
    words: list[str], to_group: bool, workspace: Path
) -> None:
    file = workspace / "d" / "SystemStructure.ssd"
    file.write_text(
        file.read_text("utf-8").replace("slow:Slow", "drawbar.blocks.signals.first_order_lag:FirstOrderLag")
    )
    compiler = workspace / "slow-cc"
    compiler.write_text(SLOW_CC)
    compiler.chmod(0o755)
    process = started(words, workspace, CC=str(compiler), PASS=str(workspace / "pass"))
    wait_for(workspace / "pass", process)
    sent = time.monotonic()
    (os.killpg if to_group else os.kill)(process.pid, signal.SIGINT)
    _, said = process.communicate(timeout=30)
    assert time.monotonic() - sent < 5.0, "the compiler takes 60 s"
    assert process.returncode == 1
    assert said.endswith(SAID)
    assert incomplete(workspace) == []
    assert not is_alive((workspace / "pass").read_text().strip()), "the pass goes on"
