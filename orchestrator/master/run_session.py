"""The objects of a run in progress: the instances of the parts, the master, and the memory of the rows."""

from __future__ import annotations

import contextlib
import itertools
import math
import os
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from drawbar.blocks.authoring.script import Script
from drawbar.blocks.core.errors import FmuError
from drawbar.diagrams.model.diagram import Diagram
from drawbar.diagrams.model.part import Part
from drawbar.diagrams.model.scalar_connections import ScalarConnection
from drawbar.fmus.backends.instance import AddressedInstance, FmuInstance, Instance
from drawbar.fmus.backends.interpreted import InterpretedInstance
from drawbar.fmus.backends.native import native_instance
from drawbar.fmus.backends.script import ScriptInstance
from drawbar.fmus.export.package import build, compile_block
from drawbar.fmus.loading.description import read_description
from drawbar.fmus.loading.messages import Log
from drawbar.fmus.toolchain.cache import BuildCallback, report_builds
from drawbar.orchestrator.master.current_call import (
    CALLS,
    CLOSE,
    DO_STEP,
    IDLE,
    INITIALIZE,
    INSTANTIATE,
    NOT_FINITE,
    START,
    STATUS,
    last_message,
)
from drawbar.orchestrator.master.master import Master
from drawbar.orchestrator.master.reference import Fault, ReferenceMaster
from drawbar.orchestrator.master.rows import Rows
from drawbar.orchestrator.planning.schedule import Plan

STATUSES = {2: "discard", 3: "error", 4: "fatal", 5: "pending"}
DISCARD, PENDING = 2, 5
MAX_PASSES = 50  # of the exchange of start values
SETTLED = 1e-12  # of a value: a change from one pass to the next below which nothing is sent again
UNSETTLED = 1e-6  # of a value, or of 0.001: the change that is reported; solved start values repeat to about 1e-10


