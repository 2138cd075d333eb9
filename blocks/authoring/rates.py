"""Bounds of how fast a block can move, as ``fastest()`` returns them; explicit steps are kept within them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import casadi as ca

from drawbar.blocks.authoring.errors import DefinitionError
from drawbar.blocks.authoring.symbols import expression, why_no_sentence

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
    names: list[str] = []
    parts = [ca.SX(0, 1)]
    for name, value in given.items():
        if (reason := why_no_sentence(name)) is not None:
            raise DefinitionError(f"{where} has the text {name!r}: {reason}")
        try:
            column = ca.vec(expression(value))
        except (TypeError, ValueError, RuntimeError):
            raise DefinitionError(f"{where} gives '{name}' a {type(value).__name__}, not an expression") from None
        names += [name] if column.numel() == 1 else [f"{name}[{i + 1}]" for i in range(column.numel())]
        parts.append(column)
    return tuple(names), ca.vertcat(*parts)
