"""Units of others that lack functions, log too much or break down, compiled here."""

import ctypes
import gc
import subprocess
import weakref
from pathlib import Path

import numpy as np
import pytest

from drawbar.blocks import FmuError
from drawbar.blocks.core.interface import Interface
from drawbar.blocks.signals.first_order_lag import FirstOrderLag
from drawbar.fmus.backends.instance import FmuInstance, open_fmu
from drawbar.fmus.backends.interpreted import InterpretedInstance
from drawbar.fmus.export.codegen import fmi_headers
from drawbar.fmus.export.package import build
from drawbar.fmus.loading.description import Description, Scalar
from drawbar.fmus.loading.library import MAX_MESSAGE_LENGTH
from drawbar.fmus.toolchain.compilers import compile_library, find_compiler, library_suffix

pytestmark = pytest.mark.compiler

ERROR, FATAL = 3, 4


def unit(fail_in: str = "-1", fail_with: int = 0, *, derivatives: bool = False, says: bool = True) -> FmuInstance:
    """The unit of ``fmu_of_others.c``, instantiated; `says` is what it claims of directional derivatives."""
    defined = f"#define FAIL_IN {fail_in}\n#define FAIL_WITH {fail_with}\n"
    defined += "#define GIVES_DERIVATIVES\n" * derivatives
    text = defined + Path(__file__).with_name("fmu_of_others.c").read_text("utf-8")
    library = compile_library({"unit.c": text, **fmi_headers()}, "unit.c", "Theirs")
    scalars = {n: Scalar(n, i, "Integer" if n == "k" else "Real") for i, n in enumerate(["u", "v", "k", "y", "z"])}
    interface = Interface("Theirs", (), directional=says)
    description = Description(library.parent, "{1}", "Theirs", interface, scalars, False, False)
    return FmuInstance(description, "theirs", library)


def calls_after_the_failure(instance: FmuInstance) -> int:
    # a handle of its own, so that the library stays when the instance lets it go
    library = ctypes.CDLL(instance._slave.dll._name)
    instance.close()
    return ctypes.c_int.in_dll(library, "calls").value


@pytest.mark.parametrize("where", ["SETUP", "SET", "GET", "EXIT"])
@pytest.mark.parametrize(("status", "calls"), [(FATAL, 0), (ERROR, 2)])
def test_nothing_is_called_on_a_unit_that_is_fatally_broken(where: str, status: int, calls: int) -> None:
    """One in error is asked for its time and freed, but not terminated: the control."""
    instance = unit(where, status, derivatives=True)

    def run() -> None:
        instance.initialize(0.0, {"u": 1.0})
        instance.start()
        instance.get(["u"])

    with pytest.raises(FmuError, match=r"part 'theirs': .* failed"):
        run()
    assert instance.last_successful_time() == (0.0 if status == ERROR else None)
    assert calls_after_the_failure(instance) == calls


def test_a_status_that_only_the_master_has_seen_counts_as_well() -> None:
    instance = unit("STEP", FATAL)
    instance.initialize(0.0, {})
    instance.start()
    status = instance.stepper()(0.0, 1.0)
    assert status == FATAL
    library = ctypes.CDLL(instance._slave.dll._name)
    instance.close(status)
    assert ctypes.c_int.in_dll(library, "calls").value == 0


def test_a_long_message_is_cut() -> None:
    """FMPy's proxy of the logger has cut it before where there is one, so ours is also called by itself."""
    instance = unit()
    instance.initialize(0.0, {})
    instance.start()
    step = instance.stepper()
    for length in (10, 1_000_000):
        assert step(float(length), 1.0) == 0
    assert instance.messages()[0] == "x" * 10
    assert len(instance.messages()[1]) < MAX_MESSAGE_LENGTH + 30
    logger, environment = instance._callbacks.logger, instance._callbacks.componentEnvironment
    logger(environment, b"unit", 0, b"", b"y" * (MAX_MESSAGE_LENGTH + 1))
    logger(environment, b"unit", 0, b"", b"z" * MAX_MESSAGE_LENGTH)
    assert instance.messages()[-2:] == ["y" * MAX_MESSAGE_LENGTH + "... (2001 characters)", "z" * MAX_MESSAGE_LENGTH]
    instance.close()


