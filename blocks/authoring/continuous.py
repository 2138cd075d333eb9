"""Blocks whose states follow an ordinary differential equation."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from drawbar.blocks.authoring.block import METHODS, Block
from drawbar.blocks.authoring.model import Model
from drawbar.blocks.authoring.model_cache import cached_model
from drawbar.blocks.authoring.tracing import check_declarations, trace
from drawbar.blocks.core.errors import DefinitionError, did_you_mean
from drawbar.blocks.core.interface import exact_period


class Continuous(Block):
    """A block with ``derivatives()`` and ``outputs()``, integrated in fixed micro-steps inside the FMU.

    Class keywords: `method` is ``"euler"``, ``"heun"`` or ``"rk4"`` (orders 1, 2 and 4), explicit, or ``"rosenbrock"``,
    implicit of order 4 with the exact Jacobian, for stiff equations; `step` is the longest micro-step in seconds. A
    communication step is divided evenly into the fewest micro-steps that are no longer than `step`. Inputs are held
    during it or, where the master provides their slopes, vary linearly. With an explicit method a micro-step is divided
    further, into 20 parts at most, if it would be unstable by ``stability_bounds()``. Without states the block is
    algebraic. ``abstract=True`` marks a base class that is not a block itself.
    """

    def __init_subclass__(
        cls,
        *,
        method: str | None = None,
        step: float | str | Fraction | None = None,
        abstract: bool = False,
        **rest: Any,
    ) -> None:
        super().__init_subclass__(**rest)
        inherited = getattr(cls, "_integration", ("rk4", Fraction(1, 1000)))
        if method is not None and method not in METHODS:
            raise DefinitionError(f"{cls.__name__}: method='{method}'" + did_you_mean(method, METHODS))
        try:
            chosen = inherited[1] if step is None else exact_period(step)
        except ValueError as error:
            raise DefinitionError(f"{cls.__name__}: step: {error}") from None
        cls._integration = (method or inherited[0], chosen)
        if not abstract:
            cls._define()
            check_declarations(cls)

    @classmethod
    def _make_model(cls) -> Model:
        method, step = cls._integration

        def make() -> Model:
            model = trace(cls, method=method, step=step, period=None)
            moves = any(port.variability == "continuous" for port in model.u)
            return model.with_capabilities(
                sampled=False, integrates=bool(model.x), fresh_read=True, interpolates=moves, directional=True
            )

        return cached_model(cls, make)

    _integration: tuple[str, Fraction]
