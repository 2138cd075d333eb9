"""A delay of one sample."""

from typing import Any

from drawbar.blocks.signals.unit_delay import UnitDelay


def test_a_unit_delay_begins_with_its_start_value(played: Any) -> None:
    assert played(UnitDelay, {"u": [1.0, 2.0, 3.0]}, last=-7.0)["y"] == [-7.0, 1.0, 2.0]
