"""The gain by hand."""

from typing import Any

from drawbar.blocks.signals.gain import Gain


def test_a_gain(bench: Any) -> None:
    assert bench(Gain, gain=-2.5).out(u=3.0) == {"y": -7.5}
    assert Gain.interface().feedthrough == {"y": ("u",)}
