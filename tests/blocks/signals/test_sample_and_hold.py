"""A signal that is held."""

from typing import Any

from drawbar.blocks.signals.sample_and_hold import SampleAndHold


def test_a_held_signal_stays_as_it_was_until_it_is_let_go(played: Any) -> None:
    found = played(SampleAndHold, {"u": [1.0, 2.0, 3.0, 4.0, 5.0], "hold": [0.0, 0.0, 0.5, 1.0, -1.0]})
    assert found["y"] == [1.0, 2.0, 2.0, 2.0, 5.0]
