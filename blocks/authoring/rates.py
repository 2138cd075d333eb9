"""Bounds of how fast a block can move, as ``fastest()`` returns them; explicit steps are kept within them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import casadi as ca

from drawbar.blocks.authoring.symbols import named_column

# of step times rate, within which a method is stable: rk4 for all that does not grow, the others for what is damped by
# half or more of critical damping
LIMITS = {"euler": 1.0, "heun": 1.9, "rk4": 2.6}


@dataclass(frozen=True)
class Rates:
    """Named bounds in 1/s; `bounds` takes ``(t, x, z, u, p)`` and gives a column of them."""

    names: tuple[str, ...]
    bounds: ca.Function


def read_rates(where: str, given: dict[str, Any]) -> tuple[tuple[str, ...], ca.SX]:
    """The names of all bounds and their column; of a vector, each element is one."""
    names, column = named_column(where, "has the text", given)
    return tuple(names), column
