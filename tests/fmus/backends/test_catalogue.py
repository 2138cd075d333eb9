"""Every block that comes with Drawbar, in one table: back ends, description, state and reset."""

import runpy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import casadi as ca
import numpy as np
import pytest
from numpy.typing import NDArray

from drawbar.blocks import BuildError, Continuous, Input, Output, State
from drawbar.blocks.authoring.block import Block, kind_of
from drawbar.blocks.authoring.registry import block_class, block_classes, open_workspace
from drawbar.blocks.authoring.script import Script
from drawbar.blocks.core.interface import Interface, Port, Value
from drawbar.blocks.signals.constant import Constant
from drawbar.blocks.terrain.ground.flat_road import FlatRoad
from drawbar.blocks.terrain.ground.flat_soil import FlatSoil
from drawbar.fmus.backends.instance import TYPES, FmuInstance, Instance, open_fmu
from drawbar.fmus.backends.interpreted import InterpretedInstance
from drawbar.fmus.backends.native import native_instance
from drawbar.fmus.backends.script import ScriptInstance
from drawbar.fmus.export.package import build
from drawbar.fmus.loading.description import read_description
from drawbar.fmus.loading.library import exchange_call, step_call

open_workspace(Path(__file__).parents[1] / "workspace")
BLOCKS = {name: block for name, block in block_classes().items() if block.__module__.startswith("drawbar.blocks.")}
# one of a kind that the catalogue lacks
BLOCKS["RunningMean"] = block_class("running_mean:RunningMean")
# what a script remembers cannot be saved
WITH_STATE = [name for name, block in sorted(BLOCKS.items()) if not issubclass(block, Script)]
STEPS, H = 40, 0.05
STARTS: dict[str, dict[str, Value]] = runpy.run_path(str(Path(__file__).parents[1] / "somewhere.py"))["STARTS"]
# how far inputs swing, in parts of what is usual, where that would be another planet: ground that jumps by half a metre
SWING = {
    "SingleWheelTester": 0.01,
    "Pac2002Tire": 0.1,
    "SurfaceTire": 0.01,
    "PlanarRover": 0.005,
    "HmmwvOnSoil": 0.01,
    "HmmwvBody": 0.01,
    "SimpleBody": 0.1,
    "WarthogBody": 0.1,
    "HmmwvVehicle": 0.01,
    "BekkerWheel": 0.01,
    "SoftTire": 0.01,
    "ClosedFormWheel": 0.01,
}
SMOOTH = 1e-12  # relative to the largest value of a signal, where functions or integration may round differently
# functions that mathematical libraries round in their own ways
ROUNDED = {
    *[ca.OP_SIN, ca.OP_COS, ca.OP_TAN, ca.OP_ASIN, ca.OP_ACOS, ca.OP_ATAN, ca.OP_ATAN2],
    *[ca.OP_SINH, ca.OP_COSH, ca.OP_TANH, ca.OP_EXP, ca.OP_LOG, ca.OP_POW, ca.OP_CONSTPOW],
}

Rows = NDArray[np.float64]


class Driven:
    """An instance under inputs that move within their limits, one sine for each."""

    def __init__(self, instance: Instance) -> None:
        self.instance = instance
        ports = [
            (n, p, s) for p in instance.interface.of("input") for n, s in zip(p.scalar_names(), p.start, strict=True)
        ]
        ports.sort(key=lambda row: TYPES.index(row[1].type))
        self.low = np.array([-np.inf if p.minimum is None else p.minimum for _, p, _ in ports])
        self.high = np.array([np.inf if p.maximum is None else p.maximum for _, p, _ in ports])
        given = STARTS.get(instance.interface.name, {})
        self.middle = np.array([float(given.get(n, s)) for n, _, s in ports])  # type: ignore[arg-type]
        self.values = np.zeros(len(ports))
        self.size = SWING.get(instance.interface.name, 1.0) * (0.5 + 0.1 * np.abs(self.middle))
        self.outputs = [n for p in instance.interface.of("output", "local") for n in p.scalar_names()]
        self.write = instance.writer([n for n, _, _ in ports], self.values)
        self.step = instance.stepper()

    def begin(self) -> Rows:
        self.instance.initialize(0.0, STARTS.get(self.instance.interface.name, {}))
        self.instance.start()
        return np.array(self.instance.get(self.outputs))

    def run(self, first: int, last: int) -> Rows:
        """The outputs after each step."""
        rows = []
        for k in range(first, last):
            swing = np.sin(3.0 * k * H * (1.0 + np.arange(len(self.values))))
            self.values[:] = np.clip(self.middle + self.size * swing, self.low, self.high)
            assert self.write() == 0
            assert self.step(k * H, H) == 0, self.instance.messages()
            rows.append(self.instance.get(self.outputs))
        return np.array(rows)

    def whole(self) -> Rows:
        return np.vstack([self.begin(), self.run(0, STEPS)])


