"""FMUs of others are equal citizens: one made by pythonfmu at test time, connected to blocks of ours."""

import contextlib
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pythonfmu.builder import FmuBuilder

from drawbar.blocks import Continuous, DiagramError, FmuError, Input, Output, RunError
from drawbar.blocks.signals.first_order_lag import FirstOrderLag
from drawbar.diagrams.model.diagram import Diagram
from drawbar.diagrams.ssp.ssp import read, write
from drawbar.orchestrator.runs.run import Run
from drawbar.orchestrator.simulate import simulate

SLAVE = '''
from pythonfmu import Boolean, Fmi2Causality, Fmi2Slave, Fmi2Variability, Integer, Real, String


class Accumulator(Fmi2Slave):
    """y is the sum of the inputs seen so far times the step; fails when told to."""

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.u = 0.5
        self.gain = 2.0
        self.fail_at = 1e9
        self.label = "none"
        self.y = 0.0
        self.count = 0
        self.high = False
        self.register_variable(Real("u", causality=Fmi2Causality.input, start=0.5))
        tunable = dict(causality=Fmi2Causality.parameter, variability=Fmi2Variability.tunable)
        self.register_variable(Real("gain", start=2.0, **tunable))
        self.register_variable(Real("fail_at", start=1e9, **tunable))
        self.register_variable(String("label", start="none", **tunable))
        self.register_variable(Real("y", causality=Fmi2Causality.output))
        self.register_variable(Integer("count", causality=Fmi2Causality.output))
        self.register_variable(Boolean("high", causality=Fmi2Causality.output))

    def terminate(self):
        if self.label.endswith(".txt"):
            with open(self.label, "a") as note:
                note.write("terminated")

    def do_step(self, current_time, step_size):
        self.y += self.gain * self.u * step_size
        self.count += 1
        self.high = self.y > 1.0
        return current_time + step_size < self.fail_at
'''


