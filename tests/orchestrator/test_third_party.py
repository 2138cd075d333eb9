"""Parts of others as equals: OpenModelica's mass-spring pair from a wheel of PyPI, and FMUs in C of tests/foreign.

The wheels are kept in the folder $DRAWBAR_TEST_DOWNLOADS, else in ~/.cache/drawbar-tests; nothing of them is committed.
"""

import hashlib
import os
import re
import runpy
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from drawbar.blocks import FmuError
from drawbar.blocks.signals.first_order_lag import FirstOrderLag
from drawbar.diagrams.model.diagram import Diagram
from drawbar.fmus.toolchain.compilers import host_platform
from drawbar.orchestrator.runs.run import Run
from drawbar.orchestrator.simulate import simulate

build_foreign = runpy.run_path(str(Path(__file__).parents[1] / "foreign" / "builder.py"))["build"]
# of the FMUs, by the last part of their path in the wheel
HASHES = {
    "linux/MassSpringSubSystem1.fmu": "2008929caf21c5b6820a3fd6bc328f9cf6fc7202db1af54cf780e322b83eba2d",
    "linux/MassSpringSubSystem2.fmu": "539d8843caa8095b5a2d08cc15669b43ce2a30e5d20a00a149eb602b8a82479c",
    "simple2R1C/Simple2R1C_linux64.fmu": "3c5465e4a23c291daa5cfe6b053d0aa55801d60416c39f3292110231bbc6277e",
}
ENGINES = [pytest.param("c", marks=pytest.mark.compiler), "python"]


def download(package: str, release: str) -> Path:
    """The wheel of a package, without its dependencies; the test is skipped where no registry answers."""
    kept = Path(os.environ.get("DRAWBAR_TEST_DOWNLOADS") or Path.home() / ".cache" / "drawbar-tests")
    pattern = f"{package.replace('-', '_')}-{release}-*.whl"
    if found := sorted(kept.glob(pattern)):
        return found[0]
    kept.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=kept) as scratch:
        words = ["download", "-q", "--no-deps", "--only-binary", ":all:", "-d", scratch, f"{package}=={release}"]
        done = subprocess.run([sys.executable, "-m", "pip", *words], capture_output=True, text=True, check=False)
        wheels = list(Path(scratch).glob(pattern))
        if done.returncode or not wheels:
            reason = [line for line in done.stderr.splitlines() if line.startswith("ERROR")] or ["no wheel"]
            pytest.skip(f"pip cannot download {package} {release} ({reason[-1]})")
        # a rename is atomic: what lies in the folder is whole
        return wheels[0].replace(kept / wheels[0].name)


def unpack(wheel: Path, wanted: str, folder: Path) -> Path:
    """One FMU of a wheel, if it is the one that the numbers below were found with."""
    with zipfile.ZipFile(wheel) as archive:
        (entry,) = (name for name in archive.namelist() if name.endswith(wanted))
        content = archive.read(entry)
    assert hashlib.sha256(content).hexdigest() == HASHES[wanted], f"{entry} of {wheel} is another file"
    target = folder / Path(wanted).name
    target.write_bytes(content)
    return target


