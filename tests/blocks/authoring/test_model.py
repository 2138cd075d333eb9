"""The value array of a block: its order, its arrays, its start values."""

from typing import Any

import numpy as np
import pytest

from drawbar.blocks import Continuous, Input, Output, Parameter, State, mtimes
from drawbar.blocks.core.interface import Port


class Matrices(Continuous):
    """Arrays of both ranks.

    A second paragraph.
    """

    A = Parameter([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], "1", "matrix", size=(2, 3))
    w = Input("1", "vector", size=3)
    x = State([7.0, 8.0], "1", "state", size=2)
    product = Output("1", "A w", size=2)
    outer = Output("1", "x w'", size=(2, 3))
    listed = Output("1", "rows", size=(2, 2))

    def derivatives(self) -> dict[str, Any]:
        return {"x": -self.x}

    def outputs(self) -> dict[str, Any]:
        rows = [[self.w[0], self.w[1]], [self.w[2], self.A[1, 0]]]
        return {"product": mtimes(self.A, self.w), "outer": mtimes(self.x, self.w.T), "listed": rows}


def test_values_are_in_row_major_order(bench: Any) -> None:
    w = np.array([1.0, 10.0, 100.0])
    out = bench(Matrices).out(w=w, x=[7.0, 8.0])
    assert out["product"] == pytest.approx([321.0, 654.0])
    assert out["outer"] == pytest.approx(np.outer([7.0, 8.0], w).ravel())
    assert out["listed"] == pytest.approx([1.0, 10.0, 100.0, 4.0])


def test_names_are_structured_and_one_based() -> None:
    port = Matrices.interface().port("A")
    assert port is not None
    assert port.scalar_names() == ["A[1,1]", "A[1,2]", "A[1,3]", "A[2,1]", "A[2,2]", "A[2,3]"]
    assert port.start == (1.0, 2.0, 3.0, 4.0, 5.0, 6.0) and port.size == 6
    assert Port("J", "local", "continuous").scalar_names() == ["J"]


def test_value_array_is_p_u_x_z_y() -> None:
    model = Matrices.model()
    assert model.sizes() == (6, 3, 2, 0, 12)
    assert model.start() == pytest.approx([1, 2, 3, 4, 5, 6, 0, 0, 0, 7, 8] + [0] * 12)
    assert [p.name for p in model.ports] == ["A", "w", "x", "product", "outer", "listed"]