class RunSession:
    """The parts of a run, instantiated, initialized, stepped and closed.

    Before each call, its part and kind are written to the memory of `rows`. `listener` is called with the name of a
    part and each message that its FMU logs.
    """

    def __init__(self, plan: Plan, rows: Rows, listener: Callable[[str, str], None] | None = None) -> None:
        self.plan, self.rows, self._listener = plan, rows, listener
        self.instances: dict[str, Instance] = {}
        self.master: Master | ReferenceMaster | None = None
        self.fault: Fault | None = None
        self._indices = {part.name: i for i, part in enumerate(plan.parts)}

    def index_of(self, name: str) -> int:
        """Return the index of a part in the plan."""
        return self._indices[name]

    def _set_call(self, name: str, call: int) -> None:
        self.rows.current_call.part, self.rows.current_call.call = self.index_of(name), call

    def idle(self) -> None:
        """Record that no part is being called."""
        self.rows.current_call.part, self.rows.current_call.call = -1, IDLE

    def open(self, diagram: Diagram, backend: str, compiling: BuildCallback | None = None) -> None:
        """Instantiate all parts; `compiling` is called with each FMU that is compiled for it."""
        refuse_twins(diagram)
        units = list(dict.fromkeys(part.block for part in diagram.parts.values() if _is_compiled(part, backend)))
        for name, part in diagram.parts.items():
            number = units.index(part.block) + 1 if part.block in units else 0
            with report_builds(
                compiling, part.kind, number, len(units)
            ):  # compile time does not count as a call of the part
                make = _opener(part, backend, Log(partial(self._listener, name) if self._listener else None))
            self._set_call(name, INSTANTIATE)
            self.instances[name] = make()
            self.idle()

    def initialize(self, diagram: Diagram, driven: Mapping[str, Mapping[str, float]]) -> list[str]:
        """Initialize all parts: start values, initialization mode, the ordered exchange (FMI 2.0.4, section 4.2.4).

        `driven` are the first values of the inputs that an input file drives. Where start values depend on each other
        in a circle, the exchange is repeated until they settle. Return a note if they do not.
        """
        for name, part in diagram.parts.items():
            self._set_call(name, INITIALIZE)
            self.instances[name].initialize(0.0, {**part.start_values(), **driven.get(name, {})})
        # an accepted loop of direct feedthrough has no value at t = 0 but that of one exchange
        passes = 1 if diagram.loops == "delay" else MAX_PASSES
        sent: dict[ScalarConnection, float] = {}
        changes: list[tuple[ScalarConnection, float]] = []
        for _ in range(passes):
            changes = self._exchange_initial_values(sent)
            if not changes:
                break
        for name, instance in self.instances.items():
            self._set_call(name, START)
            instance.start()
        self.idle()
        unsettled = [(w, change) for w, change in changes if not change <= UNSETTLED * max(1e-3, abs(sent[w]))]
        if not unsettled or passes == 1:
            return []
        w, change = unsettled[-1]
        return [
            f"start values depend on each other in a circle and do not settle: {w.start_part}.{w.start} -> "
            f"{w.end_part}.{w.end} still changes by {change:.3g} in exchange {passes}; the first rows depend on the "
            "order of the parts"
        ]

    def _exchange_initial_values(self, sent: dict[ScalarConnection, float]) -> list[tuple[ScalarConnection, float]]:
        """Send each value that is not the one `sent` before; return their connections and by how much each changed."""
        changes = []
        for sweep in self.plan.initial:
            # parts are called once for all their values: within a sweep none of these depends on another
            for name, group in itertools.groupby(sweep, lambda w: w.start_part):
                connections = list(group)
                self._set_call(name, INITIALIZE)
                values = self.instances[name].get([w.start for w in connections])
                to_send: dict[str, dict[str, float]] = {}
                for w, value in zip(connections, values, strict=True):
                    before = sent.get(w, math.inf)
                    change = abs(value - before)
                    if change <= SETTLED * abs(value) or (math.isnan(value) and math.isnan(before)):
                        continue
                    to_send.setdefault(w.end_part, {})[w.end] = w.gain * value + w.offset
                    sent[w] = value
                    changes.append((w, change))
                for end_part, inputs in to_send.items():
                    self._set_call(end_part, INITIALIZE)
                    self.instances[end_part].set(inputs)
        return changes

    @property
    def fastest_engine(self) -> str:
        """``c`` if the functions of all instances can be called from C, else ``python``."""
        return "c" if all(isinstance(i, AddressedInstance) for i in self.instances.values()) else "python"

    def start(self, engine: str) -> Master | ReferenceMaster:
        """Create the master of the instances."""
        if engine == "c":
            ours = {name: i for name, i in self.instances.items() if isinstance(i, AddressedInstance)}
            self.master = Master(self.plan, ours, rows=self.rows)
        else:
            self.master = ReferenceMaster(self.plan, self.instances, rows=self.rows)
        return self.master

    @property
    def time(self) -> float:
        """The time reached, s."""
        return 0.0 if self.master is None else float(self.master.tick * self.plan.tick)

    def close(self) -> None:
        """Terminate and free all parts; for a part that failed, only what its status allows."""
        for name, instance in self.instances.items():
            self._set_call(name, CLOSE)
            instance.close(self.fault.status if self.fault is not None and self.fault.part == name else 0)
        self.idle()

    def explain(self, fault: Fault) -> str:
        """Return a sentence with part, call or variable, time, inputs, and the last message of the part."""
        assert self.master is not None
        part = self.plan.parts[self.index_of(fault.part)]
        begin = part.input_begin
        inputs = ", ".join(f"{n} = {self.master.inputs[begin + i]:g}" for i, n in enumerate(part.inputs[:8]))
        instance = self.instances[fault.part]
        at = f"t = {float(fault.tick * self.plan.tick):g} s"
        if fault.call == CALLS[NOT_FINITE]:
            what = f"{fault.variable} is {fault.value} at {at}"
        else:
            verb = "the step from" if fault.call == CALLS[DO_STEP] else f"{fault.call} at"
            what = f"part '{fault.part}': {verb} {at} returned '{STATUSES.get(fault.status, fault.status)}'"
        if fault.status == DISCARD:
            self._set_call(fault.part, STATUS)
            reached = instance.last_successful_time()
            self.idle()
            what += "" if reached is None else f" after t = {reached:g} s"
        if fault.status == PENDING:
            what += ", but Drawbar does not step asynchronously"
        return what + (f" (inputs: {inputs})" if inputs else "") + last_message(instance.messages())

    def messages(self, failed: str | None) -> dict[str, dict[str, Any]]:
        """Return the warnings of each part that gave any, and all that is kept of what the part `failed` said."""
        said: dict[str, dict[str, Any]] = {}
        for name, instance in self.instances.items():
            if warned := [warning.to_json() for warning in instance.warnings()]:
                said[name] = {"warnings": warned}
            if name == failed and (messages := instance.messages()):
                said.setdefault(name, {})["last"] = messages
        return said

    @property
    def called(self) -> str | None:
        """The part that is being called at this moment."""
        index = int(self.rows.current_call.part)
        return self.plan.parts[index].name if index >= 0 else None

    def cause(self, fault: Fault) -> BaseException | None:
        """Return the exception that a script raised, for its traceback."""
        instance = self.instances[fault.part]
        return instance.error if isinstance(instance, ScriptInstance) else None


def refuse_twins(diagram: Diagram) -> None:
    """Raise `FmuError` if an FMU that allows one instance per process is used for two parts."""
    seen: dict[Path, str] = {}
    for name, part in diagram.parts.items():
        if part.block is not None or not (description := read_description(part.fmu)).only_one_per_process:
            continue
        if (other := seen.setdefault(description.folder, name)) != name:
            raise FmuError(
                f"part '{name}': {description.identifier} allows one instance per process, and part '{other}' is one; "
                "keep one of them"
            )


def _is_compiled(part: Part, backend: str) -> bool:
    return part.block is not None and not issubclass(part.block, Script) and backend != "interpreted"


def _opener(part: Part, backend: str, log: Log) -> Callable[[], Instance]:
    """Build or unpack what a part needs, and return the call that instantiates it; its messages go into `log`."""
    block, name = part.block, part.name
    if block is not None and issubclass(block, Script):
        return lambda: ScriptInstance(block, name)  # with any back end, because Python is at hand
    if block is not None and backend == "interpreted":
        return lambda: InterpretedInstance(block, name)
    if block is not None and backend == "native":
        compile_block(block)
        return lambda: native_instance(block, name, log)
    description = read_description(part.fmu if block is None else build(block))
    return lambda: FmuInstance(description, name, log=log)


@contextlib.contextmanager
def preserved_working_directory() -> Iterator[None]:
    """Restore the working directory of the process, which a part may change, at the end of the context."""
    try:
        before = os.getcwd()
    except FileNotFoundError:  # it was deleted; no relative path means anything
        yield
        return
    try:
        yield
    finally:
        with contextlib.suppress(OSError):
            os.chdir(before)
