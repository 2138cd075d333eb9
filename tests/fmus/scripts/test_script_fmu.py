"""Scripts exported through pythonfmu: many in one process, each by itself, and what is said where one cannot live."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from drawbar.blocks import FmuError, RunError, Script
from drawbar.diagrams.model.diagram import Diagram
from drawbar.fmus.backends.instance import Instance, open_fmu
from drawbar.fmus.backends.script import ScriptInstance
from drawbar.fmus.export.package import build
from drawbar.fmus.toolchain.compilers import host_platform
from drawbar.orchestrator.simulate import simulate

WriteScript = Callable[..., type[Script]]
Edit = Callable[[Path, Path, Callable[[str, bytes], bytes | None]], Path]


RAISES = '            raise ValueError("too high to see")'


N, STEPS, H = 10, 30, 0.02


def signal(k: int) -> float:
    return 2.0 + float(np.sin(7.0 * k * H))


def outputs(instance: Instance) -> list[str]:
    return [n for p in instance.interface.of("output", "local") for n in p.scalar_names()]


class Walk:
    """One instance walked step by step."""

    def __init__(self, instance: Instance, offset: float) -> None:
        self.instance, self.offset = instance, offset
        instance.initialize(0.0, {"k": 3, "u": signal(0) + offset, "grid[2,1]": 0.5})
        instance.start()
        self.rows = [instance.get(outputs(instance))]
        self.step = instance.stepper()

    def go(self, k: int) -> None:
        self.instance.set({"u": signal(k) + self.offset, "flag": k % 3 == 0})
        assert self.step(k * H, H) == 0, self.instance.messages()
        self.rows.append(self.instance.get(outputs(self.instance)))


def test_ten_in_one_process_twice_each_give_their_own_values(tmp_path: Path, write_script: WriteScript) -> None:
    """Class names are alike, modules and helpers too in what they bring; each call is interleaved with all others."""
    blocks = [write_script(tmp_path, n) for n in range(N)]
    fmus = [Walk(open_fmu(build(b), f"{b.__name__}{j}"), 0.1 * j) for b in blocks for j in range(2)]
    here = [Walk(ScriptInstance(b, f"{b.__name__}{j}"), 0.1 * j) for b in blocks for j in range(2)]
    for k in range(STEPS):
        for walk in [*fmus, *here]:
            walk.go(k)
    for a, b in zip(fmus, here, strict=True):
        np.testing.assert_array_equal(a.rows, b.rows)
    assert len({str(walk.rows) for walk in fmus}) == 2 * N, "no two are alike"
    for walk in fmus:
        walk.instance.close()


def test_fmpy_simulates_it_to_the_same_numbers(watcher: type[Script]) -> None:
    from fmpy import simulate_fmu

    steps, h = 40, 0.05
    times = np.arange(steps + 1) * h
    given = np.array([(t, 2.0 + np.sin(t)) for t in times], dtype=[("time", "f8"), ("u", "f8")])
    found = simulate_fmu(
        str(build(watcher)),
        stop_time=steps * h,
        output_interval=h,
        step_size=h,
        input=given,
        start_values={"k": 2},
        output=["total", "count", "high", "pair.force[1]", "pair.force[2]"],
    )
    here = ScriptInstance(watcher, "here")
    here.initialize(0.0, {"k": 2, "u": 2.0})
    here.start()
    step, rows = here.stepper(), [here.get(list(found.dtype.names[1:]))]
    for k in range(steps):
        here.set({"u": float(given["u"][k])})
        assert step(k * h, h) == 0
        rows.append(here.get(list(found.dtype.names[1:])))
    np.testing.assert_array_equal(np.array([list(row)[1:] for row in found.tolist()], float), np.array(rows))
    assert np.ptp(np.array(rows), axis=0).all()


@pytest.mark.compiler
def test_a_diagram_runs_the_fmu_as_it_runs_the_block(watcher: type[Script], tmp_path: Path) -> None:
    runs = []
    for name, what in {"block": watcher, "fmu": build(watcher)}.items():
        for engine in ("c", "python"):
            diagram = Diagram("alone", step=0.01, stop=1.0)
            part = diagram.add("watch", what, u=1.25, count=7)
            assert part.interface.sampled and float(part.interface.period or 0) == 0.05
            changes = ["0.5:watch.gain=3.0"]
            runs.append(
                simulate(diagram, out=tmp_path / f"{name}-{engine}", engine=engine, record="*", changes=changes)
            )
    for other in runs[1:]:
        for signal_name in runs[0]:
            np.testing.assert_array_equal(runs[0][signal_name], other[signal_name])
    assert np.ptp(runs[0]["watch.pair.force"]) > 1.0


def test_a_reset_instance_is_a_fresh_one(watcher: type[Script]) -> None:
    instance = open_fmu(build(watcher), "a")
    rows = []
    for _ in range(2):
        walk = Walk(instance, 0.0)
        for k in range(5):
            walk.go(k)
        rows.append(walk.rows)
        instance._slave.reset()
    assert rows[0] == rows[1]
    assert rows[0][0] != rows[0][-1]
    instance.close()


def test_a_hundred_instances_one_after_the_other(watcher: type[Script]) -> None:
    """The library drops a reference too many for each, which would end the process after some."""
    path = build(watcher)
    before = list(sys.path)
    for _ in range(100):
        walk = Walk(open_fmu(path, "a"), 0.0)
        walk.go(0)
        walk.instance.close()
    assert sys.path == before, "and leaves its folder on the path of imports"


def test_its_failure_is_told_and_leaves_the_process_alive(
    watcher: type[Script], tmp_path: Path, script_text: str
) -> None:
    for _ in range(5):
        walk = Walk(open_fmu(build(watcher), "a"), 0.0)
        walk.instance.set({"u": 9.5})
        assert [walk.step(k * 0.05, 0.05) for k in range(2)] == [0, 4]
        (said,) = walk.instance.messages()
        assert said.startswith("Fatal py exception encountered: [doStep] PyObject_CallMethod: ")
        assert "step() at t = 0.05 s: ValueError: too high to see (" in said
        assert said.endswith(f".py:{1 + script_text.splitlines().index(RAISES)})")
        walk.instance._slave.freeInstance()  # which the standard forbids by now, and some importers do
    diagram = Diagram("alone", step=0.05, stop=1.0)
    diagram.add("watch", build(watcher), u=9.5)
    with pytest.raises(RunError, match=r"part 'watch': fmi2ExitInitializationMode failed.*too high to see"):
        simulate(diagram, out=tmp_path / "run")


@pytest.mark.parametrize(("t", "h"), [(0.0, -1.0), (0.0, 0.0), (0.0, np.nan), (0.0, np.inf), (np.nan, 0.05)])
def test_a_step_that_does_not_go_forward_is_refused(t: float, h: float, watcher: type[Script]) -> None:
    """With the words of FMUs in C; the control is each other step of this file."""
    walk = Walk(open_fmu(build(watcher), "a"), 0.0)
    assert walk.step(t, h) > 1
    said = f"Watcher: fmi2DoStep from {t:g} s by {h:g} s; the step must be positive"
    assert said in walk.instance.messages()[-1]
    walk.instance.close(3)


def test_what_stands_fast_cannot_be_set_while_it_runs(watcher: type[Script]) -> None:
    for make in (lambda: open_fmu(build(watcher), "a"), lambda: ScriptInstance(watcher, "a")):
        walk = Walk(make(), 0.0)
        walk.instance.set({"gain": 2.0, "u": 1.0})
        with pytest.raises(FmuError, match=r"'grid\[1,1\]' cannot be set after initialization"):
            walk.instance.set({"grid[1,1]": 2.0})


def test_an_fmu_whose_python_does_not_load_says_why(tmp_path: Path, write_script: WriteScript, edited: Edit) -> None:
    block, before = write_script(tmp_path, 77), list(sys.path)
    path = edited(build(block), tmp_path / "a.fmu", lambda n, c: c.replace(b"import numpy as np", b"import numqy"))
    with pytest.raises(FmuError) as raised:
        open_fmu(path, "watch")
    assert sys.path == before
    text = str(raised.value)
    assert text.startswith("part 'watch': ") and "\n" not in text
    assert "ModuleNotFoundError(\"No module named 'numqy'\")" in text
    assert "this FMU needs Python 3.11 or later in the process that imports it, with drawbar " in text
    walk = Walk(open_fmu(build(block), "watch"), 0.0)
    walk.go(0)
    walk.instance.close()


def test_an_edited_fmu_beside_its_original_is_refused(tmp_path: Path, write_script: WriteScript, edited: Edit) -> None:
    block = write_script(tmp_path, 78)
    path = edited(build(block), tmp_path / "a.fmu", lambda n, c: c.replace(b"* 79", b"* 80"))
    with pytest.raises(FmuError, match="has the identity of this one but another text of Watcher"):
        for fmu in (build(block), path):
            Walk(open_fmu(fmu, "watch"), 0.0).go(0)


def test_an_fmu_without_a_library_for_this_machine_says_so(watcher: type[Script], tmp_path: Path, edited: Edit) -> None:
    here = host_platform()
    path = edited(build(watcher), tmp_path / "a.fmu", lambda n, c: None if f"/{here}/" in n else c)
    with pytest.raises(FmuError, match=rf"has no binary for {here}; it has \w+, and needs Python 3\.11 or later"):
        open_fmu(path, "watch")


def test_modules_of_one_name_do_not_meet(tmp_path: Path, script_text: str) -> None:
    """Equal in name down to the helper, and other in what they do; as the FMUs of two people."""
    made: list[Path] = []
    for n in range(2):
        folder = tmp_path / str(n)
        folder.mkdir()
        (folder / "twins_helper.py").write_text(f"def scale(x):\n    return x * {n + 1}\n")
        (folder / "twins.py").write_text(script_text.format(n=n, helper="twins_helper"))
        command = [sys.executable, "-m", "drawbar.orchestrator.cli.entry", "build", "twins:Watcher"]
        done = subprocess.run(
            [*command, "--workspace", str(folder), "--out", str(folder)], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        made.append(folder / "Watcher.fmu")
    walks = [Walk(open_fmu(path, "a"), 0.0) for path in [*made, *made]]
    for walk in walks:
        walk.go(0)
    first, second, again, once_more = (walk.rows for walk in walks)
    assert first == again != second == once_more
    assert first[0][2] == signal(0) and second[0][2] == 2 * signal(0) + 1
    assert not [name for name in sys.modules if name.startswith("twins")], "they leave their names to others"
    for walk in walks:
        walk.instance.close()
