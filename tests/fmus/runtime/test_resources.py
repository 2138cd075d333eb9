"""Arrays in the resources folder: found by URI, checked to the byte, read once and shared."""

import ctypes
import io
import os
import shutil
import subprocess
import threading
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np
import pytest

from drawbar.blocks import FmuError, Kernel, Output, Resource
from drawbar.blocks.authoring.block import Block
from drawbar.fmus.backends.instance import FmuInstance, open_fmu
from drawbar.fmus.backends.native import native_instance
from drawbar.fmus.export.codegen import fmi_headers
from drawbar.fmus.export.package import build, compile_block
from drawbar.fmus.export.resources import npy_bytes
from drawbar.fmus.loading.archive import unpack, write_archive
from drawbar.fmus.loading.description import read_description
from drawbar.fmus.toolchain.compilers import find_compiler

pytestmark = pytest.mark.compiler


CUBE = np.arange(24.0).reshape(2, 3, 4) + 0.5


LAW = """
#include "sums.h"
int outputs(const double **arg, double **res, long long *iw, double *w, int mem) {
    const struct cube *c = cube_of(arg);
    double total = 0.0;
    for (int i = 0; i < LENGTH(c->at); i++)
        for (int j = 0; j < LENGTH(c->at[0]); j++)
            for (int k = 0; k < LENGTH(c->at[0][0]); k++) total += c->at[i][j][k];
    outputs_of(res)->total = total;
    outputs_of(res)->last = c->at[1][2][3];
    outputs_of(res)->second = line_of(arg)->at[1];
    outputs_of(res)->where = (double) (size_t) c;
    return 0;
}
"""


@pytest.fixture(scope="module")
def block(tmp_path_factory: pytest.TempPathFactory) -> type[Block]:
    folder = tmp_path_factory.mktemp("block")
    (folder / "sums.c").write_text("#include <stddef.h>\n" + LAW)
    # by columns and of another type: what numpy has saved is carried over by its numbers
    np.save(folder / "cube.npy", np.asfortranarray(CUBE.astype(np.float32)))

    class Sums(Kernel, source=folder / "sums.c"):
        cube = Resource(str(folder / "cube.npy"), "numbers")
        line = Resource("line.npy", "made at build time", make=lambda: [3, 4])
        total = Output("1", "sum")
        last = Output("1", "last of the cube")
        second = Output("1", "second of the line")
        where = Output("1", "address of the cube")

    return Sums


def values(instance: FmuInstance) -> list[float]:
    instance.initialize(0.0, {})
    instance.start()
    return instance.get(["total", "last", "second"])


WANTED = [float(CUBE.sum()), 23.5, 4.0]


@pytest.mark.parametrize("make", [native_instance, lambda block, name: open_fmu(build(block), name)])
def test_a_kernel_reads_its_arrays(make: Callable[..., FmuInstance], block: type[Block]) -> None:
    instance = make(block, "a")
    assert values(instance) == WANTED
    instance.close()


