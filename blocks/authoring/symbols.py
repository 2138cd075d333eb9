"""Operators and numpy functions that may be applied to symbols while equations are traced.

CasADi returns NaN for ``float(symbol)``, and its treatment of numpy's functions differs between its versions, so both
are replaced here. Operators and the functions of numpy that have a counterpart in `drawbar.blocks` (``np.sin``,
``np.maximum``) give the same expression as that counterpart. Everything else raises an error that names the function
and its replacement.
"""

from __future__ import annotations

import contextlib
import math
import operator
from collections.abc import Callable, Iterator
from typing import Any

import casadi as ca
import numpy as np

from drawbar.blocks.core.errors import DefinitionError

MAX_TEXT_LENGTH = 100  # characters of a text that FMUs repeat in messages

_OPERATORS: dict[str, Callable[..., Any]] = {
    "add": operator.add,
    "subtract": operator.sub,
    "multiply": operator.mul,
    "divide": operator.truediv,
    "power": operator.pow,
    "negative": operator.neg,
    "positive": operator.pos,
    "less": operator.lt,
    "less_equal": operator.le,
    "greater": operator.gt,
    "greater_equal": operator.ge,
    "equal": operator.eq,
    "not_equal": operator.ne,
    "floor_divide": lambda a, b: ca.floor(a / b),
    "remainder": lambda a, b: a - b * ca.floor(a / b),
    "matmul": ca.mtimes,
}
_FUNCTIONS: dict[str, Callable[..., Any]] = {
    **{name: getattr(ca, name) for name in ("sin", "cos", "tan", "sinh", "cosh", "tanh", "exp", "log", "sqrt")},
    **{name: getattr(ca, name) for name in ("sign", "floor", "fabs", "fmax", "fmin", "fmod")},
    "arcsin": ca.asin,
    "arccos": ca.acos,
    "arctan": ca.atan,
    "arctan2": ca.atan2,
    "absolute": ca.fabs,
    "maximum": ca.fmax,
    "minimum": ca.fmin,
    "logical_and": ca.logic_and,
    "logical_or": ca.logic_or,
    "logical_not": ca.logic_not,
    "ceil": lambda x: -ca.floor(-x),
    "square": lambda x: x * x,
    "hypot": lambda x, y: ca.sqrt(x * x + y * y),
    "deg2rad": lambda x: math.pi / 180.0 * x,
    "radians": lambda x: math.pi / 180.0 * x,
    "rad2deg": lambda x: 180.0 / math.pi * x,
    "degrees": lambda x: 180.0 / math.pi * x,
}
_WORDS = {
    "where": "if_else",
    "clip": "fmin and fmax",
    "dot": "dot for vectors and mtimes for matrices",
    "vdot": "dot",
    "inner": "dot",
    "cross": "cross",
    "norm": "norm_2",
    "sum": "sum1",
    "add.reduce": "sum1",
    "concatenate": "vertcat or horzcat",
    "vstack": "vertcat",
    "hstack": "vertcat or horzcat",
    "max": "fmax",
    "amax": "fmax",
    "min": "fmin",
    "amin": "fmin",
    "rint": "floor(x + 0.5)",
    "round": "floor(x + 0.5)",
}


@contextlib.contextmanager
def guarded_symbols() -> Iterator[None]:
    """Return a context in which symbols follow the rules of this module."""
    replaced = {"__float__": _number, "__array_ufunc__": _ufunc, "__array_function__": _function}
    before = {name: vars(ca.SX)[name] for name in replaced if name in vars(ca.SX)}
    for name, method in replaced.items():
        setattr(ca.SX, name, method)
    try:
        yield
    finally:
        for name in replaced:
            if name in before:
                setattr(ca.SX, name, before[name])
            else:
                delattr(ca.SX, name)


_float = ca.SX.__float__


def _number(value: ca.SX) -> float:
    if not value.is_constant():
        raise DefinitionError(
            "float() and the functions of Python's math module need a number, not a symbol, and so do arrays of "
            "numbers; use sin, sqrt, exp, vertcat and so on from drawbar.blocks"
        )
    return float(_float(value))


def _ufunc(value: ca.SX, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
    """Implement numpy's protocol for element-wise functions and for operators with an array on the left."""
    if options.get("out") is not None:
        raise DefinitionError("an array of numpy takes no symbol in place; write a = a + b for a += b")
    name = ufunc.__name__ if method == "__call__" else f"{ufunc.__name__}.{method}"
    found = _OPERATORS.get(name) or _FUNCTIONS.get(name)
    if found is None or options.keys() - {"out"}:
        raise _refusal(f"numpy.{name}", name)
    operands = [expression(x) for x in inputs]
    if name == "matmul" and np.ndim(inputs[0]) == 1 and not isinstance(inputs[0], ca.SX):
        return found(operands[0].T, operands[1]).T  # one-dimensional arrays are columns here, and rows in numpy
    return found(*operands)


def _function(value: ca.SX, function: Callable[..., Any], types: Any, args: Any, options: Any) -> Any:
    """Implement numpy's protocol for its other functions."""
    name = function.__name__
    raise _refusal(f"{getattr(function, '__module__', 'numpy')}.{name}", name)


def _refusal(whole: str, name: str) -> DefinitionError:
    use = _WORDS.get(name)
    words = f"use {use}" if use else "write it with sin, if_else, dot, vertcat and so on"
    return DefinitionError(f"{whole}() needs numbers, not a symbol; {words} from drawbar.blocks")


def expression(value: Any) -> ca.SX:
    """Return a symbol, number, array, or list of expressions or of rows as an expression; one dimension is a column."""
    if isinstance(value, list | tuple):
        return ca.vertcat(*[ca.horzcat(*row) if isinstance(row, list | tuple) else ca.SX(row) for row in value])
    if not isinstance(value, np.ndarray | np.generic):
        return ca.SX(value)
    if value.ndim > 2:
        raise DefinitionError(f"an array of shape {value.shape} has too many dimensions; equations take one or two")
    # an array of symbols must not become an array of numbers
    return expression(value.tolist()) if value.dtype == object else ca.SX(np.asarray(value, float))


def named_column(where: str, what: str, given: dict[str, Any]) -> tuple[list[str], ca.SX]:
    """Return names and column of the result of a method by name; each element of a vector is one entry.

    The message for an unfit name begins with `where` and `what`, such as ``names a residual``.
    """
    names: list[str] = []
    parts = [ca.SX(0, 1)]
    for name, value in given.items():
        if (reason := unfit_for_messages(name)) is not None:
            raise DefinitionError(f"{where} {what} {name!r}: {reason}")
        try:
            column = ca.vec(expression(value))
        except (TypeError, ValueError, RuntimeError):
            raise DefinitionError(f"{where} gives '{name}' a {type(value).__name__}, not an expression") from None
        names += [name] if column.numel() == 1 else [f"{name}[{i + 1}]" for i in range(column.numel())]
        parts.append(column)
    return names, ca.vertcat(*parts)


def unfit_for_messages(text: Any) -> str | None:
    """Return why a text cannot be used in the messages of an FMU, or None if it can."""
    if not isinstance(text, str) or not text.strip():
        return "give it a name of some words"
    if not text.isprintable():
        return "it holds a character that cannot be printed"
    return f"{len(text)} characters; keep to {MAX_TEXT_LENGTH}" if len(text) > MAX_TEXT_LENGTH else None
