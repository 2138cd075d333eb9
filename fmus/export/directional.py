"""Directional derivatives of a block: its equations, differentiated in forward mode along a seed."""

from __future__ import annotations

import casadi as ca

from drawbar.blocks.authoring.model import Model


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
