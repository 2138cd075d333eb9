"""Instances of FMUs of others that break down or offer derivatives, compiled here."""

import ctypes
import weakref
from collections.abc import Callable

import numpy as np
import pytest

from drawbar.blocks import FmuError
from drawbar.blocks.signals.first_order_lag import FirstOrderLag
from drawbar.fmus.backends.instance import FmuInstance, open_fmu
from drawbar.fmus.backends.interpreted import InterpretedInstance
from drawbar.fmus.export.package import build

pytestmark = pytest.mark.compiler


ERROR, FATAL = 3, 4


def calls_after_the_failure(instance: FmuInstance) -> int:
    # a handle of its own, so that the library stays when the instance lets it go
    library = ctypes.CDLL(instance._slave.dll._name)
    instance.close()
    return ctypes.c_int.in_dll(library, "calls").value


@pytest.mark.parametrize("where", ["SETUP", "SET", "GET", "EXIT"])
@pytest.mark.parametrize(("status", "calls"), [(FATAL, 0), (ERROR, 2)])
def test_nothing_is_called_on_an_fmu_that_is_fatally_broken(
    where: str, status: int, calls: int, theirs: Callable[..., FmuInstance]
) -> None:
    """One in error is asked for its time and freed, but not terminated: the control."""
    instance = theirs(where, status, derivatives=True)

    def run() -> None:
        instance.initialize(0.0, {"u": 1.0})
        instance.start()
        instance.get(["u"])

    with pytest.raises(FmuError, match=r"part 'theirs': .* failed"):
        run()
    assert instance.last_successful_time() == (0.0 if status == ERROR else None)
    assert calls_after_the_failure(instance) == calls


def test_a_status_that_only_the_master_has_seen_counts_as_well(theirs: Callable[..., FmuInstance]) -> None:
    instance = theirs("STEP", FATAL)
    instance.initialize(0.0, {})
    instance.start()
    status = instance.stepper()(0.0, 1.0)
    assert status == FATAL
    library = ctypes.CDLL(instance._slave.dll._name)
    instance.close(status)
    assert ctypes.c_int.in_dll(library, "calls").value == 0


def test_directional_derivatives_are_those_of_the_fmu(theirs: Callable[..., FmuInstance]) -> None:
    instance = theirs(derivatives=True)
    seed, result = np.array([1.0, 2.0]), np.zeros(2)
    call = instance.directional(["y", "z"], ["u", "v"], seed, result)
    assert call() == 0
    assert result.tolist() == [30.0 + 31.0 * 2.0, 40.0 + 41.0 * 2.0]
    seed[:] = 0.0, 1.0
    assert call() == 0
    assert result.tolist() == [31.0, 41.0]
    with pytest.raises(FmuError, match="part 'theirs': 'k' is of type Integer; only Real variables have derivatives"):
        instance.directional(["k"], ["u"], np.zeros(1), np.zeros(1))
    instance.close()
    instance = theirs(derivatives=True, says=False)
    with pytest.raises(FmuError, match="part 'theirs': it gives no directional derivatives"):
        instance.directional(["y"], ["u"], np.zeros(1), np.zeros(1))
    instance.close()


def test_input_derivatives_and_the_time_reached_are_passed(theirs: Callable[..., FmuInstance]) -> None:
    instance = theirs(derivatives=True)
    values = np.array([5.0, 7.0])
    alive = weakref.ref(values)
    call = instance.derivative_writer(["v", "y"], values)
    del values
    assert call() == 0
    assert alive() is not None, "the FMU reads it by its address"
    assert instance.last_successful_time() == 1 * 5.0 + 3 * 7.0, "reference x order x value, as the FMU sums them"
    instance.close()


@pytest.mark.parametrize("make", [InterpretedInstance, lambda block, name: open_fmu(build(block), name)])
def test_our_fmus_know_the_time_they_have_reached(make: type[InterpretedInstance]) -> None:
    instance = make(FirstOrderLag, "a")
    instance.initialize(2.0, {})
    instance.start()
    assert instance.last_successful_time() == 2.0
    step = instance.stepper()
    assert step(2.0, 0.5) == 0
    assert instance.last_successful_time() == 2.5
    instance.set({"u": float("nan")})
    assert step(2.5, 0.5) == ERROR
    assert instance.last_successful_time() == 2.5
    instance.close()
