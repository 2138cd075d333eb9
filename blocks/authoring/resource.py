"""Arrays of numbers that a kernel block reads: maps, grids, measured curves."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from drawbar.blocks.core.errors import DefinitionError, did_you_mean

_FILE = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*\.npy")
MAX_DIMENSIONS = 8
# type in storage, and type of the elements in C
TYPES = {"float64": "double", "float32": "float", "uint8": "unsigned char"}


class Resource:
    """An array of numbers in an ``.npy`` file beside the block, packed into its FMU and shared by all instances.

    ``Resource("terrain.npy", "heights of the ground, m")``. With `make`, a function without arguments, the array is its
    result and there is no file. Real, integer and Boolean arrays of one to eight dimensions are stored as 64-bit
    floats, or as `dtype` specifies: a map is smaller as ``float32`` or ``uint8``. NaN is allowed in floats. An FMU
    contains the array as it was when the FMU was built, and accepts no other shape.
    """

    def __init__(
        self, file: str, description: str, *, make: Callable[[], Any] | None = None, dtype: str = "float64"
    ) -> None:
        self.file, self.description, self.make, self.dtype = file, description, make, dtype
        self.name, self.folder = "", Path()

    def __set_name__(self, owner: type, name: str) -> None:
        self.name, self.folder = name, folder_of(owner)

    def check(self, block: str) -> None:
        """Raise `DefinitionError` if the declaration is wrong or the file does not exist."""
        where = f"{block}.{self.name}"
        if not isinstance(self.description, str) or not self.description.strip():
            raise DefinitionError(f"{where}: say what the numbers are: Resource('{self.file}', 'heights, m')")
        if not _FILE.fullmatch(self.path.name):
            raise DefinitionError(
                f"{where}: '{self.file}'; a resource is an .npy file, named in plain letters, digits, - and _"
            )
        if self.dtype not in TYPES:
            raise DefinitionError(f"{where}: dtype '{self.dtype}'" + did_you_mean(str(self.dtype), TYPES))
        if self.make is None and not self.path.is_file():
            raise DefinitionError(f"{where}: there is no file {self.path}; numpy.save('{self.file}', array) writes one")

    @property
    def path(self) -> Path:
        """Return the path of the file, beside the module that declares it."""
        return self.folder / self.file

    def array(self, block: str) -> NDArray[Any]:
        """Return the numbers in row-major order, as they are stored; raise `DefinitionError` if there are none."""
        where = f"{block}.{self.name}"
        if self.make is None:
            where += f": {self.path}"
        try:
            # no pickle: a file of others must not execute code
            given = self.make() if self.make is not None else np.load(self.path, allow_pickle=False)
            found = np.asarray(given)
        except Exception as error:  # the author's own function, and numpy's reader, may raise anything
            said = (str(error).strip() or type(error).__name__).splitlines()[0]
            raise DefinitionError(f"{where}: the array cannot be read: {said}") from None
        if found.dtype.kind not in "fiub":
            raise DefinitionError(f"{where}: holds values of type {found.dtype}; a resource holds real numbers")
        if not found.size or not 1 <= found.ndim <= MAX_DIMENSIONS:
            raise DefinitionError(
                f"{where}: has shape {found.shape}; a resource has one to {MAX_DIMENSIONS} dimensions and is not empty"
            )
        with np.errstate(over="ignore", invalid="ignore"):
            stored = np.ascontiguousarray(found, self.dtype)
        held = stored == found if self.dtype == "uint8" else np.isfinite(stored) == np.isfinite(found)
        if not held.all():
            first = found[tuple(np.argwhere(~held)[0])]
            raise DefinitionError(f"{where}: holds {float(first):g}, which is no {self.dtype}; choose another dtype")
        return stored


def folder_of(owner: type) -> Path:
    """Return the folder of the module that defines a class, the current one if there is none, as in a notebook."""
    file = getattr(sys.modules.get(owner.__module__), "__file__", None)
    return Path(file).resolve().parent if file else Path.cwd()
