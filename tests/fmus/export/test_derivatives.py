"""Directional derivatives of our FMUs: exact, legal pairs only, for every block that comes with Drawbar."""

import ctypes
import runpy
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import casadi as ca
import numpy as np
import pytest
from numpy.typing import NDArray

from drawbar.blocks import Continuous, FmuError, Input, Local, Output, Parameter, State, mtimes, sin
from drawbar.blocks.authoring.block import Block
from drawbar.blocks.authoring.registry import block_classes
from drawbar.blocks.core.units import parse_unit
from drawbar.blocks.signals.unit_delay import UnitDelay
from drawbar.fmus.backends.instance import FmuInstance, Instance, open_fmu
from drawbar.fmus.backends.interpreted import InterpretedInstance
from drawbar.fmus.backends.native import native_instance
from drawbar.fmus.export.derivatives import jvp, per_second, state_derivatives
from drawbar.fmus.export.package import build

BLOCKS = {name: block for name, block in block_classes().items() if block.__module__.startswith("drawbar.blocks.")}
CONTINUOUS = sorted(name for name, block in BLOCKS.items() if issubclass(block, Continuous))
LEVEL = ("PlanarRover", "SingleWheelTester")  # they refuse a slope
STARTS = runpy.run_path(str(Path(__file__).parents[1] / "somewhere.py"))["STARTS"]
OK, ERROR = 0, 3
BACK_ENDS: list[Any] = [
    "interpreted",
    *[pytest.param(kind, marks=pytest.mark.compiler) for kind in ("native", "fmu")],
]

Matrix = NDArray[np.float64]


class Arrays(Continuous):
    """Arrays, whole numbers and truth values on both sides."""

    force = Input("N", "forces", size=2, start=[0.3, -0.2])
    gear = Input("1", "whole number", type=int, start=2)
    k = Parameter([[3.0, 0.5], [0.1, 2.0]], "1", "matrix", size=(2, 2))
    x = State([[0.1, 0.2], [0.3, 0.4]], "m", "states", size=(2, 2), output=True)
    hidden = State(1.5, "1", "a state that is no output")
    pull = Output("N", "forces", size=2)
    whole = Output("1", "whole number", type=int)
    between = Local("1", "a local")

    def derivatives(self) -> dict[str, Any]:
        return {"x": mtimes(self.k, self.x) * sin(self.force[0]) * self.gear, "hidden": self.x[0, 1] * self.force[1]}

    def outputs(self) -> dict[str, Any]:
        pull = mtimes(self.k, self.force) * self.hidden**2 * self.time
        return {"pull": pull, "whole": self.gear, "between": self.hidden}


FELT = (
    "steering_wheel",
    "drive[1]",
    "drive[4]",
    "external_force[2]",
    "external_moment[3]",
)  # inputs of a car that make it move
FELT_BY = {"HmmwvRig": tuple(f"wheel_force[{i}]" for i in range(1, 5))}  # of others


def live(kind: str, block: type[Block]) -> Instance:
    if kind == "interpreted":
        return InterpretedInstance(block, "a")
    return native_instance(block, "a") if kind == "native" else open_fmu(build(block), "a")


def pairs(block: type[Block]) -> tuple[list[str], list[str]]:
    """The legal unknowns and knowns."""
    model = block.model()
    outputs = [n for p in model.interface.of("output") if p.type == "Real" for n in p.scalar_names()]
    states = [n for p in model.x for n in p.scalar_names()]
    inputs = [n for p in model.u if p.type == "Real" for n in p.scalar_names()]
    return outputs + [rate.name for rate in state_derivatives(model)], states + inputs


def jacobian(instance: Instance, unknowns: list[str], knowns: list[str]) -> Matrix:
    """Column by column, from directional derivatives."""
    seed, result = np.zeros(len(knowns)), np.zeros(len(unknowns))
    call, columns = instance.directional(unknowns, knowns, seed, result), []
    for i in range(len(knowns)):
        seed[:] = 0.0
        seed[i] = 1.0
        assert call() == OK, instance.messages()
        columns.append(result.copy())
    return np.array(columns).reshape(len(knowns), len(unknowns)).T


