"""From the methods of a block to CasADi functions, with an error message for every mistake."""

from __future__ import annotations

import contextlib
import difflib
import traceback
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import casadi as ca

from drawbar.blocks.authoring.block import METHODS_OF_EQUATIONS, Block, summary
from drawbar.blocks.authoring.dependencies import Known, pattern, scalars
from drawbar.blocks.authoring.guards import Guards, read_guards
from drawbar.blocks.authoring.initialization import Initialization, in_order, read_residuals
from drawbar.blocks.authoring.model import Equations, Model
from drawbar.blocks.authoring.stability_bounds import StabilityBounds, read_stability_bounds
from drawbar.blocks.authoring.symbols import expression, guarded_symbols
from drawbar.blocks.authoring.variables import State, check_names
from drawbar.blocks.core.errors import DefinitionError
from drawbar.blocks.core.interface import Interface, Port


def trace(cls: type[Block], *, method: str, step: Fraction, period: Fraction | None) -> Model:
    """Evaluate the block's equations on symbols once and return the checked model.

    The states advance by ``derivatives()``, or by ``update()`` in a sampled block.
    """
    ports = cls._ports
    _check_methods(cls)
    sampled = period is not None
    states = [p for p in ports if isinstance(cls.variables[p.name], State)]
    results = [p for p in ports if p not in states and p.causality in ("output", "local")]
    equations = _Equations(cls, ports, states, sampled)
    derive = equations.trace_derived()
    initialization = equations.trace_initialization(results)
    parameters, inputs, states = equations.parameters + equations.derived, equations.inputs, equations.states
    advance = "update" if sampled else "derivatives"
    changes = equations.columns_of(advance, states)
    values = equations.columns_of("outputs", results)
    out = equations.function("out", values, "outputs")
    ahead = equations.function("update" if sampled else "ode", changes, advance)
    feedthrough, initial = equations.dependencies(values, results)
    interface = Interface(
        name=cls.__name__,
        ports=tuple(parameters + inputs + states + results),
        feedthrough=feedthrough,
        initial_feedthrough=initial,
        period=period,
        description=summary(cls),
    )
    traced = Equations(
        ode=None if sampled else ahead,
        update=ahead if sampled else None,
        out=out,
        derive=derive,
        initialization=initialization,
        guards=equations.trace_guards(),
        stability_bounds=equations.trace_stability_bounds(),
    )
    return Model(
        name=cls.__name__,
        interface=interface,
        p=tuple(parameters),
        u=tuple(inputs),
        x=() if sampled else tuple(states),
        z=tuple(states) if sampled else (),
        y=tuple(results),
        method=method,
        step=step,
        period=period,
        trace=lambda: traced,
    )


def check_declarations(cls: type[Block]) -> None:
    """Raise `DefinitionError` for a declaration that a block of equations cannot have."""
    if cls._resources:
        raise DefinitionError(
            f"{cls.__name__}.{min(cls._resources)}: equations cannot read a Resource; a Kernel block can, in C"
        )
    for port in cls._ports if cls.is_sampled else ():
        if not isinstance(cls.variables[port.name], State):
            continue
        if port.causality == "output":
            raise DefinitionError(f"{cls.__name__}.{port.name}: a sampled state is no output; return it from outputs()")
        if port.initial == "approx":
            raise DefinitionError(
                f"{cls.__name__}.{port.name}: a sampled state is not solved for; initial() may give it"
            )


