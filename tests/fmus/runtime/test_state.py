"""Saved states: bit for bit the same in any instance and process; bytes of others are refused."""

import ctypes
import math
import struct
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from drawbar.blocks import Continuous, Input, Output, Parameter, Sampled, State, fmod, sin
from drawbar.blocks.authoring.block import Block
from drawbar.fmus.backends.instance import FmuInstance, open_fmu
from drawbar.fmus.export.package import build

pytestmark = pytest.mark.compiler

OK, ERROR = 0, 3
HEAD, KIND, GUID, SUM, TIME, START, SAMPLES, PHASE, VALUES = 56, 4, 8, 48, 56, 64, 72, 80, 104  # offsets in the bytes


class Swing(Continuous, step="1/100"):
    """A nonlinear oscillator whose input may run along a slope."""

    u = Input("1", "signal")
    k = Parameter(0.3, "1", "tunable", tunable=True)
    x = State([0.5, 0.0], "1", "states", size=2, output=True)
    y = Output("1", "feeds through")

    def derivatives(self) -> dict[str, Any]:
        return {"x": [self.x[1], -sin(3.0 * self.x[0]) - self.k * self.x[1] + self.u * self.time]}

    def outputs(self) -> dict[str, Any]:
        return {"y": self.u + self.x[0] * self.time}


class Sampler(Sampled, period="3/100"):
    """Counts samples that fall within steps, between them and several to one."""

    u = Input("1", "signal")
    k = Parameter(0.3, "1", "tunable", tunable=True)
    count = State(0.0, "1", "samples")
    total = State(0.1, "1", "sum")
    seen = Output("1", "the sample")
    number = Output("1", "samples", type=int)
    odd = Output("1", "an odd one", type=bool)

    def outputs(self) -> dict[str, Any]:
        return {"seen": self.u + self.total, "number": self.count, "odd": fmod(self.count, 2.0)}

    def update(self) -> dict[str, Any]:
        return {"count": self.count + 1.0, "total": self.total * self.k + sin(self.u)}


class Still(Continuous):
    """No states and no inputs; its output is no number."""

    k = Parameter(-1.0, "1", "tunable", tunable=True)
    y = Output("1", "no number")

    def outputs(self) -> dict[str, Any]:
        return {"y": self.k**0.5}


class Live:
    """An instance with its calls bound, at a communication point counted in hundredths of a second."""

    def __init__(self, block: type[Block], *, begun: bool = True) -> None:
        self.instance = open_fmu(build(block), "a")
        self.tick = 0
        self.value = np.zeros(1)
        self.write = {n: self.instance.writer([n], self.value) for n in ("u", "k")}
        self.slope = self.instance.derivative_writer(["u"], self.value)
        self.step = self.instance.stepper()
        self.outputs = [n for p in self.instance.interface.of("output") for n in p.scalar_names()]
        if begun:
            self.instance.initialize(0.0, {"u": 0.25})
            self.instance.start()

    def do(self, operation: tuple[str, float]) -> None:
        what, value = operation
        self.value[:] = value
        if what == "step":
            assert self.step(self.tick / 100.0, value / 100.0) == OK
            self.tick += int(value)
        elif what == "read":
            self.instance.get(self.outputs)
        elif what == "slope":
            assert self.slope() == (OK if self.instance.interface.interpolates else ERROR)
        else:
            assert self.write[what]() == OK

    def save(self) -> bytes:
        return saved(self.instance)

    def restore(self, state: bytes, tick: int) -> None:
        restore(self.instance, state)
        self.tick = tick


def saved(instance: FmuInstance) -> bytes:
    state = instance._slave.getFMUstate()
    data = bytes(instance._slave.serializeFMUstate(state))
    instance._slave.freeFMUstate(state)
    return data


def restore(instance: FmuInstance, data: bytes) -> None:
    state = instance._slave.deSerializeFMUstate(data)
    instance._slave.setFMUstate(state)
    instance._slave.freeFMUstate(state)


