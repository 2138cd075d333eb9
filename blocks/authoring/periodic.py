"""The keyword `period`, which all blocks that act at exact periods share."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, ClassVar

from drawbar.blocks.authoring.block import Block, kind_of
from drawbar.blocks.authoring.variables import Variable
from drawbar.blocks.core.errors import DefinitionError
from drawbar.blocks.core.interface import exact_period


class Periodic(Block):
    """A block with the class keyword `period`, an exact fraction; ``self.period`` is its value as a number."""

    is_sampled: ClassVar[bool] = True
    period: ClassVar[float]
    _period: ClassVar[Fraction | None] = None

    def __init_subclass__(cls, *, period: float | str | Fraction | None = None, **rest: Any) -> None:
        super().__init_subclass__(**rest)
        if isinstance(vars(cls).get("period"), Variable):
            raise DefinitionError(f"{cls.__name__}.period: blocks have this word already; choose another name")
        if period is not None:
            try:
                cls._period = exact_period(period)
            except ValueError as error:
                raise DefinitionError(f"{cls.__name__}: period: {error}") from None
            cls.period = float(cls._period)

    @classmethod
    def _chosen_period(cls) -> Fraction:
        if cls._period is None:
            kind = kind_of(cls).capitalize()
            raise DefinitionError(f"{cls.__name__}: say how often it acts: class {cls.__name__}({kind}, period=0.01)")
        return cls._period
