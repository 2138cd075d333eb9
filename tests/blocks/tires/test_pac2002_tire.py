"""A wheel with a tire by Pacejka 2002: on the bench, as an FMU, under a car, and of a user's own file."""

import textwrap
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from drawbar.blocks.core.errors import DefinitionError
from drawbar.blocks.terrain.ground.flat_road import FlatRoad
from drawbar.blocks.tires.fiala_tire import FialaTire
from drawbar.blocks.tires.pac2002_tire import Pac2002Tire
from drawbar.blocks.vehicle.bodies.simple_body import SimpleBody
from drawbar.diagrams import Diagram
from drawbar.fmus.toolchain.compilers import find_compiler
from drawbar.orchestrator.reports.run_report import warnings_of
from drawbar.orchestrator.runs.run import Run
from drawbar.orchestrator.simulate import simulate

STIFFNESS, RADIUS = 1e6 * 0.4419, 0.4699
ROLLING = {"hub.velocity": [10.0, 0.0, 0.0], "turning": 10.0 / 0.4552, "ground.friction": 1.0}
AT_LOAD = {"hub.position": [0.0, 0.0, RADIUS - 6500.0 / STIFFNESS], **ROLLING}
DAMPING = [500.0, 7500.0]  # N s/m: the default, and one that settles
LOCK = 20000.0  # N m, of each brake: more than any wheel can transmit
Drive = Callable[..., Run]


def test_it_has_the_ports_of_a_fiala_tire() -> None:
    def ports(block: Any) -> set[tuple[str, str, str, Any]]:
        found = block.interface().ports
        return {(p.name, p.causality, p.unit, p.shape) for p in found if p.causality in ("input", "output")}

    assert ports(Pac2002Tire) - ports(FialaTire) == {("outside_range", "output", "1", ())}
    assert ports(FialaTire) <= ports(Pac2002Tire)


@pytest.mark.parametrize(
    ("kappa", "t", "force"), [(-0.1, 0.0, [-6088.5284, 0.0]), (0.0, -np.tan(0.05), [0.0, -1984.67])]
)
def test_forces_at_a_slip_are_those_of_the_law(bench: Any, kappa: float, t: float, force: list[float]) -> None:
    """At 6500 N as measured: of an independent program (`test_pac2002.py`)."""
    found = bench(Pac2002Tire, asymmetry=1.0).out(**AT_LOAD, kappa=kappa, t=t)
    assert found["load"] == pytest.approx(6500.0)
    measured = [found["force_x"], found["force_y"]]
    assert [m for m, f in zip(measured, force, strict=True) if f] == pytest.approx([f for f in force if f], rel=1e-4)
    assert found["outside_range"] == 0.0


def test_a_wheel_that_leans_right_pushes_its_hub_to_the_right(bench: Any) -> None:
    """By 0.1 rad, without ply steer: -21.462 N by the program of `test_pac2002.py`."""
    c, s = np.cos(0.1), np.sin(0.1)
    leaning = {"hub.rotation": [[1.0, 0.0, 0.0], [0.0, c, -s], [0.0, s, c]]}
    at = {**AT_LOAD, "hub.position": [0.0, 0.0, (RADIUS - 6500.0 / STIFFNESS) * c]}
    found = bench(Pac2002Tire).out(**at, **leaning)
    assert found["load"] == pytest.approx(6500.0)
    assert found["force_y"] == found["hub.force"][1] == pytest.approx(-21.4622, abs=1e-3)


def test_the_friction_of_the_ground_multiplies_that_of_the_tire(bench: Any) -> None:
    full, half = (
        bench(Pac2002Tire, LMUX=scale, reference_friction=0.8, LHX=0.0, LVX=0.0).out(
            **AT_LOAD | {"ground.friction": friction}, kappa=-1.0
        )["force_x"]
        for scale, friction in ((0.5, 0.8), (1.0, 0.4))
    )
    assert full == pytest.approx(half, rel=1e-6)