def values(block: type[Block], time: float, at: dict[str, float]) -> Callable[..., list[Any]]:
    """The unknowns of a block by its equations, as a function of a change of one known."""
    model = block.model()

    def of(group: Any, changed: dict[str, float]) -> list[float]:
        return [changed[n] for port in group for n in port.scalar_names()]

    def evaluate(name: str, change: float) -> list[float]:
        changed = {**at, name: at[name] + change}
        arguments = (time, *(of(group, changed) for group in (model.x, model.z, model.u, model.p)))
        results = dict(changed)
        for function, group in ((model.out, [n for p in model.y for n in p.scalar_names()]),):
            if function is not None:
                results.update(zip(group, np.array(function(*arguments)).ravel(), strict=True))
        if model.ode is not None:
            rates = [rate.name for rate in state_derivatives(model)]
            results.update(zip(rates, np.array(model.ode(*arguments)).ravel(), strict=True))
        return [results[n] for n in pairs(block)[0]]

    return evaluate


def somewhere(block: type[Block]) -> dict[str, float]:
    """All scalars of a block, away from the points where its equations have a corner."""
    model = block.model()
    start = {n: float(v) for p in model.ports for n, v in zip(p.scalar_names(), p.start or [0.0] * p.size, strict=True)}
    start |= STARTS.get(block.__name__, {})
    offset = {p.name: 0.05 + 0.01 * i for i, p in enumerate((*model.u, *model.x)) if p.type == "Real"}
    if block.__name__ in LEVEL:
        offset = {name: by for name, by in offset.items() if not name.endswith((".point", ".normal"))}
    return {n: v + offset.get(n.partition("[")[0], 0.0) for n, v in start.items()}


def set_up(instance: Instance, block: type[Block], time: float, at: dict[str, float]) -> None:
    model = block.model()
    instance.initialize(time, {n: at[n] for p in (*model.u, *model.x, *model.p) for n in p.scalar_names()})
    instance.start()


def driven(instance: Instance, block: type[Block], time: float) -> dict[str, float]:
    """All scalars after a while, of a block that finds its own start: it cannot be set anywhere."""
    names = [n for p in block.model().ports for n in p.scalar_names()]
    inputs = {n: v for n, v in somewhere(block).items() if n in FELT_BY.get(block.__name__, FELT)}
    instance.initialize(time - 0.25, STARTS.get(block.__name__, {}) | ({"speed": 10.0} if "speed" in names else {}))
    instance.start()
    instance.set(inputs)
    while_it_moves = 0.03 if block.__name__ == "HmmwvRig" else 0.25  # a damper at rest has a corner
    assert instance.stepper()(time - 0.25, while_it_moves) == OK, instance.messages()
    return dict(zip(names, instance.get(names), strict=True))


# the FMU of each block holds the very library that runs natively (../backends/test_catalogue.py)
CASES = [
    pytest.param(
        block, kind, marks=() if kind == "interpreted" else pytest.mark.compiler, id=f"{block.__name__}-{kind}"
    )
    for block in (Arrays, *[BLOCKS[n] for n in CONTINUOUS])
    for kind in ("interpreted", "native", *(["fmu"] if block is Arrays else []))
]


