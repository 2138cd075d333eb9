"""The FMI functions of the fixed runtime: legality, limits of the interface, state, several instances."""

import ctypes
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from drawbar.blocks import Continuous, FmuError, Input, Output, Parameter, State
from drawbar.fmus.backends.instance import FmuInstance, open_fmu
from drawbar.fmus.export.package import build

pytestmark = pytest.mark.compiler


class Tank(Continuous, step=1e-2):
    """A tank with an outlet: level' = (inflow - k level)/area."""

    inflow = Input("m3/s", "inflow")
    area = Parameter(2.0, "m2", "area of the tank")
    k = Parameter(0.5, "m2/s", "outlet", tunable=True)
    level = State(1.0, "m", "level", output=True)
    outflow = Output("m3/s", "outflow")

    def derivatives(self) -> dict[str, Any]:
        return {"level": (self.inflow - self.k * self.level) / self.area}

    def outputs(self) -> dict[str, Any]:
        return {"outflow": self.k * self.level + 0.0 * self.inflow}


@pytest.fixture
def tank() -> Any:
    instance = open_fmu(build(Tank), "100 % tank")
    yield instance
    instance.close()


def run(instance: FmuInstance, steps: int) -> float:
    step = instance.stepper()
    for k in range(steps):
        assert step(k * 0.01, 0.01) == 0
    return instance.get(["level"])[0]


def test_level_follows_the_analytic_solution(tank: FmuInstance) -> None:
    tank.initialize(0.0, {"inflow": 0.2})
    tank.start()
    assert run(tank, 100) == pytest.approx(0.4 + 0.6 * np.exp(-0.25), rel=1e-10)


def test_instances_are_independent_and_reset_is_a_fresh_instance(tank: FmuInstance) -> None:
    other = open_fmu(build(Tank), "other")
    for instance, level in ((tank, 3.0), (other, 1.0)):
        instance.initialize(0.0, {"level": level})
        instance.start()
    first, second = run(tank, 10), run(other, 10)
    assert first == pytest.approx(3.0 * second, rel=1e-12)
    tank._slave.reset()
    tank.initialize(0.0, {})
    tank.start()
    assert run(tank, 10) == second
    other.close()


def test_state_is_restored_bit_for_bit_also_in_another_instance(tank: FmuInstance) -> None:
    tank.initialize(0.0, {"inflow": 0.3})
    tank.start()
    run(tank, 7)
    state = tank._slave.getFMUstate()
    blob = tank._slave.serializeFMUstate(state)
    after = run(tank, 5)
    tank._slave.setFMUstate(state)
    assert run(tank, 5) == after
    other = open_fmu(build(Tank), "other")
    other.initialize(0.0, {})
    other.start()
    other._slave.setFMUstate(other._slave.deSerializeFMUstate(blob))
    assert run(other, 5) == after
    tank._slave.freeFMUstate(state)
    other.close()


def test_fixed_parameters_and_states_cannot_be_set_while_running(tank: FmuInstance) -> None:
    tank.initialize(0.0, {"area": 1.0})
    tank.start()
    tank.set({"k": 0.1, "inflow": 1.0})
    assert tank.get(["k"]) == [0.1]
    for name in ("area", "level", "outflow"):
        with pytest.raises(FmuError, match=rf"'{name}' cannot be set after initialization"):
            tank.set({name: 1.0})


def test_feedthrough_outputs_follow_inputs_at_once(tank: FmuInstance) -> None:
    tank.initialize(0.0, {})
    tank.start()
    before = tank.get(["outflow"])[0]
    tank.set({"k": 5.0})
    assert tank.get(["outflow"])[0] == 10.0 * before


def test_illegal_calls_are_refused_with_a_message(tank: FmuInstance) -> None:
    step = tank.stepper()
    assert step(0.0, 0.01) == 3
    assert "fmi2DoStep is not allowed before initialization" in tank.messages()[-1]
    tank.initialize(0.0, {})
    tank.start()
    assert step(0.0, -1.0) == 3
    assert "the step must be positive" in tank.messages()[-1]
    assert (
        tank._slave.dll.fmi2SetReal(
            ctypes.c_void_p(tank.addresses().component), (ctypes.c_uint32 * 1)(99), 1, (ctypes.c_double * 1)()
        )
        == 3
    )
    assert "value reference 99" in tank.messages()[-1]


