"""Derivatives of a block: those of its states as variables, directional ones, and which depends on what.

Model exchange requires the time derivatives of continuous states as variables. They follow the value array: the
derivative of the i-th scalar in x has the value reference ``len(p|u|x|z|y) + i``.
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from drawbar.blocks.authoring.model import Model
from drawbar.blocks.core.interface import Port


@dataclass(frozen=True)
class StateDerivative:
    """The derivative of one scalar state."""

    name: str
    reference: int
    state: str
    unit: str


def state_derivatives(model: Model) -> list[StateDerivative]:
    """Return one derivative for each scalar in x, in that order; a sampled block has none."""
    states = [(name, port) for port in model.x for name in port.scalar_names()]
    first = sum(model.sizes())
    return [StateDerivative(f"der({n})", first + i, n, per_second(p.unit)) for i, (n, p) in enumerate(states)]


def per_second(unit: str) -> str:
    """Return the unit of measure of the rate of a value: ``m/s`` becomes ``m/s2``, ``N/m`` becomes ``N/(m.s)``."""
    above, slash, below = unit.partition("/")
    if not slash:
        return f"{above}/s"
    factors = below.strip("() ").replace("*", ".").split(".")
    seconds = next((i for i, f in enumerate(factors) if f[:1] == "s" and (f[1:] or "1").isdecimal()), None)
    if seconds is None:
        factors.append("s")
    else:
        factors[seconds] = f"s{int(factors[seconds][1:] or 1) + 1}"
    joined = ".".join(factors)
    return f"{above}/({joined})" if len(factors) > 1 else f"{above}/{joined}"


def dependencies(function: ca.Function | None, argument: int, ports: tuple[Port, ...]) -> list[tuple[str, ...]]:
    """Return for each row of the result the scalars of one argument (of t, x, z, u, p) that it depends on."""
    if function is None:
        return []
    names = [name for port in ports for name in port.scalar_names()]
    found: list[list[str]] = [[] for _ in range(function.size1_out(0))]
    if names:
        for row, column in zip(*function.jac_sparsity(0, argument).get_triplet(), strict=True):
            found[row].append(names[column])
    return [tuple(f) for f in found]


def jvp(model: Model) -> ca.Function | None:
    """Return the product of the block's Jacobian and a seed, or None where nothing can be differentiated.

    The function takes ``(t, x, z, u, p, dx, du)`` and returns the changes of dx/dt and of y that belong to the changes
    `dx` and `du`: exact to rounding, at about three times the operations of the equations.
    """
    function = model.ode or model.out
    if function is None or not model.interface.directional:
        return None
    t, x, z, u, p = function.sx_in()
    rates, values = (ca.SX(0, 1) if f is None else f(t, x, z, u, p) for f in (model.ode, model.out))
    knowns, unknowns = ca.vertcat(x, u), ca.vertcat(rates, values)
    if not knowns.numel():
        return None
    dx, du = ca.SX.sym("dx", x.numel()), ca.SX.sym("du", u.numel())
    change = ca.densify(ca.jtimes(unknowns, knowns, ca.vertcat(dx, du)))
    changes = [change[: rates.numel()], change[rates.numel() :]]
    return ca.Function(f"{model.name}_jvp", [t, x, z, u, p, dx, du], changes)
