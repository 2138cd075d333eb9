"""Vectorized code computes the same bytes as scalar code."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import casadi as ca
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from drawbar.blocks.vehicle.hmmwv.hmmwv_vehicle import HmmwvVehicle
from drawbar.fmus.runtime.constants import SIGNATURE
from drawbar.fmus.vectorize import code, graph
from drawbar.fmus.vectorize.code import cached_vector_code, vectorize
from drawbar.fmus.vectorize.search import find_packs

pytestmark = pytest.mark.compiler
WAYS = ["", "DRAWBAR_NO_AVX", "DRAWBAR_PLAIN_LANES"]
AWKWARD = [0.0, -0.0, 1.0, -1.0, 0.5, 3.0, -7e-3, 1e200, -1e200, 5e-324, np.inf]


def test_the_equations_of_the_vehicle_have_the_same_bytes(called: Callable[..., Any]) -> None:
    model = HmmwvVehicle.model()
    function = model.ode
    assert function is not None
    vectorized = called(function, lanes=True)
    start = model.start()
    at = np.cumsum([0, *model.sizes()])
    random = np.random.default_rng(1)
    for scale in (0.0, 1e-3, 0.05, 3.0):  # the last opens loops
        p, u, x = (start[at[i] : at[i + 1]].copy() for i in range(3))
        for values, ports, end in ((u, model.u, "normal[3]"), (x, model.x, "q_w")):
            values[[name.endswith(end) for port in ports for name in port.scalar_names()]] = 1.0
        u += random.normal(size=u.size) * scale
        x += random.normal(size=x.size) * scale
        wanted = np.array(function(np.zeros(1), x, np.zeros(0), u, p)).ravel()
        assert np.isfinite(wanted).all()
        assert vectorized([np.zeros(1), x, np.zeros(0), u, p]).tobytes() == wanted.tobytes()


def same(a: np.ndarray, b: np.ndarray) -> bool:
    """The same bytes; one NaN is as good as another."""
    return bool(np.array_equal(np.isnan(a), np.isnan(b)) and a[~np.isnan(a)].tobytes() == b[~np.isnan(b)].tobytes())


UNARY: list[Callable[[Any], Any]] = [
    lambda a: -a,
    lambda a: a**2,
    lambda a: 2 * a,
    lambda a: 1 / a,
    ca.sqrt,
    ca.fabs,
    ca.sign,
    ca.sin,
    ca.atan,
    lambda a: ca.fmax(a, 0.25),
    lambda a: ca.fmin(0.25, a),
    lambda a: ca.logic_not(a),
    ca.floor,  # which no lane does
]
BINARY: list[Callable[[Any, Any], Any]] = [
    lambda a, b: a + b,
    lambda a, b: a - b,
    lambda a, b: -a - b,
    lambda a, b: a * b,
    lambda a, b: a / b,
    lambda a, b: a < b,
    lambda a, b: a <= b,
    lambda a, b: ca.if_else(a < b, a, b),
    lambda a, b: a == b,
    lambda a, b: a != b,
    lambda a, b: ca.logic_and(a, b),
    lambda a, b: ca.logic_or(a, b),
    ca.atan2,
]
STEPS = st.lists(st.tuples(st.integers(0, 99), st.integers(0, 99), st.integers(0, 99)), min_size=12, max_size=60)


def corners(steps: list[tuple[int, int, int]], odd: list[tuple[int, int]]) -> ca.Function:
    """The same steps in each of four corners, but for signs and terms in those that are `odd`; and what joins them."""
    own, shared = ca.SX.sym("own", 12), ca.SX.sym("shared", 3)
    ends, seen = [], []
    for corner in range(4):
        side = 1 if corner % 2 else -1
        made = [own[corner], own[4 + corner], side * own[8 + corner], *ca.vertsplit(shared), ca.SX(0.3 * (corner // 2))]
        for k, (what, first, second) in enumerate(steps):
            a, b = made[first % len(made)], made[second % len(made)]
            law = [*UNARY, *BINARY][what % (len(UNARY) + len(BINARY))]
            made.append(law(a) if what % (len(UNARY) + len(BINARY)) < len(UNARY) else law(a, b))
            made[-1] = (
                -made[-1] if (corner, k % 7) in odd else made[-1] + shared[0] if (k % 5, corner) in odd else made[-1]
            )
        ends.append(made[-1])
        seen.append(made[len(made) // 2])
    total = ((ends[0] + ends[1]) - ends[2]) + ends[3]
    return ca.Function("corners", [own, shared], [ca.vertcat(*ends, total, *(s * total for s in seen), own[3])])


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    STEPS,
    st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), max_size=3),
    st.sampled_from(WAYS),
    st.integers(0, 2**32 - 1),
)
def test_four_corners_of_any_equations_have_the_same_bytes(
    called: Callable[..., Any], steps: Any, odd: Any, way: str, seed: int
) -> None:
    function = corners(steps, odd)
    if vectorize(function) is None:
        return
    vectorized, scalar = called(function, lanes=True, define=way), called(function, lanes=False)
    random = np.random.default_rng(seed)
    for _ in range(20):
        values = [random.choice(AWKWARD, 12), random.choice(AWKWARD, 3)]
        assert same(vectorized(values), scalar(values))


def test_signs_of_zero_are_those_of_the_scalar_code(called: Callable[..., Any]) -> None:
    """A difference that is turned over on the other side is +0 on both where it vanishes, not -(+0)."""
    a, b = ca.SX.sym("a", 4), ca.SX.sym("b", 4)
    triple = [(3 * a[i], 3 * b[i]) for i in range(4)]
    turned = [first - second if i % 2 else second - first for i, (first, second) in enumerate(triple)]
    function = ca.Function("turned", [a, b], [ca.vertcat(*turned)])
    values = [np.array([1.0, 1.0, 1.0, 2.0]), np.array([1.0, 1.0, 1.0, -2.0])]
    found = called(function, lanes=True)(values)
    assert found.tolist() == [0.0, 0.0, 0.0, 12.0]
    assert not np.signbit(found).any()
    assert same(found, called(function, lanes=False)(values))


def test_a_law_that_is_wrongly_taken_as_odd_would_be_seen(
    called: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    a = ca.SX.sym("a", 4)
    function = ca.Function("sided", [a], [ca.vertcat(*(ca.exp(-(a[i] * a[i] + 1)) for i in range(4)))])
    scalar = called(function, lanes=False)([np.ones(4)])
    assert same(called(function, lanes=True)([np.ones(4)]), scalar)
    monkeypatch.setenv("DRAWBAR_CACHE", str(tmp_path))
    monkeypatch.setattr(graph, "ODD_IN_ALL", (*graph.ODD_IN_ALL, ca.OP_EXP))
    assert not same(called(function, lanes=True)([np.ones(4)]), scalar)


def test_a_term_that_some_lanes_lack_is_added_as_nothing(called: Callable[..., Any]) -> None:
    """Front corners have a steering rate; where all is zero, minus zero stays minus zero on the rear ones."""
    x, v, steer = ca.SX.sym("x", 4), ca.SX.sym("v", 4), ca.SX.sym("steer")
    rate = [x[i] * v[i] + (ca.sin(steer) * ca.cos(x[i]) if i < 2 else 0) for i in range(4)]
    ends = [ca.sqrt(ca.fabs(rate[i]) + 1) * rate[i] / (v[i] + 3) - ca.exp(rate[i]) * rate[i] for i in range(4)]
    function = ca.Function("steered", [x, v, steer], [ca.vertcat(*ends, *rate)])
    vectorized, scalar = called(function, lanes=True), called(function, lanes=False)
    packs = find_packs(graph.read(function))
    assert any(packs.nothing.node in nodes for pack in packs.at.values() for nodes, _ in pack.operands)
    for values in ([[0.0] * 4, [-1.0] * 4, [0.0]], [[0.1, 0.2, 0.3, 0.4], [1.0, -2.0, 3.0, -4.0], [0.5]]):
        assert same(vectorized([np.array(v) for v in values]), scalar([np.array(v) for v in values]))


def test_a_chain_of_like_steps_is_no_pack(called: Callable[..., Any]) -> None:
    """Four results that look alike, each of which needs the one before, beside four that do not."""
    x, s = ca.SX.sym("x", 4), ca.SX.sym("s")
    chain = [x[0]]
    for _ in range(9):
        chain.append(ca.sin(chain[-1] * s + 1.0))
    apart = [ca.sqrt(x[i] * x[i] + s) / (x[i] + 3.0) + ca.fabs(x[i] * s) for i in range(4)]
    function = ca.Function("chain", [x, s], [ca.vertcat(*chain[-4:], *apart)])
    values = [np.array([0.3, -2.0, 0.1, 5.0]), np.array([0.7])]
    assert same(called(function, lanes=True)(values), called(function, lanes=False)(values))


def test_equations_that_are_not_alike_stay_as_they_are() -> None:
    x = ca.SX.sym("x", 3)
    assert vectorize(ca.Function("f", [x], [ca.vertcat(ca.sin(x[0]) * x[1], x[2] / x[0], ca.exp(x[1]))])) is None


def test_code_of_another_signature_is_not_taken_from_the_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DRAWBAR_CACHE", str(tmp_path))
    x = ca.SX.sym("x", 4)
    function = ca.Function("alike", [x], [ca.vertcat(*(ca.sqrt(x[i] * x[i] + 1) * x[i] for i in range(4)))])
    before = cached_vector_code(function)
    assert before is not None
    assert cached_vector_code(function) == before
    assert len(list((tmp_path / "vectorized").iterdir())) == 1
    other = SIGNATURE.replace("int mem", "int memory")
    monkeypatch.setattr(code, "SIGNATURE", other)
    after = cached_vector_code(function)
    assert after is not None
    assert "int memory" in after and "int memory" not in before