@pytest.mark.parametrize(("block", "kind"), CASES)
def test_derivatives_are_those_of_the_equations(block: type[Block], kind: str) -> None:
    """Against CasADi's Jacobian to rounding, and against central differences to their error."""
    unknowns, knowns = pairs(block)
    at, model, time = somewhere(block), block.model(), 0.25
    instance = live(kind, block)
    assert instance.interface.directional
    if (begin := model.initialization) is not None and begin.solved:
        at = driven(instance, block, time)
    else:
        set_up(instance, block, time, at)
        if begin is not None:  # a state that has its start from others
            states = [n for p in model.x for n in p.scalar_names()]
            at |= dict(zip(states, instance.get(states), strict=True))
    found = jacobian(instance, unknowns, knowns)
    instance.close()

    evaluate, h = values(block, time, at), 1e-6
    # of a vehicle that stands level, the point nearest to the ground is another one on either side of this state
    smooth = [name != "ground_clearance" for name in unknowns]
    for i, name in enumerate(knowns):
        ahead, behind = (np.array(evaluate(name, change))[smooth] for change in (h, -h))
        slope = (ahead - behind) / (2.0 * h)
        rounding = 1e-14 * np.abs(ahead).max() / h
        np.testing.assert_allclose(
            found[smooth, i], slope, rtol=1e-5, atol=1e-5 * max(1.0, np.abs(slope).max()) + rounding, err_msg=name
        )

    arguments = [time, *([at[n] for p in g for n in p.scalar_names()] for g in (model.x, model.z, model.u, model.p))]
    states, inputs = ([n for p in group for n in p.scalar_names()] for group in (model.x, model.u))
    names = {model.out: [n for p in model.y for n in p.scalar_names()]}
    names |= {model.ode: [rate.name for rate in state_derivatives(model)]}
    for function, rows in names.items():
        for argument, columns in ((1, states), (3, inputs)):
            if function is None or not columns:
                continue
            symbols = function.sx_in()
            exact = ca.Function("J", symbols, [ca.jacobian(function(*symbols), symbols[argument])])(*arguments)
            largest = np.abs(exact.full()).max(axis=1)  # of a row, whose small entries are what is left of large ones
            for r, row in enumerate(rows):
                for c, column in enumerate(columns):
                    if row in unknowns and column in knowns:
                        given = found[unknowns.index(row), knowns.index(column)]
                        assert given == pytest.approx(float(exact[r, c]), rel=1e-11, abs=max(1e-15 * largest[r], 1e-12))


def test_the_comparison_covers_the_catalogue() -> None:
    assert {"SingleTrack", "StateSpace", "TransferFunction", "Product", "Sine"} <= set(CONTINUOUS)
    assert jvp(BLOCKS["Sine"].model()) is None, "it has neither inputs nor states"
    assert {n for n in BLOCKS if BLOCKS[n].interface().directional} == set(CONTINUOUS)


@pytest.mark.parametrize("kind", BACK_ENDS)
def test_a_seed_is_a_direction(kind: str) -> None:
    """The product of the Jacobian and any seed, with knowns in any order; an unknown that is known changes with it."""
    unknowns, knowns = pairs(Arrays)
    instance = live(kind, Arrays)
    set_up(instance, Arrays, 0.25, somewhere(Arrays))
    whole = jacobian(instance, unknowns, knowns)
    seed, result = np.arange(1.0, len(knowns) + 1.0), np.zeros(len(unknowns))
    assert instance.directional(unknowns, knowns[::-1], seed, result)() == OK
    np.testing.assert_allclose(result, whole @ seed[::-1], rtol=1e-13)
    one = np.zeros(1)
    assert instance.directional(["x[2,1]"], ["x[2,1]", "force[1]"], np.array([3.0, 5.0]), one)() == OK
    assert one == 3.0
    instance.close()


@pytest.mark.parametrize("kind", BACK_ENDS)
@pytest.mark.parametrize(
    ("unknown", "known", "why"),
    [
        ("pull[1]", "k[1,1]", r"by 'k\[1,1\]'; only inputs and continuous states are knowns"),
        ("pull[1]", "pull[2]", r"by 'pull\[2\]'; only inputs and continuous states are knowns"),
        ("pull[1]", "der(hidden)", r"by 'der\(hidden\)'; only inputs and continuous states are knowns"),
        ("between", "force[1]", "of 'between'; only outputs and derivatives of states are unknowns"),
        ("hidden", "force[1]", "of 'hidden'; only outputs and derivatives of states are unknowns"),
        ("force[2]", "force[1]", r"of 'force\[2\]'; only outputs and derivatives of states are unknowns"),
    ],
)
def test_pairs_that_are_none_are_refused(kind: str, unknown: str, known: str, why: str) -> None:
    import re

    instance = live(kind, Arrays)
    set_up(instance, Arrays, 0.0, somewhere(Arrays))
    assert instance.directional([unknown], [known], np.ones(1), np.zeros(1))() == ERROR
    assert re.fullmatch(f"Arrays: fmi2GetDirectionalDerivative: {why}", instance.messages()[-1])
    for pair in (([unknown], ["gear"]), (["whole"], ["force[1]"])):
        with pytest.raises(FmuError, match="is of type Integer; only Real variables have derivatives"):
            instance.directional(*pair, np.ones(1), np.zeros(1))
    instance.close()