class _Equations:
    """The methods of a block called on symbols, each with the names that it may read, and the dependencies found."""

    def __init__(self, cls: type[Block], ports: list[Port], states: list[Port], sampled: bool) -> None:
        self.name, self.sampled, self.states = cls.__name__, sampled, states
        self.parameters = [p for p in ports if p.causality == "parameter"]
        self.derived = [p for p in ports if p.causality == "calculatedParameter"]
        self.inputs = [p for p in ports if p.causality == "input"]
        self.declared = list(cls.variables)
        readable = [*states, *self.inputs, *self.parameters, *self.derived]
        self.symbols = {p.name: _symbol(p) for p in readable}
        self.block = cls.__new__(cls)
        self.block.time = ca.SX.sym("time")
        self.block._symbols = {p.name: _shaped(self.symbols[p.name], p.shape) for p in readable}
        self.block._hidden = {}
        x, none = self.stacked(states), ca.SX(0, 1)
        p_ = self.stacked(self.parameters + self.derived)
        self.arguments = [self.block.time, *((none, x) if sampled else (x, none)), self.stacked(self.inputs), p_]

    def stacked(self, ports: Sequence[Port]) -> ca.SX:
        """Return the symbols of some ports as a column."""
        return ca.vertcat(ca.SX(0, 1), *[self.symbols[p.name] for p in ports])

    def columns_of(self, method: str, ports: Sequence[Port]) -> ca.SX:
        """Return the results of a method for some ports as a column."""
        given = _call(self.block, method, [p.name for p in ports], self.declared)
        return ca.vertcat(ca.SX(0, 1), *[_column(self.name, method, p, given[p.name]) for p in ports])

    def function(self, kind: str, column: ca.SX, method: str) -> ca.Function | None:
        """Return a column as a function of ``(t, x, z, u, p)``, None if it is empty."""
        if not column.numel():
            return None
        try:
            return ca.Function(f"{self.name}_{kind}", self.arguments, [ca.densify(column)], list("txzup"), ["r"])
        except RuntimeError as error:
            raise DefinitionError(f"{self.name}.{method}(): {_last_line(error)}") from None

    @contextlib.contextmanager
    def hiding(self, names: Sequence[str], rule: str) -> Iterator[None]:
        """Return a context in which these names cannot be read; `rule` is the reason in the message."""
        block, symbols, time = self.block, self.block._symbols, self.block.time
        block._symbols = {n: s for n, s in symbols.items() if n not in names}
        block._hidden = {n: f"'{n}' cannot be read here: {rule}" for n in names}
        if "time" in names:
            del block.time
        try:
            yield
        finally:
            block._symbols, block._hidden, block.time = symbols, {}, time

    def trace_derived(self) -> ca.Function | None:
        """Trace the calculated parameters; one that depends on a tunable parameter is tunable too."""
        hidden = [p.name for p in (*self.states, *self.inputs)]
        with self.hiding([*hidden, "time"], "derived() reads parameters and Derived, not inputs, states or time"):
            given = self.columns_of("derived", self.derived)
        names = scalars(self.derived)
        values = in_order(names, self.stacked(self.derived), given, f"{self.name}.derived()")
        tunable = [p for p in self.parameters if p.variability == "tunable"]
        moving = dict(zip(names, pattern(values, self.stacked(tunable), scalars(tunable)), strict=True))
        self.derived_from = pattern(values, self.stacked(self.parameters), scalars(self.parameters))
        self.derived = [
            replace(p, variability="tunable" if any(moving[n] for n in p.scalar_names()) else "fixed")
            for p in self.derived
        ]
        return self.function("derive", values, "derived")

    def trace_initialization(self, results: Sequence[Port]) -> Initialization | None:
        """Trace the states from ``initial()`` and ``residuals()``, and the results until initialization ends."""
        solved = [p for p in self.states if p.initial == "approx"]
        wanted = [p.name for p in self.states]
        with self.hiding([p.name for p in solved], "residuals() determines it after initial()"):
            found = _call(self.block, "initial", wanted, self.declared, all_of_them=False)
        if (both := next((p.name for p in solved if p.name in found), None)) is not None:
            raise DefinitionError(
                f"{self.name}.initial() gives '{both}', which is declared with solve=True: residuals() determines it; "
                "remove one of the two"
            )
        given = [p for p in self.states if p.name in found]
        column = ca.vertcat(ca.SX(0, 1), *[_column(self.name, "initial", p, found[p.name]) for p in given])
        values = in_order(scalars(given), self.stacked(given), column, f"{self.name}.initial()")
        exact = [p for p in self.states if p not in given and p not in solved]
        known = [*self.inputs, *exact, *self.parameters]
        self.known = Known(self.stacked(known), scalars(known))
        self.known.add(self.stacked(self.derived), scalars(self.derived), self.derived_from)
        self.known.add(self.stacked(given), scalars(given), self.known.of(values))
        names, residual, jacobian = self._trace_residuals(solved)
        guesses = self._trace_guess(solved)
        early, shown = self._trace_initial_outputs(solved, results)
        if not given and not solved and not early:
            return None
        places = {name: i for i, name in enumerate(scalars(self.states))}
        self.states = [replace(p, initial="calculated", start=()) if p in given else p for p in self.states]
        return Initialization(
            given=tuple(places[n] for n in scalars(given)),
            values=self.function("initial", values, "initial"),
            solved=tuple(places[n] for n in scalars(solved)),
            residuals=names,
            residual=residual,
            jacobian=jacobian,
            guesses=guesses,
            shown=early,
            outputs=self.function("initial_outputs", shown, "initial_outputs"),
        )

    def _trace_guess(self, solved: list[Port]) -> ca.Function | None:
        """Trace ``guess()``, the start of the search; states that it does not name begin at their declared start."""
        with self.hiding([p.name for p in solved], "guess() says where residuals() begins to determine it"):
            found = _call(self.block, "guess", [p.name for p in solved], self.declared, all_of_them=False)
        if not found:
            return None
        given = {p.name: found.get(p.name, ca.DM(list(p.start))) for p in solved}
        column = ca.vertcat(*[_column(self.name, "guess", p, given[p.name]) for p in solved])
        return self.function("guess", column, "guess")

    def _trace_initial_outputs(self, solved: Sequence[Port], results: Sequence[Port]) -> tuple[tuple[int, ...], ca.SX]:
        """Trace the results that other parts need before initialization ends; return their indices and values."""
        rule = "what initial_outputs() gives is asked for before residuals() has determined it"
        with self.hiding([p.name for p in solved], rule):
            found = _call(self.block, "initial_outputs", [p.name for p in results], self.declared, all_of_them=False)
        if found and self.sampled:
            raise DefinitionError(f"{self.name}.initial_outputs(): a sampled block has its first sample instead")
        given = [p for p in results if p.name in found]
        column = ca.vertcat(ca.SX(0, 1), *[_column(self.name, "initial_outputs", p, found[p.name]) for p in given])
        self.early = dict(zip(scalars(given), self.known.of(column), strict=True))
        places = {name: i for i, name in enumerate(scalars(results))}
        return tuple(places[n] for n in self.early), column

    def _trace_residuals(self, solved: list[Port]) -> tuple[tuple[str, ...], ca.Function | None, ca.Function | None]:
        where = f"{self.name}.residuals()"
        unknowns = self.stacked(solved)
        if solved and getattr(type(self.block), "residuals", None) is None:
            raise DefinitionError(
                f"{self.name}.{solved[0].name} is declared with solve=True, but there is no residuals() to solve"
            )
        found = _call(self.block, "residuals", None, self.declared)
        if not solved:
            if found:
                raise DefinitionError(f"{where}: no State is declared with solve=True, nothing is to be solved for")
            return (), None, None
        names, residual = read_residuals(where, found, scalars(solved), unknowns)
        self.known.add_solution(residual, unknowns, scalars(solved))
        slopes = ca.vec(ca.densify(ca.jacobian(residual, unknowns)))
        functions = [self.function(k, c, "residuals") for k, c in (("residual", residual), ("jacobian", slopes))]
        return names, functions[0], functions[1]

    def trace_guards(self) -> Guards | None:
        """Trace the conditions under which the equations hold."""
        each, sides = read_guards(
            f"{self.name}.guards()", _call(self.block, "guards", None, self.declared), ca.vertcat(*self.arguments[:4])
        )
        function = self.function("guards", sides, "guards")
        return None if function is None else Guards(each, function)

    def trace_stability_bounds(self) -> StabilityBounds | None:
        """Trace the bounds of the eigenvalues."""
        where = f"{self.name}.stability_bounds()"
        given = _call(self.block, "stability_bounds", None, self.declared)
        if given and (self.sampled or not self.states):
            raise DefinitionError(f"{where}: there is nothing to integrate, so nothing to bound; remove it")
        names, column = read_stability_bounds(where, given)
        function = self.function("stability_bounds", column, "stability_bounds")
        return None if function is None else StabilityBounds(names, function)

    def dependencies(
        self, values: ca.SX, results: Sequence[Port]
    ) -> tuple[dict[str, tuple[str, ...]], dict[str, tuple[str, ...]]]:
        """Return the dependencies of outputs at communication points, and of calculated values at initialization.

        A sampled output holds its last sample, so it depends on nothing at a communication point.
        """
        running: dict[str, tuple[str, ...]] = {}
        initially: dict[str, tuple[str, ...]] = {}
        for port in self.states:
            names = port.scalar_names()
            if port.causality == "output":
                running.update(dict.fromkeys(names, ()))
                initially.update(dict.fromkeys(names, ()))
            if port.initial != "exact":
                initially.update(zip(names, self.known.of(self.symbols[port.name]), strict=True))
        names = scalars(results)
        is_output = [port.causality == "output" for port in results for _ in port.scalar_names()]
        through = pattern(values, self.stacked(self.inputs), scalars(self.inputs))
        for name, output, now, first in zip(names, is_output, through, self.known.of(values), strict=True):
            if output:
                running[name] = () if self.sampled else now
                initially[name] = self.early.get(name, first)
        initially.update(zip(scalars(self.derived), self.known.of(self.stacked(self.derived)), strict=True))
        return running, initially


