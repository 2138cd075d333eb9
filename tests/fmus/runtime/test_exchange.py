"""The functions of model exchange: values, time events, and what is allowed in which mode."""

import ctypes
import runpy
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fmpy.fmi2 import FMU2Model, fmi2EventInfo

from drawbar.blocks import FmuError, Input, Output, Sampled, State, if_else
from drawbar.blocks.authoring.block import Block
from drawbar.fmus.backends.instance import FmuInstance, open_fmu
from drawbar.fmus.backends.native import native_instance
from drawbar.fmus.export.derivatives import state_derivatives
from drawbar.fmus.export.package import build
from drawbar.fmus.loading.description import read_description

pytestmark = pytest.mark.compiler

OK, DISCARD, ERROR = 0, 2, 3


Plant = runpy.run_path(str(Path(__file__).parents[1] / "plant.py"))["Plant"]


class Third(Sampled, period="1/3"):
    """Counts, and fails at its sixth sample."""

    u = Input("1", "signal")
    n = State(0.0, "1", "samples")
    seen = Output("1", "the sample")
    number = Output("1", "samples", type=int)

    def outputs(self) -> dict[str, Any]:
        return {"seen": self.u, "number": self.n}

    def update(self) -> dict[str, Any]:
        return {"n": if_else(self.n < 5.0, self.n + 1.0, 1.0 / (5.0 - self.n))}


class ExchangeFmu:
    """An FMU for model exchange: each call gives its status."""

    def __init__(self, block: type[Block]) -> None:
        # what it logs and how it is loaded is that of a co-simulation instance
        self.host = open_fmu(build(block), "host")
        self.log = self.host._log
        self.description = read_description(build(block))
        self.model = FMU2Model(
            guid=self.description.guid,
            unzipDirectory=str(self.description.folder),
            modelIdentifier=self.description.identifier,
            instanceName="fmu",
        )
        self.model.instantiate(callbacks=self.host._callbacks)
        self.nx = len(state_derivatives(block.model()))

    def __call__(self, function: str, *arguments: Any) -> int:
        return int(getattr(self.model.dll, function)(ctypes.c_void_p(self.model.component), *arguments))

    def vector(self, function: str, values: list[float] | None = None) -> tuple[int, list[float]]:
        array = (ctypes.c_double * self.nx)(*(values or []))
        return self(function, array, ctypes.c_size_t(self.nx)), list(array)

    def set_time(self, time: float) -> int:
        return self("fmi2SetTime", ctypes.c_double(time))

    def new_discrete_states(self) -> fmi2EventInfo:
        info = fmi2EventInfo()
        assert self("fmi2NewDiscreteStates", ctypes.byref(info)) == OK, self.log.messages()
        return info

    def to(self, mode: str) -> None:
        steps: dict[str, list[Callable[[], Any]]] = {
            "instantiated": [],
            "initialization": [lambda: self.model.setupExperiment(startTime=0.0), self.model.enterInitializationMode],
            "event": [self.model.exitInitializationMode],
            "continuous": [self.model.newDiscreteStates, self.model.enterContinuousTimeMode],
            "terminated": [self.model.terminate],
        }
        for name, calls in steps.items():
            for call in calls:
                call()
            if name == mode:
                return

    def reference(self, name: str) -> int:
        return self.description.scalars[name].reference

    def close(self) -> None:
        self.model.freeInstance()
        self.host.close()


@pytest.fixture
def fmu() -> Iterator[ExchangeFmu]:
    fmu = ExchangeFmu(Plant)
    yield fmu
    fmu.close()


@pytest.fixture
def third() -> Iterator[ExchangeFmu]:
    fmu = ExchangeFmu(Third)
    yield fmu
    fmu.close()


