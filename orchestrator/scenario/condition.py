"""Conditions on signals, such as ``vehicle.y > 3.5 and abs(vehicle.yaw_rate) >= 0.2 or time > 4``.

The text is parsed with Python's grammar and evaluated by numpy; it is never executed. It may contain numbers, signals,
``time``, ``+ - * / **``, comparisons (chained ones too), ``and or not`` and the functions of `FUNCTIONS`. Signals have
their FMI names: dots, and elements in brackets (``vehicle.wheel_load[1]``, ``J[1,2]``).
"""

from __future__ import annotations

import ast
import keyword
import math
import re
import warnings
from collections.abc import Callable, Iterable, Mapping
from functools import reduce
from itertools import pairwise
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from drawbar.blocks.core.errors import UsageError, did_you_mean
from drawbar.diagrams.model.diagram import Diagram
from drawbar.orchestrator.scenario.inputs import describe_variable

MAX_LENGTH = 2000  # characters; conditions typed by hand are shorter
MAX_DEPTH = 100  # nested operations; far below Python's own limit of recursion
MAX_SHOWN = 60  # characters of a text that a message repeats

Columns = Mapping[str, NDArray[Any]]
Law = Callable[[Columns], NDArray[Any]]

OPERATORS: dict[type[ast.operator], Callable[..., Any]] = {
    ast.Add: np.add,
    ast.Sub: np.subtract,
    ast.Mult: np.multiply,
    ast.Div: np.divide,
    ast.Pow: np.power,
}
COMPARISONS: dict[type[ast.cmpop], Callable[..., Any]] = {
    ast.Lt: np.less,
    ast.LtE: np.less_equal,
    ast.Gt: np.greater,
    ast.GtE: np.greater_equal,
    ast.Eq: np.equal,
    ast.NotEq: lambda a, b: (a < b) | (a > b),  # unlike not_equal, false where one is NaN
}
FUNCTIONS: dict[str, Callable[..., Any]] = {
    "abs": np.abs,
    "min": lambda *values: reduce(np.minimum, values),
    "max": lambda *values: reduce(np.maximum, values),
    "sqrt": np.sqrt,
    "sin": np.sin,
    "cos": np.cos,
}
BOOLEAN = "; a Boolean signal is 1 or 0, as in part.locked == 1"
_ALLOWED = "numbers, signals, time, + - * / **, comparisons, and, or, not, " + ", ".join(FUNCTIONS)
_FOREIGN = re.compile(r"[^A-Za-z0-9_.,\[\]()<>=!+*/ -]|!(?!=)|(?<![<>=!])=(?!=)")
_INSTEAD = {"&": "'and'", "|": "'or'", "!": "'not'", "^": "'**'", "=": "'=='"}
_WRITABLE = re.compile(r"[A-Za-z_]\w*(\[\d+(,\d+)*\])?(\.[A-Za-z_]\w*(\[\d+(,\d+)*\])?)*", re.ASCII)


class Condition:
    """A condition on scalar signals.

    `names` are the existing signals, as ``part.scalar``; `signals` are those that the text uses, in order of
    appearance. `others` maps names that are not signals to what they are ("an input"), for messages. Raise `UsageError`
    with what cannot be read, in which column, and with the nearest signal.
    """

    def __init__(self, text: str, names: Iterable[str], others: Mapping[str, str] | None = None) -> None:
        self.text = text
        reader = _Reader(text, names, others or {})
        self._law = reader.condition()
        self.signals = tuple(reader.used)

    def evaluate(self, columns: Columns) -> NDArray[np.bool_]:
        """Return where the condition holds; `columns` has the samples of all `signals` and of ``time``.

        A comparison with NaN is false. Divisions by zero and roots of negative numbers follow IEEE 754.
        """
        with np.errstate(all="ignore"):
            found = self._law(columns)
        return np.array(np.broadcast_to(found, np.shape(columns["time"])), dtype=np.bool_)


def read_condition(text: str, diagram: Diagram) -> Condition:
    """Return a condition on the outputs and local variables of the parts of a flat diagram."""
    signals: list[str] = []
    others: dict[str, str] = {}
    for name, part in diagram.parts.items():
        for port in part.interface.of("output", "local"):
            if port.type != "String":
                signals += [f"{name}.{scalar}" for scalar in port.scalar_names()]
        for port in part.interface.of("input", "parameter", "calculatedParameter"):
            others |= {f"{name}.{scalar}": describe_variable(port) for scalar in port.scalar_names()}
    return Condition(text, signals, others)


