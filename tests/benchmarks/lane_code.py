"""CasADi functions as C over vectors of four numbers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import casadi as ca
import numpy as np

HELPERS = Path(__file__).with_name("lanes.c").read_text("utf-8")
OPERATORS = {ca.OP_ADD: "+", ca.OP_SUB: "-", ca.OP_MUL: "*", ca.OP_DIV: "/"}


def emitted(f: ca.Function, numbers: Any) -> str:
    """A function as C over lanes; what depends on its first inputs alone is evaluated from their numbers."""
    count = len(numbers)
    lanes_at, names = 0, {}
    for i in range(count, f.n_in() - 2):
        for k in range(f.nnz_in(i)):
            names[i, k] = f"lane_load(given, {lanes_at})"
            lanes_at += 1
    names |= {(f.n_in() - 2, k): f"(V[{k}] - (lane){{0}})" for k in range(6)}
    names[f.n_in() - 1, 0] = "(steer - (lane){0})"
    slots: dict[int, Any] = {}
    constants: dict[tuple[float, ...], str] = {}
    lines: list[str] = []

    def text(value: Any) -> str:
        if isinstance(value, str):
            return value
        key = tuple(float(v) for v in np.broadcast_to(value, 4))
        return constants.setdefault(key, f"k{len(constants)}")

    for at in range(f.n_instructions()):
        op, into, given = f.instruction_id(at), f.instruction_output(at), f.instruction_input(at)
        if op == ca.OP_INPUT:
            where = (given[0], given[1])
            slots[into[0]] = numbers[where[0]] if where[0] < count else _named(lines, names[where])
        elif op == ca.OP_CONST:
            slots[into[0]] = np.full(4, f.instruction_constant(at))
        elif op == ca.OP_OUTPUT:
            lines.append(f"    lane_store(found, {into[1]}, {text(slots[given[0]])});")
        else:
            operands = [slots[i] for i in given]
            if all(not isinstance(v, str) for v in operands):
                slots[into[0]] = NUMERIC[op](*operands)
            else:
                slots[into[0]] = _named(lines, _expression(op, [text(v) for v in operands]))
    tables = [f"static const lane {n} = {{{', '.join(repr(v) for v in key)}}};" for key, n in constants.items()]
    body = "\n".join(lines)
    head = "static void corner(const double *restrict given, const double *V, double steer, double *restrict found)"
    return "\n".join(tables) + f"\n{head} {{\n{body}\n}}\n"


NUMERIC: dict[int, Callable[..., Any]] = {
    ca.OP_ADD: np.add,
    ca.OP_SUB: np.subtract,
    ca.OP_MUL: np.multiply,
    ca.OP_DIV: np.divide,
    ca.OP_NEG: np.negative,
    ca.OP_SQRT: np.sqrt,
    ca.OP_SQ: np.square,
    ca.OP_TWICE: lambda x: 2 * x,
    ca.OP_INV: lambda x: 1 / x,
    ca.OP_SIGN: np.sign,
    ca.OP_FABS: np.abs,
    ca.OP_FMAX: np.maximum,
}


def _expression(op: int, v: list[str]) -> str:
    if op in OPERATORS:
        return f"{v[0]} {OPERATORS[op]} {v[1]}"
    if op == ca.OP_FMAX:
        return f"lane_max({v[0]}, {v[1]})"
    return {
        ca.OP_NEG: f"-{v[0]}",
        ca.OP_SQRT: f"lane_sqrt({v[0]})",
        ca.OP_SQ: f"{v[0]} * {v[0]}",
        ca.OP_TWICE: f"{v[0]} + {v[0]}",
        ca.OP_INV: f"1.0 / {v[0]}",
    }[op]


def _named(lines: list[str], expression: str) -> str:
    name = f"x{len(lines)}"
    lines.append(f"    lane {name} = {expression};")
    return name