@pytest.fixture(scope="session")
def springs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of MassSpringSubSystem1.fmu and MassSpringSubSystem2.fmu."""
    if host_platform() != "linux64":
        pytest.skip(f"OpenModelica's FMUs of gemseo-fmu are taken for linux64, this is {host_platform()}")
    wheel, folder = download("gemseo-fmu", "3.1.1"), tmp_path_factory.mktemp("springs")
    for name in ("linux/MassSpringSubSystem1.fmu", "linux/MassSpringSubSystem2.fmu"):
        unpack(wheel, name, folder)
    return folder


def test_another_file_of_that_name_is_not_taken(tmp_path: Path) -> None:
    wheel = tmp_path / "gemseo_fmu-3.1.1-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("gemseo_fmu/linux/MassSpringSubSystem1.fmu", "evil")
    with pytest.raises(AssertionError, match="another file"):
        unpack(wheel, "linux/MassSpringSubSystem1.fmu", tmp_path)
    assert not (tmp_path / "MassSpringSubSystem1.fmu").exists()


def pair(folder: Path, algorithm: str = "jacobi", **starts: float) -> Diagram:
    """Two masses on three springs, x1 and x2 connected; k1, k2, k3, m1, m2 are inputs that nothing drives."""
    d = Diagram("springs", step=0.01, stop=1.0, algorithm=algorithm)
    one = d.add("one", folder / "MassSpringSubSystem1.fmu", **starts)
    two = d.add("two", folder / "MassSpringSubSystem2.fmu")
    d.connect(one.x1, two.x1)
    d.connect(two.x2, one.x2)
    return d


def recursion(k1: float = 1.0) -> NDArray[np.float64]:
    """x1, x2 by what these FMUs do with a step: forward Euler, which for them is what Jacobi with hold is."""
    h, z = 0.01, np.array([0.0, 1.0, 1.0, 0.0])  # x1, v1, x2, v2
    rows = [z]
    for _ in range(100):
        x1, v1, x2, v2 = z
        z = z + h * np.array([v1, -(k1 + 1.0) * x1 + x2, v2, -2.0 * x2 + x1])
        rows.append(z)
    return np.array(rows)[:, [0, 2]]


@pytest.mark.parametrize("engine", ENGINES)
def test_openmodelica_springs_reach_the_published_values(springs: Path, tmp_path: Path, engine: str) -> None:
    """What OMSimulator gives for the same parallel master, to all eleven digits that it prints."""
    run = simulate(pair(springs), out=tmp_path / "r", engine=engine)
    x1, x2 = run["one.x1"], run["two.x2"]
    assert round(float(x1[-1]), 11) == 1.06500288832
    assert round(float(x2[-1]), 11) == 0.32370631055
    assert len(x1) == 101
    assert np.column_stack([x1, x2]) == pytest.approx(recursion(), rel=1e-12, abs=1e-14)


@pytest.mark.parametrize("engine", ENGINES)
def test_openmodelica_takes_input_derivatives(springs: Path, tmp_path: Path, engine: str) -> None:
    """Its Euler step looks at the beginning of the step only, where an interpolated input is the held one."""
    run = simulate(pair(springs, "interpolated"), out=tmp_path / "r", engine=engine)
    assert round(float(run["one.x1"][-1]), 11) == 1.06500288832


@pytest.mark.parametrize("algorithm", ["second-order", "gauss-seidel"])
def test_the_published_values_tell_the_algorithms_apart(springs: Path, tmp_path: Path, algorithm: str) -> None:
    """Negative control: every other way to exchange is seen."""
    run = simulate(pair(springs, algorithm), out=tmp_path / "r", engine="python")
    assert abs(float(run["one.x1"][-1]) - 1.06500288832) > 1e-6
    assert run["one.x1"][-1] == pytest.approx(1.065, abs=0.02), "it is the same pair all the same"


def test_a_start_value_that_is_asked_for_is_written(springs: Path, tmp_path: Path) -> None:
    """Also the negative control of the inputs that keep theirs: this one changes the run."""
    run = simulate(pair(springs, k1=2.5), out=tmp_path / "r", engine="python")
    assert run["one.x1"] == pytest.approx(recursion(k1=2.5)[:, 0], rel=1e-12, abs=1e-14)
    assert abs(run["one.x1"][-1] - 1.06500288832) > 0.1


def without_binaries(fmu: Path, target: Path, renamed: str | None = None) -> Path:
    """A copy whose binaries for linux64 are gone, or called those of another platform."""
    with zipfile.ZipFile(fmu) as source, zipfile.ZipFile(target, "w") as copy:
        for entry in source.namelist():
            if "/linux64/" not in entry:
                copy.writestr(entry, source.read(entry))
            elif renamed:
                copy.writestr(entry.replace("/linux64/", f"/{renamed}/"), source.read(entry))
    return target


@pytest.mark.parametrize(("renamed", "has"), [(None, "$"), ("win64", r"; it has win64")])
def test_a_missing_platform_is_named(springs: Path, tmp_path: Path, renamed: str | None, has: str) -> None:
    d = Diagram("springs", step=0.01, stop=1.0)
    d.add("one", without_binaries(springs / "MassSpringSubSystem1.fmu", tmp_path / "copy.fmu", renamed))
    message = r"part 'one': MassSpringSubSystem1 has no binary for linux64" + has
    with pytest.raises(FmuError, match=message):
        simulate(d, out=tmp_path / "r", engine="python")
    assert not (tmp_path / "r").exists()


def test_a_missing_dependency_of_another_tool_is_named(tmp_path: Path) -> None:
    """JModelica's FMU wants a Fortran library that distributions stopped to ship years ago."""
    if host_platform() != "linux64":
        pytest.skip(f"the FMU is for linux64, this is {host_platform()}")
    d = Diagram("house", step=1.0, stop=10.0)
    d.add("house", unpack(download("modestpy", "0.1.1"), "simple2R1C/Simple2R1C_linux64.fmu", tmp_path))
    with pytest.raises(FmuError, match=r"part 'house': .*needs the library libgfortran\.so\.3, which is not on this"):
        simulate(d, out=tmp_path / "r", engine="python")


