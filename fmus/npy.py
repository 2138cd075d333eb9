"""Arrays as ``.npy`` files of version 1.0, always the same bytes for the same numbers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_ALIGNMENT = 64  # of the numbers in the file, as numpy writes it


def npy_bytes(array: NDArray[np.float64]) -> bytes:
    """The file of an array of 64-bit floats, little-endian, in rows; its one reader in C is `runtime/resources.c`."""
    shape = ", ".join(map(str, array.shape)) + ("," if array.ndim == 1 else "")
    text = f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({shape}), }}"
    length = -(-(10 + len(text) + 1) // _ALIGNMENT) * _ALIGNMENT - 10
    head = b"\x93NUMPY\x01\x00" + length.to_bytes(2, "little") + text.ljust(length - 1).encode() + b"\n"
    return head + np.ascontiguousarray(array, "<f8").tobytes()
