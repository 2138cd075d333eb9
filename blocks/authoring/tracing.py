"""From the methods of a block to CasADi functions, with every mistake named."""

from __future__ import annotations

import traceback
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import casadi as ca

from drawbar.blocks.authoring.block import Block, Model, summary
from drawbar.blocks.authoring.errors import DefinitionError
from drawbar.blocks.authoring.interface import Interface, Port
from drawbar.blocks.authoring.symbols import expression, guarded_symbols
from drawbar.blocks.authoring.variables import State, check_names


def trace(cls: type[Block], *, method: str, step: Fraction, period: Fraction | None) -> Model:
    """Evaluate the block's equations on symbols once and return the checked model.

    The advance of the states is ``derivatives()``, or ``update()`` for a sampled block.
    """
    ports = cls._collect()
    if cls._resources:
        raise DefinitionError(
            f"{cls.__name__}.{min(cls._resources)}: equations cannot read a Resource; a Kernel block can, in C"
        )
    states = [p for p in ports if isinstance(cls.variables[p.name], State)]
    parameters = [p for p in ports if p.causality == "parameter"]
    inputs = [p for p in ports if p.causality == "input"]
    results = [p for p in ports if p not in states and p.causality in ("output", "local")]
    sampled = period is not None
    if sampled and any(p.causality == "output" for p in states):
        name = next(p.name for p in states if p.causality == "output")
        raise DefinitionError(f"{cls.__name__}.{name}: a sampled state is no output; return it from outputs()")

    block = cls.__new__(cls)
    time = ca.SX.sym("time")
    columns = {id(group): [_symbol(p) for p in group] for group in (states, inputs, parameters)}
    block.time = time
    block._symbols = {
        p.name: _shaped(column, p.shape)
        for group in (states, inputs, parameters)
        for p, column in zip(group, columns[id(group)], strict=True)
    }
    declared = list(cls.variables)
    advance = "update" if sampled else "derivatives"
    changes = _call(block, advance, [p.name for p in states], declared)
    values = _call(block, "outputs", [p.name for p in results], declared)

    x = ca.vertcat(ca.SX(0, 1), *columns[id(states)])
    u = ca.vertcat(ca.SX(0, 1), *columns[id(inputs)])
    p_ = ca.vertcat(ca.SX(0, 1), *columns[id(parameters)])
    none = ca.SX(0, 1)
    arguments = [time, none, x, u, p_] if sampled else [time, x, none, u, p_]

    def function(kind: str, group: Sequence[Port], given: dict[str, Any], method_name: str) -> ca.Function | None:
        if not group:
            return None
        column = ca.vertcat(*[_column(cls.__name__, method_name, port, given[port.name]) for port in group])
        try:
            return ca.Function(f"{cls.__name__}_{kind}", arguments, [ca.densify(column)], list("txzup"), ["r"])
        except RuntimeError as error:
            raise DefinitionError(f"{cls.__name__}.{method_name}(): {_last_line(error)}") from None

    out = function("out", results, values, "outputs")
    ahead = function("update" if sampled else "ode", states, changes, advance)
    feedthrough, initial = _dependencies(out, states, inputs, parameters, results, sampled)
    interface = Interface(
        name=cls.__name__,
        ports=tuple(parameters + inputs + states + results),
        feedthrough=feedthrough,
        initial_feedthrough=initial,
        period=period,
        description=summary(cls),
    )
    return Model(
        name=cls.__name__,
        interface=interface,
        p=tuple(parameters),
        u=tuple(inputs),
        x=() if sampled else tuple(states),
        z=tuple(states) if sampled else (),
        y=tuple(results),
        ode=None if sampled else ahead,
        update=ahead if sampled else None,
        out=out,
        method=method,
        step=step,
        period=period,
    )


def _symbol(port: Port) -> ca.SX:
    return ca.vertcat(*[ca.SX.sym(name) for name in port.scalar_names()])


def _shaped(column: ca.SX, shape: tuple[int, ...]) -> ca.SX:
    """A column of elements in row-major order as scalar, vector or matrix (CasADi stores columns first)."""
    return ca.reshape(column, shape[1], shape[0]).T if len(shape) == 2 else column


