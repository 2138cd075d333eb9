"""Initialization of a block: start values from ``initial()`` and ``residuals()``, and the outputs until it ends."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import casadi as ca

from drawbar.blocks.authoring.symbols import named_column
from drawbar.blocks.core.errors import DefinitionError


@dataclass(frozen=True)
class Initialization:
    """How states get their start values; indices count the scalars of the states.

    Functions take ``(t, x, z, u, p)``. `values` returns the states `given`. `residual` is zero at the start values of
    the states `solved`, and `jacobian` returns its derivatives with respect to them; both are None if there is nothing
    to solve. Until initialization ends, the results with the indices `shown`, counted over outputs and locals, are
    those of `outputs`.
    """

    given: tuple[int, ...] = ()
    values: ca.Function | None = None
    solved: tuple[int, ...] = ()
    residuals: tuple[str, ...] = ()  # names of the elements of `residual`
    residual: ca.Function | None = None
    jacobian: ca.Function | None = None
    guesses: ca.Function | None = None  # initial guess of all solved states
    shown: tuple[int, ...] = ()
    outputs: ca.Function | None = None


def in_order(wanted: list[str], symbols: ca.SX, given: ca.SX, what: str) -> ca.SX:
    """Return values that may read each other as expressions that do not; raise `DefinitionError` for a circle.

    `symbols` and `given` are columns: each element of `given` is the value of the symbol, named in `wanted`.
    """
    reads: list[list[int]] = [[] for _ in wanted]
    rows, columns = ca.jacobian_sparsity(given, symbols).get_triplet()
    for row, column in zip(rows, columns, strict=True):
        reads[row].append(column)
    done: dict[int, ca.SX] = {}
    path: list[int] = []

    def visit(i: int) -> None:
        if i in path:
            circle = " <- ".join(wanted[k] for k in [*path[path.index(i) :], i])
            raise DefinitionError(f"{what} calculates in a circle: {circle}")
        if i in done:
            return
        path.append(i)
        for k in reads[i]:
            visit(k)
        path.pop()
        known = ca.vertcat(*[symbols[k] for k in reads[i]])
        done[i] = ca.substitute(given[i], known, ca.vertcat(*[done[k] for k in reads[i]])) if reads[i] else given[i]

    for i in range(len(wanted)):
        visit(i)
    return ca.vertcat(*[done[i] for i in range(len(wanted))])


def read_residuals(where: str, given: dict[str, Any], unknowns: list[str], x: ca.SX) -> tuple[tuple[str, ...], ca.SX]:
    """Return names and column of the result of ``residuals()``, checked against the unknowns `x`."""
    names, residual = named_column(where, "names a residual", given)
    if len(names) != len(unknowns):
        raise DefinitionError(
            f"{where} returns {len(names)} residuals ({_listed(names)}) for {len(unknowns)} unknowns "
            f"({_listed(unknowns)}, declared with solve=True); there must be as many"
        )
    pattern = ca.jacobian_sparsity(residual, x)
    fixed = set(pattern.get_triplet()[1])
    if (free := next((n for i, n in enumerate(unknowns) if i not in fixed), None)) is not None:
        raise DefinitionError(f"{where}: no residual depends on '{free}', so none can determine it")
    if (ruled := set(pattern.get_triplet()[0])) != set(range(len(names))):
        idle = next(n for i, n in enumerate(names) if i not in ruled)
        raise DefinitionError(f"{where}: '{idle}' depends on none of {_listed(unknowns)}, so it determines nothing")
    if ca.sprank(ca.DM(pattern, 1)) < len(names):
        raise DefinitionError(
            f"{where}: {_listed(names)} cannot determine {_listed(unknowns)}: some of them fix the same unknown twice"
        )
    return tuple(names), residual


def _listed(names: list[str]) -> str:
    return ", ".join(names[:6]) + (", ..." if len(names) > 6 else "") if names else "none"