values = st.floats(-2.0, 2.0)
operations = st.lists(
    st.one_of(
        st.tuples(st.sampled_from(["u", "k", "slope"]), values),
        st.tuples(st.just("step"), st.integers(1, 7)),
        st.tuples(st.sampled_from(["read", "save", "elsewhere"]), st.just(0)),
        st.tuples(st.just("restore"), st.integers(0, 20)),
    ),
    max_size=30,
)


@pytest.mark.parametrize("block", [Swing, Sampler])
@settings(max_examples=60, deadline=None, database=None, derandomize=True)
@given(walk=operations)
def test_any_walk_ends_where_a_fresh_run_along_it_ends(block: type[Block], walk: list[tuple[str, float]]) -> None:
    """Saved, restored and carried into other instances on the way, with slopes and samples waiting."""
    live = [Live(block)]
    history: list[tuple[str, float]] = []
    kept = [(live[0].save(), 0, list(history))]
    for what, value in walk:
        if what == "save":
            kept.append((live[-1].save(), live[-1].tick, list(history)))
        elif what == "elsewhere":
            state, tick = live[-1].save(), live[-1].tick
            live.append(Live(block, begun=False))
            live[-1].restore(state, tick)
        elif what == "restore":
            state, tick, history = kept[int(value) % len(kept)]
            history = list(history)
            live[-1].restore(state, tick)
        else:
            live[-1].do((what, value))
            history.append((what, value))
    fresh = Live(block)
    for operation in history:
        fresh.do(operation)
    ends = []
    for end in (live[-1], fresh):
        ends.append((np.array(end.instance.get(end.outputs)).tobytes(), end.save()))
    for one in (*live, fresh):
        one.instance.close()
    assert ends[0] == ends[1]


@pytest.mark.parametrize("what", ["time", "x", "du", "samples"])
def test_the_comparison_sees_each_part_of_a_state(what: str) -> None:
    """Negative control: without it, the walk above could not end elsewhere."""
    block = Sampler if what == "samples" else Swing
    one, other = Live(block), Live(block)
    change = {"time": ("step", 1.0), "x": ("step", 1.0), "samples": ("step", 4.0), "du": ("slope", 1.0)}[what]
    other.do(change)
    assert one.save() != other.save()
    if what == "du":
        for live in (one, other):
            live.do(("step", 3))
        assert one.instance.get(one.outputs) != other.instance.get(other.outputs)
    for live in (one, other):
        live.instance.close()


CONTINUE = """
import sys
from pathlib import Path
from drawbar.fmus.backends.instance import open_fmu
instance = open_fmu(Path(sys.argv[1]), "a")
state = instance._slave.deSerializeFMUstate(bytes.fromhex(sys.argv[2]))
instance._slave.setFMUstate(state)
step = instance.stepper()
for k in range(20):
    assert step(float.fromhex(sys.argv[3]) + 0.01 * k, 0.01) == 0
print(*(v.hex() for v in instance.get(sys.argv[4:])))
"""


