"""FMUs built for Windows give under Wine what they give here, in a host without Python.

Wine brings its own ucrtbase.dll, the only library that FMUs need. What is computed with functions of that library
may differ in the last bit.
"""

import os
import shutil
import subprocess
from collections.abc import Callable
from importlib import resources
from pathlib import Path
from urllib.parse import quote

import pytest

from drawbar.blocks.authoring.block import Block
from drawbar.blocks.sensors.ray_march import RayMarch
from drawbar.blocks.tires.fiala_tire import FialaTire
from drawbar.blocks.vehicle.bodies.simple_body import SimpleBody
from drawbar.fmus.backends.instance import open_fmu
from drawbar.fmus.export.package import build
from drawbar.fmus.loading.description import read_description
from drawbar.fmus.toolchain.cross import WINDOWS, find_cross_compiler

pytestmark = [pytest.mark.compiler, pytest.mark.cross, pytest.mark.wine]
Program = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="module")
def wine(host_folder: Path, wine_program: str) -> Program:
    """The host as a program for Windows, run by Wine with arguments."""
    compiler = find_cross_compiler()
    assert compiler is not None
    (host_folder / WINDOWS).write_text(resources.files("drawbar.fmus.runtime").joinpath(WINDOWS).read_text("utf-8"))
    call = [*compiler.command, "cc", "-target", "x86_64-windows-gnu"]
    for source, made in (("host.c", "host.o"), (WINDOWS, "windows.o")):
        subprocess.run([*call, "-O1", "-c", source, "-o", made], cwd=host_folder, check=True)
    link = ["-nostdlib", "-Wl,--entry=start", "-lucrtbase", "-lkernel32", "-lcompiler_rt", "-o", "host.exe"]
    subprocess.run([*call, "host.o", "windows.o", *link], cwd=host_folder, check=True)
    # a Windows of its own, without what it would offer to install
    own = {"WINEPREFIX": str(host_folder / "windows"), "WINEDEBUG": "-all", "WINEDLLOVERRIDES": "mscoree,mshtml="}

    def run(*words: str) -> "subprocess.CompletedProcess[str]":
        command = [wine_program, str(host_folder / "host.exe"), *words]
        return subprocess.run(
            command, env={**os.environ, **own}, capture_output=True, text=True, check=False, timeout=300
        )

    return run


def call(fmu: Path, start: str, value: float, steps: int, h: float) -> tuple[list[str], list[float]]:
    """The arguments of the host behind the library, and all outputs at the end where the FMU runs in this process."""
    description = read_description(fmu)
    names = [name for port in description.interface.of("output") for name in port.scalar_names()]
    instance = open_fmu(fmu, "fmu")
    try:
        given, *read = (int(r) for r in instance.references([start, *names]))
        assert read == list(range(read[0], read[0] + len(read)))
        instance.initialize(0.0, {start: value})
        instance.start()
        step = instance.stepper()
        for k in range(steps):
            step(k * h, h)
        here = instance.get(names)
    finally:
        instance.close()
    words = [description.guid, str(given), str(value), str(read[0]), str(len(read)), str(steps), str(h), "2"]
    return words, list(here)


@pytest.mark.parametrize(
    ("block", "start", "value", "h"),
    [
        (SimpleBody, "speed", 12.0, 0.01),  # vectorized, and it solves for its start
        (FialaTire, "drive", 500.0, 0.01),
        (RayMarch, "yaw", 0.3, 0.05),
    ],
)
def test_a_windows_program_gets_the_numbers_of_this_machine(
    wine: Program, tmp_path: Path, block: type[Block], start: str, value: float, h: float
) -> None:
    """RayMarch is in C and reads its resources, here from a folder whose name Windows has in another encoding.

    To rounding: of a start that is solved for, another C library's last bits make 4e-12 of what is zero but for them.
    """
    fmu = build(block, platforms=["win64"])
    words, here = call(build(block), start, value, 100, h)
    folder = tmp_path / "Gelände"
    shutil.copytree(read_description(fmu).folder, folder)
    library = shutil.copy(folder / "binaries" / "win64" / f"{block.__name__}.dll", tmp_path)
    done = wine(library, *words, f"file:///Z:{quote(str(folder / 'resources'))}")
    assert done.returncode == 0, done.stderr
    there = [float(line) for line in done.stdout.split()]
    assert len(set(here)) > 2
    assert there == pytest.approx(here * 2, rel=1e-12, abs=1e-10)


def test_the_program_tells_what_fails(wine: Program) -> None:
    """Negative controls: another FMU's GUID, and another value."""
    library = str(read_description(build(FialaTire, platforms=["win64"])).folder / "binaries/win64/FialaTire.dll")
    (guid, *words), here = call(build(FialaTire), "drive", 500.0, 20, 0.01)
    assert "no instance" in wine(library, "{0}", *words).stderr
    words[1] = "499.0"
    other = [float(line) for line in wine(library, guid, *words).stdout.split()]
    assert other[: len(here)] != pytest.approx(here, rel=1e-6)
