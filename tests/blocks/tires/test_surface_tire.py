"""A wheel with the tire of MAVS on the bench: load by hand, traction within the surface's, and resistance."""

import re
from typing import Any

import pytest

from drawbar.blocks.core.errors import DrawbarError
from drawbar.blocks.tires.surface_tire import SurfaceTire
from drawbar.blocks.tires.surfaces import CODES, paved
from drawbar.fmus.backends.interpreted import InterpretedInstance

RADIUS, STIFFNESS = 0.39243, 322369.0
ROLLING = {"hub.velocity": [10.0, 0.0, 0.0], "turning": 10.0 / 0.37}


def at(height: float, **values: Any) -> dict[str, Any]:
    return {"hub.position": [0.0, 0.0, height], **values}


@pytest.mark.parametrize("height", [0.36, 0.38, RADIUS, 0.5])
def test_the_load_is_that_of_a_spring_which_only_pushes(bench: Any, height: float) -> None:
    found = bench(SurfaceTire).out(**at(height))
    assert found["load"] == pytest.approx(max(0.0, STIFFNESS * (RADIUS - height)), abs=1e-6)
    assert (found["force_x"], found["force_y"]) == (0.0, 0.0)


def test_sinking_into_the_ground_adds_the_damper(bench: Any) -> None:
    still, sinking = (bench(SurfaceTire).out(**at(0.38, **{"hub.velocity": [0.0, 0.0, v]})) for v in (0.0, -0.02))
    assert sinking["load"] - still["load"] == pytest.approx(51870.0 * 0.02)


def test_driven_it_pulls_and_braked_it_is_held_back_within_a_friction_of_one(bench: Any) -> None:
    tire = bench(SurfaceTire)
    driven, braked = (tire.out(**at(0.37, s=s, **ROLLING)) for s in (0.1, -0.1))
    assert 0.5 * driven["load"] < driven["force_x"] < driven["load"]
    assert -braked["load"] < braked["force_x"] < -0.5 * braked["load"]


@pytest.mark.parametrize("v", [0.25, 1.0, 2.5, 20.0])
def test_a_locked_wheel_has_its_sliding_friction_at_low_speed_too(bench: Any, v: float) -> None:
    """Where its slips recover to those of the peak, 0.82 on a wet road; at rest it holds up to the peak."""
    locked = bench(SurfaceTire).out(
        **at(0.37, s=-0.2, **{"ground.surface": CODES.index("wet"), "hub.velocity": [v, 0.0, 0.0]})
    )
    assert -locked["force_x"] / locked["load"] == pytest.approx(float(paved(CODES.index("wet"), 1.0)[0]), rel=1e-3)


def test_a_wheel_that_stands_holds_up_to_the_peak(bench: Any) -> None:
    held = bench(SurfaceTire).out(**at(0.37, s=-0.1, **{"ground.surface": CODES.index("wet")}))
    assert -held["force_x"] / held["load"] == pytest.approx(0.82, rel=0.01)


def test_a_tire_that_moves_to_its_right_is_pushed_to_its_left(bench: Any) -> None:
    left, right = (bench(SurfaceTire).out(**at(0.37, t=t, **ROLLING)) for t in (-0.05, 0.05))
    assert left["slip_angle"] < 0.0 < right["slip_angle"]
    assert right["force_y"] > 0.0
    assert left["force_y"] == pytest.approx(-right["force_y"])


def test_soft_soil_resists_more_than_hard_soil(bench: Any) -> None:
    """With bristles that are deflected beyond either resistance, as while it rolls."""
    soils = [{"ground.surface": CODES.index("fine"), "ground.cone_index": c} for c in (3e5, 1e6)]
    rolling = ROLLING | {"bristle_force": 1e4}
    soft, hard = (bench(SurfaceTire).out(**at(0.37, **soil, **rolling))["resistance"] for soil in soils)
    assert soft < hard < 0.0
    rates = [bench(SurfaceTire).ode(**at(0.37, **soil, **ROLLING))["bristle_force"] for soil in soils]
    assert rates[0] > rates[1] > 0.0


def test_slips_relax_along_the_distance_rolled(bench: Any) -> None:
    """The slips of a wheel that rolls freely fall by v/sigma times themselves: 10 m/s over 0.3 m."""
    rates = bench(SurfaceTire).ode(**at(0.37, s=0.02, t=-0.01, **ROLLING))
    assert rates["s"] == pytest.approx(-10.0 / 0.3 * 0.02, rel=1e-3)
    assert rates["t"] == pytest.approx(10.0 / 0.3 * 0.01, rel=1e-3)


@pytest.mark.parametrize(
    ("ground", "message"),
    [
        ({"surface": 6}, "the codes of SurfaceTire are 0 dry, 1 wet, 2 snow, 3 ice, 4 fine, 5 coarse"),
        ({"friction": 0.3}, "a ground of surface 0 has the friction of a dry road"),
        ({"friction": 1.5}, "a ground of surface 0 has the friction of a dry road"),
    ],
)
def test_a_ground_that_it_cannot_represent_ends_the_run(ground: dict[str, float], message: str) -> None:
    """An icy patch of a road without surface codes: it would drive on as on a dry one."""
    with pytest.raises(DrawbarError, match=re.escape(message)):
        begun(ground)


@pytest.mark.parametrize(
    "ground", [{"surface": 3}, {"surface": 3, "friction": 0.08}, {"friction": 1.0}, {"k_phi": 1e6}]
)
def test_a_ground_of_a_known_surface_is_represented(ground: dict[str, float]) -> None:
    """Negative control."""
    begun(ground)


def begun(ground: dict[str, float]) -> None:
    wheel = InterpretedInstance(SurfaceTire, "wheel")
    wheel.initialize(0.0, {f"ground.{name}": value for name, value in ground.items()} | {"hub.position[3]": 0.38})
    wheel.start()
