"""The order in which parts step, and the depth of dependencies."""

import pytest

from drawbar.diagrams.model.scalar_connections import ScalarConnection
from drawbar.orchestrator.planning.scheduling import depths, drivers, order_of_steps


@pytest.mark.parametrize(
    ("edges", "direct", "expected"),
    [
        ([("c", "b"), ("b", "a")], [], ["c", "b", "a"]),
        ([("a", "b"), ("b", "a")], [], ["a", "b", "c"]),
        ([("a", "b"), ("b", "a")], [("b", "a")], ["b", "a", "c"]),
        ([("a", "b"), ("b", "a"), ("c", "a")], [("b", "a"), ("a", "b")], ["c", "a", "b"]),
        ([("a", "a")], [("a", "a")], ["a", "b", "c"]),
    ],
)
def test_who_sends_steps_before_who_receives(
    edges: list[tuple[str, str]], direct: list[tuple[str, str]], expected: list[str]
) -> None:
    assert order_of_steps(["a", "b", "c"], edges, direct) == expected


def test_depth_counts_what_lies_before() -> None:
    graph = {1: [], 2: [1], 3: [2, 1], 4: [4], 5: [6], 6: [5]}
    assert depths([3, 4, 5], lambda n: graph[n])[3] == 2
    assert depths(range(1, 7), lambda n: graph[n])[4] == 0
    long = depths([20_000], lambda n: [n - 1] if n else [])
    assert long[20_000] == 20_000, "a long chain is no recursion"


@pytest.mark.parametrize(
    ("known", "expected"),
    [(("u",), [("a", "y")]), ((), []), (None, [("a", "y"), ("b", "z")])],
    ids=["one input", "none", "unknown"],
)
def test_an_output_depends_on_what_drives_its_inputs(known: tuple[str, ...] | None, expected: list[object]) -> None:
    into = [ScalarConnection("a", "y", "c", "u"), ScalarConnection("b", "z", "c", "v")]
    before = drivers([*into, ScalarConnection("c", "y", "d", "u")], lambda part, scalar: known)
    assert before(("c", "y")) == expected
