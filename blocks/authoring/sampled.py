"""Blocks whose equations are evaluated at exact periods."""

from __future__ import annotations

from typing import Any

from drawbar.blocks.authoring.model import Model
from drawbar.blocks.authoring.model_cache import cached_model
from drawbar.blocks.authoring.periodic import Periodic
from drawbar.blocks.authoring.tracing import check_declarations, trace


class Sampled(Periodic):
    """A block with ``outputs()`` and, if it has states, ``update()``, both evaluated once per `period`.

    A sample evaluates ``outputs()`` with the states before it and then ``update()``. The first sample runs when
    initialization ends. A later sample due at t runs at the start of the step that begins at t, with the inputs set at
    t; its outputs are visible after that step and hold until the next sample. `period` is a number of seconds, exact as
    a fraction: ``0.01``, ``1/30`` or ``"1/30"``. ``self.period`` is the same number in equations. ``abstract=True``
    marks a base class that is not a block itself.
    """

    def __init_subclass__(cls, *, abstract: bool = False, **rest: Any) -> None:
        super().__init_subclass__(**rest)
        if not abstract:
            cls._chosen_period()
            cls._define()
            check_declarations(cls)

    @classmethod
    def _make_model(cls) -> Model:
        period = cls._chosen_period()

        def make() -> Model:
            model = trace(cls, method="euler", step=period, period=period)
            return model.with_capabilities(sampled=True, integrates=False, fresh_read=False, interpolates=False)

        return cached_model(cls, make)
