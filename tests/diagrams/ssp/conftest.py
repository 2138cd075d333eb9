import pytest

from drawbar.diagrams import Diagram


@pytest.fixture
def two(block):
    """Two parts with a connection that scales, and geometry."""
    d = Diagram("two", step="1/30", stop=2.5, loops="delay")
    a, b = d.add("a", block("Gain"), gain=2), d.add("b", block("Held"))
    a.geometry = (0, 0, 40.5, 30)
    d.expose(b.y, "out")
    (connection,) = d.connect(a.y, b.u, factor=2, offset=-0.5)
    connection.geometry = ((50, 15), (60, 7.5))
    return d


@pytest.fixture
def bench(block):
    """Parts of all types with arrays, units of measure, a bus and connectors."""
    d = Diagram("bench", step=0.001)
    source = d.add("source", block("Source"))
    sink = d.add("sink", block("Sink"), offsets=[1.5, 2.5, 1e-7], table=[[1, 2], [3, 4]])
    flags = d.add("flags", block("Flags"), limit=7, active=False)
    body, wheel = d.add("body", block("Body"), speed=3.0), d.add("wheel", block("Wheel"))
    d.connect(source.vector, sink.vector)
    d.connect(source.matrix, sink.matrix, factor=2.0)
    d.connect(source.degree, sink.angle)
    d.connect(source.celsius, sink.temperature, suppress_unit_conversion=True)
    d.connect(source["vector[2]"], sink["pair[1]"])
    d.connect(flags.counted, flags.count)
    d.connect(body.hub, wheel.hub)
    d.expose(source.vector, "lengths")
    d.expose(sink.length)
    return d