def test_drive_turns_the_wheel_in_the_air_and_nothing_is_outside_the_range(bench: Any) -> None:
    tire = bench(Pac2002Tire, inertia=2.0)
    assert tire.ode(**{"hub.position": [0.0, 0.0, 0.6], "drive": 30.0})["turning"] == pytest.approx(15.0)
    found = tire.out(**{"hub.position": [0.0, 0.0, 0.6], "drive": 30.0})
    assert (found["load"], found["force_x"], found["force_y"], found["outside_range"]) == (0.0, 0.0, 0.0, 0.0)


@pytest.fixture
def drive(tmp_path: Path) -> Drive:
    folders = (tmp_path / str(i) for i in count())

    def run(
        brake: float = 0.0, road: dict[str, Any] | None = None, values: dict[str, Any] | None = None, **rest: Any
    ) -> Run:
        d = Diagram("car", step=2e-3, stop=rest.pop("stop", 3.0))
        ground, body = d.add("road", FlatRoad, **road or {}), d.add("car", SimpleBody, **rest)
        for w in ("fl", "fr", "rl", "rr"):
            wheel = d.add(f"wheel_{w}", Pac2002Tire, brake=brake, **values or {})
            d.connect(getattr(ground, f"ground_{w}"), wheel.ground)
            d.connect(getattr(body, f"hub_{w}"), wheel.hub)
        return simulate(d, out=next(folders), backend="interpreted" if find_compiler() is None else "native")

    return run


@pytest.mark.parametrize("damping", DAMPING)
@pytest.mark.parametrize("slope", [{"grade": 0.3}, {"bank": 0.3}])
def test_parked_on_a_slope_it_stands_with_the_slips_that_hold_it(
    drive: Drive, slope: dict[str, float], damping: float
) -> None:
    run = drive(brake=5000.0, road=slope, values={"damping": damping})
    v, loads = run["car.velocity"], np.column_stack([run[f"wheel_{w}.load"] for w in ("fl", "fr", "rl", "rr")])
    assert np.abs(v).max() < 2e-3
    assert loads[0] == pytest.approx(loads[-1], rel=0.01)


@pytest.mark.parametrize("damping", DAMPING)
@pytest.mark.parametrize("friction", [1.0, 0.3])
def test_a_locked_car_with_its_wheels_steered_slides_straight_on(drive: Drive, friction: float, damping: float) -> None:
    """Nearly as with `FialaTire`; by the published weights alone it turned, and on low friction hardly braked."""
    road, values = {"friction": [friction] * 4}, {"damping": damping}
    run = drive(brake=LOCK, speed=20.0, steering_wheel=2.0, road=road, values=values)
    v, time = run["car.velocity"], run.time("car.velocity")
    assert abs(run["car.position"][-1, 1]) < 0.3
    assert abs(run["car.yaw"][-1]) < 0.03
    decelerated = v[time > 0.5][0, 0] - v[time > 1.0][0, 0]
    assert 0.35 * 9.81 * friction * 0.5 < decelerated < 0.65 * 9.81 * friction * 0.5


@pytest.mark.parametrize("damping", DAMPING)
@pytest.mark.parametrize(("speed", "grade"), [(-2.0, 0.3), (-0.5, 0.3), (2.0, 0.45)])
def test_a_locked_car_slides_down_what_is_steeper_than_its_sliding_friction(
    drive: Drive, speed: float, grade: float, damping: float
) -> None:
    """At a friction factor of 0.4: about 0.21 at full slip, and 0.37 at the peak, which holds one that came to rest."""
    road, values = {"grade": grade, "friction": [0.4] * 4}, {"damping": damping}
    run = drive(brake=LOCK, road=road, speed=speed, stop=5.0, values=values)
    time, v = run.time("car.velocity"), run["car.velocity"][:, 0]
    back = v[time > time[np.argmax(v < -0.1)]]
    assert back.max() < -0.05, "never stops"
    assert v[-1] < -1.0