def _column(block: str, method: str, port: Port, value: Any) -> ca.SX:
    """The value of a port as a column in row-major order; checks the shape."""
    where = f"{block}.{method}() gives '{port.name}'"
    try:
        matrix = expression(value)
    except DefinitionError as error:
        raise DefinitionError(f"{where}: {error}") from None
    except (TypeError, ValueError, NotImplementedError, RuntimeError):
        raise DefinitionError(f"{where} a {type(value).__name__}, not an expression") from None
    wanted = port.shape + (1,) * (2 - len(port.shape))
    if matrix.shape != wanted:
        raise DefinitionError(f"{where} shape {matrix.shape}, but its declaration says {wanted}")
    return ca.vec(matrix.T) if len(port.shape) == 2 else matrix


def _call(block: Block, method: str, wanted: list[str], declared: list[str]) -> dict[str, Any]:
    """Call one method of equations and check the names that it returns."""
    name = type(block).__name__
    function = getattr(type(block), method, None)
    if function is None:
        if wanted:
            raise DefinitionError(f"{name} has no {method}() but declares '{wanted[0]}', which it must return")
        return {}
    try:
        with guarded_symbols():
            given = function(block)
    except DefinitionError as error:
        raise DefinitionError(f"{name}.{method}(){_line(error)}: {error}") from None
    except RuntimeError as error:
        if "truth value" not in str(error):
            # CasADi lists all signatures behind its first line, and otherwise ends with what is wrong
            said = _first_line(error) if isinstance(error, NotImplementedError) else _last_line(error)
            raise DefinitionError(f"{name}.{method}(){_line(error)}: {said}") from None
        raise DefinitionError(
            f"{name}.{method}(){_line(error)}: Python's `if`, `and`, `or`, min() and max() cannot look into an "
            "equation; "
            "use if_else(condition, a, b), logic_and, logic_or, fmin and fmax"
        ) from None
    except Exception as error:  # the user's own code may raise anything
        # what numpy makes of a refused symbol has the refusal as its cause
        refused = isinstance(error.__cause__, DefinitionError)
        text = str(error.__cause__) if refused else f"{type(error).__name__}: {_first_line(error)}"
        raise DefinitionError(f"{name}.{method}(){_line(error)}: {text}") from error
    if not isinstance(given, dict):
        raise DefinitionError(f"{name}.{method}() returns a {type(given).__name__}; return a dict by variable name")
    check_names(name, method, given, wanted, declared)
    return given


def _line(error: BaseException) -> str:
    """Where in the block's own code the error arose: `` (body.py:24)``."""
    places = [(Path(f.filename), f.lineno) for f in traceback.extract_tb(error.__traceback__)]
    own = [
        (path, line)
        for path, line in places
        if path.parent != Path(__file__).parent and not {"casadi", "numpy"} & set(path.parts)
    ]
    if not own:
        return ""
    path, line = own[-1]
    return f" ({path.name}:{line})"


def _first_line(error: BaseException) -> str:
    return (str(error).strip() or "no message").splitlines()[0]


def _last_line(error: BaseException) -> str:
    return str(error).strip().splitlines()[-1]


def _dependencies(
    out: ca.Function | None,
    states: list[Port],
    inputs: list[Port],
    parameters: list[Port],
    results: list[Port],
    sampled: bool,
) -> tuple[dict[str, tuple[str, ...]], dict[str, tuple[str, ...]]]:
    """What each output depends on, from sparsity: at communication points, and during initialization.

    A sampled output holds its last sample, so at a communication point it depends on nothing.
    """
    running: dict[str, tuple[str, ...]] = {}
    initially: dict[str, tuple[str, ...]] = {}
    for port in states:
        if port.causality == "output":
            running.update({name: () for name in port.scalar_names()})
            initially.update({name: () for name in port.scalar_names()})
    if out is not None:
        rows = [name for port in results for name in port.scalar_names()]
        on_inputs = _pattern(out, 3, inputs)
        on_states = _pattern(out, 2 if sampled else 1, states)
        on_parameters = _pattern(out, 4, parameters)
        is_output = {name: port.causality == "output" for port in results for name in port.scalar_names()}
        for i, name in enumerate(rows):
            if is_output[name]:
                running[name] = () if sampled else on_inputs[i]
                initially[name] = on_inputs[i] + on_states[i] + on_parameters[i]
    return running, initially


def _pattern(out: ca.Function, argument: int, ports: list[Port]) -> list[tuple[str, ...]]:
    names = [name for port in ports for name in port.scalar_names()]
    n = out.size1_out(0)
    if not names:
        return [()] * n
    found: list[list[str]] = [[] for _ in range(n)]
    rows, columns = out.jac_sparsity(0, argument).get_triplet()
    for row, column in zip(rows, columns, strict=True):
        found[row].append(names[column])
    return [tuple(f) for f in found]
