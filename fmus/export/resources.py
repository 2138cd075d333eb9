"""The resources of an FMU: arrays as ``.npy`` files of version 1.0, always the same bytes for the same numbers."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

_ALIGNMENT = 64  # of the numbers in the file, as numpy writes it


def descr_of(array: NDArray[Any]) -> str:
    """Return the type of the elements as an ``.npy`` file writes it, little-endian."""
    return array.dtype.newbyteorder("<").str


def npy_bytes(array: NDArray[Any]) -> bytes:
    """Return the bytes of an array's file, row-major and little-endian; read in C by `runtime/resources.c`."""
    shape = ", ".join(map(str, array.shape)) + ("," if array.ndim == 1 else "")
    text = f"{{'descr': '{descr_of(array)}', 'fortran_order': False, 'shape': ({shape}), }}"
    length = -(-(10 + len(text) + 1) // _ALIGNMENT) * _ALIGNMENT - 10
    head = b"\x93NUMPY\x01\x00" + length.to_bytes(2, "little") + text.ljust(length - 1).encode() + b"\n"
    return head + np.ascontiguousarray(array, descr_of(array)).tobytes()


def write_resources(resources: dict[str, bytes], folder: Path) -> None:
    """Lay out `folder`/resources beside a library of the cache, as in the FMU.

    The folder belongs to these numbers, as they are a part of the GUID and so of the library.
    """
    for file, content in resources.items():
        target = folder / "resources" / file
        if not target.is_file():
            target.parent.mkdir(exist_ok=True)
            with tempfile.TemporaryDirectory(dir=target.parent, prefix=".build-") as scratch:
                (Path(scratch) / file).write_bytes(content)
                os.replace(Path(scratch) / file, target)
