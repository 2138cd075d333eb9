"""The ramp by hand values."""

from typing import Any

import pytest

from drawbar.blocks.signals.ramp import Ramp


@pytest.mark.parametrize(("time", "y"), [(0.0, 1.0), (2.0, 1.0), (3.0, 2.0), (4.0, 3.0), (6.0, 5.0), (60.0, 5.0)])
def test_a_ramp_ends(source: Any, time: float, y: float) -> None:
    assert source(Ramp, offset=1.0, height=4.0, begin=2.0, duration=4.0)(time) == y
