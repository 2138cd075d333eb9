"""The bench for drawbar pull as it comes with Drawbar, beside the law itself."""

import json
from pathlib import Path
from typing import Any

import casadi as ca
import numpy as np
import pytest

from drawbar.blocks.core.errors import DrawbarError
from drawbar.blocks.terrain.ground.flat_soil import FlatSoil
from drawbar.blocks.terrain.soil.soil_stress import Shear, SoilStress
from drawbar.blocks.terrain.soil.soils import soil
from drawbar.blocks.terrain.soil.tbf import TBF, entry_angle
from drawbar.blocks.tires.bekker_wheel import BekkerWheel
from drawbar.blocks.tires.fiala_tire import FialaTire
from drawbar.blocks.tires.single_wheel_tester import SingleWheelTester
from drawbar.blocks.tires.soft_tire import SoftTire
from drawbar.blocks.tires.surface_tire import SurfaceTire
from drawbar.blocks.tires.wheel import Wheel
from drawbar.diagrams import Diagram
from drawbar.diagrams.library import find
from drawbar.diagrams.ssp.ssp import read
from drawbar.orchestrator.reports.responses import evaluate
from drawbar.orchestrator.runs.run import Run
from drawbar.orchestrator.simulate import simulate

SSD = find("drawbar_pull")
REPORT: dict[str, Any] = json.loads((SSD.parent / "report.json").read_text(encoding="utf-8"))


def sweep(folder: Path, number: int) -> Run:
    diagram = read(SSD)
    diagram.parts["ground"].set("soil", number)
    return simulate(diagram, out=folder / "run")


@pytest.fixture(scope="module")
def swept(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return sweep(tmp_path_factory.mktemp("loam"), 2)


def of(run: Run, name: str) -> dict[float, float]:
    against = evaluate(run, REPORT)[name]["against"]
    return dict(zip(against["at"], against["values"], strict=True))


def test_the_curves_are_those_of_the_law_at_the_load(swept: Run) -> None:
    """The sweep is slow enough that each point is the steady one, found here from the load without motion."""
    given = soil("tbf_sandy_loam")
    wheel, under = TBF(0.318, 0.47), SoilStress.of(given)
    pull, sinkage, torque = (of(swept, name) for name in ("pull", "sinkage", "torque"))
    for s in (0.1, 0.2, 0.4, 0.6, 0.8):
        theta = entry_angle(wheel, under, Shear(s, 0.0), ca.DM(6000.0))
        found = wheel.contact_forces(under, theta, Shear(s, 0.0))
        assert pull[s] == pytest.approx(float(found.F_x), abs=25.0)
        assert torque[s] == pytest.approx(-float(found.M_y), abs=12.0)
        assert sinkage[s] == pytest.approx(1e3 * float(wheel.sinkage(theta)), abs=0.1)


def test_pull_rises_with_slip_and_efficiency_has_a_best_slip(swept: Run) -> None:
    pull, efficiency = of(swept, "pull"), of(swept, "efficiency")
    assert np.all(np.diff(list(pull.values())) > 0.0)
    assert pull[0.0] < 0.0 < pull[0.1]
    assert max(efficiency, key=lambda s: efficiency[s]) == 0.3
    assert 0.0 < max(efficiency.values()) < 100.0


def test_soils_differ_as_they_should(tmp_path_factory: pytest.TempPathFactory, swept: Run) -> None:
    """The wheel sinks deepest in dry sand; clay gives it the least pull for its little friction."""
    sand, clay = (sweep(tmp_path_factory.mktemp("soil"), number) for number in (1, 3))
    depth = {name: of(run, "sinkage")[0.2] for name, run in (("sand", sand), ("clay", clay), ("loam", swept))}
    assert depth["sand"] > 2.0 * depth["loam"] > depth["clay"]
    assert of(clay, "pull")[0.4] < of(swept, "pull")[0.4]


def test_of_a_wheel_that_drowns_that_is_told_and_not_another_radius(tmp_path: Path) -> None:
    """In snow the wheel sinks to its axle; the radius of the spring that it sends is then not its own."""
    with pytest.raises(DrawbarError, match=r"guard 'the ground carries the wheel of the bench' failed.*to its axle"):
        sweep(tmp_path / "snow", 9)


@pytest.mark.parametrize("other", [BekkerWheel, SoftTire, FialaTire])
def test_any_wheel_may_be_on_the_bench(other: type[Wheel], tmp_path: Path) -> None:
    """Each carries the dead load, and pulls the more the more it slips, up to where the tire slides on the road."""
    diagram = Diagram("other", step=0.002, stop=3.5)
    bench = diagram.add("bench", SingleWheelTester, first=0.05, last=0.3, settle=1.5, duration=2.0)
    ground, wheel = diagram.add("ground", FlatSoil), diagram.add("wheel", other)
    diagram.connect(bench.hub, wheel.hub)
    diagram.connect(ground.ground_fl, wheel.ground)
    diagram.connect(bench.drive, wheel.drive)
    run = simulate(diagram, out=tmp_path / "run", backend="interpreted")
    assert run["wheel.load"][-1] == pytest.approx(6000.0, rel=5e-3)
    first, last = (float(run["bench.pull"][round(t / 0.002)]) for t in (1.5, 3.5))
    assert first + 200.0 < last < 6000.0
    assert run["bench.slip"][-1] == pytest.approx(0.3, abs=0.02)


def test_a_wheel_of_another_size_wants_a_bench_of_its_radius(tmp_path: Path) -> None:
    """Else the slip would be one over the radius of another wheel."""
    diagram = read(find("drawbar_pull"))
    diagram.use("wheel", SurfaceTire)
    with pytest.raises(DrawbarError, match="the bench has the radius of its wheel"):
        simulate(diagram, out=tmp_path / "run")


def test_a_slope_is_refused(tmp_path: Path) -> None:
    """The carriage is level and its pull is along the world's x, which on a slope would hold part of the load."""
    diagram = read(find("drawbar_pull"))
    diagram.parts["ground"].overrides["grade"] = 0.2
    with pytest.raises(DrawbarError, match="the slope of the ground is within"):
        simulate(diagram, out=tmp_path / "run", backend="interpreted")
