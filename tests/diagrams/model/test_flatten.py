"""Diagrams inside diagrams, made flat: names, units along the way, arrays and buses."""

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from drawbar.blocks.core.units import parse_unit
from drawbar.diagrams import Diagram, faults, read, scalar_connections, to_text, write
from drawbar.diagrams.model.flatten import flatten


def test_a_system_is_connected_and_made_flat(outer, shown):
    assert faults(outer) == []
    flat = flatten(outer)
    assert list(flat.parts) == ["source", "sink", "left.first", "left.second", "right.first", "right.second"]
    assert shown(flat) == [
        "left.first.y -> left.second.u 1 0",
        "left.second.y -> right.first.u 0.5 1",
        "right.first.y -> right.second.u 1 0",
        "right.second.y -> sink.u 1 0",
        "source.y -> left.first.u 1 0",
    ]
    assert [str(c) for c in flat.connections if c.end.part is None] == ["right.second.y -> out"]
    assert {n: p.start_values() for n, p in flat.parts.items() if p.start_values()} == {
        "source": {"u": 1.5},
        "left.first": {"gain": 2.0},
        "right.first": {"gain": 2.0, "u": 7.0},
        "right.second": {"gain": 3.0},
    }
    # the diagram itself is as it was, and one without systems is its own flat form
    assert list(outer.parts) == ["source", "sink", "left", "right"]
    assert flatten(flat) is flat


def test_systems_in_systems_in_systems(block, pair, tmp_path, shown):
    pair.parts["first"].algorithm = "jacobi"
    for name in ("middle", "top"):
        outer = Diagram(name)
        system = outer.add("in", pair)
        system.algorithm = "gauss-seidel" if name == "top" else None
        outer.expose(system.u)
        outer.expose(system.y)
        pair = outer
    d = Diagram("deep")
    system = d.add("box", pair, **{"in.in.second.gain": 4.0})
    d.add("source", block("Held"))
    d.connect(d.parts["source"].y, system.u)
    assert faults(d) == []
    flat = flatten(d)
    assert shown(flat) == [
        "box.in.in.first.y -> box.in.in.second.u 1 0",
        "source.y -> box.in.in.first.u 1 0",
    ]
    second = flat.parts["box.in.in.second"]
    assert (second.start_values(), second.algorithm) == ({"gain": 4.0}, "gauss-seidel")
    assert flat.parts["box.in.in.first"].algorithm == "jacobi"
    write(d, tmp_path)
    again = read(tmp_path)
    assert to_text(again, tmp_path) == (tmp_path / "SystemStructure.ssd").read_text()
    assert flatten(again).parts["box.in.in.second"].algorithm == "gauss-seidel"


def test_units_are_converted_along_the_whole_way(block):
    def through(unit, factor=1.0, suppress=False):
        inner = Diagram("inner")
        sink = inner.add("sink", block("Sink"))
        inner.expose(sink.length, "x")
        if unit is not None:
            # a connector in another unit than what is behind it
            inner.connectors["x"] = replace(
                inner.connectors["x"], unit=unit, quantity=parse_unit(unit) if unit else None
            )
        d = Diagram("d")
        source, box = d.add("source", block("Source")), d.add("box", inner)
        d.connect(source.millimetre, box.x, factor, suppress_unit_conversion=suppress)
        assert faults(d) == []
        (connection,) = scalar_connections(flatten(d))
        return connection.gain, connection.offset

    for unit in ("m", "mm", "km", ""):
        assert through(unit) == (0.001, 0.0)  # exactly, whatever lies on the way
    assert through("m", 3.0) == pytest.approx((0.003, 0.0))
    assert through("km", 3.0) == pytest.approx((0.003, 0.0))
    assert through("", 3.0) == pytest.approx((0.003, 0.0))
    assert through("m", suppress=True) == (1.0, 0.0)
    assert through("km", suppress=True) == pytest.approx((1000.0, 0.0))


def test_transformations_in_a_row_are_one(block, shown):
    inner = Diagram("inner")
    first, second = inner.add("first", block("Gain")), inner.add("second", block("Gain"))
    inner.expose(first.u, "x")
    inner.connect(inner["x"], second.u, factor=5.0, offset=7.0)
    d = Diagram("d")
    source, box = d.add("source", block("Gain")), d.add("box", inner)
    d.connect(source.y, box.x, factor=2.0, offset=3.0)
    assert shown(flatten(d)) == ["source.y -> box.first.u 2 3", "source.y -> box.second.u 10 22"]  # 5 (2 y + 3) + 7