def test_a_message_is_kept_with_the_unit_that_said_it() -> None:
    """Whichever was made last, and after that one is gone."""
    units = [open_fmu(build(FirstOrderLag), name) for name in ("a", "b", "c")]
    for speaker, counts in ((0, [1, 0, 0]), (2, [1, 0, 1]), (1, [1, 1, 1])):
        assert units[speaker].stepper()(0.0, 0.1) == ERROR
        assert [len(unit.messages()) for unit in units] == counts
    last = units.pop()
    last.close()
    del last
    gc.collect()
    assert units[0].stepper()(0.0, 0.1) == ERROR
    assert [len(unit.messages()) for unit in units] == [2, 1]
    for unit in units:
        unit.close()


def test_a_library_may_lack_what_nobody_calls() -> None:
    instance = unit()
    instance.initialize(0.0, {"u": 1.0})
    instance.start()
    with pytest.raises(FmuError, match="part 'theirs': the library lacks fmi2GetDirectionalDerivative"):
        instance.directional(["y"], ["u"], np.zeros(1), np.zeros(1))
    with pytest.raises(FmuError, match="part 'theirs': the library lacks fmi2SetRealInputDerivatives"):
        instance.derivative_writer(["u"], np.zeros(1))
    with pytest.raises(FmuError, match="part 'theirs': setting 'k' to 1 failed: the library lacks fmi2SetInteger"):
        instance.set({"k": 1})
    assert instance.last_successful_time() is None
    with pytest.raises(FmuError, match="part 'theirs': the library lacks fmi2GetInteger"):
        instance.addresses()
    del instance._scalars["k"]
    addresses = instance.addresses()
    assert all((addresses.get["Real"], addresses.set["Real"], addresses.do_step))
    assert addresses.get["Integer"] == addresses.set["Integer"] == addresses.get["Boolean"] == 0
    assert addresses.set_derivatives == addresses.directional == 0
    instance.close()


def test_directional_derivatives_are_those_of_the_unit() -> None:
    instance = unit(derivatives=True)
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
    instance = unit(derivatives=True, says=False)
    with pytest.raises(FmuError, match="part 'theirs': it gives no directional derivatives"):
        instance.directional(["y"], ["u"], np.zeros(1), np.zeros(1))
    instance.close()


def test_input_derivatives_and_the_time_reached_are_passed() -> None:
    instance = unit(derivatives=True)
    values = np.array([5.0, 7.0])
    alive = weakref.ref(values)
    call = instance.derivative_writer(["v", "y"], values)
    del values
    assert call() == 0
    assert alive() is not None, "the unit reads it by its address"
    assert instance.last_successful_time() == 1 * 5.0 + 3 * 7.0, "reference x order x value, as the unit sums them"
    instance.close()


@pytest.mark.parametrize("make", [InterpretedInstance, lambda block, name: open_fmu(build(block), name)])
def test_our_units_know_the_time_they_have_reached(make: type[InterpretedInstance]) -> None:
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


@pytest.mark.parametrize("missing", [True, False])
def test_a_missing_dependency_is_named(tmp_path: Path, missing: bool) -> None:
    compiler = find_compiler()
    assert compiler is not None
    for name, text in (
        ("helper", "int help(void) { return 1; }"),
        ("Theirs", "int help(void); int go(void) { return help(); }"),
    ):
        (tmp_path / f"{name}.c").write_text(text)
    needed, library = (tmp_path / f"{name}{library_suffix()}" for name in ("libhelper_of_theirs", "Theirs"))
    shared = [*compiler.command, "-shared", "-fPIC"]
    subprocess.run([*shared, "helper.c", "-o", needed.name], cwd=tmp_path, check=True)
    subprocess.run(
        [*shared, "Theirs.c", "-o", library.name, "-L.", "-lhelper_of_theirs", "-Wl,-rpath,."], cwd=tmp_path, check=True
    )
    if missing:
        needed.unlink()
    description = Description(tmp_path, "{1}", "Theirs", Interface("Theirs", ()), {}, False, False)
    here = Path.cwd()
    with pytest.raises(FmuError) as caught:
        FmuInstance(description, "theirs", library)
    said = f"part 'theirs': {library.name} needs the library {needed.name}, which is not on this machine; install it"
    assert (str(caught.value) == said) is missing, str(caught.value)
    assert Path.cwd() == here
