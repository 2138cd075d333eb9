"""Open differentials as an FMU, and why none of them locks."""

from typing import Any

import numpy as np
import pytest

from drawbar.blocks import FmuError
from drawbar.blocks.tires.fiala_tire import FialaTire
from drawbar.blocks.vehicle.drivetrain.torque_split import TorqueSplit
from drawbar.blocks.vehicle.hmmwv.hmmwv_body import HmmwvBody
from drawbar.diagrams import Diagram
from drawbar.diagrams.model.connection import End
from drawbar.fmus.backends.interpreted import InterpretedInstance


def test_wheels_get_equal_torques_and_the_propeller_turns_with_their_mean(bench: Any) -> None:
    found = bench(TorqueSplit).out(propshaft_torque=100.0, spin=[10.0, 20.0, 30.0, 40.0])
    assert found["drive"] == pytest.approx([100.0 * 2.73 * 1.92 / 4.0] * 4)
    assert found["propshaft_speed"] == pytest.approx(25.0 * 2.73 * 1.92)


def test_power_is_kept_whatever_goes_to_the_front(bench: Any) -> None:
    spin = np.array([10.0, -20.0, 30.0, 41.0])
    found = bench(TorqueSplit, front_share=0.3).out(propshaft_torque=-70.0, spin=spin)
    assert found["drive"] @ spin == pytest.approx(-70.0 * found["propshaft_speed"])
    assert found["drive"][0] / found["drive"][2] == pytest.approx(3.0 / 7.0)


def test_a_locked_axle_is_refused_with_its_reason() -> None:
    instance = InterpretedInstance(TorqueSplit, "split")
    with pytest.raises(FmuError, match=r"lock torque of the differentials\[2\].*the FMU that owns the spins.*HmmwvVe"):
        instance.initialize(0.0, {"lock_torque[2]": 5e3})
        instance.start()


def test_it_is_connected_to_a_body_and_its_wheels() -> None:
    """The wheel gets the torque, the body its reaction on the chassis."""
    d = Diagram("modular")
    split, body = d.add("split", TorqueSplit), d.add("body", HmmwvBody)
    d.connect(split.drive, body.drive)
    for i, w in enumerate(("fl", "fr", "rl", "rr"), start=1):
        wheel = d.add(f"wheel_{w}", FialaTire)
        d.connect(getattr(body, f"hub_{w}"), wheel.hub)
        d.connect(End("split", f"drive[{i}]"), wheel.drive)
        d.connect(wheel.hub.spin, End("split", f"spin[{i}]"))
    assert not {"split.drive", "split.spin[1]"} - {str(end) for c in d.connections for end in (c.start, c.end)}
