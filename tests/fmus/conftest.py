"""What the tests of FMUs share: functions as C, scripts, and an FMU of others."""

from __future__ import annotations

import ctypes
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path

import casadi as ca
import numpy as np
import pytest

from drawbar.blocks import Script
from drawbar.blocks.authoring.registry import block_class, open_workspace
from drawbar.blocks.core.interface import Interface
from drawbar.fmus.backends.instance import FmuInstance
from drawbar.fmus.export.codegen import fmi_headers
from drawbar.fmus.export.kernel_files import kernel_files
from drawbar.fmus.loading.description import Description, Scalar
from drawbar.fmus.toolchain.compilers import compile_library

Call = Callable[[Sequence[np.ndarray]], np.ndarray]
VISIBLE = '#define CASADI_SYMBOL_EXPORT __attribute__((visibility("default")))\n#include "kernels.c"\n'


def called(function: ca.Function, *, lanes: bool = False, once: bool = False, define: str = "") -> Call:
    """A function of column vectors, compiled: in `lanes`, which it must be worth, as one called `once`, or plainly."""
    name = function.name()
    files = kernel_files([] if once else [function], {name} if lanes else (), [function] if once else ())
    assert ("vectorized.c" in files) is lanes
    files["main.c"] = (f"#define {define}\n" if define else "") + VISIBLE
    code = getattr(ctypes.CDLL(str(compile_library(files, "main.c", name))), name)

    def call(values: Sequence[np.ndarray]) -> np.ndarray:
        def table(arrays: Sequence[np.ndarray]) -> ctypes.Array[ctypes.c_void_p]:
            return (ctypes.c_void_p * len(arrays))(*(a.ctypes.data for a in arrays))

        given = [np.array(v, float) for v in values]
        result = np.full(function.nnz_out(0), np.nan)
        work = np.zeros(max(function.sz_w(), 1))
        assert code(table(given), table([result]), None, ctypes.c_void_p(work.ctypes.data), 0) == 0
        return result

    return call


@pytest.fixture(name="called")
def _called() -> Callable[..., Call]:
    return called


HERE = Path(__file__).parent


@pytest.fixture
def script_text() -> str:
    """A module of a script, to be formatted with its number `n` and the name of a module `helper`."""
    return (HERE / "watcher.txt").read_text("utf-8")


@pytest.fixture
def write_script(script_text: str) -> Callable[..., type[Script]]:
    """Return a function that writes one of several scripts whose class, file and helper have equal names."""

    def write(folder: Path, n: int, text: str = script_text) -> type[Script]:
        place = folder / f"way{n}"
        place.mkdir()
        # here their modules need names of their own; as FMUs they do not
        name, helper = f"{folder.name}_{n}", f"{folder.name}_helper_{n}"
        (place / f"{helper}.py").write_text(f"def scale(x):\n    return x * {n + 1}\n")
        (place / f"{name}.py").write_text(text.format(n=n, helper=helper))
        open_workspace(place)
        found = block_class(f"{name}:Watcher")
        assert issubclass(found, Script)
        return found

    return write


@pytest.fixture
def watcher(write_script: Callable[..., type[Script]], tmp_path: Path) -> type[Script]:
    return write_script(tmp_path, 0)


def edited_fmu(path: Path, target: Path, change: Callable[[str, bytes], bytes | None]) -> Path:
    """Copy an FMU with changed entries, without those that `change` returns None for."""
    with zipfile.ZipFile(path) as source, zipfile.ZipFile(target, "w") as copy:
        for name in source.namelist():
            if (content := change(name, source.read(name))) is not None:
                copy.writestr(name, content)
    return target


@pytest.fixture
def edited() -> Callable[[Path, Path, Callable[[str, bytes], bytes | None]], Path]:
    return edited_fmu


def foreign_instance(
    fail_in: str = "-1", fail_with: int = 0, *, derivatives: bool = False, says: bool = True
) -> FmuInstance:
    """The FMU of ``fmu_of_others.c``, instantiated; `says` is what it claims of directional derivatives."""
    defined = f"#define FAIL_IN {fail_in}\n#define FAIL_WITH {fail_with}\n"
    defined += "#define GIVES_DERIVATIVES\n" * derivatives
    text = defined + Path(__file__).with_name("fmu_of_others.c").read_text("utf-8")
    library = compile_library({"theirs.c": text, **fmi_headers()}, "theirs.c", "Theirs")
    scalars = {n: Scalar(n, i, "Integer" if n == "k" else "Real") for i, n in enumerate(["u", "v", "k", "y", "z"])}
    interface = Interface("Theirs", (), directional=says)
    description = Description(library.parent, "{1}", "Theirs", interface, scalars)
    return FmuInstance(description, "theirs", library)


@pytest.fixture
def theirs() -> Callable[..., FmuInstance]:
    return foreign_instance
