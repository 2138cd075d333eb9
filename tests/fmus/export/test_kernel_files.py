"""Kernels that are long, or run at the start alone, are compiled with less optimization, in the same bits."""

from collections.abc import Callable
from typing import Any

import casadi as ca
import numpy as np
import pytest

from drawbar.fmus.export import kernel_files as module
from drawbar.fmus.export.kernel_files import kernel_files

x = ca.SX.sym("x", 6)
LAW = ca.Function("law", [x], [ca.jacobian(ca.sin(x) / ca.sqrt(1 + ca.sumsqr(x)) * x[0] + ca.exp(-x[1] * x), x)])
SHORT = ca.Function("short", [x], [x**2])


@pytest.mark.compiler
def test_called_once_or_long_it_gives_the_same_bits(
    called: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    usual, once = called(LAW), called(LAW, once=True)
    monkeypatch.setattr(module, "LONG_KERNEL", LAW.n_instructions() - 1)
    long = called(LAW)
    for values in np.random.default_rng(1).normal(size=(50, 6)):
        assert usual([values]).tobytes() == once([values]).tobytes() == long([values]).tobytes()


@pytest.mark.parametrize("n", [LAW.n_instructions() - 1, LAW.n_instructions()])
def test_each_level_holds_its_functions_and_no_other(monkeypatch: pytest.MonkeyPatch, n: int) -> None:
    monkeypatch.setattr(module, "LONG_KERNEL", n)
    text = kernel_files([LAW, SHORT], (), [ca.Function("start", [x], [x**3])])["kernels.c"]
    before, *some, none = text.replace('"Og"', '"O0"').split('#pragma GCC optimize ("O0")')
    functions = [[f for f in ("law", "short", "start") if f"int {f}(" in part] for part in (before, *some, none)]
    if n < LAW.n_instructions():
        assert functions == [["short"], ["law"], ["start"]]
    else:
        assert functions == [["law", "short"], ["start"]]
    assert [part.count("#pragma GCC pop_options") for part in (*some, none)] == [1] * (len(some) + 1)
    # clang can only not optimize at all
    assert text.count("#pragma clang optimize off") == none.count("#pragma clang optimize on") == 1


def test_without_such_kernels_all_is_at_the_level_of_the_file() -> None:
    text = kernel_files([SHORT], ())["kernels.c"]
    assert "push_options" not in text
    assert text.index("no-tree-pre") < text.index("int short(")