class _Reader:
    """Turns text into a function of columns, node by node of Python's syntax tree."""

    def __init__(self, text: str, names: Iterable[str], others: Mapping[str, str]) -> None:
        self.names = dict.fromkeys(names)
        self.others = others
        self.used: dict[str, None] = {}
        self.timed = False
        # Python would take leading blanks for indentation; columns count in the text that messages show
        self.text = re.sub(r"\s", " ", text).strip()
        if len(text) > MAX_LENGTH:
            self.refuse(MAX_LENGTH, f"it has {len(text)} characters; at most {MAX_LENGTH} are allowed")
        if not self.text:
            raise UsageError("the condition is empty; write one such as time > 4")

    def condition(self) -> Law:
        """Return the function of the whole text."""
        if (found := _FOREIGN.search(self.text)) is not None:
            self.name_unwritable()
            instead = _INSTEAD.get(found[0])
            advice = f"write {instead}" if instead else f"a condition is made of {_ALLOWED}"
            self.refuse(found.start(), f"{found[0]!r} has no meaning here; {advice}")
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")  # for numbers directly followed by words
                tree = ast.parse(self.text, mode="eval").body
        except SyntaxError as error:
            self.name_unwritable()
            unpaired = re.search("never closed|unmatched", error.msg) is not None
            reason = "a bracket is not closed or not opened" if unpaired else "this is not a formula"
            # no offset means the end
            self.refuse((error.offset or len(self.text) + 1) - 1, reason)
        except (ValueError, RecursionError, MemoryError):
            self.refuse(0, "it cannot be read; write it shorter")
        self.refuse_depth(tree)
        law = self.truth(tree)
        if not self.used and not self.timed:
            self.refuse(0, "it uses neither a signal nor time, so it never changes")
        return law

    def refuse(self, at: int | ast.expr, reason: str) -> NoReturn:
        """Raise the error for a place in the text or a node of the tree."""
        column = 1 + (at if isinstance(at, int) else at.col_offset)
        raise UsageError(f"condition '{_short(self.text)}', column {column}: {reason}")

    def shown(self, node: ast.expr) -> str:
        """Return the text of a node."""
        return _short(self.text[node.col_offset : node.end_col_offset])

    def name_unwritable(self) -> None:
        """Raise an error if the text contains a signal whose name is not a Python expression."""
        odd = [n for n in self.names if n in self.text and not _writable(n)]
        if odd:
            name = max(odd, key=len)
            limits = "names of letters, digits, underscores, dots and brackets that are not keywords of Python"
            self.refuse(self.text.index(name), f"the signal '{name}' cannot be written in a condition, only {limits}")

    def refuse_depth(self, tree: ast.expr) -> None:
        """Raise an error if a tree is nested too deeply for recursion; this method itself does not recurse."""
        level: list[ast.AST] = [tree]
        for _ in range(MAX_DEPTH):
            level = [child for node in level for child in ast.iter_child_nodes(node)]
            if not level:
                return
        self.refuse(0, f"more than {MAX_DEPTH} operations are nested in each other; write it shorter")

    def truth(self, node: ast.expr) -> Law:
        """Return the function of a node that must be a condition."""
        if isinstance(node, ast.BoolOp):
            join = np.logical_and if isinstance(node.op, ast.And) else np.logical_or
            laws = [self.truth(value) for value in node.values]
            return lambda columns: reduce(join, [law(columns) for law in laws])
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            inner = self.truth(node.operand)
            return lambda columns: np.logical_not(inner(columns))
        if isinstance(node, ast.Compare):
            laws = [self.number(value) for value in (node.left, *node.comparators)]
            if any(type(op) not in COMPARISONS for op in node.ops):
                self.refuse(node, f"'{self.shown(node)}' is not a comparison of numbers; these are < <= > >= == !=")
            tests = [COMPARISONS[type(op)] for op in node.ops]

            def chain(columns: Columns) -> NDArray[Any]:
                pairs = pairwise([law(columns) for law in laws])
                return reduce(np.logical_and, [holds(a, b) for holds, (a, b) in zip(tests, pairs, strict=True)])

            return chain
        self.number(node)  # an unknown signal is the more useful message
        shown = self.shown(node)
        self.refuse(node, f"'{shown}' is a number, not a condition; compare it, as in {shown} > 0")

    def number(self, node: ast.expr) -> Law:
        """Return the function of a node that must be a number."""
        if isinstance(node, ast.Constant):
            value = self.constant(node)
            return lambda columns: value
        if isinstance(node, ast.Name) and node.id == "time":
            self.timed = True
            return lambda columns: np.asarray(columns["time"], np.float64)
        if isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
            operate, left, right = OPERATORS[type(node.op)], self.number(node.left), self.number(node.right)
            return lambda columns: operate(left(columns), right(columns))
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            inner = self.number(node.operand)
            return lambda columns: np.negative(inner(columns))
        if isinstance(node, ast.Call):
            return self.call(node)
        negated = isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)
        if negated or isinstance(node, ast.Compare | ast.BoolOp):
            self.refuse(node, f"'{self.shown(node)}' is a condition; a number is needed here")
        if (name := self.name(node)) is not None:
            if name not in self.names:
                self.refuse(node, self.unknown(name))
            self.used[name] = None
            return lambda columns: np.asarray(columns[name], np.float64)
        self.refuse(node, f"'{self.shown(node)}' has no meaning here; a condition is made of {_ALLOWED}")

    def constant(self, node: ast.Constant) -> NDArray[np.float64]:
        """Return a number that is written out."""
        if type(node.value) in (int, float):
            try:
                value = float(node.value)  # type: ignore[arg-type]
            except OverflowError:
                value = math.inf
            if math.isfinite(value):
                return np.asarray(value)
            self.refuse(node, f"'{self.shown(node)}' is too large a number")
        self.refuse(node, f"'{self.shown(node)}' is not a number" + (BOOLEAN if isinstance(node.value, bool) else ""))

    def call(self, node: ast.Call) -> Law:
        """Return the function of a call of one of `FUNCTIONS`."""
        name = node.func.id if isinstance(node.func, ast.Name) else None
        if name not in FUNCTIONS:
            self.name_unwritable()
            self.refuse(node, f"there is no function '{self.shown(node.func)}'; there are {', '.join(FUNCTIONS)}")
        several = name in ("min", "max")
        if node.keywords or len(node.args) < 1 + several or (len(node.args) > 1 and not several):
            wanted = "two numbers or more" if several else "one number"
            self.refuse(node, f"{name} takes {wanted}, as in {name}({'a, b' if several else 'a'})")
        function, laws = FUNCTIONS[name], [self.number(value) for value in node.args]
        return lambda columns: np.asarray(function(*(law(columns) for law in laws)))

    def name(self, node: ast.expr) -> str | None:
        """Return the FMI name that a node spells, or None if it is not a name."""
        if isinstance(node, ast.Name):
            return node.id
        if isinstance(node, ast.Attribute):
            base = self.name(node.value)
            return None if base is None else f"{base}.{node.attr}"
        if not isinstance(node, ast.Subscript) or (base := self.name(node.value)) is None:
            return None
        index = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        numbers = [i.value for i in index if isinstance(i, ast.Constant) and type(i.value) is int and i.value >= 0]
        if not index or len(numbers) < len(index):
            self.refuse(node.slice, f"brackets must hold whole numbers, as in {base}[1]")
        return f"{base}[{','.join(map(str, numbers))}]"

    def unknown(self, name: str) -> str:
        """Return the message for a name that is not a signal."""
        self.name_unwritable()
        if name in ("true", "false"):
            return f"'{name}' is not a signal{BOOLEAN}"
        if name in self.others:
            return f"'{name}' is {self.others[name]}; a condition may use outputs and local variables only"
        whole = name.rpartition("[")[0] if name.endswith("]") else name
        elements = [n for n in self.names if n.startswith(whole + "[")]
        if elements:
            extent = f"{elements[0]} to {elements[-1]}"
            if whole == name:
                return f"'{whole}' is an array; name one of its elements, {extent}"
            return f"there is no '{name}'; the elements are {extent}"
        if whole != name and whole in self.names:
            return f"'{whole}' is one number; leave the brackets out"
        inside = next((n for n in self.names if n.startswith(name + ".")), None)
        if inside is not None:
            return f"'{name}' has several signals; name one of them, as in {inside}"
        ending = next((n for n in self.names if n.endswith("." + name)), None)
        hint = f"; did you mean '{ending}'?" if ending is not None else did_you_mean(name, self.names)
        return f"there is no signal '{_short(name)}'" + hint


def _writable(name: str) -> bool:
    words = re.findall(r"\w+", name)
    return _WRITABLE.fullmatch(name) is not None and not any(keyword.iskeyword(word) for word in words)


def _short(text: str) -> str:
    return text if len(text) <= MAX_SHOWN else text[: MAX_SHOWN - 4] + " ..."