RUNNING, SEEN = {"event", "continuous"}, {"initialization", "event", "continuous", "terminated"}
ALL = {"instantiated", *SEEN}
ONE, EVENT, END = ctypes.c_size_t(1), ctypes.c_int(1), ctypes.c_int(1)
# in which modes the standard allows a call (FMI 2.0.4, section 3.2.3)
ALLOWED: dict[str, tuple[set[str], Callable[[ExchangeFmu], int]]] = {
    "fmi2EnterEventMode": (RUNNING, lambda u: u("fmi2EnterEventMode")),
    "fmi2NewDiscreteStates": ({"event"}, lambda u: u("fmi2NewDiscreteStates", ctypes.byref(fmi2EventInfo()))),
    "fmi2EnterContinuousTimeMode": ({"event"}, lambda u: u("fmi2EnterContinuousTimeMode")),
    "fmi2CompletedIntegratorStep": (
        {"continuous"},
        lambda u: u("fmi2CompletedIntegratorStep", 1, ctypes.byref(EVENT), ctypes.byref(END)),
    ),
    "fmi2SetTime": (RUNNING, lambda u: u.set_time(0.5)),
    "fmi2SetContinuousStates": ({"continuous"}, lambda u: u.vector("fmi2SetContinuousStates", [1.0, 2.0, 3.0])[0]),
    "fmi2GetContinuousStates": (SEEN, lambda u: u.vector("fmi2GetContinuousStates")[0]),
    "fmi2GetDerivatives": (SEEN, lambda u: u.vector("fmi2GetDerivatives")[0]),
    "fmi2GetNominalsOfContinuousStates": (ALL, lambda u: u.vector("fmi2GetNominalsOfContinuousStates")[0]),
    "fmi2GetEventIndicators": (SEEN, lambda u: u("fmi2GetEventIndicators", None, ctypes.c_size_t(0))),
    "fmi2Terminate": (RUNNING, lambda u: u("fmi2Terminate")),
    "fmi2DoStep": (set(), lambda u: u("fmi2DoStep", ctypes.c_double(0.0), ctypes.c_double(0.1), 1)),
    "fmi2SetRealInputDerivatives": (
        set(),
        lambda u: u(
            "fmi2SetRealInputDerivatives",
            (ctypes.c_uint32 * 1)(u.reference("u")),
            ONE,
            (ctypes.c_int * 1)(1),
            (ctypes.c_double * 1)(),
        ),
    ),
    "fmi2GetRealStatus": (set(), lambda u: u("fmi2GetRealStatus", 2, (ctypes.c_double * 1)())),
    "fmi2GetBooleanStatus": (set(), lambda u: u("fmi2GetBooleanStatus", 3, (ctypes.c_int * 1)())),
}
WHERE = {
    "instantiated": "before initialization",
    "initialization": "in initialization mode",
    "event": "in event mode",
    "continuous": "in continuous-time mode",
    "terminated": "after termination",
}


@pytest.mark.parametrize("mode", WHERE)
@pytest.mark.parametrize("function", ALLOWED)
def test_each_call_is_allowed_in_its_modes_only(fmu: ExchangeFmu, function: str, mode: str) -> None:
    allowed, call = ALLOWED[function]
    fmu.to(mode)
    if mode in allowed:
        assert call(fmu) == OK, fmu.log.messages()
    else:
        assert call(fmu) == ERROR
        what = (
            f"is not allowed {WHERE[mode]}"
            if allowed
            else "is not for model exchange, which this instance was made for"
        )
        assert fmu.log.messages()[-1] == f"Plant: {function} {what}"


@pytest.mark.parametrize(
    "function", [name for name, (modes, _) in ALLOWED.items() if modes and name != "fmi2Terminate"]
)
@pytest.mark.parametrize("running", [False, True])
def test_an_instance_for_co_simulation_refuses_the_calls_of_model_exchange(function: str, running: bool) -> None:
    instance = open_fmu(build(Plant), "a")
    instance.initialize(0.0, {})
    if running:
        instance.start()

    class Stepped(ExchangeFmu):
        def __init__(self) -> None:
            self.model, self.nx = instance._slave, 3

    assert ALLOWED[function][1](Stepped()) == ERROR
    assert instance.messages() == [f"Plant: {function} is not for co-simulation, which this instance was made for"]
    instance.close()


def test_derivatives_states_and_outputs_are_those_of_time_states_and_inputs(fmu: ExchangeFmu) -> None:
    fmu.to("continuous")
    assert fmu.vector("fmi2GetContinuousStates") == (OK, [1.0, 4.0, 9.0])
    assert fmu.vector("fmi2GetDerivatives") == (OK, [1.0, -3.0, 0.0])
    assert fmu.vector("fmi2GetNominalsOfContinuousStates") == (OK, [100.0, 100.0, 1.0])
    y, u = fmu.reference("y"), fmu.reference("u")
    assert fmu.model.getReal([y]) == [2.0 + 1.0 + 90.0]
    assert fmu.set_time(2.0) == OK
    assert fmu.model.getReal([y]) == [2.0 + 1.0 + 90.0 + 200.0]
    assert fmu.vector("fmi2SetContinuousStates", [5.0, 6.0, 16.0])[0] == OK
    assert fmu.model.getReal([y]) == [2.0 + 5.0 + 160.0 + 200.0]
    fmu.model.setReal([u], [7.0])
    assert fmu.model.getReal([y]) == [7.0 + 5.0 + 160.0 + 200.0]
    assert fmu.vector("fmi2GetDerivatives") == (OK, [3.5, -15.0, 8.0])
    names = ["der(x[1])", "x[2]", "der(w)", "der(x[2])"]
    assert fmu.model.getReal([fmu.reference(n) for n in names]) == [3.5, 6.0, 8.0, -15.0]
    fmu.model.terminate()
    assert fmu.vector("fmi2GetContinuousStates") == (OK, [5.0, 6.0, 16.0])
    fmu.model.reset()
    fmu.to("continuous")
    assert fmu.vector("fmi2GetDerivatives") == (OK, [1.0, -3.0, 0.0])


