"""Libraries for other platforms: what they need there, what they export, and what is refused."""

import re
import struct
import zipfile
from importlib.metadata import PackageNotFoundError
from pathlib import Path

import pytest

from drawbar.blocks import BuildError, Continuous, Input, Kernel, Output, Parameter, Script, State
from drawbar.blocks.authoring.block import Block
from drawbar.blocks.core.cache import cache_folder
from drawbar.fmus.backends.instance import FmuInstance
from drawbar.fmus.export.codegen import fmi_headers
from drawbar.fmus.export.package import build, compile_block
from drawbar.fmus.loading.description import read_description
from drawbar.fmus.toolchain import cross
from drawbar.fmus.toolchain.cross import PLATFORMS
from drawbar.orchestrator.cli.commands import main

cross_compiled = pytest.mark.cross
EXPORTED = [b"fmi2Instantiate", b"fmi2DoStep", b"fmi2GetDirectionalDerivative"]
# what formatted output and the classes of numbers need, beside what an FMU takes itself
TEXT = """
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "wide.h"
int outputs(const double **arg, double **res, long long *iw, double *w, int mem) {
    double u = inputs_of(arg)->u;
    char text[80];
    snprintf(text, sizeof text, "%.17g", u);
    if (isnan(u) || isinf(u) || !isfinite(u)) return fprintf(stderr, "%s is no number\\n", text), 1;
    double y = strtod(text, NULL) + fmod(u, 2.0) + hypot(u, 1.0) + cbrt(u) + round(u) + (double) strlen(text);
    if (signbit(y)) printf("%s\\n", text);
    outputs_of(res)->y = fmax(y, tgamma(2.0)) + erf(u) + expm1(u) + nextafter(u, 1e9) + (double) lround(u);
    return 0;
}
"""


class Decay(Continuous):
    """A decay whose rate swings: dx/dt = -k x exp(sin x) + u."""

    u = Input("1/s", "feed")
    k = Parameter(2.0, "1/s", "rate")
    x = State(1.0, "1", "what is left", output=True)

    def derivatives(self):
        from drawbar.blocks import exp, sin

        return {"x": -self.k * self.x * exp(sin(self.x)) + self.u}


class Looker(Script, period=0.1):
    """A script."""

    y = Output("1", "what it sees")

    def step(self, t: float, dt: float) -> None:
        self.y = t


def wide(folder: Path, text: str) -> type[Block]:
    (folder / "wide.c").write_text(text)

    class Wide(Kernel, source=folder / "wide.c"):
        u = Input("1", "argument")
        y = Output("1", "value")

    return Wide


@cross_compiled
def test_one_fmu_holds_the_binaries_of_all_platforms(tmp_path: Path) -> None:
    assert main(["build", "PathFollower", "--platform", "all", "--out", str(tmp_path)]) == 0
    names = zipfile.ZipFile(tmp_path / "PathFollower.fmu").namelist()
    folders = {name.split("/")[1] for name in names if name.startswith("binaries/")}
    assert folders == {"linux64", "win64", "darwin64", "aarch64-darwin"}


@cross_compiled
@pytest.mark.compiler
def test_the_library_for_linux_runs_on_old_systems_and_gives_the_numbers_of_that_of_this_machine() -> None:
    compiled = compile_block(Decay, "linux64")
    needed = {int(n) for n in re.findall(rb"GLIBC_2\.(\d+)", compiled.library.read_bytes())}
    assert needed
    assert max(needed) <= 17
    found = []
    for library in (compiled.library, None):
        instance = FmuInstance(read_description(build(Decay)), "fmu", library)
        instance.initialize(0.0, {"u": 0.3})
        instance.start()
        step = instance.stepper()
        for k in range(100):
            step(k * 0.01, 0.01)
        found.append(instance.get(["x"])[0])
        instance.close()
    assert found[0] == pytest.approx(found[1], rel=1e-13)


@cross_compiled
def test_the_library_for_windows_asks_for_one_that_windows_has() -> None:
    data = compile_block(Decay, "win64").library.read_bytes()
    assert data[:2] == b"MZ"
    assert {name.lower() for name in re.findall(rb"[\w.-]+\.dll", data, re.I)} == {b"ucrtbase.dll", b"decay.dll"}


@cross_compiled
def test_the_library_for_windows_exports_the_functions_of_fmi_2_and_nothing_else(tmp_path: Path) -> None:
    functions = set(re.findall(r"^#define (fmi2\w+)\s+fmi2FullName", fmi_headers()["fmi2Functions.h"], re.M))
    assert len(functions) == 44
    assert exports(compile_block(Decay, "win64").library.read_bytes()) == functions
    # a block in C has functions that must be seen from the other file, not from outside
    assert exports(compile_block(wide(tmp_path, TEXT), "win64").library.read_bytes()) == functions