@pytest.mark.parametrize("kind", BACK_ENDS)
def test_a_sampled_block_gives_none(kind: str) -> None:
    instance = live(kind, UnitDelay)
    with pytest.raises(FmuError, match="part 'a': it gives no directional derivatives"):
        instance.directional(["y"], ["u"], np.zeros(1), np.zeros(1))
    instance.close()


@pytest.fixture
def arrays() -> Iterator[FmuInstance]:
    instance = open_fmu(build(Arrays), "a")
    yield instance
    instance.close()


def call(instance: FmuInstance, unknown: int, known: int) -> int:
    one = ctypes.c_uint32 * 1
    function = instance._slave.dll.fmi2GetDirectionalDerivative
    seed, result = (ctypes.c_double * 1)(1.0), (ctypes.c_double * 1)()
    sizes = [ctypes.c_size_t(1)] * 2
    component = ctypes.c_void_p(instance.addresses().component)
    return int(function(component, one(unknown), sizes[0], one(known), sizes[1], seed, result))


@pytest.mark.compiler
def test_wrong_references_and_wrong_times_are_refused(arrays: FmuInstance) -> None:
    pull, force = (int(r) for r in arrays.references(["pull[1]", "force[1]"]))
    assert call(arrays, pull, force) == ERROR
    assert "fmi2GetDirectionalDerivative is not allowed before initialization" in arrays.messages()[-1]
    arrays.initialize(0.0, {})
    assert call(arrays, pull, force) == OK
    arrays.start()
    for wrong in (99, 2**32 - 1):
        for unknown, known in ((wrong, force), (pull, wrong)):
            assert call(arrays, unknown, known) == ERROR
            assert f"value reference {wrong} is no variable of this type" in arrays.messages()[-1]
    gear, whole = (int(r) for r in arrays.references(["gear", "whole"]))
    assert call(arrays, pull, gear) == call(arrays, whole, force) == ERROR
    assert call(arrays, pull, force) == OK
    arrays._slave.terminate()
    arrays._running = False
    assert call(arrays, pull, force) == OK


@pytest.mark.compiler
def test_a_derivative_changes_nothing(arrays: FmuInstance) -> None:
    set_up(arrays, Arrays, 0.0, somewhere(Arrays))
    other = open_fmu(build(Arrays), "b")
    set_up(other, Arrays, 0.0, somewhere(Arrays))
    unknowns, knowns = pairs(Arrays)
    names = [n for p in arrays.interface.of("output", "local") for n in p.scalar_names()]
    for k in range(5):
        jacobian(arrays, unknowns, knowns)
        assert arrays.stepper()(0.1 * k, 0.1) == other.stepper()(0.1 * k, 0.1) == OK
        assert arrays.get(names) == other.get(names)
    other.close()


@pytest.mark.parametrize(
    ("unit_of_state", "rate"),
    [
        ("m", "m/s"),
        ("1", "1/s"),
        ("1/s", "1/s2"),
        ("m/s", "m/s2"),
        ("m/s2", "m/s3"),
        ("N/m", "N/(m.s)"),
        ("W/(m2.K)", "W/(m2.K.s)"),
        ("J/(kg.s2)", "J/(kg.s3)"),
        ("degC", "degC/s"),
        ("N.s", "N.s/s"),
    ],
)
def test_the_unit_of_a_rate(unit_of_state: str, rate: str) -> None:
    assert per_second(unit_of_state) == rate
    state, found, second = parse_unit(unit_of_state), parse_unit(rate), parse_unit("s")
    assert found.exponents == tuple(a - b for a, b in zip(state.exponents, second.exponents, strict=True))
    assert (found.factor, found.offset) == (state.factor, 0.0)
