"""Open differentials as a unit, and why none of them locks."""

from typing import Any

import pytest

from drawbar.blocks import FmuError
from drawbar.blocks.terrain.fiala_tire import FialaTire
from drawbar.blocks.vehicle.drivetrain.torque_split import TorqueSplit
from drawbar.diagrams import Diagram
from drawbar.fmus.interpreted import InterpretedInstance

WHEELS = ("fl", "fr", "rl", "rr")


def test_wheels_get_equal_torques_and_the_propeller_turns_with_their_mean(bench: Any) -> None:
    spins = {"spin_fl": 10.0, "spin_fr": 20.0, "spin_rl": 30.0, "spin_rr": 40.0}
    found = bench(TorqueSplit).out(propeller=100.0, **spins)
    assert [found[f"drive_{w}"] for w in WHEELS] == pytest.approx([100.0 * 2.73 * 1.92 / 4.0] * 4)
    assert found["propeller_speed"] == pytest.approx(25.0 * 2.73 * 1.92)


def test_power_is_kept_whatever_goes_to_the_front(bench: Any) -> None:
    b, spins = bench(TorqueSplit, front_share=0.3), [10.0, -20.0, 30.0, 41.0]
    found = b.out(propeller=-70.0, **{f"spin_{w}": s for w, s in zip(WHEELS, spins, strict=True)})
    out = sum(found[f"drive_{w}"] * s for w, s in zip(WHEELS, spins, strict=True))
    assert out == pytest.approx(-70.0 * found["propeller_speed"])
    assert found["drive_fl"] / found["drive_rl"] == pytest.approx(3.0 / 7.0)


def test_a_locked_axle_is_refused_with_its_reason() -> None:
    instance = InterpretedInstance(TorqueSplit, "split")
    with pytest.raises(FmuError, match=r"lock torque of the differentials\[2\].*the unit that owns the spins.*HmmwvVe"):
        instance.initialize(0.0, {"lock_torque[2]": 5e3})
        instance.start()


def test_it_is_wired_to_wheel_units() -> None:
    d = Diagram("wheels")
    split = d.add("split", TorqueSplit)
    for w in WHEELS:
        wheel = d.add(w, FialaTire)
        d.connect(getattr(split, f"drive_{w}"), wheel.drive)
        d.connect(wheel.hub.spin, getattr(split, f"spin_{w}"))
    assert len(d.connections) == 8