def test_derivatives_are_variables_in_co_simulation_too() -> None:
    for make in (lambda: open_fmu(build(Plant), "a"), lambda: native_instance(Plant, "b")):
        instance = make()
        instance.initialize(0.0, {"u": 4.0})
        assert instance.get(["der(x[2])", "y", "der(x[1])"]) == [-3.0, 95.0, 2.0]
        instance.start()
        assert instance.stepper()(0.0, 0.5) == OK
        x = instance.get(["x[1]"])[0]
        assert instance.get(["der(x[2])"]) == [-3.0 * x]
        with pytest.raises(FmuError, match=r"'der\(w\)' cannot be set after initialization"):
            instance.set({"der(w)": 1.0})
        instance.close()


def test_a_number_that_is_none_asks_for_a_smaller_step(fmu: ExchangeFmu) -> None:
    fmu.to("continuous")
    fmu.set_time(1.0)
    assert fmu.vector("fmi2SetContinuousStates", [1.0, float("nan"), 1.0])[0] == DISCARD
    assert fmu.log.messages()[-1] == "Plant: 'x[2]' is nan at 1 s"
    assert fmu.vector("fmi2GetContinuousStates")[1] == [1.0, 4.0, 9.0], "nothing of it was taken"
    assert fmu.vector("fmi2SetContinuousStates", [1.0, 2.0, -1.0])[0] == OK
    assert fmu.vector("fmi2GetDerivatives")[0] == DISCARD
    assert fmu.log.messages()[-1] in ("Plant: 'der(w)' is nan at 1 s", "Plant: 'der(w)' is -nan at 1 s")
    assert fmu.vector("fmi2SetContinuousStates", [1.0, 2.0, 1.0])[0] == OK
    assert fmu.vector("fmi2GetDerivatives") == (OK, [1.0, -3.0, 1.0])


@pytest.mark.parametrize("time", [float("nan"), float("inf")])
def test_a_time_that_is_none_is_refused(fmu: ExchangeFmu, time: float) -> None:
    fmu.to("event")
    assert fmu.set_time(time) == ERROR
    assert f"fmi2SetTime to {time:g} s" in fmu.log.messages()[-1]


def test_a_wrong_number_of_values_is_refused(fmu: ExchangeFmu) -> None:
    fmu.to("continuous")
    for function in ("SetContinuousStates", "GetContinuousStates", "GetDerivatives", "GetNominalsOfContinuousStates"):
        assert fmu("fmi2" + function, (ctypes.c_double * 4)(), ctypes.c_size_t(4)) == ERROR
        assert fmu.log.messages()[-1] == f"Plant: fmi2{function}: 4 values, but it has 3 continuous states"
        assert fmu("fmi2" + function, None, ctypes.c_size_t(3)) == ERROR
    assert fmu("fmi2GetEventIndicators", (ctypes.c_double * 1)(), ONE) == ERROR
    assert fmu.log.messages()[-1] == "Plant: fmi2GetEventIndicators: 1 values, but it has none"


def set_real(fmu: ExchangeFmu, name: str, value: float) -> int:
    return fmu("fmi2SetReal", (ctypes.c_uint32 * 1)(fmu.reference(name)), ONE, (ctypes.c_double * 1)(value))


def set_integer(fmu: ExchangeFmu, name: str, value: int) -> int:
    return fmu("fmi2SetInteger", (ctypes.c_uint32 * 1)(fmu.reference(name)), ONE, (ctypes.c_int * 1)(value))


@pytest.mark.parametrize(
    ("name", "modes"),
    [
        ("u", {"instantiated", "initialization", "event", "continuous"}),
        ("k", {"instantiated", "initialization", "event"}),
        ("size", {"instantiated", "initialization"}),
        ("x[1]", {"instantiated", "initialization", "continuous"}),  # as by fmi2SetContinuousStates
        ("gear", {"instantiated", "initialization", "event"}),
    ],
)
def test_what_may_be_set_in_which_mode(name: str, modes: set[str]) -> None:
    """Continuous inputs always, discrete ones and tunable parameters at events (FMI 2.0.4, section 3.2.3)."""
    for mode, where in WHERE.items():
        fmu = ExchangeFmu(Plant)
        fmu.to(mode)
        status = set_integer(fmu, name, 4) if name == "gear" else set_real(fmu, name, 4.0)
        assert status == (OK if mode in modes else ERROR), mode
        if status:
            said = where if mode == "continuous" else "after initialization"
            assert fmu.log.messages()[-1] == f"Plant: '{name}' cannot be set {said}"
        fmu.close()