@pytest.fixture(params=sorted(BLOCKS))
def block(request: pytest.FixtureRequest) -> type[Block]:
    return BLOCKS[request.param]


@pytest.fixture
def fmu(block: type[Block]) -> Iterator[FmuInstance]:
    instance = open_fmu(build(block), "fmu")
    yield instance
    instance.close()


def without_compiler(block: type[Block], name: str) -> Instance:
    return ScriptInstance(block, name) if issubclass(block, Script) else InterpretedInstance(block, name)


class FromC(Driven):
    """A script as a master in C reads, writes and steps it."""

    def __init__(self, instance: ScriptInstance) -> None:
        super().__init__(instance)
        at = instance.addresses()
        names = [n for p in sorted(instance.interface.of("input"), key=by_type) for n in p.scalar_names()]
        kinds = [p.type for p in sorted(instance.interface.of("input"), key=by_type) for _ in range(p.size)]
        bound = []
        for kind in TYPES:
            place = [i for i, k in enumerate(kinds) if k == kind]
            if place:
                mine, references = self.values[place[0] : place[-1] + 1], instance.references([names[i] for i in place])
                bound.append(exchange_call(at.set[kind], at.component, references, mine, kind, get=False))
        self.write = lambda: max(call() for call in bound)
        self.step = step_call(at.do_step, at.component)
        self.read_kinds = {n: p.type for p in instance.interface.ports for n in p.scalar_names()}

    def run(self, first: int, last: int) -> Rows:
        rows = super().run(first, last)
        assert isinstance(self.instance, ScriptInstance)
        at = self.instance.addresses()
        for i, name in enumerate(self.outputs):
            value, kind = np.zeros(1), self.read_kinds[name]
            call = exchange_call(at.get[kind], at.component, self.instance.references([name]), value, kind, get=True)
            assert call() == 0 and value[0] == rows[-1, i]
        return rows


def by_type(port: Port) -> int:
    return TYPES.index(port.type)


def other_back_end(block: type[Block]) -> Driven:
    """Without the zip: the compiled block, or the script as C sees it."""
    return FromC(ScriptInstance(block, "c")) if issubclass(block, Script) else Driven(native_instance(block, "native"))


def is_exact(block: type[Block]) -> bool:
    """Whether all that is computed is rounded as IEEE 754 says: no integration, no function of a library."""
    model = block.model()
    if model.c is not None:
        return False  # nobody knows what its C text calls
    if model.is_script:
        return True  # the same Python everywhere
    functions = [f for f in (model.out, model.update) if f is not None]
    used = {f.instruction_id(i) for f in functions for i in range(f.n_instructions())}
    return not model.x and not used & ROUNDED


def assert_agree(a: Rows, b: Rows, *, exact: bool) -> None:
    if exact:
        np.testing.assert_array_equal(a, b)
    else:
        scale = np.maximum(np.abs(a).max(axis=0), 1e-300)
        assert np.max(np.abs(a - b) / scale) <= SMOOTH


def test_the_table_is_that_of_the_command_list() -> None:
    assert {"SingleTrack", "PID", "Step", "FirstOrderLag"} <= set(BLOCKS)
    assert {"RayMarch", "Elevation"} <= {name for name, block in BLOCKS.items() if kind_of(block) == "kernel"}
    exact = {name for name, block in BLOCKS.items() if is_exact(block)}
    assert {"Step", "PID", "TransportDelay", "Saturation"} <= exact
    assert not {"Sine", "Integrator", "SingleTrack", "RayMarch"} & exact


