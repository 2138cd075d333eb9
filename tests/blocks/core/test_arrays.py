"""Arrays from the names of their elements, and scalar ports that are joined into array ports."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from drawbar.blocks.core.arrays import Extent, arrays_in, complete_array, element, fold_ports, natural, split
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
        ("x[0]", "x", (0,)),  # FMI counts from 1, other tools from 0
        ("x[00]", "x[00]", ()),
        ("x[01]", "x[01]", ()),
        ("J[0,10]", "J", (0, 10)),
        ("x[-1]", "x[-1]", ()),
        ("a[0].x", "a[0].x", ()),
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
    ("indices", "extent"),
    [
        ([(1,), (2,)], Extent((2,))),
        ([(2,), (1,), (2,)], Extent((2,))),
        ([(0,), (2,), (1,)], Extent((3,), 0)),
        ([(0,)], Extent((1,), 0)),
        ([(0,), (2,)], None),
        ([(0, 0), (0, 1), (1, 0), (1, 1)], Extent((2, 2), 0)),
        ([(1, 0), (1, 1), (2, 0), (2, 1)], None),  # one index from 1 and one from 0
        ([(0, 0), (0, 1), (1, 1)], None),
        ([(1,), (3,)], None),
        ([(2,)], None),
        ([(1, 1), (1, 2), (2, 1), (2, 2)], Extent((2, 2))),
        ([(1, 1), (1, 2), (2, 1)], None),
        ([(1,), (1, 2)], None),
        ([()], None),
        ([], None),
    ],
)
def test_an_array_has_no_gaps(indices: list[tuple[int, ...]], extent: Extent | None) -> None:
    assert complete_array(indices) == extent


@given(shapes, st.sampled_from([0, 1]), st.randoms(use_true_random=False))
def test_an_array_is_found_from_its_elements_in_any_order(shape: tuple[int, ...], first: int, order: object) -> None:
    names = scalar_names("a.b", shape, first)
    order.shuffle(names)  # type: ignore[attr-defined]
    assert arrays_in([*names, "a.c", "other[2]"]) == {"a.b": (shape, first)}


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


def test_elements_that_count_from_zero_are_one_array_and_keep_their_names() -> None:
    """As of pythonfmu and 20-sim; the first element stayed a scalar, and the others became an array without it."""
    ports = [Port(f"y[{i}]", "output", "continuous", start=(float(i),), unit="m") for i in range(3)]
    (array,) = fold_ports(ports)
    assert array == replace(ports[0], name="y", shape=(3,), first=0, start=(0.0, 1.0, 2.0))
    assert array.scalar_names() == ["y[0]", "y[1]", "y[2]"]
    for change in ({"unit": "mm"}, {"type": "Integer"}):  # then no two of them are an array either
        differing = (replace(ports[0], **change), *ports[1:])  # type: ignore[arg-type]
        assert fold_ports(differing) == differing
    assert fold_ports(ports[::2]) == tuple(ports[::2])


@given(shapes, st.sampled_from([0, 1]))
def test_an_element_is_found_by_its_name(shape: tuple[int, ...], first: int) -> None:
    size = int(np.prod(shape))
    array = Port("a.b", "input", "continuous", shape=shape, first=first, start=tuple(map(float, range(size))))
    for i, name in enumerate(array.scalar_names()):
        assert element(array, name) == Port(name, "input", "continuous", start=(float(i),), first=first)
    beyond = [i + 1 for i in shape] if first else [-1 for _ in shape]
    for other in ("a.b", "a.c[1]", "a.b[01]", "a.b[1,1,1,1]", f"a.b[{','.join(map(str, beyond))}]"):
        assert element(array, other) is None