def test_an_fmu_with_a_large_array_of_zeros_is_no_bomb(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What packs better than any file of others may is stored as it is; an FMU of a package is a file of its own."""
    (tmp_path / "grid.c").write_text(
        '#include "grid.h"\nint outputs(const double **arg, double **res, long long *iw, double *w, int mem) {\n'
        "    outputs_of(res)->corner = grid_of(arg)->at[1199][1199];\n    return 0;\n}\n"
    )

    class Empty(Kernel, source=tmp_path / "grid.c"):
        grid = Resource("grid.npy", "an empty map", make=lambda: np.zeros((1200, 1200)))
        corner = Output("1", "its last cell")

    fmu = build(Empty, tmp_path / "first")
    read_description(fmu)
    with zipfile.ZipFile(fmu) as archive:
        kinds = {entry.filename: entry.compress_type for entry in archive.infolist()}
    assert kinds.pop("resources/grid.npy") == zipfile.ZIP_STORED
    assert set(kinds.values()) == {zipfile.ZIP_DEFLATED}
    instance = open_fmu(fmu, "a")
    instance.initialize(0.0, {})
    instance.start()
    assert instance.get(["corner"]) == [0.0]
    instance.close()
    monkeypatch.setenv("DRAWBAR_CACHE", str(tmp_path / "cache"))
    assert build(Empty, tmp_path / "second").read_bytes() == fmu.read_bytes()
    write_archive(tmp_path / "package.ssp", {"resources/Empty.fmu": fmu.read_bytes()})
    assert [p.name for p in unpack(tmp_path / "package.ssp").rglob("*.*")] == ["Empty.fmu"]


@dataclass
class Bare:
    """The library of the block without what Drawbar does around it: FMI calls with a location of any kind."""

    instance: FmuInstance
    guid: str

    def instantiate(self, location: str | bytes | None) -> int | None:
        given = location.encode() if isinstance(location, str) else location
        slave = self.instance._slave
        call = slave.dll.fmi2Instantiate
        return call(b"bare", 1, self.guid.encode(), given, ctypes.byref(self.instance._callbacks), 0, 0)  # type: ignore

    def free(self, component: int | None) -> None:
        self.instance._slave.dll.fmi2FreeInstance(ctypes.c_void_p(component))

    def said(self) -> str:
        return self.instance.messages()[-1]


@pytest.fixture
def bare(block: type[Block]) -> Iterator[Bare]:
    instance = native_instance(block, "a")
    yield Bare(instance, compile_block(block).sources.guid)
    instance.close()


@pytest.fixture
def folder(block: type[Block], tmp_path: Path) -> Path:
    """A copy of the resources folder, in a path with blanks, a percent sign and letters of several bytes."""
    target = tmp_path / "a b%20c" / "höhe 地図" / "resources"
    shutil.copytree(compile_block(block).library.parent / "resources", target)
    return target


def locations(folder: Path) -> dict[str, str]:
    coded = quote(str(folder))
    return {
        "as Python writes it": folder.as_uri(),
        "three slashes": f"file://{coded}",
        "one slash": f"file:{coded}",
        "localhost": f"file://localhost{coded}",
        "capital scheme": f"FILE://{coded}",
        "every byte coded": "file://" + "".join(f"%{b:02x}" if b != 47 else "/" for b in os.fsencode(str(folder))),
        "a slash at the end": f"file://{coded}/",
        "blanks and letters as they are": "file://" + str(folder).replace("%", "%25"),
        "a path": str(folder),
    }


@pytest.mark.parametrize("kind", locations(Path("/")))
def test_every_way_to_write_the_location_leads_to_the_folder(kind: str, bare: Bare, folder: Path) -> None:
    component = bare.instantiate(locations(folder)[kind])
    assert component, bare.said()
    bare.free(component)


@pytest.mark.parametrize(
    ("location", "message"),
    [
        (None, "location (null) cannot be used: none is given"),
        ("", "cannot be used: none is given"),
        ("http://host/resources", "cannot be used: only file: is read"),
        ("file://server/share", "cannot be used: it names another machine"),
        ("file:///a%2", "a percent sign is not followed by two digits of a byte"),
        ("file:///a%zz", "a percent sign is not followed by two digits of a byte"),
        ("file:///a%00b", "a percent sign is not followed by two digits of a byte"),
        ("file:", "Sums: resource cube.npy: "),
        ("file:///no/such/folder", "Sums: resource cube.npy: No such file or directory; folder: /no/such/folder"),
        (b"file:///\xff\xfe%ff", "No such file or directory"),
        ("file:///" + "x" * 100_000, "File name too long"),
    ],
)
def test_a_location_that_leads_nowhere_is_told(location: Any, message: str, bare: Bare) -> None:
    assert not bare.instantiate(location)
    assert message in bare.said()


def saved(array: Any, **options: Any) -> bytes:
    buffer = io.BytesIO()
    np.lib.format.write_array(buffer, np.asarray(array), **options)
    return buffer.getvalue()


GOOD = npy_bytes(CUBE)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "it is no .npy file"),
        (b"\x93NUMPY", "it is no .npy file"),
        (b"PK\x03\x04" + bytes(300), "it is no .npy file"),
        (GOOD[:40], "it ends within its header"),
        (GOOD[:-1], "it ends after 23 of 24 numbers"),
        (GOOD[:128], "it ends after 0 of 24 numbers"),
        (GOOD + b"\0", "it is longer than its header says"),
        (saved(CUBE, version=(2, 0)), "another version than 1.0"),
        (saved(CUBE.astype(np.float32)), "its numbers are not 64-bit floats"),
        (saved(CUBE.astype(">f8")), "its numbers are not 64-bit floats"),
        (saved(CUBE.astype(int)), "its numbers are not 64-bit floats"),
        (saved(np.asfortranarray(CUBE)), "it is stored by columns"),
        (saved(CUBE[:, :, :3]), "its shape is (2, 3, 3), but the FMU was built for (2, 3, 4)"),
        (saved(CUBE.ravel()), "its shape is (24,), but the FMU was built for (2, 3, 4)"),
        (saved(1.0), "its shape is (), but"),
        (GOOD.replace(b"(2, 3, 4)", b"(2, 3, 400000000000000000000000000000000000000000000000000000000000000000000)"),
         "its shape is (2, 3, 4000"),
        (GOOD.replace(b"4), }", b"4), } x"), "its header is not one that numpy writes"),
        (GOOD.replace(b"'descr'", b"'DESCR'"), "its header is not one that numpy writes"),
        (GOOD[:8] + b"\xff\xff" + GOOD[10:], "its header is not one that numpy writes"),
        (GOOD[:8] + b"\0\0" + GOOD[10:], "its header is not one that numpy writes"),
    ],
)  # fmt: skip
def test_a_file_that_is_not_as_built_is_refused(content: bytes, message: str, bare: Bare, folder: Path) -> None:
    (folder / "cube.npy").write_bytes(content)
    assert not bare.instantiate(folder.as_uri())
    assert message in bare.said()
    assert bare.said().startswith("Sums: resource cube.npy: ")
    (folder / "cube.npy").write_bytes(GOOD)
    component = bare.instantiate(folder.as_uri())
    assert component, "the refusal leaves nothing behind"
    bare.free(component)


def test_no_byte_of_the_head_can_crash_it(bare: Bare, folder: Path) -> None:
    random = np.random.default_rng(3)
    refused = 0
    for _ in range(1500):
        content = bytearray(GOOD)
        for at in random.integers(0, 128, random.integers(1, 4)):
            content[at] = random.integers(0, 256)
        (folder / "cube.npy").write_bytes(
            content[: random.integers(0, len(content) + 1)] if random.random() < 0.2 else content
        )
        component = bare.instantiate(folder.as_uri())
        refused += not component
        if component:
            bare.free(component)
    assert refused > 1000


def test_a_folder_in_place_of_a_file_is_refused(bare: Bare, folder: Path) -> None:
    (folder / "line.npy").unlink()
    (folder / "line.npy").mkdir()
    assert not bare.instantiate(folder.as_uri())
    assert "Sums: resource line.npy: " in bare.said()


def test_a_missing_file_fails_the_part_with_its_name(block: type[Block], tmp_path: Path) -> None:
    path = Path(shutil.copy(build(block), tmp_path / "Sums.fmu"))
    without = tmp_path / "without.fmu"
    with zipfile.ZipFile(path) as there, zipfile.ZipFile(without, "w") as left:
        for entry in there.namelist():
            if entry != "resources/cube.npy":
                left.writestr(entry, there.read(entry))
    with pytest.raises(FmuError, match=r"part 'a': .*Sums: resource cube\.npy: No such file or directory; folder: /"):
        open_fmu(without, "a")


def address(instance: FmuInstance) -> float:
    values(instance)
    return instance.get(["where"])[0]


def test_instances_share_one_copy_that_goes_with_the_last(bare: Bare, folder: Path) -> None:
    """Told from outside: while one lives the files need not be there, afterwards they must."""
    first = bare.instantiate(folder.as_uri())
    shutil.rmtree(folder)
    second = bare.instantiate(folder.as_uri())
    assert first and second
    bare.free(first)
    third = bare.instantiate(f"file:{quote(str(folder))}")
    assert third, "the same folder, written otherwise"
    bare.free(second)
    bare.free(third)
    assert not bare.instantiate(folder.as_uri())
    assert "No such file" in bare.said()


def test_instances_of_one_fmu_see_the_same_memory_and_copies_of_a_folder_do_not(block: type[Block]) -> None:
    a, b = open_fmu(build(block), "a"), open_fmu(build(block), "b")
    native = native_instance(block, "c")
    try:
        first, second, third = (address(instance) for instance in (a, b, native))
        assert first == second != third
    finally:
        for instance in (a, b, native):
            instance.close()


def test_threads_may_come_and_go_at_once(bare: Bare, folder: Path) -> None:
    failures: list[str] = []

    def come_and_go() -> None:
        for _ in range(200):
            component = bare.instantiate(folder.as_uri())
            if not component:
                failures.append(bare.said())
            bare.free(component)

    threads = [threading.Thread(target=come_and_go) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


# what Windows would compile, with the one function of its C library that opens files
AS_ON_WINDOWS = r"""
#include <stdio.h>
#include <wchar.h>
static FILE *_wfopen(const wchar_t *path, const wchar_t *mode) {
    for ((void) mode; *path; path++) printf(" %lx", (unsigned long) *path);
    return NULL;
}
#include "instance.h"
static const Model model;
static fmi2Status report(const Instance *I, fmi2Status status, const char *format, ...) {
    (void) I; (void) format;
    return status;
}
#include "resources.c"
int main(int argc, char **argv) {
    const char *reason;
    char *folder = argc == 2 ? folder_of_uri(argv[1], &reason) : NULL;
    printf("%s|", folder ? folder : reason);
    if (folder) open_file(folder);
    free(folder);
    return 0;
}
"""


@pytest.fixture(scope="module")
def as_on_windows(block: type[Block], tmp_path_factory: pytest.TempPathFactory) -> Path:
    compiler = find_compiler()
    assert compiler is not None
    folder = tmp_path_factory.mktemp("windows")
    for name, text in {**compile_block(block).sources.files, **fmi_headers(), "main.c": AS_ON_WINDOWS}.items():
        (folder / name).write_text(text)
    flags = ["-std=c99", "-w", "-D_WIN32", "-D__declspec(x)="]
    subprocess.run([*compiler.command, *flags, "main.c", "-o", "main"], cwd=folder, check=True)
    return folder / "main"


@pytest.mark.parametrize(
    ("location", "folder"),
    [
        ("file:///C:/a%20b/resources", "C:/a b/resources"),
        ("file:/C:/a/resources/", "C:/a/resources"),
        ("file://C:/a/resources", "C:/a/resources"),
        ("file://localhost/C:/a", "C:/a"),
        ("file://server/share/a", "//server/share/a"),
        ("C:\\a\\resources", "C:\\a\\resources"),
        ("file:///C:/h%C3%B6he/%F0%9F%9A%9C", "C:/höhe/🚜"),
    ],
)
def test_on_windows_a_location_leads_to_drive_and_letters(location: str, folder: str, as_on_windows: Path) -> None:
    said = subprocess.run([str(as_on_windows), location], capture_output=True, check=True).stdout.decode()
    path, _, units = said.partition("|")
    assert path == folder
    wide = folder.encode("utf-16-le")
    assert [int(u, 16) for u in units.split()] == [wide[i] + 256 * wide[i + 1] for i in range(0, len(wide), 2)]