def test_outputs_are_finite_at_the_start_values_or_it_is_a_kernel(block: type[Block]) -> None:
    if kind_of(block) == "kernel":
        with pytest.raises(BuildError, match=rf"{block.__name__} is a kernel, and its \w+\.c cannot be interpreted"):
            InterpretedInstance(block, "a")
        return
    first = Driven(without_compiler(block, "a")).begin()
    assert np.isfinite(first).all()


@pytest.mark.compiler
def test_the_back_ends_that_it_has_agree(block: type[Block], fmu: FmuInstance) -> None:
    other = other_back_end(block)
    try:
        a, b = (d.whole() for d in (other, Driven(fmu)))
    finally:
        other.instance.close()
    assert np.isfinite(a).all()
    assert np.ptp(a, axis=0).any() or block in (Constant, FlatRoad, FlatSoil), "nothing moved, so nothing was compared"
    np.testing.assert_array_equal(a, b, "they are the same library, or the same Python")
    if kind_of(block) != "kernel":
        c = Driven(without_compiler(block, "interpreted")).whole()
        assert_agree(c, a, exact=is_exact(block))


def facts(interface: Interface) -> Any:
    """What a description must carry over: of integers and truth values FMI knows no unit."""
    ports = {
        p.name: (p.causality, p.variability, p.type, p.shape, p.start, p.minimum, p.maximum, p.description)
        for p in interface.ports
    }
    units = {p.name: p.quantity for p in interface.ports if p.type == "Real"}
    kind = (interface.period, interface.sampled, interface.integrates, interface.fresh_read)
    return ports, units, kind, interface.interpolates, interface.directional


@pytest.mark.compiler
def test_the_description_is_valid_and_says_what_the_block_says(block: type[Block]) -> None:
    """A build fails where the validator of FMPy finds anything (../export/test_package.py)."""
    ours, theirs = block.interface(), read_description(build(block)).interface
    assert facts(theirs) == facts(ours)
    assert theirs.feedthrough == ours.feedthrough


@pytest.mark.compiler
@pytest.mark.parametrize("block", WITH_STATE, indirect=True)
def test_a_serialized_state_continues_in_another_instance(block: type[Block], fmu: FmuInstance) -> None:
    half = STEPS // 2
    driven = Driven(fmu)
    driven.begin()
    driven.run(0, half)
    state = fmu._slave.getFMUstate()
    blob = fmu._slave.serializeFMUstate(state)
    fmu._slave.freeFMUstate(state)
    wanted = driven.run(half, STEPS)

    other = open_fmu(build(block), "other")
    try:
        continued = Driven(other)
        continued.begin()
        state = other._slave.deSerializeFMUstate(blob)
        other._slave.setFMUstate(state)
        other._slave.freeFMUstate(state)
        np.testing.assert_array_equal(continued.run(half, STEPS), wanted)
    finally:
        other.close()


@pytest.mark.compiler
def test_a_reset_instance_is_a_fresh_one(fmu: FmuInstance) -> None:
    driven = Driven(fmu)
    fresh = driven.whole()
    fmu._slave.reset()
    np.testing.assert_array_equal(driven.whole(), fresh)


class Drifting(Continuous):
    """Integrates its input; what the comparisons above must not take for another."""

    u = Input("1", "signal")
    x = State(0.0, "1", "integral")
    y = Output("1", "integral")

    def derivatives(self) -> dict[str, Any]:
        return {"x": 1.0 + self.u}

    def outputs(self) -> dict[str, Any]:
        return {"y": self.x}


def test_a_difference_is_seen() -> None:
    rows = Driven(InterpretedInstance(Drifting, "a")).whole()
    other = rows * (1.0 + 3e-12)
    for exact in (True, False):
        assert_agree(rows, rows, exact=exact)
        with pytest.raises(AssertionError):
            assert_agree(rows, other, exact=exact)


@pytest.mark.compiler
def test_without_the_state_or_the_reset_it_would_not_continue() -> None:
    instance = open_fmu(build(Drifting), "a")
    driven = Driven(instance)
    driven.begin()
    fresh = driven.run(0, 5)
    again = driven.run(0, 5)
    instance.close()
    assert not np.array_equal(fresh, again)
