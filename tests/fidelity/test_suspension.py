"""Curves of the suspension beside loops that are solved otherwise, and ride frequencies beside the reference."""

import importlib
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest


@pytest.fixture(scope="module")
def suspension() -> Any:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(Path(__file__).parent)
        yield importlib.import_module("suspension")


@pytest.fixture(scope="module")
def found(suspension: ModuleType) -> dict[str, Any]:
    result: dict[str, Any] = suspension.measure()
    return result


@pytest.mark.parametrize("axle", ["front", "rear"])
def test_the_loops_close_as_least_squares_close_them(found: dict[str, Any], axle: str) -> None:
    for name, difference in found[axle]["largest_difference"].items():
        assert difference < 1e-10, name
    ends = found[axle]["curves"]["travel"]
    assert (ends[0], ends[-1]) == pytest.approx({"front": (-0.139, 0.224), "rear": (-0.158, 0.212)}[axle], abs=1e-3)


def test_another_hardpoint_gives_another_curve(suspension: ModuleType) -> None:
    """Negative control of the comparison."""
    points = suspension.HMMWV["front"]["points_m"]
    moved = suspension.Loop(points | {"uca_ball": [v + 1e-3 for v in points["uca_ball"]]})
    assert abs(moved.at(0.3)["camber"] - suspension.Loop(points).at(0.3)["camber"]) > 1e-3


@pytest.mark.parametrize(("axle", "rate", "frequency"), [("front", 31600.0, 1.20), ("rear", 75700.0, 1.94)])
def test_with_the_springs_of_the_reference_ride_frequencies_are_its_own(
    found: dict[str, Any], axle: str, rate: float, frequency: float
) -> None:
    alone = found[axle]["chrono_springs_alone"]
    assert alone["wheel_rate"] == pytest.approx(rate, rel=0.01)
    assert alone["ride_hz"] == pytest.approx(frequency, abs=0.02)


@pytest.mark.parametrize(("axle", "frequency"), [("front", 1.20), ("rear", 1.69)])
def test_wheel_rates_are_those_of_springs_on_the_loops_solved_otherwise(
    found: dict[str, Any], axle: str, frequency: float
) -> None:
    """Of the springs alone; the weights of the arms change them by less than a hundredth."""
    default = found[axle]["default"]
    assert default["wheel_rate"] == pytest.approx(found[axle]["rate_by_loops"], rel=0.01)
    assert default["ride_hz"] == pytest.approx(frequency, abs=0.01)


def test_both_axles_stand_25_mm_above_the_design_position_clear_of_the_stops(found: dict[str, Any]) -> None:
    for axle in ("front", "rear"):
        assert found[axle]["default"]["travel"] == pytest.approx(-(0.9902452 - 0.9652), abs=2e-4)
        assert found[axle]["default"] == pytest.approx(found[axle]["springs_alone"])


def test_with_the_springs_of_the_reference_the_rear_stands_on_its_droop_stops(found: dict[str, Any]) -> None:
    """Negative control."""
    assert found["rear"]["chrono"]["ride_hz"] == pytest.approx(2.22, abs=0.02)
    assert found["front"]["chrono"]["ride_hz"] == pytest.approx(found["front"]["chrono_springs_alone"]["ride_hz"])


def test_camber_falls_in_bump_and_both_axles_understeer_in_roll(found: dict[str, Any]) -> None:
    front, rear = found["front"]["default"], found["rear"]["default"]
    assert front["camber"] == pytest.approx(-18.01, abs=0.05) and rear["camber"] == pytest.approx(-29.70, abs=0.05)
    assert front["bump_steer"] == pytest.approx(-6.99, abs=0.05), "deg/m: toe out in bump, understeer"
    assert rear["bump_steer"] == pytest.approx(1.68, abs=0.05), "deg/m: toe in in bump, understeer"


@pytest.mark.browser
def test_the_figure_is_drawn(found: dict[str, Any], suspension: ModuleType, tmp_path: Path) -> None:
    importlib.import_module("suspension_figure").draw(found, tmp_path / "suspension.png")
    picture = (tmp_path / "suspension.png").read_bytes()
    assert picture.startswith(b"\x89PNG")
    assert len(picture) > 20_000
