"""Calculated parameters, start values and guards of an interpreted block.

`runtime/initialization.c` does the same, with the same messages.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from drawbar.blocks.authoring import guards as relations
from drawbar.blocks.authoring.initialization import Initialization
from drawbar.blocks.authoring.model import Model
from drawbar.fmus.backends.newton import Limits, Unsolved, clamped, solve
from drawbar.fmus.runtime.constants import MAX_NAMED

Vector = NDArray[np.float64]
Bind = Callable[[ca.Function | None, Vector], Callable[[], None] | None]
_WORDS = ("above", "at least", "below", "at most", "equal to", "other than")


class InstanceError(Exception):
    """An error of an interpreted block; its text is what the FMU of the block would log."""


class Initializer:
    """Calculated parameters, start values and guards over the value array of one instance."""

    def __init__(self, model: Model, name: str, p: Vector, states: Vector, bind: Bind) -> None:
        self.label = f"{model.name} '{name}'"
        self._states, self._guess = states, states.copy()
        self._p, self._declared_p = p, p.copy()
        self._parameter_names = [n for port in model.p for n in port.scalar_names()]
        self._state_names = [n for port in model.x + model.z for n in port.scalar_names()]
        derived = [n for port in model.p if port.causality == "calculatedParameter" for n in port.scalar_names()]
        self._derived_names, self._derived = derived, p[len(p) - len(derived) :]
        self._derive = bind(model.derive, self._derived)
        equations = model.initialization or Initialization()
        self._given, self._solved = np.array(equations.given, int), np.array(equations.solved, int)
        self._values = np.zeros(len(equations.given))
        self._initial = bind(equations.values, self._values)
        self._residuals = equations.residuals
        self._shown, self._initial_outputs = np.array(equations.shown, int), np.zeros(len(equations.shown))
        self._evaluate_initial_outputs = bind(equations.outputs, self._initial_outputs)
        n = len(equations.solved)
        self._residual, self._jacobian = np.zeros(n), np.zeros(n * n)
        self._evaluate_residual = bind(equations.residual, self._residual)
        self._evaluate_jacobian = bind(equations.jacobian, self._jacobian)
        self._declared, self._guesses = states.copy(), np.zeros(n)
        self._evaluate_guess = bind(equations.guesses, self._guesses)
        ports = [port for port in model.x + model.z for _ in range(port.size)]
        of = [ports[i] for i in equations.solved]
        self._limits = Limits(
            np.array([-math.inf if port.minimum is None else port.minimum for port in of]),
            np.array([math.inf if port.maximum is None else port.maximum for port in of]),
            np.array(model.nominals())[list(equations.solved)],
        )
        self._guards = () if model.guards is None else model.guards.each
        self._sides = np.zeros(2 * len(self._guards))
        self._evaluate_guards = bind(None if model.guards is None else model.guards.sides, self._sides)
        self._underived = self._unset = self._unsolved = True
        self.running, self._integrates = False, bool(model.x)

    @property
    def guarded(self) -> bool:
        """Whether there is any guard."""
        return bool(self._guards)

    def parameter_set(self) -> None:
        """Note that a parameter has been set, so that what is calculated from it is out of date."""
        self._underived = True

    def value_set(self) -> None:
        """Note that a value has been set during initialization, so that start values are out of date."""
        self._unset = self._unsolved = True

    def guess_set(self, i: int) -> None:
        """Note that the guess for one of the states that are solved for has been set."""
        self._guess[i] = self._states[i]

    def derive(self) -> bool:
        """Bring calculated parameters up to date and return whether anything was calculated."""
        if not self._underived or self._derive is None:
            return False
        self._derive()
        for name, value in zip(self._derived_names, self._derived, strict=True):
            if not math.isfinite(value):
                raise InstanceError(
                    f"{self.label}: '{name}' is {value:g}; check the parameters that it is calculated from"
                )
        self._underived = False
        return True

    def initialize(self, t: float, *, solve_too: bool) -> bool:
        """Set the given states, and with `solve_too` the solved ones; return whether anything was calculated."""
        done = self.derive()
        if self._unset and self._initial is not None:
            self._initial()
            self._states[self._given] = self._values
            done = True
        self._unset = False
        if solve_too and self._unsolved:
            self._unsolved = False
            if len(self._solved):
                self._unsolved = True
                self.check_states(t)
                self._solve(t)
                self._unsolved = False
                done = True
        return done

    def set_initial_outputs(self, results: Vector) -> None:
        """Overwrite the results that have an expression of their own until initialization ends."""
        if self._evaluate_initial_outputs is not None:
            self._evaluate_initial_outputs()
            results[self._shown] = self._initial_outputs

    def check_states(self, t: float) -> None:
        """Raise `InstanceError` for states that are not finite."""
        if np.isfinite(self._states).all():
            return
        bad = int(np.flatnonzero(~np.isfinite(self._states))[0])
        advice = "; check parameters and inputs" if self.running else ""
        if self.running and self._integrates:
            advice += ", or take a shorter step or another method"
        raise InstanceError(f"{self.label}: '{self._state_names[bad]}' is {self._states[bad]:g} at t = {t:g} s{advice}")

    def _solve(self, t: float) -> None:
        def residual(unknowns: Vector) -> Vector:
            self._states[self._solved] = unknowns
            assert self._evaluate_residual is not None
            self._evaluate_residual()
            return self._residual.copy()

        def jacobian() -> Vector:
            assert self._evaluate_jacobian is not None
            self._evaluate_jacobian()
            n = len(self._solved)
            return self._jacobian.reshape(n, n).T  # CasADi stores matrices by columns

        found = solve(self._initial_guess(), self._limits, residual, jacobian)
        if isinstance(found, Unsolved):
            message = self._explain(found, t)
            self._states[self._solved] = self._guess[self._solved]
            raise InstanceError(message)
        self._states[self._solved] = found

    def _initial_guess(self) -> Vector:
        """Return the initial guess: that of the block, unless a start value has been set."""
        guess = self._guess[self._solved]
        if self._evaluate_guess is not None:
            self._evaluate_guess()
            guessed = (guess == self._declared[self._solved]) & np.isfinite(self._guesses)
            guess = np.where(guessed, self._guesses, guess)
        return clamped(guess, self._limits)

    def _explain(self, end: Unsolved, t: float) -> str:
        size = np.where(np.isfinite(end.residual), np.abs(end.residual), math.inf)
        worst = int(np.argmax(size))
        name = self._state_names[self._solved[end.unknown]]
        return (
            f"{self.label}: no start value found for '{name}': {end.why} at {name} = {end.at[end.unknown]:g}, "
            f"iteration {end.iteration}; the largest residual is '{self._residuals[worst]}' = "
            f"{end.residual[worst]:g}; {self._cause(end, t)}"
        )

    def _cause(self, end: Unsolved, t: float) -> str:
        """Return the guard that fails where the search ended or began, and the parameters that were set."""
        cause = "give a start value nearer to the solution, or check parameters and inputs"
        for place, unknowns in (("there", end.at), ("where the search begins", self._initial_guess())):
            self._states[self._solved] = unknowns
            if guard := self._broken_guard(t):
                cause = f"{place} {guard}"
                break
        n = len(self._p) - len(self._derived)
        changed = [self._parameter_names[i] for i in np.flatnonzero(self._p[:n] != self._declared_p[:n])]
        if changed:
            more = f" and {len(changed) - MAX_NAMED} more" if len(changed) > MAX_NAMED else ""
            cause += f"; not as the block declares them are {', '.join(changed[:MAX_NAMED])}{more}"
        return cause

    def check_guards(self, t: float) -> None:
        """Raise `InstanceError` for the first guard that does not hold."""
        if broken := self._broken_guard(t):
            self.check_states(t)  # NaN fails every guard, and is the cause
            raise InstanceError(f"{self.label}: {broken}")

    def _broken_guard(self, t: float) -> str:
        """Return the message of the first guard that does not hold; an empty text where all hold."""
        if self._evaluate_guards is None:
            return ""
        self._evaluate_guards()
        n = len(self._guards)
        for guard, value, limit in zip(self._guards, self._sides[:n].tolist(), self._sides[n:].tolist(), strict=True):
            if _holds(guard.relation, value, limit):
                continue
            what = "the condition is false"
            if guard.relation != relations.TRUE:
                what = f"the value {value:g} must be {_WORDS[guard.relation]} {limit:g}"
            advice = f"; {guard.advice}" if guard.advice else ""
            return f"guard '{guard.name}' failed at t = {t:g} s: {what}{advice}"
        return ""


def _holds(relation: int, value: float, limit: float) -> bool:
    tests: Sequence[bool] = (value > limit, value >= limit, value < limit, value <= limit, value == limit)
    # NaN fails every guard
    return tests[relation] if relation < len(tests) else value < limit or value > limit