def _check_methods(cls: type[Block]) -> None:
    """Raise `DefinitionError` for a method whose name nearly matches one that Drawbar calls."""
    missing = [m for m in METHODS_OF_EQUATIONS[3:] if not hasattr(cls, m)]
    for name in dir(cls):
        if name not in METHODS_OF_EQUATIONS and not hasattr(Block, name) and callable(getattr(cls, name)):
            near = difflib.get_close_matches(name, missing, n=1, cutoff=0.85)
            if near:
                raise DefinitionError(
                    f"{cls.__name__}.{name}(): Drawbar calls no such method; did you mean {near[0]}()? "
                    "A method of your own needs another name"
                )


def _symbol(port: Port) -> ca.SX:
    return ca.vertcat(*[ca.SX.sym(name) for name in port.scalar_names()])


def _shaped(column: ca.SX, shape: tuple[int, ...]) -> ca.SX:
    """Return a column of elements in row-major order as scalar, vector or matrix (CasADi is column-major)."""
    return ca.reshape(column, shape[1], shape[0]).T if len(shape) == 2 else column


def _column(block: str, method: str, port: Port, value: Any) -> ca.SX:
    """Return the value of a port as a column in row-major order, after a check of its shape."""
    where = f"{block}.{method}() gives '{port.name}'"
    try:
        matrix = expression(value)
    except DefinitionError as error:
        raise DefinitionError(f"{where}: {error}") from None
    except (TypeError, ValueError, RuntimeError):
        raise DefinitionError(f"{where} a {type(value).__name__}, not an expression") from None
    wanted = port.shape + (1,) * (2 - len(port.shape))
    if matrix.shape != wanted:
        raise DefinitionError(f"{where} shape {matrix.shape}, but its declaration says {wanted}")
    return ca.vec(matrix.T) if len(port.shape) == 2 else matrix


