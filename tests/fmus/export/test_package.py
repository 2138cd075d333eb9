"""Built FMUs: valid, reproducible, runnable elsewhere."""

import os
import re
import runpy
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import fmpy
import pytest
from fmpy.validation import _validate_variable_names, validate_fmu

from drawbar.blocks import BuildError, Continuous, Output
from drawbar.blocks.authoring.block import Block
from drawbar.blocks.signals.first_order_lag import FirstOrderLag
from drawbar.fmus.export import package
from drawbar.fmus.export.package import build
from drawbar.fmus.loading.description import read_description

AllKinds = runpy.run_path(str(Path(__file__).parents[1] / "all_kinds.py"))["AllKinds"]


# what CasADi generates for hosts other than ours
UNUSED = ("-Wno-unused-function", "-Wno-unused-parameter")


pytestmark = pytest.mark.compiler


@pytest.mark.parametrize("block", [FirstOrderLag, AllKinds])
def test_validator_of_fmpy_finds_nothing(block: type[Block]) -> None:
    assert validate_fmu(str(build(block))) == []


def test_a_finding_of_the_validator_fails_the_build_and_leaves_no_fmu(monkeypatch: pytest.MonkeyPatch) -> None:
    class Broken(Continuous):
        y = Output("1", "one")

        def outputs(self) -> dict[str, Any]:
            return {"y": 1.0}

    original = package.write_description
    monkeypatch.setattr(
        package,
        "write_description",
        lambda model, guid: original(model, guid).replace('causality="output"', 'causality="local"'),
    )
    with pytest.raises(BuildError, match=r"Broken\.fmu: the FMU is not valid"):
        build(Broken)
    assert not list(Path(os.environ["DRAWBAR_CACHE"]).rglob("Broken.fmu"))


GOOD = ["u", "_x1", "a.b", "a[1]", "a[1,22].b[3]", "der(x)", "der(a.b[1],2)", "'any-thing! [m/s]'", r"'it\'s'.y"]
BAD = [
    "",
    "1a",
    "a b",
    "a.",
    ".a",
    "a[]",
    "a[i]",
    "a[1][2]",
    "a[1, 2]",
    "der()",
    "der(x",
    "'open",
    "''",
    "ä",
    "a-b",
    "a\n",
]


@pytest.mark.parametrize("name", [*GOOD, *BAD])
def test_structured_names_are_those_that_the_parser_of_fmpy_accepts(name: str) -> None:
    variable = fmpy.model_description.ScalarVariable(name=name, valueReference=1)
    description = fmpy.model_description.ModelDescription()
    description.variableNamingConvention, description.modelVariables = "structured", [variable]
    accepted = not _validate_variable_names(description)
    assert (package.STRUCTURED_NAME.fullmatch(name) is not None) == accepted
    assert accepted == (name in GOOD)


def test_same_block_same_bytes(tmp_path: Path) -> None:
    """Built twice by separate processes with separate caches."""
    script = (
        "from drawbar.blocks.signals.first_order_lag import FirstOrderLag;"
        "from drawbar.fmus.export.package import build; from pathlib import Path; import sys;"
        "print(build(FirstOrderLag, Path(sys.argv[1])))"
    )
    files = []
    for name, seed in (("one", "1"), ("two", "2")):
        environment = {**os.environ, "DRAWBAR_CACHE": str(tmp_path / name), "PYTHONHASHSEED": seed}
        command = [sys.executable, "-c", script, str(tmp_path / name / "out")]
        subprocess.run(command, env=environment, check=True, capture_output=True)
        files.append((tmp_path / name / "out" / "FirstOrderLag.fmu").read_bytes())
    assert files[0] == files[1]


def test_entries_are_what_strict_importers_want() -> None:
    with zipfile.ZipFile(build(FirstOrderLag)) as archive:
        entries = archive.infolist()
        assert archive.testzip() is None
    assert entries[0].filename == "modelDescription.xml"
    assert all(e.compress_type == zipfile.ZIP_DEFLATED and not e.flag_bits & 0x8 for e in entries)
    assert all("\\" not in e.filename and not e.filename.startswith("./") for e in entries)


def test_binary_needs_nothing_but_the_c_library() -> None:
    readelf = shutil.which("readelf")
    if readelf is None:
        pytest.skip("no readelf (install binutils)")
    library = read_description(build(FirstOrderLag)).library
    text = subprocess.run([readelf, "-d", str(library)], capture_output=True, text=True, check=True).stdout
    needed = set(re.findall(r"NEEDED.*\[(.*?)\]", text))
    assert needed <= {"libc.so.6", "libm.so.6"}, needed


def test_it_runs_in_fmpy() -> None:
    result = fmpy.simulate_fmu(
        str(build(FirstOrderLag)), start_values={"u": 2.0, "time_constant": 0.5}, stop_time=1.0, output_interval=0.01
    )
    assert result["y"][-1] == pytest.approx(2.0 * (1.0 - 0.1353352832366127), rel=1e-9)


def test_sources_alone_compile_with_the_build_of_fmpy(tmp_path: Path) -> None:
    """What the FMU carries as source is enough for an importer that compiles by itself."""
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        pytest.skip("no cc, gcc or clang (install gcc)")
    with zipfile.ZipFile(build(AllKinds)) as archive:
        archive.extractall(tmp_path)
    command = [compiler, "-std=c99", "-Wall", "-Wextra", "-Werror", *UNUSED, "-fsyntax-only", "all.c"]
    done = subprocess.run(command, cwd=tmp_path / "sources", capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
