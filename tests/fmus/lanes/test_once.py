"""What runs at the start alone is compiled without optimization, in the same bits."""

from collections.abc import Callable
from typing import Any

import casadi as ca
import numpy as np

from drawbar.fmus.codegen import kernel_files

x = ca.SX.sym("x", 6)
LAW = ca.Function("law", [x], [ca.jacobian(ca.sin(x) / ca.sqrt(1 + ca.sumsqr(x)) * x[0] + ca.exp(-x[1] * x), x)])


def test_optimized_or_not_it_gives_the_same_bits(called: Callable[..., Any]) -> None:
    optimized, plain = called(LAW), called(LAW, once=True)
    for values in np.random.default_rng(1).normal(size=(50, 6)):
        assert plain([values]).tobytes() == optimized([values]).tobytes()


def test_only_what_is_called_once_is_left_as_it_is() -> None:
    other = ca.Function("other", [x], [x**2])
    before, after = kernel_files([other], (), [LAW])["kernels.c"].split('#pragma GCC optimize ("O0")')
    assert "int other(" in before
    assert "int law(" not in before
    assert "int law(" in after
    assert after.count("#pragma GCC pop_options") == after.count("#pragma clang optimize on") == 1
    assert "#pragma" not in kernel_files([other], ())["kernels.c"]
