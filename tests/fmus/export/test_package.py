"""Built FMUs: valid, reproducible, runnable elsewhere."""

import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import fmpy
import pytest
from fmpy.validation import validate_fmu

from drawbar.blocks import BuildError, Continuous, Input, Output, Parameter, Sampled, State
from drawbar.blocks.authoring.block import Block
from drawbar.blocks.signals.first_order_lag import FirstOrderLag
from drawbar.fmus.export import package
from drawbar.fmus.export.package import build, compile_block
from drawbar.fmus.loading.description import read_description, read_interface

# what CasADi generates for hosts other than ours
UNUSED = ("-Wno-unused-function", "-Wno-unused-parameter")

pytestmark = pytest.mark.compiler


class AllKinds(Sampled, period="1/30"):
    """Every type in every causality, with <special> & "quoted" text."""

    a = Input("N.m", "real", size=3, min=-10.0, max=10.0)
    b = Input("1", "whole", type=int, start=2)
    c = Input("1", "yes or no", type=bool)
    p = Parameter([[1.0, 2.0], [3.0, 4.0]], "deg", "matrix", size=(2, 2))
    q = Parameter(3, "1", "whole <&>", type=int, tunable=True)
    r = Parameter(True, "1", "flag", type=bool)
    s = State([0.0, 1.0], "degC", "memory", size=2)
    x = Output("km/h", "real", size=2)
    y = Output("1", "whole", type=int)
    z = Output("1", "flag", type=bool)

    def outputs(self) -> dict[str, Any]:
        return {"x": self.s * self.a[0], "y": self.b + self.q, "z": self.c}

    def update(self) -> dict[str, Any]:
        return {"s": self.s + self.a[1:] + self.p[0, :].T}


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


def test_interface_survives_the_round_trip() -> None:
    ours, theirs = AllKinds.interface(), read_interface(build(AllKinds))
    assert [p.name for p in theirs.ports] == [p.name for p in ours.ports]
    for mine, read in zip(ours.ports, theirs.ports, strict=True):
        same = ("causality", "variability", "type", "shape", "start", "minimum", "maximum", "description")
        assert {k: getattr(mine, k) for k in same} == {k: getattr(read, k) for k in same}
        if mine.type == "Real":
            assert (mine.unit, mine.quantity) == (read.unit, read.quantity)
    for found, given in (
        (theirs.feedthrough, ours.feedthrough),
        (theirs.initial_feedthrough, ours.initial_feedthrough),
    ):
        assert {k: set(v) for k, v in found.items()} == {k: set(v) for k, v in given.items()}


class Doubled(Continuous):
    """Algebraic: no states."""

    u = Input("1", "in")
    y = Output("1", "out")

    def outputs(self) -> dict[str, Any]:
        return {"y": 2.0 * self.u}


@pytest.mark.parametrize(
    ("block", "said"),
    [
        (FirstOrderLag, {"sampled": False, "integrates": True, "fresh_read": True, "interpolates": True}),
        (Doubled, {"sampled": False, "integrates": False, "fresh_read": True, "interpolates": True}),
        (AllKinds, {"sampled": True, "integrates": False, "fresh_read": False, "interpolates": False}),
    ],
)
def test_a_master_learns_the_same_from_the_block_and_from_its_fmu(block: type[Block], said: dict[str, bool]) -> None:
    ours, theirs = block.interface(), read_interface(build(block))
    for interface in (ours, theirs):
        assert {k: getattr(interface, k) for k in said} == said
        assert interface.directional is not said["sampled"]
    assert ours.period == theirs.period == block.model().period


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
