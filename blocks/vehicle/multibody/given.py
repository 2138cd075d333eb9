"""The numbers of a description: finite numbers, or CasADi symbols."""

from __future__ import annotations

from typing import Any

import casadi as ca
import numpy as np

from drawbar.blocks.core.errors import DefinitionError


def matrix(value: Any, shape: tuple[int, int], what: str) -> Any:
    """Return a CasADi matrix of finite numbers or of symbols; raise `DefinitionError` for anything else."""
    if not isinstance(value, ca.SX):
        try:
            value = ca.DM(np.asarray(value, float))
        except (TypeError, ValueError):
            raise DefinitionError(f"{what} is {value!r}, which are no numbers") from None
        if not value.is_regular():
            raise DefinitionError(f"{what} has numbers that are not finite: {value}")
    if value.shape != shape:
        raise DefinitionError(
            f"{what} has {value.shape[0]} x {value.shape[1]} numbers instead of {shape[0]} x {shape[1]}"
        )
    return value


def constant(value: Any) -> np.ndarray[Any, np.dtype[np.float64]] | None:
    """Return the numbers of a value, or None if it contains symbols."""
    if isinstance(value, ca.SX):
        return np.asarray(ca.DM(value).full()) if value.is_constant() else None
    return np.asarray(ca.DM(value).full())