@pytest.fixture
def foreign(tmp_path: Path) -> Callable[..., Path]:
    """Build an FMU of tests/foreign."""
    return lambda source, **choices: Path(build_foreign(tmp_path, source, **choices))


Foreign = Callable[..., Path]


@pytest.fixture(params=ENGINES)
def run_alone(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Callable[..., Run]]:
    """Runs one part alone for a second."""

    def run(fmu: Path, step: float = 0.1, **starts: float) -> Run:
        d = Diagram("alone", step=step, stop=1.0)
        d.add("part", fmu, **starts)
        return simulate(d, out=tmp_path / "r", engine=request.param)

    yield run
    shutil.rmtree(tmp_path / "r", ignore_errors=True)


@pytest.mark.compiler
def test_a_missing_dependency_is_named(foreign: Foreign, run_alone: Callable[..., Run]) -> None:
    with pytest.raises(FmuError, match=r"part 'part': .*needs the library libabsent\.so\.7"):
        run_alone(foreign("spy", needs="libabsent.so.7"))


@pytest.mark.compiler
def test_start_values_of_the_description_are_written_only_where_asked(
    foreign: Foreign, run_alone: Callable[..., Run]
) -> None:
    """The description announces others than the FMU has: neither parameter nor unconnected input is touched."""
    fmu = foreign("spy", starts={"u": 2.0, "T": 0.4}, announced={"u": 5.0, "T": 8.0, "y": 9.0})
    run = run_alone(fmu)
    assert run["part.used"].tolist() == [0.0] + [2.0] * 10
    assert run["part.y"] == pytest.approx(2.0 * (1.0 - np.exp(-run.time("part.y") / 0.4)), rel=1e-9)


@pytest.mark.compiler
def test_start_values_that_are_asked_for_are_written(foreign: Foreign, run_alone: Callable[..., Run]) -> None:
    """Negative control of the one before."""
    run = run_alone(foreign("spy", starts={"u": 2.0, "T": 0.4}, announced={"u": 5.0, "T": 8.0}), u=5.0, T=8.0, y=1.0)
    assert run["part.used"].tolist() == [0.0] + [5.0] * 10
    assert run["part.y"] == pytest.approx(5.0 - 4.0 * np.exp(-run.time("part.y") / 8.0), rel=1e-9)


@pytest.mark.compiler
def test_enumerations_and_integers_of_others_are_whole_numbers(foreign: Foreign, run_alone: Callable[..., Run]) -> None:
    """The enumeration's item 2 stands for Euler's method; the counters come back as whole numbers."""
    run = run_alone(foreign("spy", starts={"u": 1.0, "T": 0.4}), method=2)
    assert run["part.y"] == pytest.approx(1.0 - 0.75 ** np.arange(11), rel=1e-12)
    assert run["part.steps"].dtype.kind == "i"
    assert run["part.steps"].tolist() == list(range(11))


@pytest.mark.compiler
def test_twice_is_once_too_often_where_one_instance_is_allowed(foreign: Foreign, tmp_path: Path) -> None:
    fmu = foreign("spy", canBeInstantiatedOnlyOncePerProcess=True)
    d = Diagram("twins", step=0.1, stop=1.0)
    d.add("a", fmu)
    simulate(d, out=tmp_path / "one")
    d.add("b", fmu)
    with pytest.raises(FmuError, match=r"part 'b': spy allows one instance per process, and part 'a' is one"):
        simulate(d, out=tmp_path / "two")
    assert not (tmp_path / "two").exists()


