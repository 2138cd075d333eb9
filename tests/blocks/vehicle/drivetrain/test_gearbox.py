"""The control of the gearbox: order and length of shifts, no hunting, selector."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from drawbar.blocks import FmuError
from drawbar.blocks.vehicle.drivetrain.diesel_gearbox import DieselGearbox
from drawbar.blocks.vehicle.drivetrain.gearbox import Gearbox
from drawbar.fmus.backends.interpreted import InterpretedInstance

RPM = np.pi / 30.0
T = 0.01


def shifted(
    bench: Any, block: Any, speed: Callable[[float], float], seconds: float, **inputs: float
) -> dict[str, Sequence[float]]:
    """Its outputs over the samples, with the speed of the gearbox's output over time."""
    b, z, rows = bench(block), {"current_gear": 1.0, "next_gear": 1.0, "shift_timer": 0.0, "latency_timer": 0.0}, []
    for k in range(round(seconds / T)):
        at = {"gearbox_speed": speed(k * T), "selector": 1, **inputs, **z}
        rows.append(b.out(**at))
        z = b.update(**at)
    return {name: np.array([row[name] for row in rows]) for name in rows[0]}


@pytest.mark.parametrize("throttle", [0.0, 0.4, 1.0])
def test_it_shifts_up_through_all_gears_at_the_points_of_its_throttle(bench: Any, throttle: float) -> None:
    rate = 10.0  # rad/s2
    run = shifted(bench, Gearbox, lambda t: rate * t, 60.0, throttle=throttle)
    assert [int(g) for g in run["gear"][np.flatnonzero(np.diff(run["gear"], prepend=0.0))]] == [1, 2, 3]
    turbine = (1800.0 + throttle * 1500.0) * RPM
    for gear, ratio in ((2.0, 2.48), (3.0, 1.48)):
        changed = np.argmax(run["gear"] == gear) * T
        assert changed == pytest.approx(turbine / ratio / rate + 0.2, abs=0.03), "and half of the shift"


def test_a_shift_takes_400_ms_in_which_torque_falls_to_nothing_and_returns(bench: Any) -> None:
    run = shifted(bench, Gearbox, lambda t: 160.0, 3.0, throttle=1.0)
    cut = np.flatnonzero(run["engagement"] < 1.0)
    assert len(cut) * T == pytest.approx(0.4, abs=0.02)
    assert run["engagement"].min() == pytest.approx(0.0, abs=0.06)
    assert run["fuel"] == pytest.approx(run["engagement"])
    assert run["engagement"][np.argmax(run["gear"] == 2.0)] < 0.06, "the gear changes without torque"


def test_two_shifts_are_a_second_apart(bench: Any) -> None:
    run = shifted(bench, Gearbox, lambda t: 400.0, 3.0, throttle=1.0)
    second, third = (np.argmax(run["gear"] == g) for g in (2.0, 3.0))
    assert (third - second) * T == pytest.approx(1.0, abs=0.02)


@pytest.mark.parametrize("block", [Gearbox, DieselGearbox])
@pytest.mark.parametrize("throttle", [0.0, 0.5, 1.0])
def test_at_a_constant_speed_it_does_not_hunt(bench: Any, block: Any, throttle: float) -> None:
    for speed in (0.0, 50.0, 80.0, 110.0, 145.0, 180.0, 240.0, 500.0):
        run = shifted(bench, block, lambda t, w=speed: w, 5.0, throttle=throttle)
        assert (np.diff(run["gear"]) >= 0.0).all(), speed
        assert not np.diff(run["gear"])[300:].any()


def test_down_and_up_again_have_hysteresis(bench: Any) -> None:
    """The speed swings by 10 % about the point to shift up."""
    point = 3300.0 * RPM / 2.48
    run = shifted(bench, Gearbox, lambda t: point * (1.0 + 0.1 * np.sin(2.0 * t)), 20.0, throttle=1.0)
    assert np.count_nonzero(np.diff(run["gear"])) == 1
    down = shifted(bench, Gearbox, lambda t: max(0.0, 350.0 - 20.0 * t), 20.0, throttle=0.0)
    assert down["gear"][-1] == 1.0
    assert down["gear"].max() == 3.0


def test_points_without_hysteresis_are_refused() -> None:
    instance = InterpretedInstance(Gearbox, "box")
    with pytest.raises(FmuError, match=r"a shift up leads above the point to shift down, full.*it would hunt"):
        instance.initialize(0.0, {"down_full[1]": 2200.0 * RPM})
        instance.start()


def test_neutral_gives_the_engine_its_throttle_and_the_wheels_nothing(bench: Any) -> None:
    run = shifted(bench, Gearbox, lambda t: 0.0, 2.0, throttle=0.6, selector=0)
    assert run["gear"][-1] == 0.0
    assert run["ratio"][-1] == 0.0
    assert run["engagement"][-1] == 0.0
    assert run["fuel"][-1] == 0.6


def test_from_drive_to_reverse_it_waits_in_neutral_until_it_is_slow(bench: Any) -> None:
    run = shifted(bench, Gearbox, lambda t: max(0.0, 60.0 - 20.0 * t), 5.0, selector=-1)
    assert run["gear"][100] == 0.0
    assert run["gear"][-1] == -1.0
    assert run["ratio"][-1] == -2.08
    engaged = np.argmax(run["gear"] == -1.0) * T
    assert engaged == pytest.approx(2.0 + 0.2, abs=0.03)


def test_it_begins_in_the_gear_asked_for() -> None:
    instance = InterpretedInstance(Gearbox, "box")
    instance.initialize(0.0, {"first": 3, "gearbox_speed": 200.0})
    instance.start()
    assert instance.get(["gear", "ratio", "engagement"]) == [3, 1.0, 1.0]
