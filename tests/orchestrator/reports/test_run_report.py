"""The warnings of a run: outputs that became true, or fell below a limit."""

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from drawbar.blocks import Continuous, Parameter, State, vertcat
from drawbar.blocks.authoring.registry import block_classes
from drawbar.blocks.terrain.ground.elevation import Elevation
from drawbar.blocks.tires.fiala_tire import FialaTire
from drawbar.blocks.vehicle.hmmwv.hmmwv_on_soil import HmmwvOnSoil
from drawbar.blocks.vehicle.hmmwv.hmmwv_vehicle import HmmwvVehicle
from drawbar.diagrams import Diagram, write
from drawbar.orchestrator.cli.commands import main
from drawbar.orchestrator.reports.run_report import summary, warnings_of
from drawbar.orchestrator.simulate import simulate

OFF = "the wheel is off the map, where the ground continues level from its edge"


@pytest.mark.compiler
def test_a_wheel_that_leaves_its_map_is_noted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    d = Diagram("d", step=0.1)
    d.add("road", Elevation)
    write(d, tmp_path / "d.ssd")

    def notes(number: int, *words: str) -> list[str]:
        out = ["--out", str(tmp_path / str(number)), "--no-page", "--backend", "native", "--engine", "python"]
        assert main(["run", str(tmp_path / "d.ssd"), *out, "--json", *words]) == 0
        return [n for n in json.loads(capsys.readouterr().out)["notes"] if "off the map" in n]

    leaves = ["--change", "0.5:road.ground_fr.at[1]=500"]
    back = ["--change", "0.8:road.ground_fr.at[1]=0", "--change", "0.8:road.ground_rl.at[2]=90"]
    assert notes(1) == []
    (span,) = notes(2, *leaves, *back)
    assert span.startswith("road.outside[2], road.outside[3] between t = 0.") and span.endswith(f" and 1 s: {OFF}")
    (once,) = notes(3, *leaves, "--stop", "0.6")
    assert once == f"road.outside[2] at t = 0.6 s: {OFF}"
    assert notes(4, *leaves, "--record", "road.ground_fl.*") == []  # what is not recorded is not known
    assert main(["run", str(tmp_path / "d.ssd"), *leaves, "--no-page", "--out", str(tmp_path / "5")]) == 0
    assert "note: road.outside[2] between t = 0." in capsys.readouterr().out


def test_warn_if_true_names_boolean_outputs() -> None:
    warning_blocks = [block for block in block_classes().values() if block.warn_if_true]
    assert Elevation in warning_blocks
    for block in warning_blocks:
        types = {port.name: port.type for port in block.interface().of("output")}
        assert {types.get(name) for name in block.warn_if_true} == {"Boolean"}


class Tanks(Continuous, step=0.1):
    """Two levels that fall by 1 m/s and by 2 m/s."""

    warn_if_below = {"level": (0.5, "nearly empty")}

    level = State([1.0, 3.0], "m", "level", size=2, output=True)

    def derivatives(self) -> dict[str, Any]:
        return {"level": vertcat(-1.0, -2.0)}


def test_an_output_that_fell_below_what_its_block_names_is_noted_with_its_least_value(tmp_path: Path) -> None:
    d = Diagram("d", step=0.1)
    d.add("tanks", Tanks)

    def notes(stop: float) -> list[str]:
        run = simulate(d, stop=stop, backend="interpreted", engine="python", out=tmp_path / str(stop))
        return [note for note in summary(run, {})["notes"] if "nearly" in note]

    assert notes(0.4) == []
    assert notes(0.6) == ["tanks.level[1] was down to 0.4 at t = 0.6 s, below 0.5 at t = 0.6 s: nearly empty"]
    first, second = notes(1.4)
    assert first == "tanks.level[1] was down to -0.4 at t = 1.4 s, below 0.5 between t = 0.6 and 1.4 s: nearly empty"
    assert second.startswith("tanks.level[2] was down to 0.2 at t = 1.4 s, below 0.5 between t = 1.3 and 1.4 s")


