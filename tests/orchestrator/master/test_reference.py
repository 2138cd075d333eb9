"""The schedule in plain Python, on numbers to be checked by hand; `test_master.py` compares its rows with the C."""

from typing import Any

import numpy as np
import pytest

from drawbar.blocks import Continuous, Input, State
from drawbar.diagrams.model.diagram import Diagram
from drawbar.fmus.backends.interpreted import InterpretedInstance
from drawbar.orchestrator.master.reference import ReferenceMaster
from drawbar.orchestrator.planning.plan import make_plan

H = 0.125


class Sum(Continuous, method="euler", step=H):
    """An integrator of one Euler step."""

    u = Input("1", "signal")
    x = State(0.0, "1", "integral", output=True)

    def derivatives(self) -> dict[str, Any]:
        return {"x": self.u}


@pytest.fixture
def master() -> ReferenceMaster:
    """Two integrators in a ring, the first of which starts at 1, stepped by held values."""
    d = Diagram("ring", step=H, algorithm="jacobi")
    a, b = d.add("a", Sum, x=1.0), d.add("b", Sum)
    d.connect(a.x, b.u)
    d.connect(b.x, a.u)
    instances = {name: InterpretedInstance(Sum, name) for name in d.parts}
    for name, instance in instances.items():
        instance.initialize(0.0, dict(d.parts[name].start_values()))
        instance.start()
    return ReferenceMaster(make_plan(d), instances)


def test_each_part_steps_with_the_value_exchanged_before(master: ReferenceMaster) -> None:
    assert master.exchange() is None
    assert master.advance(2) is None
    (rows,) = [master.rows.complete(0)]
    np.testing.assert_array_equal(
        rows, [[0.0, 1.0, 0.0], [H, 1.0, H], [2 * H, 1.0 + H * H, 2 * H]], "time, a.x and b.x"
    )


def test_steps_are_counted_and_the_record_of_the_call_is_cleared(master: ReferenceMaster) -> None:
    master.exchange()
    master.advance(3)
    assert {name: part.steps for name, part in master.statistics().items()} == {"a": 3, "b": 3}
    assert (master.tick, master.time()) == (3, 3 * H)
    assert (master.rows.current_call.part, master.rows.current_call.call) == (-1, 0)
