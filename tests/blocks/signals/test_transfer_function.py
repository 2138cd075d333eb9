"""The transfer function against scipy.signal."""

from typing import Any

import numpy as np
import pytest
from scipy import signal

from drawbar.blocks.signals.transfer_function import TransferFunction


@pytest.mark.parametrize(
    ("numerator", "denominator"),
    [
        pytest.param([0.0, 0.0, 1.0], [2.0, 1.0], id="lag"),
        pytest.param([0.0, 3.0, 5.0], [0.8, 40.0], id="zero"),
        pytest.param([2.0, 1.0, 7.0], [5.0, 6.0], id="feed-through"),
        pytest.param([0.0, 4.0, 0.0], [2.0, 0.0], id="first order"),
    ],
)
def test_a_transfer_function_is_that_of_scipy(bench: Any, response: Any, numerator: Any, denominator: Any) -> None:
    _, y, _ = signal.lsim((np.trim_zeros(numerator, "f"), [1.0, *denominator]), response.u, response.t, interp=False)
    found = response(bench, TransferFunction, numerator=numerator, denominator=denominator)
    np.testing.assert_allclose(found, y, rtol=0.0, atol=1e-8)
