"""The loop of a run from the first exchange to the stop: pieces of steps, and what is done between them."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from drawbar.blocks.core.interruption import is_interrupted
from drawbar.orchestrator.master.current_call import CHANGE, IDLE
from drawbar.orchestrator.master.input_extrapolation import Table
from drawbar.orchestrator.master.reference import Fault
from drawbar.orchestrator.planning.schedule import Plan
from drawbar.orchestrator.runs.recorder import Recorder

if TYPE_CHECKING:
    from drawbar.orchestrator.master.run_session import RunSession
    from drawbar.orchestrator.scenario.changes import Change
    from drawbar.orchestrator.scenario.pacing import Pacer
    from drawbar.orchestrator.scenario.scenario import Scenario

CHUNK = 16384  # ticks of a recorded file, the most that is lost when a machine stops
CHUNK_VALUES = 4_000_000  # largest number of values in a chunk; wide diagrams get shorter chunks
PACED_FILE_TIME = 2.0  # s of the wall clock of a recorded file, in a run that is held to it
POLL_INTERVAL = 0.1  # s between two reports of progress and checks for an interruption

Progress = Callable[[float, float], None]


@dataclass
class RunLoop:
    """Steps in pieces of about `POLL_INTERVAL` seconds, and writes a file at each multiple of the chunk's ticks."""

    session: RunSession
    ticks: int
    recorder: Recorder
    scenario: Scenario
    changes: Sequence[tuple[int, Change]] = ()  # by tick, in order
    progress: Progress | None = None
    stopped: float | None = None  # time at which the stop condition held
    _seen: int = 0  # rows that the condition has been evaluated for since the last drain
    _changes: list[tuple[int, Change]] = field(default_factory=list)

    def run(self) -> Fault | None:
        """Step to the end, to the stop condition, or to the first fault, which is returned."""
        master, plan = self.session.master, self.session.plan
        assert master is not None
        self._changes = list(self.changes)
        piece, chunk = 64, chunk_ticks(plan, self.scenario.pacer)
        self._feed(0, chunk)
        fault = master.exchange()
        if self.scenario.pacer is not None:
            self.scenario.pacer.wait(0.0)
        while True:
            if self._is_over():
                fault = None
            if fault is not None or self.stopped is not None or master.tick >= self.ticks:
                break
            if is_interrupted():
                raise KeyboardInterrupt
            if (fault := self._apply_changes()) is not None:
                break
            began = time.perf_counter()
            chunk_end = (master.tick // chunk + 1) * chunk
            end = min(master.tick + piece, chunk_end, self.ticks, *[tick for tick, _ in self._changes[:1]])
            if self.scenario.pacer is not None or self.scenario.until is not None:
                end = min(end, master.tick + plan.macro_ticks)  # nothing is stepped beyond the stop
            fault = master.advance(end)
            if self.scenario.pacer is not None:
                self.scenario.pacer.wait(float(master.tick * plan.tick))
            took = time.perf_counter() - began
            piece = max(1, min(chunk, int(piece * min(4.0, POLL_INTERVAL / max(took, 1e-6)))))
            if master.tick == chunk_end and fault is None and not self._is_over():
                self.drain()
                self._feed(master.tick, chunk)
            if self.progress is not None:
                self.progress(float(master.tick * plan.tick), float(self.ticks * plan.tick))
        self.drain()
        return fault

    def drain(self) -> None:
        """Write the complete rows; a drain that was interrupted can be repeated."""
        for i in range(len(self.session.plan.rates)):
            rows = self.session.rows.complete(i)
            if len(rows):
                self.recorder.write(i, rows)
                self.session.rows.clear(i)
        if self.session.plan.watch is not None:
            self._seen = 0
            self.session.rows.clear(len(self.session.plan.rates))

    def _feed(self, first: int, chunk: int) -> None:
        if (table := self.scenario.inputs) is None:
            return
        master, tick = self.session.master, self.session.plan.tick
        assert master is not None
        # in half ticks, and far enough for the middle and the end of the last step
        n = 2 * (min(chunk, self.ticks - first) + max(part.period_ticks for part in self.session.plan.parts)) + 1
        times = np.arange(2 * first, 2 * first + n) * tick.numerator / (2 * tick.denominator)
        rows, before_jump = table.rows(times), table.rows(times, before_jump=True)
        master.feed(Table(rows, before_jump, table.jumps(times[::2]), first))

    def _apply_changes(self) -> Fault | None:
        """Change the parameters that are due at this tick; return a fault if there is one."""
        session = self.session
        assert session.master is not None
        while self._changes and self._changes[0][0] <= session.master.tick:
            _, change = self._changes.pop(0)
            index = session.index_of(change.part)
            session.rows.current_call.part, session.rows.current_call.call = index, CHANGE
            session.instances[change.part].set({name: float(v) for name, v in change.values.items()})
            session.rows.current_call.part, session.rows.current_call.call = -1, IDLE
            if (fault := session.master.changed(index)) is not None:
                return fault
        return None

    def _is_over(self) -> bool:
        """Return whether the stop condition holds in the rows since the last call.

        Rows after the time at which it first holds are dropped.
        """
        condition, watch = self.scenario.until, self.session.plan.watch
        if condition is None or watch is None or self.stopped is not None:
            return self.stopped is not None
        rows = self.session.rows.complete(len(self.session.plan.rates))
        fresh = rows[self._seen :]
        self._seen = len(rows)
        columns = {c.name: fresh[:, 1 + i] for i, c in enumerate(watch.rate.columns)}
        holds = condition.evaluate({"time": fresh[:, 0], **columns})
        if not holds.any():
            return False
        self.stopped = float(fresh[int(np.argmax(holds)), 0])
        for i in range(len(self.session.plan.rates)):
            kept = self.session.rows.complete(i)[:, 0]
            self.session.rows.counts[i] = np.searchsorted(kept, self.stopped, side="right")
        return True

    def stop_message(self) -> str | None:
        """Return a sentence on whether the stop condition held; None without a condition."""
        if self.scenario.until is None:
            return None
        held = "never held" if self.stopped is None else f"held at t = {self.stopped:g} s"
        return f"the stop condition {held}"

    def timing(self, start: float, wall: float) -> dict[str, Any]:
        """Return the content of timing.json: the wall times `start` and `wall`, in s, and the cost of each part."""
        master, pacer = self.session.master, self.scenario.pacer
        assert master is not None
        simulated = self.session.time if self.stopped is None else self.stopped
        return {
            "start_s": start,
            "wall_s": wall,
            "simulated_s": simulated,
            "real_time_factor": simulated / max(wall, 1e-9),
            "parts": {
                name: {"steps": t.steps, "us_per_step": 1e6 * t.seconds, "warnings": t.warnings}
                for name, t in master.statistics().items()
            },
            **({} if pacer is None else {"pace": pacer.report()}),
        }


def chunk_ticks(plan: Plan, pacer: Pacer | None = None) -> int:
    """Return the ticks of a recorded file.

    They depend on diagram and pace only, so that equal runs have equal files.
    """
    values_per_tick = sum((len(r.columns) + 1) / r.period_ticks for r in plan.rates)
    ticks = max(16, min(CHUNK, int(CHUNK_VALUES / max(values_per_tick, 1e-9))))
    return ticks if pacer is None else max(1, min(ticks, int(PACED_FILE_TIME * pacer.pace / plan.tick)))
