"""Model exchange of blocks that calculate parameters and start values, or stand under guards."""

import ctypes
import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import fmpy
import numpy as np
import pytest
from fmpy.fmi1 import FMICallException
from fmpy.fmi2 import FMU2Model
from lxml import etree

from drawbar.blocks import Continuous, Derived, Input, Output, Parameter, Sampled, State, sqrt
from drawbar.blocks.authoring.block import Block
from drawbar.fmus.backends.instance import open_fmu
from drawbar.fmus.backends.interpreted import InterpretedInstance
from drawbar.fmus.backends.native import native_instance
from drawbar.fmus.export.package import build
from drawbar.fmus.export.write_description import write_description
from drawbar.fmus.loading.description import read_description

pytestmark = pytest.mark.compiler

ERROR = 3


class Hung(Continuous, step=1e-3):
    """A mass on a spring that hardens, begun in equilibrium; a lag behind it begins at what it follows."""

    load = Input("N", "pulls downwards", start=9.0)
    mass = Parameter(2.0, "kg", "mass", min=0.1)
    soft = Parameter(3.0, "N/m", "linear rate of the spring", tunable=True)
    hard = Derived("N/m3", "cubic rate")
    twice = Derived("kg", "two masses")
    drop = State(0.5, "m", "drop", solve=True)
    rate = State(0.0, "m/s", "its rate")
    felt = State(0.0, "N", "lags behind the load")
    force = Output("N", "of the spring")

    def derived(self) -> dict[str, Any]:
        return {"hard": 2.0 * sqrt(self.soft), "twice": 2.0 * self.mass}

    def initial(self) -> dict[str, Any]:
        return {"felt": self.load * self.twice}

    def spring(self) -> Any:
        return self.soft * self.drop + self.hard * self.drop**3

    def residuals(self) -> dict[str, Any]:
        return {"balance": self.load - self.spring()}

    def derivatives(self) -> dict[str, Any]:
        pull = self.load - self.spring() - self.rate
        return {"drop": self.rate, "rate": pull / self.mass, "felt": self.load * self.twice - self.felt}

    def outputs(self) -> dict[str, Any]:
        return {"force": self.spring()}

    def guards(self) -> dict[str, Any]:
        return {"spring in range": (self.drop < 2.0, "pull less"), "spring soft": self.hard < 100.0}


class Counted(Sampled, period="1/2"):
    """Adds what it reads, begins at a multiple of a parameter, and stands under a guard."""

    u = Input("1", "signal")
    k = Parameter(2.0, "1", "tunable", tunable=True)
    factor = Derived("1", "three times k")
    total = State(0.0, "1", "sum")
    seen = Output("1", "sum before the sample")

    def derived(self) -> dict[str, Any]:
        return {"factor": 3.0 * self.k}

    def initial(self) -> dict[str, Any]:
        return {"total": self.factor}

    def outputs(self) -> dict[str, Any]:
        return {"seen": self.total}

    def update(self) -> dict[str, Any]:
        return {"total": self.total + self.factor * self.u}

    def guards(self) -> dict[str, Any]:
        return {"input in range": self.u < 5.0}


class Root(Continuous):
    """A state whose square is the input, on the branch of its start value; a root of a parameter."""

    u = Input("1", "square", start=4.0)
    k = Parameter(9.0, "1", "tunable", tunable=True)
    root = Derived("1", "root of k")
    x = State(1.0, "1", "root of u", solve=True, output=True)

    def derived(self) -> dict[str, Any]:
        return {"root": sqrt(self.k)}

    def residuals(self) -> dict[str, Any]:
        return {"square": self.x**2 - self.u}

    def derivatives(self) -> dict[str, Any]:
        return {"x": self.root - self.x}


