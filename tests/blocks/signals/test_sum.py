"""The sum by hand."""

from typing import Any

import pytest

from drawbar.blocks.signals.sum import Sum


@pytest.mark.parametrize(("signs", "y"), [({}, 7.0), ({"sign_2": -1.0}, 3.0), ({"sign_1": -1.0, "sign_2": 0.5}, -4.0)])
def test_a_sum_has_signs(bench: Any, signs: dict[str, float], y: float) -> None:
    assert bench(Sum, **signs).out(u_1=5.0, u_2=2.0) == {"y": y}
