"""The integral of Bekker's pressure under a wheel for small angles, from its maximum to the entry."""

from __future__ import annotations

from typing import Any

from drawbar.blocks import exp, log

TERMS = 10  # of the series; the rest is below 1e-6 of the whole for a >= 0.1, below 2e-8 from 0.4 on


def power_integral(n: Any, a: Any) -> Any:
    """Return ``J_n(a) = int_a^1 (1 - x^2)^n dx``, half an incomplete beta function.

    With ``x = 1 - (1 - a) y`` it is ``2^n (1 - a)^(n+1) int y^n (1 - y (1 - a)/2)^n``, whose binomial series is
    truncated. So n and a may vary, and the result has a derivative. Quadrature would lose digits at x = 1, where a
    power n < 1 is steep.
    """
    ratio, term, total = (a - 1.0) / 2.0, 1.0, 0.0
    for i in range(TERMS):
        total += term / (n + 1.0 + i)
        term *= (n - i) / (i + 1.0) * ratio
    return exp(n * 0.6931471805599453 + (n + 1.0) * log(1.0 - a)) * total