class FMU2Live(FMU2Model):
    """An instance for model exchange, read and set by name."""

    def __init__(self, block: type[Block]) -> None:
        self.host = open_fmu(build(block), "host")  # gives the logger
        self.description = read_description(build(block))
        super().__init__(
            guid=self.description.guid,
            unzipDirectory=str(self.description.folder),
            modelIdentifier=self.description.identifier,
            instanceName="fmu",
        )
        self.instantiate(callbacks=self.host._callbacks)
        self.setupExperiment(startTime=0.0)

    def start(self, *, continuous: bool = False) -> None:
        self.enterInitializationMode()
        self.exitInitializationMode()
        if continuous:
            self.enterContinuousTimeMode()

    def references(self, names: tuple[str, ...]) -> list[int]:
        return [self.description.scalars[n].reference for n in names]

    def read(self, *names: str) -> list[float]:
        return list(self.getReal(self.references(names)))

    def write(self, **values: float) -> None:
        self.setReal(self.references(tuple(values)), list(values.values()))

    def states(self) -> list[float]:
        return self._vector(self.fmi2GetContinuousStates)

    def rates(self) -> list[float]:
        return self._vector(self.fmi2GetDerivatives)

    def go(self, *values: float) -> None:
        self.fmi2SetContinuousStates(self.component, (ctypes.c_double * len(values))(*values), len(values))

    def _vector(self, function: Any) -> list[float]:
        n = len([name for name in self.description.scalars if name.startswith("der(")])
        array = (ctypes.c_double * n)()
        function(self.component, array, n)
        return list(array)

    def saved(self) -> bytes:
        state = self.getFMUstate()
        data = bytes(self.serializeFMUstate(state))
        self.freeFMUstate(state)
        return data

    def restore(self, data: bytes) -> None:
        state = self.deSerializeFMUstate(data)
        self.setFMUstate(state)
        self.freeFMUstate(state)


@contextmanager
def live(block: type[Block]) -> Iterator[FMU2Live]:
    fmu = FMU2Live(block)
    try:
        yield fmu
    finally:
        fmu.freeInstance()
        fmu.host.close()


@contextmanager
def refused(fmu: FMU2Live, said: str) -> Iterator[None]:
    with pytest.raises(FMICallException) as caught:
        yield
    assert caught.value.status == ERROR
    assert fmu.host.messages()[-1] == said


def equilibrium(load: float, soft: float) -> float:
    """The real root of soft d + hard d^3 = load, by numpy."""
    roots = np.roots([2.0 * math.sqrt(soft), 0.0, soft, -load])
    return float(roots[np.abs(roots.imag) < 1e-9][0].real)


def test_initial_unknowns_are_all_that_is_calculated_each_from_what_is_known() -> None:
    description = fmpy.read_model_description(str(build(Hung)))
    found = {u.variable.name: {d.name for d in u.dependencies} for u in description.initialUnknowns}
    assert found == {
        "force": {"load", "soft"},
        "hard": {"soft"},
        "twice": {"mass"},
        "drop": {"load", "soft"},
        "felt": {"load", "mass"},
        "der(drop)": {"rate"},
        "der(rate)": {"load", "rate", "soft", "mass"},
        "der(felt)": {"load", "mass"},
    }
    running = {u.variable.name: {d.name for d in u.dependencies} for u in description.derivatives}
    assert running == {"der(drop)": {"rate"}, "der(rate)": {"load", "drop", "rate"}, "der(felt)": {"load", "felt"}}


def test_the_importer_is_told_to_complete_its_steps_only_where_that_is_asked_for() -> None:
    for block, needless in ((Hung, "false"), (Counted, "true"), (Root, "true")):
        root = etree.fromstring(write_description(block.model(), "").encode())
        assert root.find("ModelExchange").get("completedIntegratorStepNotNeeded") == needless


def test_start_values_are_calculated_whichever_call_asks_for_them() -> None:
    calls = [
        lambda fmu: fmu.states(),
        lambda fmu: fmu.read("drop", "rate", "felt"),
        lambda fmu: (fmu.rates(), fmu.read("drop", "rate", "felt"))[1],
        lambda fmu: (fmu.read("der(rate)"), fmu.states())[1],
    ]
    for call in calls:
        with live(Hung) as fmu:
            fmu.enterInitializationMode()
            fmu.write(load=9.0)
            assert call(fmu) == pytest.approx([equilibrium(9.0, 3.0), 0.0, 36.0], rel=1e-12)
            fmu.write(load=4.0, soft=5.0)
            assert call(fmu) == pytest.approx([equilibrium(4.0, 5.0), 0.0, 16.0], rel=1e-12)
            fmu.exitInitializationMode()
            assert call(fmu) == pytest.approx([equilibrium(4.0, 5.0), 0.0, 16.0], rel=1e-12)
            assert fmu.rates() == pytest.approx([0.0, 0.0, 0.0], abs=1e-12)


