"""The exact dependencies of outputs, calculated parameters and calculated start values, from sparsity."""

from __future__ import annotations

from collections.abc import Sequence

import casadi as ca

from drawbar.blocks.core.interface import Port


def scalars(ports: Sequence[Port]) -> list[str]:
    """Return the FMI names of all elements of some ports."""
    return [name for port in ports for name in port.scalar_names()]


def pattern(values: ca.SX, symbols: ca.SX, names: Sequence[str]) -> list[tuple[str, ...]]:
    """Return for each element of a column the names of the symbols that it depends on, in the order of `names`."""
    found: list[list[str]] = [[] for _ in range(values.numel())]
    if names and values.numel():
        rows, columns = ca.jacobian_sparsity(values, symbols).get_triplet()
        for row, column in zip(rows, columns, strict=True):
            found[row].append(names[column])
    return [tuple(f) for f in found]


def solved_together(residual: ca.SX, unknowns: ca.SX) -> tuple[list[int], list[int]]:
    """Return the group of each residual and of each unknown: residuals that share an unknown are solved together."""
    group = list(range(unknowns.numel()))
    rows, columns = ca.jacobian_sparsity(residual, unknowns).get_triplet()
    first: dict[int, int] = {}  # the first unknown in each residual
    for row, column in zip(rows, columns, strict=True):
        a, b = group[first.setdefault(row, column)], group[column]
        group = [a if g == b else g for g in group]
    return [group[first[row]] for row in range(residual.numel())], group


class Known:
    """The values known at initialization, and those of them that each calculated value depends on."""

    def __init__(self, symbols: ca.SX, names: Sequence[str]) -> None:
        self._symbols, self._names = symbols, list(names)
        self._from = {name: {name} for name in names}
        self._order = {name: i for i, name in enumerate(names)}

    def of(self, values: ca.SX) -> list[tuple[str, ...]]:
        """Return the known names that each element of a column depends on; terms that cancel still count."""
        direct = pattern(values, self._symbols, self._names)
        found = [set[str]().union(*(self._from[n] for n in names)) for names in direct]
        return [tuple(sorted(f, key=self._order.__getitem__)) for f in found]

    def add(self, symbols: ca.SX, names: Sequence[str], follows: Sequence[Sequence[str]]) -> None:
        """Add calculated values, each with the known names that it depends on."""
        self._symbols = ca.vertcat(self._symbols, symbols)
        self._names += names
        self._from.update({name: set(f) for name, f in zip(names, follows, strict=True)})

    def add_solution(self, residual: ca.SX, unknowns: ca.SX, names: Sequence[str]) -> None:
        """Add unknowns that residuals determine; each depends on all that the residuals of its group read."""
        of_residuals, of_unknowns = solved_together(residual, unknowns)
        reads = self.of(residual)
        follows = [
            {n for read, r in zip(reads, of_residuals, strict=True) if r == group for n in read}
            for group in of_unknowns
        ]
        self.add(unknowns, names, [list(f) for f in follows])
