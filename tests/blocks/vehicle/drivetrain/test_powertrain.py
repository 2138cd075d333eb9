"""Engine, converter and gears: hand values, and power that is kept."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from drawbar.blocks.vehicle.drivetrain.diesel_powertrain import DieselPowertrain
from drawbar.blocks.vehicle.drivetrain.powertrain import Powertrain

RPM = np.pi / 30.0


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
    free = {"engine_speed": 200.0, "throttle": 1.0, "engagement": 0.0, "shaft_speed": 30.0}
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
        engagement=st.floats(0.0, 1.0),
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


def test_the_shafts_twist_by_the_torque_over_their_stiffness(bench: Any) -> None:
    b = bench(Powertrain)
    assert b.out(twist=0.1)["propshaft_torque"] == pytest.approx(600.0)
    assert b.out(shaft_speed=2.0)["propshaft_torque"] == pytest.approx(60.0)
    assert b.ode(twist=0.1)["shaft_speed"] == pytest.approx(-600.0 / 0.5)