@pytest.mark.parametrize("block", [Swing, Sampler])
def test_another_process_continues_to_the_same_bytes(block: type[Block]) -> None:
    live = Live(block)
    for operation in (("step", 4), ("u", 0.7), ("step", 5), ("slope", -1.0)):
        if operation[0] != "slope" or block is Swing:
            live.do(operation)
    state, time = live.save(), live.tick / 100.0
    words = [str(build(block)), state.hex(), time.hex(), *live.outputs]
    done = subprocess.run([sys.executable, "-c", CONTINUE, *words], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    for k in range(20):
        assert live.step(time + 0.01 * k, 0.01) == OK
    assert done.stdout.split() == [v.hex() for v in live.instance.get(live.outputs)]
    live.instance.close()


def test_a_state_of_each_phase_is_restored() -> None:
    """Also one from before initialization, and reset gives what a fresh instance has."""
    instance, other = open_fmu(build(Swing), "a"), open_fmu(build(Swing), "b")
    fresh = saved(instance)
    instance.initialize(0.0, {"x[1]": 0.9})
    initializing = saved(instance)
    instance.start()
    assert instance.stepper()(0.0, 0.1) == OK
    running = saved(instance)
    assert other.stepper()(0.0, 0.1) == ERROR, "not initialized"
    restore(other, initializing)
    other.start()
    assert other.stepper()(0.0, 0.1) == OK
    assert saved(other) == running
    for one in (instance, other):
        one._slave.reset()
        assert saved(one) == fresh
    restore(instance, running)
    restore(instance, fresh)
    assert saved(instance) == fresh
    for one in (instance, other):
        one.close()


@pytest.fixture
def swing() -> Iterator[Live]:
    live = Live(Swing)
    live.do(("slope", 1.0))
    yield live
    live.instance.close()


def take(live: Live, data: bytes) -> int:
    """What deserializing gives; a state that it gives is set and freed."""
    state = ctypes.c_void_p()
    dll, component = live.instance._slave.dll, ctypes.c_void_p(live.instance._slave.component)
    bytes_ = (ctypes.c_char * max(1, len(data))).from_buffer_copy(data or b"\0")
    status = int(dll.fmi2DeSerializeFMUstate(component, bytes_, ctypes.c_size_t(len(data)), ctypes.byref(state)))
    assert (status == OK) == bool(state.value)
    if status == OK:
        assert dll.fmi2SetFMUstate(component, state) == OK
        assert dll.fmi2FreeFMUstate(component, ctypes.byref(state)) == OK
        assert not state.value
    return status


def summed(data: bytes) -> bytes:
    """The bytes with the check sum that belongs to them: what a forger would write."""
    total = 14695981039346656037
    for byte in data[HEAD:]:
        total = (total ^ byte) * 1099511628211 % 2**64
    return data[:SUM] + struct.pack("=Q", total) + data[HEAD:]


def put(data: bytes, offset: int, kind: str, value: float) -> bytes:
    piece = struct.pack("=" + kind, value)
    return data[:offset] + piece + data[offset + len(piece) :]


def test_the_layout_is_the_one_of_these_tests(swing: Live) -> None:
    """The control of what follows: bytes that are forged well are taken."""
    data = swing.save()
    assert summed(data) == data
    assert data[GUID : GUID + 38].decode() == swing.instance._slave.guid
    assert len(data) == VALUES + 8 * (1 + 1 + 2 + 1 + 1 + 2 + 1)
    assert take(swing, summed(put(data, VALUES, "d", 0.75))) == OK
    assert swing.instance.get(["k"]) == [0.75]
    assert take(swing, summed(put(data, VALUES + 8, "d", math.inf))) == OK, "infinite, as when it is set"
    assert take(swing, summed(put(data, len(data) - 8, "d", math.nan))) == OK, "an output may be anything, held or not"


FORGED: dict[str, tuple[Callable[[bytes], bytes], str]] = {
    "time": (lambda d: put(d, TIME, "d", math.nan), "its time is not finite"),
    "start": (lambda d: put(d, START, "d", math.inf), "its time is not finite"),
    "samples": (lambda d: put(d, SAMPLES, "q", -1), "its samples are miscounted"),
    "phase": (lambda d: put(d, PHASE, "i", 6), "it is in no mode that there is"),
    "mode": (lambda d: put(d, PHASE, "i", 3), "it is in no mode that there is"),
    "no phase": (lambda d: put(d, PHASE, "i", -1), "it is in no mode that there is"),
    "parameter": (lambda d: put(d, VALUES, "d", math.nan), "'k' is not a number"),
    "input": (lambda d: put(d, VALUES + 8, "d", math.nan), "'u' is not a number"),
    "state": (lambda d: put(d, VALUES + 24, "d", math.nan), "'x[2]' is not a number"),
    "slope": (lambda d: put(d, VALUES + 40, "d", math.nan), "'u' is not a number"),
    "guess": (lambda d: put(d, VALUES + 56, "d", math.nan), "'x[2]' is not a number"),
}


@pytest.mark.parametrize("forged", FORGED)
def test_a_state_that_no_instance_can_be_in_is_refused(swing: Live, forged: str) -> None:
    change, why = FORGED[forged]
    data = swing.save()
    assert take(swing, summed(change(data))) == ERROR
    assert swing.instance.messages()[-1] == f"Swing: fmi2DeSerializeFMUstate: this state cannot be: {why}"
    assert take(swing, change(data)) == ERROR
    assert swing.instance.messages()[-1].endswith("this state cannot be: it is damaged")
    assert swing.save() == data, "nothing of it was taken"


def test_more_samples_than_can_be_counted_are_refused() -> None:
    live = Live(Sampler)
    assert take(live, summed(put(live.save(), SAMPLES, "q", 2**62))) == ERROR
    assert live.instance.messages()[-1].endswith("its samples are miscounted")
    live.instance.close()


def test_an_output_that_is_no_number_is_part_of_a_state() -> None:
    instance = open_fmu(build(Still), "a")
    instance.initialize(0.0, {})
    instance.start()
    assert math.isnan(instance.get(["y"])[0])
    data = saved(instance)
    restore(instance, data)
    assert saved(instance) == data
    instance.close()


@settings(max_examples=200, deadline=None, database=None, derandomize=True)
@given(data=st.data())
def test_any_change_of_a_byte_is_refused(data: st.DataObject) -> None:
    live = Live(Swing)
    state = live.save()
    at = data.draw(st.integers(0, len(state) - 1))
    changed = state[:at] + bytes([state[at] ^ data.draw(st.integers(1, 255))]) + state[at + 1 :]
    # behind its end, the GUID of the head is padding
    assert take(live, changed) == (OK if GUID + 39 <= at < SUM else ERROR)
    assert live.save() == state
    live.instance.close()


@settings(max_examples=50, deadline=None, database=None, derandomize=True)
@given(data=st.binary(max_size=200))
def test_bytes_of_any_kind_are_refused(data: bytes) -> None:
    live = Live(Swing)
    assert take(live, data) == ERROR
    assert live.instance.messages()
    live.instance.close()


@pytest.mark.parametrize("length", [0, 1, -1, 1000])
def test_a_wrong_length_is_refused(swing: Live, length: int) -> None:
    data = swing.save()
    wrong = data[:length] if length <= 0 or length < len(data) else data + bytes(length)
    wrong = data + b"\0" if length == 1 else wrong
    assert take(swing, wrong) == ERROR
    said = f"a state of {len(wrong)} bytes is not one of this FMU ({len(data)} bytes)"
    assert swing.instance.messages()[-1] == f"Swing: {said}"


def test_the_state_of_another_fmu_is_refused(swing: Live) -> None:
    class Swung(Swing):
        """The same in all but its name."""

    other = Live(Swung)
    data = other.save()
    assert len(data) == len(swing.save())
    assert take(swing, data) == ERROR
    assert swing.instance.messages()[-1].endswith("the state belongs to another FMU, or to another build of it")
    state = other.instance._slave.getFMUstate()
    dll, component = swing.instance._slave.dll, ctypes.c_void_p(swing.instance._slave.component)
    assert dll.fmi2SetFMUstate(component, state) == ERROR
    other.instance._slave.freeFMUstate(state)
    other.instance.close()
    assert take(swing, put(swing.save(), 0, "I", 0x31425244)) == ERROR
    assert "from another kind of machine" in swing.instance.messages()[-1]


def test_a_buffer_that_is_too_short_is_refused_and_one_state_serves_again(swing: Live) -> None:
    slave = swing.instance._slave
    state, component = slave.getFMUstate(), ctypes.c_void_p(slave.component)
    data = (ctypes.c_char * 50)()
    assert slave.dll.fmi2SerializeFMUstate(component, state, data, ctypes.c_size_t(50)) == ERROR
    assert "a state of 50 bytes is not one of this FMU" in swing.instance.messages()[-1]
    assert bytes(data) == bytes(50)
    before, address = swing.save(), state.value
    swing.do(("step", 3))
    assert slave.dll.fmi2GetFMUstate(component, ctypes.byref(state)) == OK
    assert state.value == address
    after = swing.save()
    given_back = (ctypes.c_char * len(before)).from_buffer_copy(before)
    size = ctypes.c_size_t(len(before))
    assert slave.dll.fmi2DeSerializeFMUstate(component, given_back, size, ctypes.byref(state)) == OK
    assert state.value == address
    slave.setFMUstate(state)
    assert swing.save() == before != after
    slave.freeFMUstate(state)
