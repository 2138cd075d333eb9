"""Conditions under which a block's equations hold, as ``guards()`` returns them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import casadi as ca
import numpy as np

from drawbar.blocks.authoring.symbols import expression, unfit_for_messages
from drawbar.blocks.core.errors import DefinitionError

ABOVE, AT_LEAST, BELOW, AT_MOST, EQUAL, OTHER, TRUE = range(7)
EXAMPLE = "compare something, as in self.level > 0"


@dataclass(frozen=True)
class Guard:
    """One comparison of a value with a limit; `advice` is appended to its message."""

    name: str
    relation: int
    advice: str = ""


@dataclass(frozen=True)
class Guards:
    """All comparisons of a block; `sides` takes ``(t, x, z, u, p)`` and returns all values, then all limits."""

    each: tuple[Guard, ...]
    sides: ca.Function


def read_guards(where: str, given: dict[str, Any], varying: ca.SX) -> tuple[tuple[Guard, ...], ca.SX]:
    """Return the comparisons in the named conditions, and the column of their values and limits.

    A condition is a comparison, several of them joined by ``logic_and``, or any logical expression; each element of a
    vector is a condition of its own. A text with advice may stand beside it: ``"name": (condition, "text")``. The side
    of a comparison that contains one of the symbols `varying` is the value.
    """
    found: list[tuple[Guard, ca.SX, ca.SX]] = []
    for name, value in given.items():
        condition, advice = (
            value if isinstance(value, tuple) and len(value) == 2 and isinstance(value[1], str) else (value, "")
        )
        for text in (name, advice) if advice else (name,):
            if (reason := unfit_for_messages(text)) is not None:
                raise DefinitionError(f"{where} has the text {text!r}: {reason}")
        if isinstance(condition, bool | np.bool_):
            raise DefinitionError(f"{where}: '{name}' is the constant {condition}; {EXAMPLE}")
        try:
            column = ca.vec(expression(condition))
        except (TypeError, ValueError, RuntimeError):
            raise DefinitionError(f"{where}: '{name}' is a {type(condition).__name__}; {EXAMPLE}") from None
        for i in range(column.numel()):
            element = name if column.numel() == 1 else f"{name}[{i + 1}]"
            found += [(Guard(element, r, advice), a, b) for r, a, b in _comparisons(where, element, column[i], varying)]
    values, limits = [ca.vertcat(ca.SX(0, 1), *[row[k] for row in found]) for k in (1, 2)]
    return tuple(row[0] for row in found), ca.vertcat(values, limits)


def _comparisons(where: str, name: str, condition: ca.SX, varying: ca.SX) -> list[tuple[int, ca.SX, ca.SX]]:
    """Return relation, value and limit of each of the comparisons that must all hold."""
    if condition.is_constant():
        said = "always true" if float(condition) else "never true"
        raise DefinitionError(f"{where}: '{name}' is constant, {said}; {EXAMPLE}")
    kind = condition.op()
    if kind == ca.OP_AND:
        return [c for k in (0, 1) for c in _comparisons(where, name, condition.dep(k), varying)]
    if kind in (ca.OP_OR, ca.OP_NOT):
        return [(TRUE, condition, ca.SX(0))]
    if kind not in (ca.OP_LT, ca.OP_LE, ca.OP_EQ, ca.OP_NE):
        raise DefinitionError(f"{where}: '{name}' is a number, not a condition; {EXAMPLE}")
    a, b = condition.dep(0), condition.dep(1)
    # CasADi writes a > b as b < a; the message shows the side that varies as the value
    if ca.depends_on(b, varying) and not ca.depends_on(a, varying):
        relation = {ca.OP_LT: ABOVE, ca.OP_LE: AT_LEAST, ca.OP_EQ: EQUAL, ca.OP_NE: OTHER}[kind]
        return [(relation, b, a)]
    relation = {ca.OP_LT: BELOW, ca.OP_LE: AT_MOST, ca.OP_EQ: EQUAL, ca.OP_NE: OTHER}[kind]
    return [(relation, a, b)]
