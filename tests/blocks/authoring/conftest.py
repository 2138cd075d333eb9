from __future__ import annotations

from typing import Any

import pytest

from drawbar.blocks import Continuous, Input, Local, Output, Parameter, State


@pytest.fixture(scope="session")
def mixed() -> type[Continuous]:
    """Return a block with one output of each kind of dependency."""

    class Mixed(Continuous):
        """One output of each kind of dependency."""

        a = Input("1", "a")
        b = Input("1", "b", size=2)
        k = Parameter(2.0, "1", "k", tunable=True)
        s = State(1.0, "1", "s", output=True)
        through = Output("1", "of an input")
        cancelled = Output("1", "of nothing, though a is written")
        second = Output("1", "of one element")
        remembered = Output("1", "of the state", size=2)
        shown = Local("1", "intermediate")

        def derivatives(self) -> dict[str, Any]:
            return {"s": self.a - self.s}

        def outputs(self) -> dict[str, Any]:
            return {
                "through": self.k * self.a,
                "cancelled": self.a - self.a,
                "second": self.b[1] + self.s,
                "remembered": [self.s, self.s * self.a],
                "shown": self.a,
            }

    return Mixed
