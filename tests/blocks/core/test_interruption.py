"""An interruption, or an error that nobody foresaw, at any moment: run.json is closed and says what happened."""

import contextlib
import json
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import casadi as ca
import pytest

from drawbar.blocks.core import interruption
from drawbar.blocks.core.errors import RunError
from drawbar.blocks.core.interruption import DeferredInterruption
from drawbar.diagrams.library import find
from drawbar.diagrams.model.diagram import Diagram
from drawbar.diagrams.ssp.ssp import read
from drawbar.orchestrator.runs import recorder
from drawbar.orchestrator.runs.run import Run
from drawbar.orchestrator.simulate import simulate

HOW: dict[str, Any] = {"backend": "interpreted", "engine": "python", "stop": 0.5}


@pytest.fixture
def diagram() -> Diagram:
    return read(find("double_lane_change_planar"))


@pytest.fixture(autouse=True)
def interruptible() -> Any:
    """SIGINT raises, also where the tests were started in the background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def at_writing(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], list[int]]:
    """Interrupts whenever a file of that name is about to be written, all but the first `skip` times."""

    def prepare(name: str, skip: int = 0) -> list[int]:
        times: list[int] = []
        write = recorder.write_whole

        def writing(path: Path, content: bytes) -> None:
            if path.name == name:
                times.append(len(content))
                if len(times) > skip:
                    signal.raise_signal(signal.SIGINT)
            write(path, content)

        monkeypatch.setattr(recorder, "write_whole", writing)
        return times

    return prepare


@pytest.mark.parametrize(("name", "skip"), [("timing.json", 0), ("run.json", 1)])
def test_an_interruption_while_a_run_is_closed_finds_it_complete(
    name: str, skip: int, diagram: Diagram, at_writing: Callable[..., list[int]], tmp_path: Path
) -> None:
    times = at_writing(name, skip)
    with pytest.raises(RunError, match="interrupted when the run was complete; it is in "):
        simulate(diagram, out=tmp_path / "run", **HOW)
    assert len(times) == skip + 1
    run = Run(tmp_path / "run")
    assert run.info["outcome"] == "ok"
    assert len(run["vehicle.x"]) == 501


def test_an_interruption_while_run_json_is_begun_ends_the_run_at_its_start(
    diagram: Diagram, at_writing: Callable[..., list[int]], tmp_path: Path
) -> None:
    at_writing("run.json")  # and again when it is closed
    with pytest.raises(RunError, match=r"interrupted at t = 0 s; what was recorded is in "):
        simulate(diagram, out=tmp_path / "run", **HOW)
    assert Run(tmp_path / "run").info["outcome"] == "interrupted"


def test_an_interruption_while_rows_are_written_loses_none(
    diagram: Diagram, at_writing: Callable[..., list[int]], tmp_path: Path
) -> None:
    assert at_writing("00001.parquet") == []
    with pytest.raises(RunError, match=r"interrupted at t = 0\.5 s"):
        simulate(diagram, out=tmp_path / "run", **HOW)
    run = Run(tmp_path / "run")
    assert (run.info["outcome"], len(run["vehicle.x"])) == ("interrupted", 501)


@pytest.mark.parametrize("error", [ZeroDivisionError("by what?"), MemoryError(), SystemExit(3)])
def test_an_error_that_is_none_of_drawbars_closes_the_run_and_goes_on(
    error: BaseException, diagram: Diagram, tmp_path: Path
) -> None:
    def progress(done: float, whole: float) -> None:
        raise error

    with pytest.raises(type(error)) as raised:
        simulate(diagram, out=tmp_path / "run", progress=progress, **HOW)
    assert raised.value is error
    info = json.loads((tmp_path / "run" / "run.json").read_bytes())
    assert info["outcome"] == "failed"
    assert info["message"].startswith(f"{type(error).__name__} at t = 0.0")
    assert len(Run(tmp_path / "run")["vehicle.x"]) > 10


def test_handlers_are_afterwards_what_they_were(diagram: Diagram, tmp_path: Path) -> None:
    simulate(diagram, out=tmp_path / "run", **HOW)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)


def test_a_run_in_another_thread_defers_nothing(diagram: Diagram, tmp_path: Path) -> None:
    thread = threading.Thread(target=simulate, args=(diagram,), kwargs={"out": tmp_path / "run", **HOW})
    thread.start()
    thread.join(60)
    assert Run(tmp_path / "run").info["outcome"] == "ok"


def test_an_interruption_waits_for_the_end_of_the_context_or_until_it_may_act_at_once() -> None:
    passed = []
    with pytest.raises(KeyboardInterrupt), DeferredInterruption():
        signal.raise_signal(signal.SIGINT)
        passed.append("deferred")
    with pytest.raises(KeyboardInterrupt), DeferredInterruption() as deferred:
        signal.raise_signal(signal.SIGINT)
        passed.append("deferred")
        with deferred.acting_at_once():
            passed.append("never here")
    with DeferredInterruption() as deferred:
        with pytest.raises(KeyboardInterrupt), deferred.acting_at_once():
            signal.raise_signal(signal.SIGINT)
            passed.append("never here")
        passed.append("deferred again")
    assert passed == ["deferred", "deferred", "deferred again"]


def test_an_error_that_leaves_the_context_replaces_the_interruption() -> None:
    with pytest.raises(ZeroDivisionError), DeferredInterruption():
        signal.raise_signal(signal.SIGINT)
        raise ZeroDivisionError


class Asked:
    """An object that is interrupted while CasADi asks whether it is an expression."""

    def __SX__(self) -> Any:  # noqa: N802  # CasADi's name
        signal.raise_signal(signal.SIGINT)
        return ca.SX(1.0)


@pytest.fixture
def handled(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The handlers of the command line, as in a new process."""
    monkeypatch.setattr(interruption, "_interrupted", False)
    before = {number: signal.getsignal(number) for number in (*interruption.INTERRUPTIONS, signal.SIGALRM)}
    interruption.install_handlers()
    yield
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0), "nothing is repeated after the context"
    for number, handler in before.items():
        signal.signal(number, handler)


def go_on_after_a_lost_interruption() -> str:
    with contextlib.suppress(Exception):
        ca.sin(Asked())
    time.sleep(1.0)
    return "went on"


def test_an_interruption_that_casadi_drops_is_raised_again(handled: None) -> None:
    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt), interruption.insistent():
        go_on_after_a_lost_interruption()
    assert time.monotonic() - began < 0.9
    with pytest.raises(KeyboardInterrupt), interruption.insistent():
        raise AssertionError("it came before")


def test_without_insisting_it_is_lost(handled: None) -> None:
    """Negative control."""
    assert go_on_after_a_lost_interruption() == "went on"


def test_clean_up_is_not_interrupted_again(handled: None) -> None:
    cleaned = []
    with pytest.raises(KeyboardInterrupt), interruption.insistent():
        try:
            signal.raise_signal(signal.SIGINT)
        finally:
            time.sleep(3 * interruption.REPEAT)
            with contextlib.suppress(ZeroDivisionError):
                try:
                    raise ZeroDivisionError
                except ZeroDivisionError:
                    time.sleep(3 * interruption.REPEAT)  # an error within the clean-up, which is handled there
                    cleaned.append("inner")
                    raise
            cleaned.append("outer")
    assert cleaned == ["inner", "outer"]
