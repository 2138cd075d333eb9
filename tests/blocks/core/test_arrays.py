"""Arrays from the names of their elements, and scalar ports that are joined into array ports."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drawbar.blocks.core.arrays import arrays_in, complete_shape, fold_ports, natural, split
from drawbar.blocks.core.interface import Port, scalar_names

shapes = st.lists(st.integers(1, 4), min_size=1, max_size=3).map(tuple)


def elements(*starts: float, **common: str) -> list[Port]:
    return [Port(f"x[{i}]", "input", "continuous", start=(s,), **common) for i, s in enumerate(starts, start=1)]


@pytest.mark.parametrize(
    ("name", "base", "indices"),
    [
        ("J[1,2]", "J", (1, 2)),
        ("hub.force[3]", "hub.force", (3,)),
        ("x", "x", ()),
        ("x[0]", "x[0]", ()),  # FMI counts from 1
        ("x[1, 2]", "x[1, 2]", ()),
        ("x[]", "x[]", ()),
        ("x[1].y", "x[1].y", ()),
        ("[1]", "[1]", ()),
        ("x[1][2]", "x[1]", (2,)),
    ],
)
def test_a_name_is_split_into_base_and_indices(name: str, base: str, indices: tuple[int, ...]) -> None:
    assert split(name) == (base, indices)


def test_elements_are_sorted_by_number() -> None:
    assert sorted(["x[10]", "y", "x[2]", "x"], key=natural) == ["x", "x[2]", "x[10]", "y"]


@pytest.mark.parametrize(
    ("indices", "shape"),
    [
        ([(1,), (2,)], (2,)),
        ([(2,), (1,), (2,)], (2,)),
        ([(1,), (3,)], None),
        ([(2,)], None),
        ([(1, 1), (1, 2), (2, 1), (2, 2)], (2, 2)),
        ([(1, 1), (1, 2), (2, 1)], None),
        ([(1,), (1, 2)], None),
        ([()], None),
        ([], None),
    ],
)
def test_a_shape_has_no_gaps(indices: list[tuple[int, ...]], shape: tuple[int, ...] | None) -> None:
    assert complete_shape(indices) == shape


@given(shapes, st.randoms(use_true_random=False))
def test_an_array_is_found_from_its_elements_in_any_order(shape: tuple[int, ...], order: object) -> None:
    names = scalar_names("a.b", shape)
    order.shuffle(names)  # type: ignore[attr-defined]
    assert arrays_in([*names, "a.c", "other[2]"]) == {"a.b": shape}


def test_a_scalar_of_the_same_name_keeps_elements_apart() -> None:
    assert arrays_in(["x", "x[1]", "x[2]"]) == {}


def test_elements_that_agree_become_one_port_in_the_place_of_the_first() -> None:
    first, second = elements(1.0, 2.0, unit="m")
    other = Port("y", "output", "continuous")
    (array, kept) = fold_ports([second, other, first])
    assert array == replace(second, name="x", shape=(2,), start=(1.0, 2.0))
    assert kept is other


@pytest.mark.parametrize("change", [{"unit": "mm"}, {"causality": "parameter"}, {"minimum": 0.0}, {"start": ()}])
def test_elements_that_differ_stay_apart(change: dict[str, object]) -> None:
    first, second = elements(1.0, 2.0, unit="m")
    ports = (first, replace(second, **change))  # type: ignore[arg-type]
    assert fold_ports(ports) == ports
