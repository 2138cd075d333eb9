"""Arrays of a kernel block: which are read, and in which form they are stored."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from drawbar.blocks import DefinitionError, Resource


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "table.npy"


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: np.zeros((0, 3)), r"has shape \(0, 3\); a resource has one to 8 dimensions and is not empty"),
        (lambda: 1.0, r"has shape \(\)"),
        (lambda: np.zeros((1,) * 9), "one to 8 dimensions"),
        (lambda: ["a"], "holds values of type <U1; a resource holds real numbers"),
        (lambda: [1j], "type complex128"),
        (lambda: 1 / 0, "the array cannot be read: division by zero"),
        (None, r"table\.npy: the array cannot be read: "),
    ],
)
def test_numbers_that_are_none_are_told(make: Callable[[], Any] | None, message: str, path: Path) -> None:
    path.write_bytes(b"")
    resource = Resource(str(path), "t", make=make)
    resource.name = "map"
    with pytest.raises(DefinitionError, match=rf"Law\.map: .*{message}"):
        resource.array("Law")


def test_a_pickle_is_not_opened(path: Path) -> None:
    np.save(path, np.array([print], dtype=object), allow_pickle=True)
    with pytest.raises(DefinitionError, match="allow_pickle=False"):
        Resource(str(path), "t").array("Law")


@pytest.mark.parametrize("kind", ["<f4", ">f8", "i2", "?"])
def test_numbers_of_all_types_become_doubles(kind: str, path: Path) -> None:
    np.save(path, np.asfortranarray(np.array([[1, 0, 1], [0, 1, 1]], kind)))
    found = Resource(str(path), "t").array("Law")
    assert (found.dtype, found.flags.c_contiguous) == (np.dtype(np.float64), True)
    assert found.tolist() == [[1.0, 0.0, 1.0], [0.0, 1.0, 1.0]]


@pytest.mark.parametrize("dtype", ["float32", "uint8"])
def test_numbers_are_stored_in_less_where_that_is_asked_for(dtype: str) -> None:
    given = np.array([[0.0, 3.0], [255.0, 7.0]])
    found = Resource("table.npy", "t", make=lambda: given, dtype=dtype).array("Law")
    assert found.dtype == dtype
    np.testing.assert_array_equal(found, given)


@pytest.mark.parametrize(("dtype", "value"), [("uint8", 256), ("uint8", -1), ("uint8", 0.5), ("float32", 1e39)])
def test_a_number_that_is_not_held_is_told(dtype: str, value: float) -> None:
    resource = Resource("table.npy", "t", make=lambda: [1.0, value], dtype=dtype)
    with pytest.raises(DefinitionError, match=re.escape(f"holds {value:g}, which is no {dtype}; choose another dtype")):
        resource.array("Law")


def test_nan_stays_in_fewer_bits() -> None:
    assert np.isnan(Resource("table.npy", "t", make=lambda: [np.nan, 1.0], dtype="float32").array("Law")[0])
