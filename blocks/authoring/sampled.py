"""Blocks that act at exact periods."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, ClassVar

from drawbar.blocks.authoring.block import Block
from drawbar.blocks.authoring.errors import DefinitionError
from drawbar.blocks.authoring.interface import exact_period
from drawbar.blocks.authoring.tracing import trace
from drawbar.blocks.authoring.variables import Variable


class Sampled(Block):
    """A block with ``outputs()`` and, if it has states, ``update()``, both run once per `period`.

    A sample evaluates ``outputs()`` with the states before it and then ``update()``. The first sample runs when
    initialization ends. A later sample due at t runs at the start of the step that begins at t, with the inputs set
    at t; its outputs are visible after that step and hold until the next sample.
    `period` is a number of seconds, exact as a fraction: ``0.01``, ``1/30`` or ``"1/30"``. ``self.period`` is the
    same number in equations. ``abstract=True`` marks a base that is not a block by itself.
    """

    is_sampled: ClassVar[bool] = True
    period: ClassVar[float]
    _period: ClassVar[Fraction | None] = None

    def __init_subclass__(
        cls, *, period: float | str | Fraction | None = None, abstract: bool = False, **rest: Any
    ) -> None:
        super().__init_subclass__(**rest)
        if isinstance(vars(cls).get("period"), Variable):
            raise DefinitionError(f"{cls.__name__}.period: blocks have this word already; choose another name")
        if period is not None:
            try:
                cls._period = exact_period(period)
            except ValueError as error:
                raise DefinitionError(f"{cls.__name__}: period: {error}") from None
            cls.period = float(cls._period)
        if abstract:
            return
        if cls._period is None:
            raise DefinitionError(f"{cls.__name__}: say how often it acts: class {cls.__name__}(Sampled, period=0.01)")
        model = trace(cls, method="euler", step=cls._period, period=cls._period)
        cls._traced = model.saying(sampled=True, integrates=False, fresh_read=False, interpolates=False)