@pytest.mark.compiler
@pytest.mark.parametrize("engine", ENGINES)
def test_a_fixed_own_step_is_respected(foreign: Foreign, tmp_path: Path, engine: str) -> None:
    """The FMU refuses every step but its own, which is twice that of the diagram."""
    fmu = foreign("spy", canHandleVariableCommunicationStepSize=False, stepSize=0.02)
    d = Diagram("two_rates", step=0.01, stop=1.0)
    slow, lag = d.add("slow", fmu, d=0.5), d.add("lag", FirstOrderLag, y=1.0)
    d.connect(slow.y, lag.u)
    d.connect(lag.y, slow.u)
    run = simulate(d, out=tmp_path / "r", engine=engine)
    assert run["slow.steps"].tolist() == list(range(51))
    assert run["slow.h"][1:] == pytest.approx(0.02, rel=1e-12)
    assert run.time("slow.h") == pytest.approx(0.02 * np.arange(51))
    assert len(run["lag.y"]) == 101
    assert run["slow.violations"][-1] == 0


@pytest.mark.compiler
def test_an_fmu_that_takes_any_step_takes_that_of_the_diagram(foreign: Foreign, run_alone: Callable[..., Run]) -> None:
    """Negative control: the default experiment of such an FMU is a proposal."""
    run = run_alone(foreign("spy", stepSize=0.02), step=0.01)
    assert run["part.h"][1:] == pytest.approx(0.01, rel=1e-12)


def watched(fmu: Path, algorithm: str) -> Diagram:
    """A spy in a loop with two lags of ours, one of them behind its output with direct feedthrough."""
    d = Diagram("watched", step=0.01, stop=0.5, algorithm=algorithm)
    spy, lag, other = d.add("spy", fmu, u=1.0), d.add("lag", FirstOrderLag, y=1.0), d.add("other", FirstOrderLag)
    d.connect(spy.y2, lag.u)
    d.connect(spy.y, other.u)
    d.connect(lag.y, spy.u)
    return d


@pytest.mark.compiler
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("algorithm", ["second-order", "jacobi", "gauss-seidel", "interpolated"])
@pytest.mark.parametrize(
    "able", [{}, {"canInterpolateInputs": True, "providesDirectionalDerivative": True}, {"dependencies": False}]
)
def test_a_foreign_fmu_sees_nothing_that_fmi_forbids(
    foreign: Foreign, tmp_path: Path, engine: str, algorithm: str, able: dict[str, bool]
) -> None:
    run = simulate(watched(foreign("spy", **able), algorithm), out=tmp_path / "r", engine=engine)
    assert run["spy.violations"].tolist() == [0] * 51
    assert run["spy.steps"][-1] == 50
    assert run["spy.gets"][-1] >= 50


@pytest.mark.compiler
@pytest.mark.parametrize("engine", ENGINES)
def test_a_fresh_read_that_the_user_asks_for_is_seen(foreign: Foreign, tmp_path: Path, engine: str) -> None:
    """Negative control: the spy does see the get after set that `fresh_read` allows."""
    d = watched(foreign("spy"), "second-order")
    d.parts["spy"].fresh_read = True
    run = simulate(d, out=tmp_path / "r", engine=engine)
    assert run["spy.violations"][-1] >= 50


@pytest.mark.compiler
@pytest.mark.parametrize("engine", ENGINES)
def test_limits_of_an_input_hold_inside_the_step_too(foreign: Foreign, tmp_path: Path, engine: str) -> None:
    """The value that is sent ahead of time is kept within the receiver's min and max."""
    d = Diagram("limited", step=0.05, stop=1.0)
    spy, lag = d.add("spy", foreign("spy", maximum={"u": 1.0})), d.add("lag", FirstOrderLag, u=1.0, time_constant=0.02)
    d.connect(lag.y, spy.u)
    run = simulate(d, out=tmp_path / "r", engine=engine)
    assert run["spy.used"].max() <= 1.0
    assert run["spy.used"][2] > run["lag.y"][1], "it is sent ahead of time"


def test_skips_say_which_download_failed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A registry that does not answer is a reason to skip, and nothing is left in the folder of downloads."""
    monkeypatch.setenv("DRAWBAR_TEST_DOWNLOADS", str(tmp_path / "downloads"))
    for name in list(os.environ):
        if name.startswith("PIP_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    with pytest.raises(pytest.skip.Exception, match=re.escape("gemseo-fmu 3.1.1 (ERROR")):
        download("gemseo-fmu", "3.1.1")
    assert list((tmp_path / "downloads").iterdir()) == []