def test_units_that_differ_behind_a_connector_without_one(block):
    inner = Diagram("inner")
    inner.expose(inner.add("sink", block("Sink")).angle, "x")
    inner.connectors["x"] = replace(inner.connectors["x"], unit="", quantity=None)
    d = Diagram("d")
    d.connect(d.add("source", block("Source")).metre, d.add("box", inner).x)
    (fault,) = faults(d)
    assert fault == "cannot connect source.metre [m] to box.sink.angle [rad]: units differ, m against rad"


def test_arrays_and_buses_pass_through_systems(block):
    inner = Diagram("inner")
    sink, body = inner.add("sink", block("Sink")), inner.add("body", block("Body"))
    inner.expose(sink.vector)
    inner.expose(body.hub)
    d = Diagram("d")
    source, wheel, box = d.add("source", block("Source")), d.add("wheel", block("Wheel")), d.add("box", inner)
    d.connect(source.vector, box.vector)
    d.connect(box.hub, wheel.hub)
    assert faults(d) == []
    assert sorted(str(c) for c in flatten(d).connections) == [
        "box.body.hub.velocity -> wheel.hub.velocity",
        "source.vector -> box.sink.vector",
        "wheel.hub.force -> box.body.hub.force",
        "wheel.hub.spin -> box.body.hub.spin",
    ]


def test_elements_of_an_array_may_go_different_ways(block):
    inner = Diagram("inner")
    sink = inner.add("sink", block("Sink"))
    inner.expose(sink["vector[1]"], "a")
    inner.expose(sink["vector[3]"], "b")
    d = Diagram("d")
    source, box = d.add("source", block("Source")), d.add("box", inner)
    d.connect(source["vector[2]"], box.a)
    assert [str(c) for c in flatten(d).connections] == ["source.vector[2] -> box.sink.vector[1]"]


def test_a_system_that_only_passes_on(block, shown):
    inner = Diagram("inner")
    gain = inner.add("gain", block("Gain"))
    inner.expose(gain.u, "u")
    inner.expose(gain.y, "y")
    inner.connections.clear()
    inner.connect(inner["u"], inner["y"])
    d = Diagram("d")
    box, source, sink = d.add("box", inner), d.add("source", block("Held")), d.add("sink", block("Gain"))
    d.connect(source.y, box.u)
    d.connect(box.y, sink.u)
    assert shown(flatten(d)) == ["source.y -> sink.u 1 0"]
    d.connections.clear()
    d.connect(box.y, box.u)  # nothing but connections in a circle: there is no value, and no endless way
    assert flatten(d).connections == []


def grouped(block, connections_wanted, groups):
    """A diagram of gains, each in a system of its group (or none): whatever crosses a border is exposed."""
    top = Diagram("d", loops="delay")
    inner = {g: Diagram(f"g{g}") for g in set(groups) if g}
    parts = [(inner[g] if g else top).add(f"p{i}", block("Gain")) for i, g in enumerate(groups)]
    systems = {g: top.add(f"g{g}", diagram) for g, diagram in inner.items()}

    def end(i, port):
        """The end of a port as the outermost diagram sees it."""
        g = groups[i]
        if not g:
            return parts[i][port]
        name = f"p{i}_{port}"
        if name not in inner[g].connectors:
            inner[g].expose(parts[i][port], name)
        return systems[g][name]

    for i, (source, factor) in connections_wanted.items():
        if groups[i] == groups[source] != 0:
            inner[groups[i]].connect(parts[source].y, parts[i].u, factor)
        else:
            top.connect(end(source, "y"), end(i, "u"), factor)
    return top


@given(st.data())
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_however_parts_are_grouped_the_connections_are_the_same(block, tmp_path, data):
    n = data.draw(st.integers(2, 6))
    chosen = st.tuples(st.integers(0, n - 1), st.sampled_from([1.0, 2.0, -0.5]))
    wanted = data.draw(st.dictionaries(st.integers(0, n - 1), chosen, min_size=1))
    groups = data.draw(st.lists(st.integers(0, 3), min_size=n, max_size=n))
    d = grouped(block, wanted, groups)
    assert faults(d) == []
    write(d, tmp_path)
    for made in (d, read(tmp_path)):
        found = {(w.start_part, w.end_part, w.gain, w.offset) for w in scalar_connections(flatten(made))}
        named = [f"g{g}.p{i}" if g else f"p{i}" for i, g in enumerate(groups)]
        assert found == {(named[source], named[i], factor, 0.0) for i, (source, factor) in wanted.items()}
    assert to_text(read(tmp_path), tmp_path) == (tmp_path / "SystemStructure.ssd").read_text()