def test_the_derivative_of_a_solved_state_is_not_read_before_the_solution() -> None:
    """Negative control: the rate at the guess is another."""
    with live(Hung) as fmu:
        fmu.enterInitializationMode()
        assert fmu.read("der(rate)") == pytest.approx([0.0], abs=1e-12)
        guess = (9.0 - 3.0 * 0.5 - 2.0 * math.sqrt(3.0) * 0.5**3) / 2.0
        assert abs(guess) > 3.0


def test_calculated_parameters_follow_a_tunable_one_within_an_event() -> None:
    for call in (lambda u: u.rates()[1], lambda u: u.read("der(rate)")[0]):
        with live(Hung) as fmu:
            fmu.start()
            fmu.write(soft=4.0)
            drop = equilibrium(9.0, 3.0)
            assert call(fmu) == pytest.approx((9.0 - 4.0 * drop - 4.0 * drop**3) / 2.0, rel=1e-12)
            assert fmu.read("hard") == [4.0]


def test_no_solution_ends_initialization_with_the_words_of_co_simulation() -> None:
    for call in (lambda u: u.rates(), lambda u: u.states(), lambda u: u.exitInitializationMode()):
        with live(Root) as fmu:
            fmu.write(u=-1.0)
            fmu.enterInitializationMode()
            with pytest.raises(FMICallException):
                call(fmu)
            assert fmu.host.messages()[-1].startswith("Root 'fmu': no start value found for 'x'")


def test_a_guard_fails_the_completed_step_of_the_integrator() -> None:
    with live(Hung) as fmu:
        fmu.start(continuous=True)
        fmu.setTime(0.25)
        fmu.go(1.9, 0.0, 0.0)
        assert fmu.completedIntegratorStep() == (False, False), "the control: it holds"
        fmu.go(2.5, 0.0, 0.0)
        fmu.rates()  # a trial of the solver is free to leave the range
        with refused(
            fmu, "Hung 'fmu': guard 'spring in range' failed at t = 0.25 s: the value 2.5 must be below 2; pull less"
        ):
            fmu.completedIntegratorStep()


def test_a_guard_reads_calculated_parameters_that_belong_to_the_others() -> None:
    with live(Hung) as fmu:
        fmu.start()
        fmu.write(soft=2601.0)
        fmu.enterContinuousTimeMode()
        said = "Hung 'fmu': guard 'spring soft' failed at t = 0 s: the value 102 must be below 100"
        with refused(fmu, said):
            fmu.completedIntegratorStep()


def test_guards_of_a_sampled_block_are_checked_at_its_samples() -> None:
    with live(Counted) as fmu:
        fmu.start()
        fmu.write(u=1.0)
        fmu.setTime(0.5)
        fmu.newDiscreteStates()
        assert fmu.read("seen", "total") == [6.0, 12.0], "begun at three times k; the first sample read 0"
        fmu.write(k=1.0)
        fmu.setTime(1.0)
        fmu.newDiscreteStates()
        assert fmu.read("seen", "total", "factor") == [12.0, 15.0, 3.0]
        fmu.write(u=7.0)
        fmu.enterContinuousTimeMode()
        fmu.setTime(1.2)
        assert fmu.completedIntegratorStep() == (False, False), "between samples nothing is read"
        fmu.enterEventMode()
        fmu.newDiscreteStates()
        fmu.setTime(1.5)
        with refused(fmu, "Counted 'fmu': guard 'input in range' failed at t = 1.5 s: the value 7 must be below 5"):
            fmu.newDiscreteStates()


def test_a_state_saved_before_the_solution_keeps_the_guess() -> None:
    with live(Root) as fmu, live(Root) as other:
        fmu.write(x=-3.0)
        fmu.enterInitializationMode()
        guessed = fmu.saved()
        assert fmu.states() == pytest.approx([-2.0], rel=1e-12)
        solved = fmu.saved()
        for data in (guessed, solved):
            other.restore(data)
            assert other.saved() == data
            assert other.states() == pytest.approx([-2.0], rel=1e-12), "on the branch of the guess"
            other.write(u=16.0)
            assert other.states() == pytest.approx([-4.0], rel=1e-12)
            other.exitInitializationMode()
        other.reset()
        other.setupExperiment(startTime=0.0)
        other.start()
        assert other.states() == pytest.approx([2.0], rel=1e-12), "the control: on the branch of the declaration"


