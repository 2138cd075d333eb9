"""The operations of CasADi as C: of numbers, and of vectors by the macros of ``runtime/vectors.h``."""

from __future__ import annotations

import casadi as ca

CALLS = {
    1: (
        *("sqrt", "fabs", "sin", "cos", "tan", "asin", "acos", "atan", "exp", "log", "sinh", "cosh", "tanh", "floor"),
        *("ceil", "asinh", "acosh", "atanh", "erf", "log1p", "expm1"),
    ),
    2: ("atan2", "fmod", "remainder", "copysign", "hypot"),
}
CALLS_OF_LANES = ("sin", "cos", "tan", "asin", "acos", "atan", "exp", "log", "tanh")


def _operation(name: str) -> int:
    return int(getattr(ca, f"OP_{name.upper()}"))


# sums, which carry signs, are written where they stand
SCALAR: dict[int, str] = {
    ca.OP_MUL: "{} * {}",
    ca.OP_DIV: "{} / {}",
    ca.OP_SQ: "{0} * {0}",
    ca.OP_TWICE: "2.0 * {}",
    ca.OP_INV: "1.0 / {}",
    ca.OP_LT: "{} < {}",
    ca.OP_LE: "{} <= {}",
    ca.OP_EQ: "{} == {}",
    ca.OP_NE: "{} != {}",
    ca.OP_NOT: "!{}",
    ca.OP_AND: "{} && {}",
    ca.OP_OR: "{} || {}",
    ca.OP_IF_ELSE_ZERO: "{} != 0 ? {} : 0.0",
    ca.OP_SIGN: "scalar_sign({})",
    ca.OP_FMIN: "scalar_fmin({}, {})",
    ca.OP_FMAX: "scalar_fmax({}, {})",
    ca.OP_POW: "pow({}, {})",
    ca.OP_CONSTPOW: "pow({}, {})",
    **{_operation(name): f"{name}({{}})" for name in CALLS[1]},
    **{_operation(name): f"{name}({{}}, {{}})" for name in CALLS[2]},
}

VECTOR: dict[int, str] = {
    ca.OP_SQ: "lane_mul({0}, {0})",
    ca.OP_TWICE: "lane_mul(lane_all(2.0), {})",
    ca.OP_INV: "lane_div(lane_all(1.0), {})",
    ca.OP_DIV: "lane_div({}, {})",
    ca.OP_MUL: "lane_mul({}, {})",
    ca.OP_SQRT: "lane_sqrt({})",
    ca.OP_FABS: "lane_fabs({})",
    ca.OP_SIGN: "lane_sign({})",
    ca.OP_FMIN: "lane_fmin({}, {})",
    ca.OP_FMAX: "lane_fmax({}, {})",
    ca.OP_LT: "lane_lt({}, {})",
    ca.OP_LE: "lane_le({}, {})",
    ca.OP_EQ: "lane_eq({}, {})",
    ca.OP_NE: "lane_ne({}, {})",
    ca.OP_NOT: "lane_not({})",
    ca.OP_AND: "lane_and({}, {})",
    ca.OP_OR: "lane_or({}, {})",
    ca.OP_IF_ELSE_ZERO: "lane_if({}, {})",
    ca.OP_ATAN2: "LANE_EACH_2(atan2, {}, {})",
    **{_operation(name): f"LANE_EACH_1({name}, {{}})" for name in CALLS_OF_LANES},
}
