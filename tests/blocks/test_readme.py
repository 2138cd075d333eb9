"""What the README says of blocks is true: its examples, its words and its units of measure."""

import math
import re
import subprocess
import sys
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import drawbar.blocks
from drawbar.blocks import Continuous, Output, RunError, if_else, sin
from drawbar.blocks.authoring.block import METHODS_OF_EQUATIONS
from drawbar.blocks.authoring.registry import block_class, open_workspace
from drawbar.blocks.authoring.variables import Variable
from drawbar.blocks.core import units
from drawbar.blocks.signals.first_order_lag import FirstOrderLag
from drawbar.diagrams.library import find
from drawbar.diagrams.model.diagram import Diagram
from drawbar.diagrams.ssp.ssp import read
from drawbar.orchestrator.simulate import simulate

TEXT = (Path(str(files(drawbar.blocks))) / "README.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)


def section(title: str) -> str:
    return TEXT.partition(f"\n## {title}\n")[2].partition("\n## ")[0]


def rows(text: str) -> list[list[str]]:
    """The cells of the lines of a table, without its head."""
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line[:2] == "| "][1:]


def test_the_first_example_is_the_block_that_comes_with_drawbar() -> None:
    names: dict[str, Any] = {}
    exec(EXAMPLES[0], names)
    assert names["FirstOrderLag"].interface() == FirstOrderLag.interface()


def test_the_example_of_two_parts_runs(tmp_path: Path) -> None:
    assert len(EXAMPLES) == 6
    (tmp_path / "cruise.py").write_text(EXAMPLES[2])
    command = [sys.executable, "-W", "error", "cruise.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert float(done.stdout) == pytest.approx(72.0, abs=0.01)


@pytest.mark.compiler
def test_the_example_of_a_kernel_finds_the_first_post(tmp_path: Path) -> None:
    (in_c,) = re.findall(r"```c\n(.*?)```", TEXT, re.DOTALL)
    (tmp_path / "nearest.py").write_text(EXAMPLES[3])
    (tmp_path / "nearest.c").write_text(in_c)
    np.save(tmp_path / "posts.npy", [[90, 0], [3, 5], [4, 3]])
    open_workspace(tmp_path)
    diagram = Diagram("posts", step=0.05, stop=0.1)
    diagram.add("near", block_class("nearest:Nearest"), reach=5.5)
    diagram.add("far", block_class("nearest:Nearest"), reach=1.0)
    run = simulate(diagram, out=tmp_path / "run")
    assert (run["near.number"][-1], run["far.number"][-1]) == (3, 0)


def test_the_example_of_a_script_tells_an_unlikely_level(tmp_path: Path) -> None:
    names: dict[str, Any] = {}
    exec(EXAMPLES[4], names)
    diagram = Diagram("alone", step=0.1, stop=3.0)
    tide, watcher = diagram.add("tide", Tide), diagram.add("watcher", names["Watcher"])
    diagram.connect(tide.level, watcher.level)
    alarm = simulate(diagram, out=tmp_path / "run")["watcher.alarm"]
    assert not alarm[:26].any() and alarm[26], "a sample of 2.5 s is seen at 2.6 s"


class Tide(Continuous):
    """A level that jumps."""

    level = Output("m", "level")

    def outputs(self) -> dict[str, Any]:
        return {"level": sin(9.0 * self.time) + if_else(self.time > 2.45, 20.0, 0.0)}


def test_its_words_are_those_of_drawbar() -> None:
    words = {
        word
        for cells in rows(section("Words").partition("\n\nOptional methods")[0])
        for word in re.findall(r"`(\w+)", cells[0])
    }
    assert words == {word.__name__ for word in Variable.__subclasses__()} | {"Bus", "Member"}


def test_a_sampled_part_is_seen_when_the_table_says(tmp_path: Path) -> None:
    ((_, *made_of),) = rows(section("Sampled blocks"))
    names: dict[str, Any] = {}
    source = EXAMPLES[2].replace('{"force": self.gain', '{"force": self.speed + 0 * self.gain')
    exec(source.replace('{"speed": 3.6 * self.v}', '{"speed": 3.6 * self.time}'), names)  # it sends the time
    diagram = Diagram("clock", step=0.01, stop=0.3)
    car, cruise = diagram.add("car", names["Car"]), diagram.add("cruise", names["Cruise"])
    diagram.connect(car.speed, cruise.speed)
    seen = simulate(diagram, out=tmp_path / "run", backend="interpreted")["cruise.force"]
    times = {"0": 0.0, "period": 0.1, "2 period": 0.2}
    assert seen == pytest.approx([times[text] for text in made_of])


def test_its_units_are_those_that_are_known() -> None:
    text = section("Units of measure")
    listed = [unit for cells in rows(text) for unit in re.findall(r"`(\S+)`", cells[1])]
    listed.remove("kg")
    assert sorted(listed) == sorted(units._NAMED)
    ((before, after),) = re.findall(r"The prefixes (.*) go before (.*)\.\n", text)
    assert re.findall(r"`(\S+)`", before) == list(units._PREFIXES)
    assert set(re.findall(r"`(\S+)`", after)) == units._PREFIXABLE


def test_its_methods_are_those_that_drawbar_calls() -> None:
    methods = re.findall(r"^\| `(\w+)\(\)`", section("Words"), re.MULTILINE)
    assert ("derivatives", "update", "outputs", *methods) == METHODS_OF_EQUATIONS


def test_the_example_of_a_spring_begins_at_rest_and_stops_at_its_guard(tmp_path: Path) -> None:
    names: dict[str, Any] = {}
    exec(EXAMPLES[1], names)
    diagram = Diagram("spring", step=0.01, stop=1.0)
    diagram.add("spring", names["ProgressiveSpring"], load=800.0)
    run = simulate(diagram, out=tmp_path / "run", backend="interpreted")
    x = run["spring.x"]
    assert x == pytest.approx(x[0], rel=1e-12)
    k = 300.0 * (2 * math.pi * 1.2) ** 2
    assert k * x[0] + 4e6 * x[0] ** 3 == pytest.approx(800.0 + 300.0 * 9.80665, rel=1e-12)
    heavy = Diagram("heavy", step=0.01, stop=1.0)
    heavy.add("spring", names["ProgressiveSpring"], load=1e5)
    with pytest.raises(RunError, match=r"guard 'the spring is off its bump stop' failed at t = 0 s: the value 0\.29"):
        simulate(heavy, out=tmp_path / "heavy", backend="interpreted")


def test_the_example_of_a_method_of_ones_own_takes_its_part_in_a_diagram(tmp_path: Path) -> None:
    (tmp_path / "stiff_hmmwv.py").write_text(EXAMPLES[5])
    open_workspace(tmp_path)
    given = find("double_lane_change").read_text(encoding="utf-8")
    old, new = "drawbar.blocks.vehicle.hmmwv.hmmwv_vehicle:HmmwvVehicle", "stiff_hmmwv:StiffHmmwv"
    assert f"`{old}`" in TEXT
    assert f"`{new}`" in TEXT
    assert given.count(old) == 1
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "SystemStructure.ssd").write_text(given.replace(old, new), encoding="utf-8")
    diagram = read(tmp_path / "mine")
    assert block_class(new).model().method == "rosenbrock"
    diagram.stop = 0.02
    seen = simulate(diagram, out=tmp_path / "run", backend="interpreted")["vehicle.velocity[1]"]
    assert seen[-1] == pytest.approx(seen[0], rel=0.01)
    assert seen[-1] > 5.0