def test_cars_straight_ahead_and_the_shifts_of_both_sides(drive: Drive) -> None:
    """Without ply steer it runs straight; with four tires of the left side it drifts to the right by metres."""
    straight = drive(speed=20.0, stop=2.0)["car.position"][-1, 1]
    assert abs(straight) < 1e-6
    drifting = drive(speed=20.0, stop=2.0, values={"asymmetry": 1.0})["car.position"][-1, 1]
    assert drifting < -0.1


def test_the_run_warns_where_the_range_of_the_data_was_left(drive: Drive) -> None:
    """A car that stands, and one with a payload beyond the largest load."""
    assert warnings_of(drive(stop=0.1)) == []
    (warning,) = {w.split(" ", 1)[1] for w in warnings_of(drive(stop=0.1, payload_mass=3e4))}
    assert "load, camber or slips are outside the range of the tire data (load 1016.6 to 45746.3 N" in warning


@pytest.mark.compiler
def test_the_fmu_gives_what_the_block_gives(tmp_path: Path) -> None:
    d = Diagram("rolling", step=2e-3, stop=0.5)
    ground, body = d.add("road", FlatRoad), d.add("car", SimpleBody, speed=10.0, steering_wheel=0.5)
    for w in ("fl", "fr", "rl", "rr"):
        wheel = d.add(f"wheel_{w}", Pac2002Tire, drive=300.0)
        d.connect(getattr(ground, f"ground_{w}"), wheel.ground)
        d.connect(getattr(body, f"hub_{w}"), wheel.hub)
    runs = [simulate(d, out=tmp_path / backend, backend=backend) for backend in ("fmu", "interpreted")]
    for name in ("wheel_fl.force_y", "wheel_fl.slip", "car.position"):
        assert runs[0][name] == pytest.approx(runs[1][name], rel=1e-9, abs=1e-9)


TIR = """
[UNITS]
LENGTH = 'meter'
FORCE  = 'newton'
ANGLE  = 'radian'
TIME   = 'second'
[MODEL]
PROPERTY_FILE_FORMAT = 'PAC2002'
[TIRE]
UNLOADED_RADIUS = 0.344
VERTICAL_STIFFNESS = 280835
LCZ = 0.5
FNOMIN = 4850
FZMIN = 225
FZMAX = 10125
LMUY = 0.9
PCX1 = 1.6411
PDX1 = 1.1739
PKX1 = 22.303
PTX1 = 2.0
PCY1 = 1.3507
PDY1 = 1.0489
PKY1 = -21.92
PKY2 = 2.0012
"""


def test_a_tire_of_the_users_own_file(bench: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mine.tir").write_text(TIR)
    (tmp_path / "my_tires.py").write_text(
        textwrap.dedent(
            """
            from drawbar.blocks.tires.pac2002_tire import Pac2002Tire

            class Mine(Pac2002Tire, file="mine.tir"):
                "A car tire."
            """
        )
    )
    monkeypatch.syspath_prepend(tmp_path)
    import my_tires  # type: ignore[import-not-found]

    tire = bench(my_tires.Mine)
    starts = {p.name: p.start for p in tire.model.p}
    assert starts["stiffness"] == (280835 * 0.5,)
    assert starts["LMUY"] == (0.9,)
    assert starts["relaxation"] == pytest.approx((2.0 * 0.344, 0.05))
    at = {"hub.position": [0.0, 0.0, 0.344 - 4850.0 / starts["stiffness"][0]], **ROLLING}
    at["turning"] = 10.0 / (0.344 - 4850.0 / starts["stiffness"][0])
    peak = max(tire.out(**at, t=t)["force_y"] for t in np.linspace(0.0, 0.6, 301))
    assert peak == pytest.approx(0.9 * 1.0489 * 4850.0, rel=1e-4)
    (tmp_path / "mine.tir").write_text(TIR.replace("PKY1 = -21.92", "PKY1 = 21.92"))
    with pytest.raises(DefinitionError, match=r"mine\.tir: \[TIRE\] PKY1 is 21.92; it must lie between"):

        class Wrong(Pac2002Tire, file=tmp_path / "mine.tir"):
            """Its forces would push where it slips."""