def test_warn_if_below_names_outputs_that_are_numbers() -> None:
    warning_blocks = [block for block in block_classes().values() if block.warn_if_below]
    assert {HmmwvVehicle, HmmwvOnSoil} <= set(warning_blocks)
    for block in warning_blocks:
        types = {port.name: port.type for port in block.interface().of("output")}
        assert {types.get(name) for name in block.warn_if_below} == {"Real"}


class Struck(Continuous, step=0.1):
    """Three loads, of which one grows by 9 kN/s and one begins with almost nothing and takes its share."""

    warn_if_multiple = {"load": (5.0, "an impact")}

    load = State([1000.0, 1000.0, 5.0], "N", "load", size=3, output=True)

    def derivatives(self) -> dict[str, Any]:
        return {"load": vertcat(1000.0, 9000.0, 1000.0)}


class StruckWheel(Continuous, step=0.1):
    """The load of one wheel."""

    warn_if_multiple = {"load": (5.0, "an impact")}

    rate = Parameter(1000.0, "N/s", "rate")
    load = State(1000.0, "N", "load", output=True)

    def derivatives(self) -> dict[str, Any]:
        return {"load": self.rate}


def impacts(d: Diagram, stop: float, out: Path) -> list[str]:
    run = simulate(d, stop=stop, backend="interpreted", engine="python", out=out)
    return [note for note in summary(run, {})["notes"] if "impact" in note]


def test_an_output_beyond_a_multiple_of_the_mean_first_value_is_noted_once_with_value_and_time(tmp_path: Path) -> None:
    d = Diagram("d", step=0.1)
    d.add("struck", Struck)
    assert impacts(d, 1.0, tmp_path / "a") == [
        "struck.load[2] was up to 1e+04 N at t = 1 s, 15 times the mean of 668.3 N at the start, more than 5: an impact"
    ]
    assert impacts(d, 0.2, tmp_path / "b") == []


def test_a_wheel_fmu_that_bears_almost_nothing_at_the_start_is_compared_with_the_mean_of_all(tmp_path: Path) -> None:
    d = Diagram("d", step=0.1)
    for name, load, rate in (("fl", 5.0, 1000.0), ("fr", 1995.0, 0.0), ("rl", 1000.0, 0.0), ("rr", 1000.0, 0.0)):
        d.add(name, StruckWheel, load=load, rate=rate)
    assert impacts(d, 1.0, tmp_path / "a") == []
    assert impacts(d, 6.0, tmp_path / "b") == [
        "fl.load was up to 6005 N at t = 6 s, 6 times the mean of 1000 N at the start, more than 5: an impact"
    ]


def test_warn_if_multiple_names_outputs_that_are_numbers() -> None:
    warning_blocks = [block for block in block_classes().values() if block.warn_if_multiple]
    assert {HmmwvVehicle, HmmwvOnSoil, FialaTire} <= set(warning_blocks)
    for block in warning_blocks:
        types = {port.name: port.type for port in block.interface().of("output")}
        assert {types.get(name) for name in block.warn_if_multiple} == {"Real"}


def test_warnings_of_fmus_are_notes_with_their_text() -> None:
    info = {
        "messages": {
            "a": {
                "warnings": [{"text": "slow at 1 s", "count": 3, "last": "slow at 2 s"}, {"text": "old", "count": 1}]
            },
            "b": {"last": ["it broke"]},
        }
    }
    parts = {"a": {"warnings": 4}, "b": {"warnings": 1}, "c": {"warnings": 2}, "d": {"warnings": 0}}
    assert warnings_of(SimpleNamespace(info=info, timing={"parts": parts})) == [  # type: ignore[arg-type]
        "part 'a' warned 3 times: slow at 1 s; the last time: slow at 2 s",
        "part 'a' warned once: old",
        "part 'b' returned the status warning from one call, without a message",
        "part 'c' returned the status warning from 2 calls, without a message",
    ]