def test_a_state_saved_between_a_parameter_and_what_follows_from_it_catches_up() -> None:
    with live(Root) as fmu, live(Root) as other:
        fmu.start()
        fmu.write(k=25.0)
        data = fmu.saved()
        other.restore(data)
        assert other.rates() == pytest.approx([5.0 - 2.0], rel=1e-12)
        assert fmu.rates() == other.rates()
        assert fmu.saved() == other.saved()


def test_a_calculated_parameter_that_is_no_number_is_saved_as_long_as_it_is_out_of_date() -> None:
    with live(Root) as fmu, live(Root) as other:
        fmu.start()
        fmu.write(k=-1.0)
        with refused(fmu, "Root 'fmu': 'root' is nan; check the parameters that it is calculated from"):
            fmu.rates()
        other.restore(fmu.saved())
        with pytest.raises(FMICallException):
            other.rates()
        other.write(k=4.0)
        assert other.rates() == pytest.approx([0.0], abs=1e-12)


def test_calculated_and_solved_states_can_be_set_one_by_one_in_continuous_time_mode_only() -> None:
    with live(Hung) as fmu:
        fmu.start()
        for name in ("drop", "felt"):
            with refused(fmu, f"Hung: '{name}' cannot be set after initialization"):
                fmu.write(**{name: 1.0})
        fmu.enterContinuousTimeMode()
        fmu.write(drop=1.5, felt=7.0)
        assert fmu.states() == [1.5, 0.0, 7.0]
        assert fmu.read("force") == pytest.approx([3.0 * 1.5 + 2.0 * math.sqrt(3.0) * 1.5**3], rel=1e-14)
        with refused(fmu, "Hung: 'hard' cannot be set in continuous-time mode"):
            fmu.write(hard=1.0)
    with live(Hung) as fmu:
        fmu.write(felt=7.0)
        fmu.enterInitializationMode()
        assert fmu.states()[2] == 36.0, "the control: before, the block gives it"


def test_cvode_and_our_own_steps_agree_from_the_calculated_start() -> None:
    signal = np.array([(0.0, 9.0), (1.0, 9.0), (1.0, 5.0), (4.0, 5.0)], dtype=[("time", float), ("load", float)])
    rows = {}
    for kind in ("ModelExchange", "CoSimulation"):
        solver = {"solver": "CVode", "relative_tolerance": 1e-9} if kind == "ModelExchange" else {}
        options = {"stop_time": 4.0, "output_interval": 0.1, "record_events": False, "input": signal, **solver}
        found = fmpy.simulate_fmu(str(build(Hung)), fmi_type=kind, output=["drop", "felt", "force"], **options)
        rows[kind] = np.array([list(row) for row in found])
    assert rows["ModelExchange"].shape == rows["CoSimulation"].shape == (41, 4)
    assert np.abs(rows["ModelExchange"] - rows["CoSimulation"]).max() < 2e-6
    assert np.ptp(rows["CoSimulation"][:11, 1]) < 1e-12, "at rest until the load changes"
    assert np.ptp(rows["CoSimulation"][:, 1]) > 0.2


@pytest.mark.parametrize(
    "make", [InterpretedInstance, native_instance, lambda block, name: open_fmu(build(block), name)]
)
def test_directional_derivatives_read_calculated_parameters_and_wait_for_start_values(make: Any) -> None:
    seed, result = np.array([1.0]), np.zeros(1)
    fmu = make(Hung, "a")
    fmu.initialize(0.0, {})
    call = fmu.directional(["force"], ["drop"], seed, result)
    assert call() == ERROR
    early = "Hung: fmi2GetDirectionalDerivative: not in initialization mode, where states follow from inputs"
    assert fmu.messages()[-1] == early
    fmu.start()
    value = np.array([4.0])
    assert fmu.writer(["soft"], value)() == 0
    assert call() == 0, "before anything else is read"
    assert result[0] == pytest.approx(4.0 + 3.0 * 4.0 * equilibrium(9.0, 3.0) ** 2, rel=1e-12)
    fmu.close()