def _call(
    block: Block, method: str, wanted: list[str] | None, declared: list[str], *, all_of_them: bool = True
) -> dict[str, Any]:
    """Call a method of equations and check the names that it returns; if `wanted` is None, any name is allowed."""
    name = type(block).__name__
    function = getattr(type(block), method, None)
    if function is None:
        if wanted and all_of_them:
            raise DefinitionError(f"{name} has no {method}() but declares '{wanted[0]}', which it must return")
        return {}
    try:
        with guarded_symbols():
            given = function(block)
    except DefinitionError as error:
        raise DefinitionError(f"{name}.{method}(){_line(error)}: {error}") from None
    except RuntimeError as error:
        if "truth value" not in str(error):
            # CasADi lists all signatures after its first line; in other errors the last line gives the reason
            said = _first_line(error) if isinstance(error, NotImplementedError) else _last_line(error)
            raise DefinitionError(f"{name}.{method}(){_line(error)}: {said}") from None
        raise DefinitionError(
            f"{name}.{method}(){_line(error)}: Python's `if`, `and`, `or`, min() and max() cannot look into an "
            "equation; "
            "use if_else(condition, a, b), logic_and, logic_or, fmin and fmax"
        ) from None
    except Exception as error:  # the user's own code may raise anything
        # numpy raises an error of its own with our refusal as its cause
        refused = isinstance(error.__cause__, DefinitionError)
        text = str(error.__cause__) if refused else f"{type(error).__name__}: {_first_line(error)}"
        raise DefinitionError(f"{name}.{method}(){_line(error)}: {text}") from error
    if not isinstance(given, dict):
        raise DefinitionError(f"{name}.{method}() returns a {type(given).__name__}; return a dict by variable name")
    if wanted is not None:
        check_names(name, method, given, wanted, declared, all_of_them=all_of_them)
    return given


def _line(error: BaseException) -> str:
    """Return the line in the block's own code that caused the error: `` (body.py:24)``."""
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
