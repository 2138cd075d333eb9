"""Each fault of the misbehaving FMU happens, in a process of its own: how it ends, and what was noted until then."""

import runpy
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from fmpy import extract

BUILDER = runpy.run_path(str(Path(__file__).with_name("builder.py")))
build, FAULTS = BUILDER["build"], BUILDER["FAULTS"]
pytestmark = pytest.mark.compiler


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("misbehaving")
    return str(extract(str(build(folder, "misbehaving")), str(folder / "unpacked")))


def command(unpacked: str, fault: str) -> list[str]:
    script = Path(__file__).with_name("drive.py")
    return [sys.executable, str(script), unpacked, f"fault={FAULTS[fault]}", "at=0.3"]


# how the process ends, and the last that was noted of its calls
ENDS = {
    "none": (0, "the end"),
    "crash": (-signal.SIGSEGV, "fmi2DoStep 0.3"),
    "exit_process": (3, "fmi2DoStep 0.3"),
    "error": (0, "the end"),
    "discard": (0, "the end"),
    "warning": (0, "the end"),
    "not_a_number": (0, "the end"),
    "abort": (-signal.SIGABRT, "fmi2DoStep 0.3"),
    "logger_flood": (0, "the end"),
    "pending": (0, "the end"),
    "fatal": (0, "the end"),
    "stack_overflow": (-signal.SIGSEGV, "fmi2DoStep 0.3"),
    "crash_in_exit_initialization": (-signal.SIGSEGV, "fmi2ExitInitializationMode"),
    "infinite": (0, "the end"),
    "stdout_flood": (0, "the end"),
    "crash_in_terminate": (-signal.SIGSEGV, "fmi2Terminate"),
    "crash_in_get": (-signal.SIGSEGV, "fmi2GetReal 0.2"),
    "error_in_set": (0, "the end"),
    "crash_in_status": (-signal.SIGSEGV, "fmi2GetRealStatus"),
    "discard_and_crash_in_free": (-signal.SIGSEGV, "fmi2FreeInstance"),
    "error_after_many_messages": (0, "the end"),
    "crash_after_messages": (-signal.SIGSEGV, "fmi2DoStep 0.3"),
    "warning_with_status_ok": (0, "the end"),
}
# what else is noted, in this order, from the step at 0.3 s on
NOTED = {
    "none": ["status 0", "y = 0.98168", "fmi2DoStep 0.9", "logged 0 messages", "fmi2Terminate"],
    "error": ["the lag broke at t = 0.3 s", "status 3", "logged 1 messages"],
    "discard": ["status 2", "last successful time 0.35", "fmi2Terminate"],
    "warning": ["status 1", "y = 0.98168", "fmi2DoStep 0.9", "status 1", "y = 0.99995"],
    "not_a_number": ["status 0", "y = nan", "fmi2DoStep 0.9", "status 0", "y = nan"],
    "logger_flood": ["status 0", "y = 0.98168", "fmi2DoStep 0.9", "logged 1400 messages"],
    "pending": ["status 5", "logged 0 messages"],
    "fatal": ["status 4", "logged 0 messages"],
    "infinite": ["status 0", "y = inf"],
    "error_after_many_messages": ["the Jacobian is singular", "the step failed", "status 3", "logged 302 messages"],
    "crash_after_messages": ["message 12 before the crash"],
    "warning_with_status_ok": ["the lag is slow at t = 0.3 s", "status 0", "y = 0.98168", "logged 7 messages"],
    "stdout_flood": ["status 0", "y = 0.98168", "fmi2DoStep 0.9", "status 0"],
}


@pytest.mark.parametrize("fault", ENDS)
def test_a_fault_happens(fault: str, unpacked: str) -> None:
    done = subprocess.run(command(unpacked, fault), capture_output=True, text=True, check=False, timeout=60)
    code, last = ENDS[fault]
    notes = [line for line in done.stderr.splitlines() if not line.startswith("said ")]
    assert (done.returncode, notes[-1]) == (code, last), done.stderr[-500:]
    assert "y = 0.86466" in done.stderr or fault.startswith("crash_in_exit"), "it was sound until then"
    rest = done.stderr.partition("fmi2DoStep 0.3")[2]
    for words in NOTED.get(fault, ()):
        before, found, rest = rest.partition(words)
        assert found, f"{words} after {before[-200:]}"
    assert (len(done.stdout) > 100_000) == (fault == "stdout_flood")


def test_a_heap_in_disorder_ends_the_process(unpacked: str) -> None:
    done = subprocess.run(command(unpacked, "heap_damage"), capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == -signal.SIGABRT
    assert "fmi2DoStep 0.3\n" in done.stderr


HANGS = {
    "hang": "fmi2DoStep 0.3",
    "hang_in_enter_initialization": "fmi2EnterInitializationMode",
    "hang_in_free": "fmi2FreeInstance",
    "hang_in_status": "fmi2GetRealStatus",
}


@pytest.mark.parametrize("fault", HANGS)
def test_a_hang_happens(fault: str, unpacked: str) -> None:
    with subprocess.Popen(command(unpacked, fault), stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        try:
            for line in process.stderr:
                if line.strip() == HANGS[fault]:
                    break
            with pytest.raises(subprocess.TimeoutExpired):
                process.wait(0.5)
        finally:
            process.kill()
        assert process.stderr.read() == "", "nothing was noted after it"


def test_every_fault_is_tested() -> None:
    assert set(FAULTS) == {*ENDS, *HANGS, "heap_damage"}
