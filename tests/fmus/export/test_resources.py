"""Arrays as .npy files: the bytes that numpy writes."""

import io
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from drawbar.fmus.export.resources import npy_bytes

pytestmark = pytest.mark.compiler


def saved(array: Any, **options: Any) -> bytes:
    buffer = io.BytesIO()
    np.lib.format.write_array(buffer, np.asarray(array), **options)
    return buffer.getvalue()


@pytest.mark.parametrize("shape", [(1,), (5,), (4, 5), (2, 3, 4), (1,) * 8, (100_000,)])
def test_the_bytes_are_those_that_numpy_writes(shape: tuple[int, ...]) -> None:
    array: NDArray[np.float64] = np.random.default_rng(1).normal(size=shape)
    assert npy_bytes(array) == saved(array)
    assert npy_bytes(array.astype(np.float32)) == saved(array.astype(np.float32))
    assert npy_bytes(array.astype(np.uint8)) == saved(array.astype(np.uint8))