def test_a_master_in_c_finds_all_functions(tank: FmuInstance) -> None:
    from dataclasses import astuple

    component, get, set_, *others = astuple(tank.addresses())
    found = [component, *get.values(), *set_.values(), *others]
    assert all(found)
    assert len(set(found)) == len(found) == 10


def test_foreign_guid_is_refused() -> None:
    from dataclasses import replace

    from drawbar.fmus.loading.description import read_description

    with pytest.raises(FmuError, match=r"GUID \{0000\} of the model description does not belong"):
        FmuInstance(replace(read_description(build(Tank)), guid="{0000}"), "tank")


def test_null_arguments_do_not_crash(tank: FmuInstance) -> None:
    dll = tank._slave.dll
    dll.fmi2FreeInstance(None)
    for function in ("fmi2Terminate", "fmi2Reset", "fmi2EnterInitializationMode", "fmi2ExitInitializationMode"):
        assert getattr(dll, function)(None) == 3
    dll.fmi2Instantiate.restype = ctypes.c_void_p
    assert dll.fmi2Instantiate(None, 1, None, None, None, 0, 0) is None


def test_two_fmus_in_one_process_do_not_meet_even_with_global_symbols() -> None:
    class Other(Continuous):
        level = Output("m", "constant")

        def outputs(self) -> dict[str, Any]:
            return {"level": 42.0}

    from drawbar.fmus.export.package import compile_block

    for block in (Tank, Other):
        ctypes.CDLL(str(compile_block(block).library), mode=ctypes.RTLD_GLOBAL)
    a, b = open_fmu(build(Tank), "a"), open_fmu(build(Other), "b")
    for instance, level in ((a, 1.0), (b, 42.0)):
        instance.initialize(0.0, {})
        instance.start()
        assert instance.get(["level"]) == [level]
        instance.close()


def test_many_loads_of_one_fmu_leave_nothing_open() -> None:
    fmu, handles = build(Tank), Path("/proc/self/fd")
    before = len(list(handles.iterdir())) if handles.is_dir() else 0
    for _ in range(300):
        instance = open_fmu(fmu, "a")
        instance.initialize(0.0, {})
        instance.start()
        instance.close()
        instance.close()
    if handles.is_dir():
        assert len(list(handles.iterdir())) <= before + 5


def test_all_functions_of_the_standard_are_there() -> None:
    import re

    from drawbar.fmus.export.codegen import fmi_headers
    from drawbar.fmus.export.package import compile_block

    library = ctypes.CDLL(str(compile_block(Tank).library))
    declared = set(re.findall(r"FMI2_Export\s+fmi2\w+TYPE\s+(fmi2\w+);", fmi_headers()["fmi2Functions.h"]))
    assert len(declared) > 35
    missing = [name for name in sorted(declared) if not hasattr(library, name)]
    assert missing == []


def test_after_termination_values_stay_and_nothing_is_set(tank: FmuInstance) -> None:
    tank.initialize(0.0, {"inflow": 0.2})
    tank.start()
    level = run(tank, 10)
    tank._slave.terminate()
    assert tank.get(["level"]) == [level]
    for name in ("inflow", "area", "k", "level"):
        with pytest.raises(FmuError):
            tank.set({name: 1.0})


def test_after_a_step_outputs_and_the_last_successful_time_are_those_of_its_end() -> None:
    class Clock(Continuous):
        y = Output("s", "time")

        def outputs(self) -> dict[str, Any]:
            return {"y": self.time}

    clock = open_fmu(build(Clock), "clock")
    clock.initialize(2.0, {})
    clock.start()
    assert clock.stepper()(2.0, 0.25) == 0
    assert clock.get(["y"]) == [2.25]
    assert clock.last_successful_time() == 2.25
    clock.close()


@pytest.mark.parametrize(("t", "h"), [(0.0, 0.0), (0.0, float("inf")), (float("nan"), 0.1), (0.0, float("nan"))])
def test_steps_without_an_end_after_their_start_are_refused(tank: FmuInstance, t: float, h: float) -> None:
    tank.initialize(0.0, {})
    tank.start()
    assert tank.stepper()(t, h) == 3
    assert "the step must be positive" in tank.messages()[-1]
