"""Libraries of FMUs of others: one that does not load, or lacks functions."""

import runpy
import subprocess
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from drawbar.blocks import FmuError
from drawbar.blocks.core.interface import Interface
from drawbar.fmus.backends.instance import FmuInstance, open_fmu
from drawbar.fmus.loading.description import Description
from drawbar.fmus.toolchain.compilers import find_compiler, host_platform, library_suffix

VALID = Path(__file__).with_name("gain.xml").read_text("utf-8")
BUILD = runpy.run_path(str(Path(__file__).parents[2] / "foreign" / "builder.py"))["build"]


def test_a_missing_binary_names_the_platforms(tmp_path: Path, write_fmu: Any) -> None:
    path = write_fmu(tmp_path / "gain.fmu", {"modelDescription.xml": VALID, "binaries/win32/Gain.dll": b"x"})
    with pytest.raises(FmuError, match=r"part 'g': Gain has no binary for \w+; it has win32"):
        open_fmu(path, "g")


@pytest.mark.parametrize("other", ["", "win32"])
def test_binaries_of_other_names_are_told_from_a_missing_one(tmp_path: Path, write_fmu: Any, other: str) -> None:
    here, suffix = host_platform(), library_suffix()
    files: dict[str, Any] = {"modelDescription.xml": VALID}
    files |= {f"binaries/{here}/{name}{suffix}": b"x" for name in ("Gian", "Lib")}
    files |= {f"binaries/{other}/Gain.dll": b"x"} if other else {}
    path = write_fmu(tmp_path / "gain.fmu", files)
    with pytest.raises(FmuError) as caught:
        open_fmu(path, "g")
    assert str(caught.value) == (
        f"part 'g': Gain has no binary for {here} named Gain{suffix}, as its modelIdentifier 'Gain' says; "
        f"binaries/{here} holds Gian{suffix}, Lib{suffix}: export the FMU again, or give file and modelIdentifier the "
        "same name"
    )


def test_the_only_binary_is_named_where_it_does_not_load(tmp_path: Path, write_fmu: Any) -> None:
    file = f"Gian{library_suffix()}"
    path = write_fmu(tmp_path / "gain.fmu", {"modelDescription.xml": VALID, f"binaries/{host_platform()}/{file}": b"x"})
    with pytest.raises(FmuError, match=rf"{file} is the only library of Gain, which names it otherwise"):
        open_fmu(path, "g")


@pytest.mark.compiler
def test_the_only_binary_may_have_another_name(tmp_path: Path, write_fmu: Any) -> None:
    """As in FMUs that were renamed by hand: binaries/linux64/watertank.so of the model tank."""
    with zipfile.ZipFile(BUILD(tmp_path, "spy")) as archive:
        files: dict[str, Any] = {name.replace("/spy.", "/renamed."): archive.read(name) for name in archive.namelist()}
    part = open_fmu(write_fmu(tmp_path / "renamed.fmu", files), "spy")
    part.initialize(0.0, {"u": 1.0})
    part.start()
    assert part.stepper()(0.0, 0.1) == 0
    part.close()


def test_a_library_that_does_not_load(tmp_path: Path, write_fmu: Any) -> None:
    from drawbar.fmus.toolchain.compilers import host_platform, library_suffix

    name = f"binaries/{host_platform()}/Gain{library_suffix()}"
    path = write_fmu(tmp_path / "gain.fmu", {"modelDescription.xml": VALID, name: b"no library"})
    with pytest.raises(FmuError, match="part 'g': Failed to load shared library"):
        open_fmu(path, "g")


pytestmark = pytest.mark.compiler


ERROR, FATAL = 3, 4


def test_a_library_may_lack_what_nobody_calls(theirs: Callable[..., FmuInstance]) -> None:
    instance = theirs()
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


@pytest.mark.compiler
@pytest.mark.parametrize("name", ["water-tank", "Tank.2", "three tanks"])
def test_a_library_may_have_any_file_name(name: str, tmp_path: Path) -> None:
    """The standard asks for a C identifier; tools that do not care are common, and other importers take their FMUs."""
    fmu = BUILD(tmp_path, "spy", name=name)
    part = open_fmu(fmu, "tank")
    part.initialize(0.0, {"u": 1.0})
    part.start()
    assert part.stepper()(0.0, 0.1) == 0
    assert part.get(["y"]) == [pytest.approx(1.0 - np.exp(-1.0), rel=1e-12)]
    part.close()
