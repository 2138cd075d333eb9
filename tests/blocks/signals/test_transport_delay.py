"""A delay of several samples."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from drawbar.blocks import Parameter, State
from drawbar.blocks.signals.transport_delay import TransportDelay
from drawbar.diagrams.model.diagram import Diagram
from drawbar.orchestrator.simulate import simulate

SIGNALS = st.lists(st.floats(-1e300, 1e300), min_size=1, max_size=130)


@given(u=SIGNALS, samples=st.integers(0, 100))
@settings(deadline=None, max_examples=40)
def test_a_transport_delay_is_the_signal_shifted(played: Any, u: list[float], samples: int) -> None:
    y = played(TransportDelay, {"u": u}, samples=samples, past=0.25)["y"]
    assert y == ([0.25] * samples + u)[: len(u)]


def test_its_past_may_be_given(played: Any) -> None:
    past = [float(k) for k in range(1, 101)]  # newest first
    assert played(TransportDelay, {"u": [0.0, -1.0, -2.0]}, samples=2, past=past)["y"] == [2.0, 1.0, 0.0]


def test_a_longer_line_is_a_subclass(played: Any) -> None:
    class Long(TransportDelay, period=0.1):
        """The same, with more room."""

        samples = Parameter(200, "1", "n, samples of delay", min=0, max=250, type=int)
        past = State(0.0, "1", "the inputs of the last samples, newest first", size=250)

    u = [float(k) for k in range(1, 301)]
    assert played(Long, {"u": u})["y"] == [0.0] * 200 + u[:100]


def test_on_a_diagram_its_own_period_comes_on_top(tmp_path: Any) -> None:
    from drawbar.blocks.signals.ramp import Ramp

    diagram = Diagram("late", step=0.01, stop=0.2)
    clock = diagram.add("clock", Ramp)  # its output is the time
    late = diagram.add("late", TransportDelay, samples=3)
    diagram.connect(clock.y, late.u)
    seen = simulate(diagram, out=tmp_path / "run", backend="interpreted")["late.y"]
    assert seen[-1] == pytest.approx(0.2 - 0.01 - 0.03)