@pytest.fixture(scope="module")
def accumulator(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("slave")
    script = folder / "accumulator_of_tests.py"
    script.write_text(SLAVE)
    return Path(FmuBuilder.build_FMU(script, dest=folder))


def loop(fmu: Path) -> Diagram:
    d = Diagram("foreign", step=0.01, stop=1.0, algorithm="jacobi")
    theirs, ours = d.add("theirs", str(fmu), gain=4.0, label="a word"), d.add("ours", FirstOrderLag, y=0.3)
    d.connect(ours.y, theirs.u)
    d.connect(theirs.y, ours.u)
    return d


@pytest.mark.parametrize(
    ("backend", "engine"),
    [
        pytest.param("fmu", "c", marks=pytest.mark.compiler),
        pytest.param("fmu", "python", marks=pytest.mark.compiler),
        ("interpreted", "python"),
    ],
)
def test_a_loop_of_both_kinds(accumulator: Path, tmp_path: Path, backend: str, engine: str) -> None:
    """Against the recursion written out: y += 4 u h, and the exact lag over each held step."""
    run = simulate(loop(accumulator), out=tmp_path / "r", backend=backend, engine=engine)
    y, lag = 0.0, 0.3
    for _ in range(100):
        y, lag = y + 4.0 * lag * 0.01, y + (lag - y) * np.exp(-0.01 / 0.1)
    assert run["theirs.y"][-1] == pytest.approx(y, rel=1e-9)
    assert run["ours.y"][-1] == pytest.approx(lag, rel=1e-9)
    assert run["theirs.count"].tolist() == list(range(101))
    assert run["theirs.high"].dtype == bool
    assert run["theirs.high"][-1] == (y > 1.0)


def test_an_unconnected_input_keeps_its_start_value(accumulator: Path, tmp_path: Path) -> None:
    d = Diagram("alone", step=0.01, stop=0.1)
    d.add("theirs", str(accumulator))
    assert simulate(d, out=tmp_path / "r", engine="python")["theirs.y"][-1] == pytest.approx(0.5 * 2.0 * 0.1)


def test_a_part_that_fails_is_named_and_its_rows_are_kept(accumulator: Path, tmp_path: Path) -> None:
    d = loop(accumulator)
    d.parts["theirs"].set("fail_at", 0.505)
    with pytest.raises(RunError, match=r"the step from t = 0\.5 s returned 'discard' after t = 0\.5 s \(inputs: u = "):
        simulate(d, out=tmp_path / "r", backend="interpreted")
    run = Run(tmp_path / "r")
    assert run.info["outcome"] == "failed"
    assert len(run["ours.y"]) == 51


def test_the_file_finds_it_beside_itself(accumulator: Path, tmp_path: Path) -> None:
    (tmp_path / "resources").mkdir()
    (tmp_path / "resources" / "theirs.fmu").write_bytes(accumulator.read_bytes())
    d = Diagram("foreign", step=0.01, stop=0.1)
    d.add("theirs", str(tmp_path / "resources" / "theirs.fmu"), gain=1.0)
    write(d, tmp_path / "SystemStructure.ssd")
    moved = tmp_path.with_name(tmp_path.name + "-moved")
    tmp_path.rename(moved)
    try:
        run = simulate(read(moved / "SystemStructure.ssd"), out=moved / "r", engine="python")
        assert run["theirs.y"][-1] == pytest.approx(0.05)
    finally:
        moved.rename(tmp_path)


@pytest.mark.parametrize("fail_at", [1e9, 0.505])
def test_a_part_is_terminated_once_before_it_is_freed(accumulator: Path, tmp_path: Path, fail_at: float) -> None:
    """Also after a discarded step; FMUs write their own files there."""
    d = loop(accumulator)
    d.parts["theirs"].set("label", str(tmp_path / "note.txt"))
    d.parts["theirs"].set("fail_at", fail_at)
    with contextlib.suppress(RunError):
        simulate(d, out=tmp_path / "r", engine="python")
    assert (tmp_path / "note.txt").read_text() == "terminated"


def test_one_instance_per_process_is_respected(accumulator: Path, tmp_path: Path) -> None:
    single = tmp_path / "single.fmu"
    with zipfile.ZipFile(accumulator) as source, zipfile.ZipFile(single, "w") as target:
        for name in source.namelist():
            text = source.read(name)
            old, new = b'canBeInstantiatedOnlyOncePerProcess="false"', b'canBeInstantiatedOnlyOncePerProcess="true"'
            target.writestr(name, text.replace(old, new) if name == "modelDescription.xml" else text)
    d = Diagram("twins", step=0.01, stop=0.1)
    d.add("a", str(single))
    simulate(d, out=tmp_path / "one", engine="python")
    d.add("b", str(single))
    with pytest.raises(FmuError, match=r"part 'b': \w+ allows one instance per process, and part 'a' is one"):
        simulate(d, out=tmp_path / "two", engine="python")
    assert not (tmp_path / "two").exists()


def test_a_python_module_may_be_called_water_tank(tmp_path: Path) -> None:
    """Which no import statement can name; pythonfmu does without one."""
    script = tmp_path / "water-tank.py"
    script.write_text(SLAVE.replace("Accumulator", "WaterTank"))
    d = Diagram("tank", step=0.5, stop=1.0)
    d.add("tank", FmuBuilder.build_FMU(script, dest=tmp_path))
    assert simulate(d, out=tmp_path / "run")["tank.y"].tolist() == [0.0, 0.5, 1.0]


FROM_ZERO = """
from pythonfmu import Fmi2Causality, Fmi2Slave, Fmi2Variability, Real


class FromZero(Fmi2Slave):
    \"\"\"y = gain*u by element, counted from zero; g has a gap.\"\"\"

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.v = {}
        parameter = dict(causality=Fmi2Causality.parameter, variability=Fmi2Variability.tunable)
        for i in range(3):
            self._add(f"u[{i}]", 0.0, causality=Fmi2Causality.input)
            self._add(f"gain[{i}]", 1.0, **parameter)
            self._add(f"y[{i}]", 0.0, causality=Fmi2Causality.output)
        for name in ("g[0]", "g[2]"):
            self._add(name, 0.0, causality=Fmi2Causality.output)

    def _add(self, name, start, **more):
        self.v[name] = start
        more |= dict(getter=lambda: self.v[name], setter=lambda value: self.v.update({name: value}))
        self.register_variable(Real(name, start=start if "output" not in str(more["causality"]) else None, **more))

    def do_step(self, current_time, step_size):
        for i in range(3):
            self.v[f"y[{i}]"] = self.v[f"gain[{i}]"] * self.v[f"u[{i}]"]
        self.v["g[0]"], self.v["g[2]"] = 10.0, 12.0
        return True
"""


class Three(Continuous):
    """Three numbers, as they are and in a row of two."""

    u = Input("1", "numbers", size=3)
    y = Output("1", "numbers", size=3)
    two = Output("1", "numbers", size=2)

    def outputs(self) -> dict[str, Any]:
        return {"y": self.u, "two": self.u[:2]}


def test_arrays_that_count_from_zero_are_connected_whole(tmp_path: Path) -> None:
    """The first element was left out: y[1] and y[2] were an array of two beside a number y[0]."""
    script = tmp_path / "from_zero.py"
    script.write_text(FROM_ZERO)
    fmu = FmuBuilder.build_FMU(script, dest=tmp_path)
    d = Diagram("from_zero", step=0.1, stop=1.0, algorithm="jacobi")
    source, theirs, ours = d.add("source", Three, u=[1.0, 2.0, 3.0]), d.add("theirs", fmu), d.add("ours", Three)
    assert [(p.name, p.shape, p.first) for p in theirs.interface.of("output")] == [
        ("y", (3,), 0),
        ("g[0]", (), 1),
        ("g[2]", (), 1),
    ]
    theirs.set("gain", [10.0, 20.0, 30.0])
    theirs.set("gain[0]", 5.0)
    with pytest.raises(DiagramError, match="sizes differ, 2 against 3"):
        d.connect(source.two, theirs.u)
    with pytest.raises(DiagramError, match=r"no variable 'y\[3\]'; it goes from y\[0\] to y\[2\]"):
        _ = theirs["y[3]"]
    d.connect(source.y, theirs.u)
    d.connect(theirs.y, ours.u)
    file = tmp_path / "SystemStructure.ssd"
    write(d, file)
    again = read(file)
    assert {str(c) for c in again.connections} == {"source.y -> theirs.u", "theirs.y -> ours.u"}
    assert again.parts["theirs"].start_values() == {"gain[0]": 5.0, "gain[1]": 20.0, "gain[2]": 30.0}
    write(again, tmp_path / "again.ssd")
    assert (tmp_path / "again.ssd").read_bytes() == file.read_bytes()
    run = simulate(d, out=tmp_path / "run", backend="interpreted", until="theirs.y[0] > 4 and time > 0.45")
    assert run["theirs.y"][-1].tolist() == run["ours.y"][-1].tolist() == [5.0, 40.0, 90.0]
    assert run["theirs.y[0]"][-1] == 5.0
    assert run["theirs.g[2]"][-1] == 12.0
    assert run.time("theirs.y")[-1] < 1.0