def test_a_continuous_block_has_no_events(fmu: ExchangeFmu) -> None:
    fmu.to("event")
    info = fmu.new_discrete_states()
    fields = [getattr(info, name) for name, _ in fmi2EventInfo._fields_]
    assert fields == [0, 0, 0, 0, 0, 0.0]
    assert fmu("fmi2EnterContinuousTimeMode") == OK
    event, end = ctypes.c_int(1), ctypes.c_int(1)
    assert fmu("fmi2CompletedIntegratorStep", 1, ctypes.byref(event), ctypes.byref(end)) == OK
    assert (event.value, end.value) == (0, 0)


def test_a_sampled_block_has_a_time_event_at_each_sample(third: ExchangeFmu) -> None:
    """At exactly k/3 s; what it puts out is seen after the call, which then asks for one more."""
    seen, number, u = (third.reference(n) for n in ("seen", "number", "u"))
    third.to("initialization")
    third.model.setReal([u], [5.0])
    third.model.exitInitializationMode()
    info = third.new_discrete_states()
    assert (info.newDiscreteStatesNeeded, info.nextEventTimeDefined, info.nextEventTime) == (0, 1, 1.0 / 3.0)
    assert (third.model.getReal([seen]), third.model.getInteger([number])) == ([5.0], [0])
    third.model.enterContinuousTimeMode()
    third.set_time(0.2)
    third.model.setReal([u], [6.0])
    third.model.enterEventMode()
    info = third.new_discrete_states()
    assert (info.newDiscreteStatesNeeded, info.nextEventTime) == (0, 1.0 / 3.0), "an event of others"
    assert third.model.getReal([seen]) == [5.0]
    third.model.enterContinuousTimeMode()
    # a rounding error before its time is on time
    third.set_time(np.nextafter(1.0 / 3.0, 0.0))
    third.model.enterEventMode()
    assert third.model.getReal([seen]) == [5.0]
    info = third.new_discrete_states()
    assert (info.newDiscreteStatesNeeded, info.nextEventTime) == (1, 2.0 / 3.0)
    assert (third.model.getReal([seen]), third.model.getInteger([number])) == ([6.0], [1])
    assert third.new_discrete_states().newDiscreteStatesNeeded == 0
    # one that was passed over is made up for, so that the count is right
    third.set_time(1.0)
    info = third.new_discrete_states()
    assert (info.newDiscreteStatesNeeded, info.nextEventTime) == (1, 4.0 / 3.0)
    assert third.model.getInteger([number]) == [3]


def test_the_memory_of_a_sampled_block_cannot_be_set_while_it_runs(third: ExchangeFmu) -> None:
    for mode in ("event", "continuous"):
        third.model.reset()
        third.to(mode)
        assert set_real(third, "n", 1.0) == ERROR
        assert set_real(third, "u", 1.0) == OK


def test_a_state_that_is_no_number_ends_the_event(third: ExchangeFmu) -> None:
    third.to("event")
    third.set_time(5.0 / 3.0)
    assert third("fmi2NewDiscreteStates", ctypes.byref(fmi2EventInfo())) == ERROR
    assert third.log.messages() == ["Third 'fmu': 'n' is inf at t = 1.66667 s"]


def test_a_kind_that_is_none_is_refused() -> None:
    instance = open_fmu(build(Plant), "a")
    instantiate = instance._slave.dll.fmi2Instantiate
    callbacks, guid = ctypes.byref(instance._callbacks), instance._slave.guid.encode()
    assert not instantiate(b"a", 7, guid, None, callbacks, 0, 0)
    assert instance.messages() == ["Plant: the kind 7 is neither model exchange nor co-simulation"]
    instance.close()


def test_a_state_of_the_other_kind_is_refused(fmu: ExchangeFmu) -> None:
    host: FmuInstance = fmu.host
    host.initialize(0.0, {})
    fmu.to("continuous")
    theirs, ours = host._slave.getFMUstate(), fmu.model.getFMUstate()
    assert fmu("fmi2SetFMUstate", theirs) == ERROR
    assert fmu.log.messages()[-1].endswith("the state was saved in co-simulation, and this is model exchange")
    with pytest.raises(Exception, match="fmi2SetFMUstate"):
        host._slave.setFMUstate(ours)
    assert fmu.log.messages()[-1].endswith("the state was saved in model exchange, and this is co-simulation")
    fmu.vector("fmi2SetContinuousStates", [7.0, 8.0, 9.0])
    fmu.model.setFMUstate(ours)
    assert fmu.vector("fmi2GetContinuousStates")[1] == [1.0, 4.0, 9.0], "the control: its own is taken"
    fmu.model.freeFMUstate(ours)
    host._slave.freeFMUstate(theirs)
