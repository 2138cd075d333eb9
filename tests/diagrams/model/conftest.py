import pytest

from drawbar.diagrams import Diagram, scalar_connections


@pytest.fixture
def pair(block):
    """Two gains in a row, seen from outside by one input and one output."""
    inner = Diagram("pair")
    first, second = inner.add("first", block("Gain"), gain=2.0), inner.add("second", block("Gain"))
    inner.connect(first.y, second.u)
    inner.expose(first.u)
    inner.expose(second.y)
    return inner


@pytest.fixture
def outer(block, pair):
    """The pair twice, one of them with another start value, between single parts."""
    d = Diagram("outer", step=0.01)
    source, sink = d.add("source", block("Held"), u=1.5), d.add("sink", block("Gain"))
    left, right = d.add("left", pair), d.add("right", pair, **{"second.gain": 3.0, "u": 7.0})
    d.connect(source.y, left.u)
    d.connect(left.y, right.u, factor=0.5, offset=1.0)
    d.connect(right.y, sink.u)
    d.expose(right.y, "out")
    left.geometry = (0, 0, 40, 30)
    return d


@pytest.fixture
def shown():
    """Return the scalar connections of a diagram as sorted texts."""

    def texts(diagram):
        found = scalar_connections(diagram)
        return sorted(f"{c.start_part}.{c.start} -> {c.end_part}.{c.end} {c.gain:g} {c.offset:g}" for c in found)

    return texts
