"""Blocks with calculated parameters, solved start values and guards on diagrams: set, changed, exchanged, failed."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from drawbar.blocks import Continuous, DiagramError, Output, Parameter, RunError, State, UsageError
from drawbar.blocks.authoring.registry import block_class, open_workspace
from drawbar.diagrams.model.diagram import Diagram
from drawbar.diagrams.ssp.ssp import write
from drawbar.orchestrator.cli.commands import main
from drawbar.orchestrator.runs.run import Run
from drawbar.orchestrator.simulate import simulate

BLOCKS = '''
from drawbar.blocks import Continuous, Derived, Input, Output, Parameter, State


class Disk(Continuous, step=1e-2):
    """A disk that a torque turns: J dw/dt = torque. It flies apart where its rim is too fast."""

    torque = Input("N.m", "torque")
    radius = Parameter(0.5, "m", "radius", min=1e-3)
    mass = Parameter(8.0, "kg", "mass", min=1e-3, tunable=True)
    inertia = Derived("kg.m2", "J, moment of inertia")
    speed = State(0.0, "rad/s", "turning speed", output=True)

    def derived(self):
        return {"inertia": 0.5 * self.mass * self.radius**2}

    def derivatives(self):
        return {"speed": self.torque / self.inertia}

    def guards(self):
        return {"the rim holds": (self.speed * self.radius < 2.995, "turn it slower")}


class Hanger(Continuous):
    """A massless platform on a spring that stiffens, at rest under its load: load = k x + k3 x^3."""

    load = Input("N", "load, downwards")
    rate = Parameter(1000.0, "N/m", "k", min=1e-3)
    progression = Parameter(5e4, "N/m3", "k3", min=0.0)
    x = State(0.01, "m", "elongation", solve=True, output=True)
    force = Output("N", "force of the spring")

    def spring(self):
        return self.rate * self.x + self.progression * self.x**3

    def residuals(self):
        return {"force on the platform": self.spring() - self.load}

    def derivatives(self):
        return {"x": 0.0}

    def outputs(self):
        return {"force": self.spring()}


class Scale(Continuous):
    """Reads a length and begins from it."""

    u = Input("m", "length")
    held = State(99.0, "m", "length at the start", output=True)

    def initial(self):
        return {"held": 2.0 * self.u}

    def derivatives(self):
        return {"held": 0.0}
'''


class Source(Continuous):
    load = Parameter(300.0, "N", "load")
    y = Output("N", "load")

    def outputs(self) -> dict[str, Any]:
        return {"y": self.load}


@pytest.fixture(scope="module")
def blocks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("calculated")
    (folder / "turning_blocks.py").write_text(BLOCKS)
    open_workspace(folder)
    return folder


def turning(stop: float = 2.0) -> Diagram:
    diagram = Diagram("turning", step=0.1, stop=stop)
    diagram.add("disk", block_class("turning_blocks:Disk"), torque=2.0)
    return diagram


def test_a_guard_ends_a_run_with_part_guard_and_time_and_all_rows_kept(
    blocks: Path, how: dict[str, str], tmp_path: Path
) -> None:
    """w = 2 t, so the rim reaches 3 m/s at 3 s; the micro-step that ends there is the first that fails."""
    with pytest.raises(RunError) as caught:
        simulate(turning(5.0), out=tmp_path / "run", **how)
    message = str(caught.value)
    assert message.startswith("part 'disk': the step from t = 2.9 s returned 'error'; it said: Disk 'disk': ")
    assert "guard 'the rim holds' failed at t = 3 s: the value 3 must be below 2.995; turn it slower" in message
    run = Run(tmp_path / "run")
    assert run.info["outcome"] == "failed"
    assert run.time("disk.speed") == pytest.approx(np.arange(30) * 0.1)
    assert run["disk.speed"] == pytest.approx(2.0 * run.time("disk.speed"))


def test_the_command_line_says_it_in_one_message(
    blocks: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(turning(5.0), tmp_path / "turning.ssd")
    words = ["run", str(tmp_path / "turning.ssd"), "--workspace", str(blocks), "--out", str(tmp_path / "run")]
    assert main(words) == 1
    shown = capsys.readouterr().err
    assert shown.count("guard 'the rim holds' failed at t = 3 s") == 1
    assert shown.count("drawbar:") == 1
    assert "part 'disk'" in shown


def test_a_calculated_parameter_is_not_set_and_says_what_it_follows_from(
    blocks: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(turning(), tmp_path / "turning.ssd")
    words = ["run", str(tmp_path / "turning.ssd"), "--workspace", str(blocks), "--out", str(tmp_path / "run")]
    assert main([*words, "--set", "disk.inertia=3"]) != 0
    said = "disk.inertia is calculated by Disk from radius, mass; set these"
    assert said in capsys.readouterr().err
    with pytest.raises(DiagramError, match=r"other\.inertia is calculated by Disk from radius, mass; set these"):
        turning().add("other", block_class("turning_blocks:Disk"), inertia=3.0)
    assert main([*words, "--change", "1:disk.inertia=3"]) != 0
    assert "disk.inertia is a calculated parameter; only tunable" in (shown := capsys.readouterr().err)
    assert "it is calculated from radius, mass" in shown
    with pytest.raises(DiagramError, match=r"scale\.held is calculated by Scale from u; set these"):
        Diagram("d").add("scale", block_class("turning_blocks:Scale"), held=1.0)


def test_a_change_of_what_a_calculated_parameter_follows_from_acts_mid_run(
    blocks: Path, how: dict[str, str], tmp_path: Path
) -> None:
    run = simulate(turning(), out=tmp_path / "run", changes=["1:disk.mass=16"], **how)
    t = run.time("disk.speed")
    assert run["disk.speed"] == pytest.approx(np.where(t <= 1.0, 2.0 * t, 2.0 + (t - 1.0)), rel=1e-12)
    with pytest.raises(UsageError, match=r"disk\.radius is a fixed parameter"):
        simulate(turning(), out=tmp_path / "other", changes=["1:disk.radius=1"], **how)


def test_solved_start_values_arrive_where_they_are_needed_in_order(
    blocks: Path, how: dict[str, str], tmp_path: Path
) -> None:
    """Parts stand against the order in which their values follow, which is load, upper spring, lower spring, scale."""
    hanger = block_class("turning_blocks:Hanger")
    diagram = Diagram("chain", step=0.1, stop=0.3)
    scale = diagram.add("scale", block_class("turning_blocks:Scale"))
    lower = diagram.add("lower", hanger, rate=500.0)
    upper = diagram.add("upper", hanger)
    source = diagram.add("source", Source)
    diagram.connect(lower.x, scale.u)
    diagram.connect(upper.force, lower.load)
    diagram.connect(source.y, upper.load)
    run = simulate(diagram, out=tmp_path / "run", **how)
    for part, k in (("upper", 1000.0), ("lower", 500.0)):
        x = run[f"{part}.x"][0]
        assert k * x + 5e4 * x**3 == pytest.approx(300.0, rel=1e-12)
    assert run["scale.held"] == pytest.approx(2.0 * run["lower.x"][0], rel=1e-15)
    assert np.ptp(run["scale.held"]) == 0.0


def test_what_has_no_equilibrium_ends_the_run_in_one_message(blocks: Path, how: dict[str, str], tmp_path: Path) -> None:
    class Falling(Continuous):
        """Nothing carries it."""

        mass = Parameter(1.0, "kg", "mass")
        x = State(0.0, "m", "place", solve=True, output=True)

        def residuals(self) -> dict[str, Any]:
            return {"force": self.mass * 9.81 + 0.1 * self.x**2}

        def derivatives(self) -> dict[str, Any]:
            return {"x": 0.0}

    diagram = Diagram("falling", step=0.1, stop=0.3)
    diagram.add("stone", Falling, x=1.0)
    with pytest.raises(
        RunError, match=r"part 'stone'.*no start value found for 'x'.*the largest residual is 'force' = "
    ):
        simulate(diagram, out=tmp_path / "run", **how)


def test_info_shows_what_is_calculated(blocks: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, lines in {
        "Disk": ["calculated parameters", "inertia [kg.m2]", "(calculated from radius, mass)"],
        "Hanger": ["= 0.01", "(solved for at the start, from load, rate, progression)"],
    }.items():
        assert main(["info", f"turning_blocks:{name}", "--workspace", str(blocks)]) == 0
        shown = capsys.readouterr().out
        assert all(line in shown for line in lines), shown
    assert main(["info", "turning_blocks:Disk", "--workspace", str(blocks), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    (inertia,) = [p for p in told["ports"] if p["name"] == "inertia"]
    assert (inertia["causality"], inertia["variability"], inertia["initial"]) == (
        "calculatedParameter",
        "tunable",
        "calculated",
    )
    assert told["initial_feedthrough"]["inertia"] == ["radius", "mass"]
