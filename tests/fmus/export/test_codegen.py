"""The C files of a block: what decides their identity, and that they compile alone."""

import re
import shutil
import subprocess
import zipfile
from pathlib import Path
from typing import Any

import pytest

from drawbar.blocks import (
    BuildError,
    Continuous,
    Input,
    Kernel,
    Output,
    Resource,
)
from drawbar.blocks.authoring.block import Block
from drawbar.blocks.sensors.ray_march import RayMarch
from drawbar.fmus.export.codegen import generate
from drawbar.fmus.export.package import build, compile_block

SIGNATURE = "const double **arg, double **res, long long *iw, double *w, int mem"


compiler = pytest.mark.compiler


def written(folder: Path, text: str, name: str = "law.c") -> Path:
    path = folder / name
    path.write_text(text.replace("SIGNATURE", SIGNATURE))
    return path


GOOD = '#include "law.h"\nint outputs(SIGNATURE) { outputs_of(res)->y = inputs_of(arg)->u; return 0; }\n'


@pytest.mark.parametrize(("name", "taken"), [("Model.c", "Model.h"), ("windows.c", "windows.c")])
def test_a_name_of_the_runtime_is_refused(tmp_path: Path, name: str, taken: str) -> None:
    """On every platform alike, also where the file is of the FMUs for another one alone."""

    class Clashing(Kernel, source=written(tmp_path, GOOD, name)):
        u = Input("1", "in")
        y = Output("1", "out")

    with pytest.raises(BuildError, match=rf"the runtime has a file {re.escape(taken)} already"):
        generate(Clashing.model(), "")


def test_identity_is_of_the_c_text_the_declaration_and_the_numbers(tmp_path: Path) -> None:
    def guid(text: str, size: int, values: list[float]) -> str:
        class Identified(Kernel, source=written(tmp_path, text)):
            u = Input("1", "in", size=size)
            y = Output("1", "out")
            table = Resource("table.npy", "numbers", make=lambda: values)

        return generate(Identified.model(), "").guid

    one = guid(GOOD, 1, [1.0, 2.0])
    assert guid(GOOD, 1, [1.0, 2.0]) == one
    others = {guid(GOOD + "/**/", 1, [1.0, 2.0]), guid(GOOD, 2, [1.0, 2.0]), guid(GOOD, 1, [1.0, 3.0])}
    assert len(others | {one}) == 4
    assert guid(GOOD.replace("\n", "\r\n"), 1, [1.0, 2.0]) == one, "line ends of a checkout are no other text"


@compiler
def test_sources_alone_compile_without_a_warning(tmp_path: Path) -> None:
    program = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if program is None:
        pytest.skip("no cc, gcc or clang (install gcc)")
    with zipfile.ZipFile(build(RayMarch)) as archive:
        archive.extractall(tmp_path)
    command = [program, "-std=c99", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "all.c", "ray_march.c"]
    done = subprocess.run(command, cwd=tmp_path / "sources", capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


pytestmark = pytest.mark.compiler


def test_another_equation_is_another_guid() -> None:
    def lag(gain: float) -> type[Block]:
        class Same(Continuous):
            u = Input("1", "in")
            y = Output("1", "out")

            def outputs(self) -> dict[str, Any]:
                return {"y": gain * self.u}

        return Same

    guids = {compile_block(lag(gain)).sources.guid for gain in (1.0, 2.0, 1.0)}
    assert len(guids) == 2
