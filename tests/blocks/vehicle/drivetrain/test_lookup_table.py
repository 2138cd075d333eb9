"""Lookup tables: linear between the points, and at their ends."""

import casadi as ca
import pytest

from drawbar.blocks.vehicle.drivetrain.lookup_table import interpolate, value_at

POINTS, VALUES = ca.DM([0.0, 1.0, 3.0]), ca.DM([2.0, 4.0, 0.0])


@pytest.mark.parametrize(
    ("x", "y"), [(-1.0, 2.0), (0.0, 2.0), (0.5, 3.0), (1.0, 4.0), (2.0, 2.0), (3.0, 0.0), (9.0, 0.0)]
)
def test_it_is_linear_between_points_and_constant_outside(x: float, y: float) -> None:
    assert float(interpolate(x, POINTS, VALUES)) == pytest.approx(y)


def test_two_points_at_one_place_are_a_jump() -> None:
    points, values = ca.DM([0.0, 1.0, 1.0]), ca.DM([0.0, 1.0, 5.0])
    assert float(interpolate(0.999, points, values)) == pytest.approx(0.999)
    assert float(interpolate(1.001, points, values)) == pytest.approx(5.0)


def test_a_table_of_numbers_is_read_within_its_range_only() -> None:
    table = [[0.0, 2.0], [1.0, 4.0], [3.0, 0.0]]
    assert value_at(table, 1.5) == pytest.approx(3.0)
    with pytest.raises(ValueError, match="4 lies outside the table, 0"):
        value_at(table, 4)
