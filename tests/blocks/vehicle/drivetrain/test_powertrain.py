"""Engine, converter and gears: hand values, and power that is kept."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from drawbar.blocks.vehicle.drivetrain.diesel_powertrain import DieselPowertrain
from drawbar.blocks.vehicle.drivetrain.powertrain import Powertrain

RPM = np.pi / 30.0


def test_the_engine_gives_330_newton_metres_and_110_kilowatts(bench: Any) -> None:
    b = bench(Powertrain)
    assert b.out(engine_speed=200.0, throttle=1.0)["engine_torque"] == pytest.approx(330.0)
    for rpm in (3300.0, 3450.0, 3600.0):
        assert b.out(engine_speed=rpm * RPM, throttle=1.0)["engine_power"] == pytest.approx(110e3, rel=1e-3)
    power = b.out(engine_speed=3600.0 * RPM, throttle=1.0)["engine_power"]
    assert power / 745.7 == pytest.approx(150.0, rel=0.02), "the published horsepower"
    assert b.out(engine_speed=3960.0 * RPM, throttle=1.0)["engine_torque"] < 0.0, "its governor has cut the fuel"


def test_half_a_throttle_is_half_way_between_driving_and_motored(bench: Any) -> None:
    b = bench(Powertrain)
    closed, half, full = (b.out(engine_speed=209.44, throttle=a)["engine_torque"] for a in (0.0, 0.5, 1.0))
    assert closed == pytest.approx(-70.0)
    assert half == pytest.approx((closed + full) / 2.0)


def test_below_idle_the_governor_gives_fuel(bench: Any) -> None:
    b = bench(Powertrain)
    torques = [b.out(engine_speed=w)["engine_torque"] for w in (40.0, 60.0, 75.0)]
    assert torques[0] == pytest.approx(330.0)
    assert 0.0 < torques[1] < 330.0
    assert torques[2] < 0.0


@pytest.mark.parametrize(("block", "most"), [(Powertrain, 330.0), (DieselPowertrain, 774.0)])
def test_held_at_the_wheels_it_stalls_at_1800_rpm_and_doubles_its_torque(bench: Any, block: Any, most: float) -> None:
    b = bench(block)
    stalled = {"throttle": 1.0, "ratio": 2.48, "engine_speed": 1800.0 * RPM}
    found = b.out(**stalled)
    assert found["engine_torque"] == pytest.approx(most, rel=1e-3)
    assert found["impeller_torque"] == pytest.approx(most, rel=1e-3)
    assert b.ode(**stalled)["engine_speed"] == pytest.approx(0.0, abs=1.0)
    assert found["turbine_torque"] == pytest.approx(2.0 * most, rel=1e-3)
    assert found["driven_torque"] == pytest.approx(0.9 * 2.48 * 2.0 * most, rel=1e-3)


def test_the_map_of_the_generic_diesel_is_that_of_its_file(bench: Any) -> None:
    b = bench(DieselPowertrain)
    for rpm, torque in ((800.0, 382.0), (1600.0, 793.0), (2450.0, 575.5), (2600.0, 79.0)):
        assert b.out(engine_speed=rpm * RPM, throttle=1.0)["engine_torque"] == pytest.approx(torque)
    assert b.out(engine_speed=1500.0 * RPM)["engine_torque"] == pytest.approx(-60.0)


def test_the_converter_between_its_points(bench: Any) -> None:
    """At 0.9 with K = 18 of 15 at stall, which is 10.376 (rad/s)/sqrt(N m) here: (w/12.452)^2, times 1.06."""
    found = bench(Powertrain).out(engine_speed=300.0, ratio=1.0, shaft_speed=270.0)
    assert found["impeller_torque"] == pytest.approx((300.0 / (188.496 / 330.0**0.5 * 18.0 / 15.0)) ** 2, rel=1e-4)
    assert found["turbine_torque"] == pytest.approx(1.06 * found["impeller_torque"])


def test_without_slip_it_transmits_nothing_and_beyond_the_wheels_drive(bench: Any) -> None:
    b = bench(Powertrain)
    torque = [b.out(engine_speed=200.0, ratio=1.0, shaft_speed=w)["turbine_torque"] for w in (199.9, 200.0, 200.1)]
    assert torque[0] > 0.0
    assert torque[1] == 0.0
    assert torque[2] == pytest.approx(-torque[0], rel=1e-2)


def test_gears_and_low_range_multiply_torque_and_divide_speed(bench: Any) -> None:
    high, low = bench(Powertrain), bench(Powertrain, low_range=1.0)
    given = {"engine_speed": 200.0, "throttle": 1.0, "ratio": 1.48}
    a, b = high.out(shaft_speed=26.1, **given), low.out(shaft_speed=10.0, **given)
    assert b["turbine_speed"] == pytest.approx(a["turbine_speed"])
    assert b["driven_torque"] == pytest.approx(2.61 * a["driven_torque"])
    assert b["gearbox_speed"] == pytest.approx(26.1)
    back = high.out(ratio=-2.08, engine_speed=200.0, throttle=1.0)
    assert back["driven_torque"] == pytest.approx(-2.08 * 0.9 * back["turbine_torque"])


def test_in_neutral_the_engine_runs_free(bench: Any) -> None:
    b = bench(Powertrain)
    free = {"engine_speed": 200.0, "throttle": 1.0, "grip": 0.0, "shaft_speed": 30.0}
    assert b.out(**free)["driven_torque"] == 0.0
    assert b.ode(**free)["engine_speed"] == pytest.approx(330.0 / 1.1)


@pytest.mark.parametrize("low", [False, True])
@pytest.mark.parametrize("block", [Powertrain, DieselPowertrain])
def test_power_in_is_power_out_and_losses_which_are_never_negative(bench: Any, block: Any, low: bool) -> None:
    b = bench(block, low_range=low)

    @given(
        w=st.floats(0.0, 400.0),
        shaft=st.floats(-400.0, 400.0),
        slip=st.floats(-20.0, 20.0),
        twist=st.floats(-0.5, 0.5),
        throttle=st.floats(0.0, 1.0),
        ratio=st.sampled_from([-2.08, 0.0, 1.0, 1.48, 2.48]),
        grip=st.floats(0.0, 1.0),
    )
    @settings(max_examples=100, deadline=None)
    def holds(w: float, shaft: float, slip: float, twist: float, **inputs: float) -> None:
        at = {"engine_speed": w, "shaft_speed": shaft, "twist": twist, "propshaft_speed": shaft - slip, **inputs}
        found, rate = b.out(**at), b.ode(**at)
        assert found["power"] == pytest.approx(found["propshaft_torque"] * (shaft - slip))
        stored = 1.1 * w * rate["engine_speed"] + 0.5 * shaft * rate["shaft_speed"] + 6000.0 * twist * rate["twist"]
        spent = stored + found["power"] + found["loss"]
        assert spent == pytest.approx(found["engine_power"], rel=1e-9, abs=1e-6)
        assert found["loss"] >= -1e-9 * max(1.0, abs(found["power"]))

    holds()


def test_a_converter_that_multiplies_too_much_would_give_work(bench: Any) -> None:
    """Negative control."""
    b = bench(Powertrain, torque_ratio=[2.0, 2.0, 2.5, 2.0, 1.06, 1.0], efficiency=1.0)
    assert b.out(engine_speed=200.0, ratio=1.0, shaft_speed=120.0, propshaft_speed=120.0)["loss"] < -1000.0


def test_the_shafts_twist_by_the_torque_over_their_stiffness(bench: Any) -> None:
    b = bench(Powertrain)
    assert b.out(twist=0.1)["propshaft_torque"] == pytest.approx(600.0)
    assert b.out(shaft_speed=2.0)["propshaft_torque"] == pytest.approx(60.0)
    assert b.ode(twist=0.1)["shaft_speed"] == pytest.approx(-600.0 / 0.5)