def exports(data: bytes) -> set[str]:
    """The names in the export table of a 64-bit PE file (PE format, "The .edata Section")."""
    (head,) = struct.unpack_from("<I", data, 0x3C)
    magic, machine, sections, optional = struct.unpack_from("<4sHH12xH", data, head)
    assert (magic, machine) == (b"PE\0\0", 0x8664)
    (table,) = struct.unpack_from("<I", data, head + 24 + 112)  # the first data directory
    places = [struct.unpack_from("<8xIIII", data, head + 24 + optional + 40 * k) for k in range(sections)]

    def at(address: int) -> int:
        """Where an address of the loaded library lies in the file."""
        return next(raw + address - start for size, start, _, raw in places if start <= address < start + size)

    count, _, names = struct.unpack_from("<III", data, at(table) + 24)
    found = [at(name) for name in struct.unpack_from(f"<{count}I", data, at(names))]
    return {data[place : data.index(0, place)].decode() for place in found}


def test_a_library_shows_what_it_exports() -> None:
    """The reader above judges others, so it is judged by a table written by hand: one name, at 0x1040 once loaded."""
    head = b"MZ".ljust(0x3C, b"\0") + struct.pack("<I", 0x40)
    head += struct.pack("<4sHH12xH2x", b"PE\0\0", 0x8664, 1, 120) + bytes(112) + struct.pack("<II", 0x1000, 40)
    head += struct.pack("<8s4I16x", b".edata", 0x80, 0x1000, 0x80, 0x200)
    table = struct.pack("<24x3I4x", 1, 0, 0x1030).ljust(0x30, b"\0") + struct.pack("<I", 0x1040).ljust(0x10, b"\0")
    assert exports(head.ljust(0x200, b"\0") + table + b"other\0") == {"other"}


@cross_compiled
def test_the_library_for_macos_is_one_for_both_processors() -> None:
    data = compile_block(Decay, "darwin64").library.read_bytes()
    magic, count = struct.unpack_from(">II", data)
    assert (magic, count) == (0xCAFEBABE, 2)
    kinds = []
    for k in range(count):
        kind, _, at, size, align = struct.unpack_from(">5I", data, 8 + 20 * k)
        assert at % (1 << align) == 0
        assert at + size <= len(data)
        # each is a 64-bit library that says its own kind
        word, own, _, file_type = struct.unpack_from("<4I", data, at)
        assert (word, own, file_type) == (0xFEEDFACF, kind, 6)
        assert all(b"_" + name in data[at : at + size] for name in EXPORTED)
        kinds.append(kind)
    assert kinds == [0x01000007, 0x0100000C], "x86_64 and arm64"


@cross_compiled
@pytest.mark.parametrize("platform", PLATFORMS)
def test_libraries_do_not_depend_on_where_they_are_built(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, platform: str
) -> None:
    # the compiler's own cache, of what belongs to each platform, takes long to fill
    monkeypatch.setenv("ZIG_GLOBAL_CACHE_DIR", str(cache_folder() / "zig"))
    monkeypatch.setenv("DRAWBAR_CACHE", str(tmp_path / "one"))
    one = compile_block(Decay, platform).library
    monkeypatch.setenv("DRAWBAR_CACHE", str(tmp_path / "another place"))
    another = compile_block(Decay, platform).library
    assert one != another
    assert one.read_bytes() == another.read_bytes()


@cross_compiled
def test_a_kernel_may_use_the_c_library_on_windows(tmp_path: Path) -> None:
    assert compile_block(wide(tmp_path, TEXT), "win64").library.is_file()


@cross_compiled
@pytest.mark.parametrize("call", ["lgamma_r(u, &mem)", 'sscanf(text, "%d", &mem)'])
def test_a_function_that_windows_lacks_is_named(tmp_path: Path, call: str) -> None:
    text = TEXT.replace("cbrt(u)", call).replace(
        "#include <math.h>", "#include <math.h>\ndouble lgamma_r(double x, int *s);"
    )
    name = re.escape(call.partition("(")[0])
    with pytest.raises(BuildError, match=rf"Wide: .*wide\.c calls {name}\(\), which is defined nowhere on win64"):
        compile_block(wide(tmp_path, text), "win64")


def test_without_the_compiler_the_message_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cross, "find_spec", lambda name: None)
    with pytest.raises(
        BuildError, match=r"Decay: a build for win64 needs the compiler .* `pip install 'drawbar\[cross\]'"
    ):
        build(Decay, platforms=["win64"])


@cross_compiled
def test_the_compiler_is_known_by_what_it_says_where_its_package_says_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def version(name: str) -> str:
        raise PackageNotFoundError(name)

    monkeypatch.setattr(cross, "version", version)
    found = cross.find_cross_compiler()
    assert found is not None
    assert found.identity.startswith("clang version ")
    # a folder of that name that holds no compiler is none
    monkeypatch.setattr(cross.sys, "executable", "/no/such/python")
    assert cross.find_cross_compiler() is None


def test_a_script_has_the_platforms_of_pythonfmu() -> None:
    assert build(Looker, platforms=["linux64", "win64"]) == build(Looker)
    with pytest.raises(BuildError, match=r"Looker is a script, .* brings: linux64, win64, and not darwin64; build it"):
        build(Looker, platforms=["win64", "darwin64"])


def test_a_platform_that_is_not_known_is_wrong_usage(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["build", "PathFollower", "--platform", "win32"]) == 2
    assert "'win64'" in capsys.readouterr().err
