"""Diagrams inside diagrams: connected by their connectors, judged, written and made flat."""

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from drawbar.blocks import DiagramError
from drawbar.blocks.core.units import parse_unit
from drawbar.diagrams import Diagram, faults, read, scalar_connections, to_text, write
from drawbar.diagrams.checks.notes import notes
from drawbar.diagrams.model.flatten import flatten
from drawbar.diagrams.xml.markup import parse
from drawbar.diagrams.xml.schema import schema_faults
from drawbar.orchestrator.cli.commands import main


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


def shown(diagram):
    return sorted(
        f"{w.start_part}.{w.start} -> {w.end_part}.{w.end} {w.gain:g} {w.offset:g}" for w in scalar_connections(diagram)
    )


def test_a_system_is_connected_and_made_flat(outer):
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


def test_writing_and_reading_changes_no_byte(outer, tmp_path):
    write(outer, tmp_path)
    file = tmp_path / "SystemStructure.ssd"
    assert schema_faults(parse(file)) == []
    again = read(tmp_path)
    assert faults(again) == []
    assert to_text(again, tmp_path) == file.read_text() == to_text(outer, tmp_path)
    assert shown(flatten(again)) == shown(flatten(outer))
    for name, part in flatten(outer).parts.items():
        assert flatten(again).parts[name].start_values() == part.start_values()
    assert again.parts["left"].geometry == (0, 0, 40, 30)
    assert again.parts["right"].starts == {"second.gain": 3.0, "u": 7.0}


def test_systems_in_systems_in_systems(block, pair, tmp_path):
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


def test_a_system_that_only_passes_on(block):
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


@pytest.mark.parametrize(
    ("edit", "reason"),
    [
        (lambda d: d.connect(d.parts["left"].z, d.parts["sink"].u), "left (system) has no 'z'"),
        (lambda d: d.parts["left"].set("second.gian", 1), "has no 'second.gian'; did you mean 'second.gain'"),
        (lambda d: d.parts["left"].set("second.gain", 99), "left.second.gain = 99 lies outside its limits -10 to 10"),
        (lambda d: d.parts["left"].set("second.y", 1), "left.second.y is calculated"),
        (lambda d: d.parts["left"].diagram.add("loop", d), "'loop' would contain the diagram that it is added to"),
        (lambda d: d.add("self", d), "'self' would contain the diagram that it is added to"),
        (lambda d: d.add("left", Diagram("x")), "there is already a part 'left'"),
        (lambda d: d.connect(d.parts["source"].y, d.parts["left"].u), "they are connected already"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused_at_once(outer, edit, reason):
    with pytest.raises(DiagramError) as caught:
        edit(outer)
    assert reason in str(caught.value)
    assert faults(outer) == []


def test_faults_at_every_depth_have_file_and_line(outer, tmp_path):
    write(outer, tmp_path)
    file = tmp_path / "SystemStructure.ssd"
    text = file.read_text()
    connection = '<ssd:Connection startElement="first" startConnector="y" endElement="second" endConnector="u"/>'
    assert text.count(connection) == 2
    file.write_text(text.replace(connection, connection.replace('"second"', '"secnd"')))
    lines = [i for i, line in enumerate(file.read_text().splitlines(), 1) if "secnd" in line]
    assert [f.split(": ", 1)[0] for f in faults(read(tmp_path))] == [f"{file}:{line}" for line in lines]
    for name, fault in zip(("left", "right"), faults(read(tmp_path)), strict=True):
        assert f"in system '{name}': cannot connect first.y [1] to secnd.u: there is no part 'secnd'" in fault
        assert "did you mean 'second'?" in fault


def test_loops_that_run_through_systems_are_found(outer, block):
    d = Diagram("d")
    box, gain = d.add("box", outer.parts["left"].diagram), d.add("gain", block("Gain"))
    d.connect(box.y, gain.u)
    d.connect(gain.y, box.u)
    (fault,) = faults(d)
    assert "algebraic loop: " in fault
    assert "box.first.y" in fault
    d.loops = "delay"
    assert faults(d) == []


def test_notes_look_inside(outer, block):
    outer.parts["left"].diagram.add("free", block("Gain"))
    (note,) = notes(outer)
    assert note == "2 inputs keep their start values, nothing drives them: left.free.u, right.free.u"


def test_a_diagram_of_a_file_becomes_a_system_of_another(pair, fmu_file, tmp_path):
    (tmp_path / "inner").mkdir()
    fmu = fmu_file("plant")
    pair.add("plant", fmu)
    write(pair, tmp_path / "inner" / "SystemStructure.ssd")
    (tmp_path / "inner" / "set.ssv").write_text(
        '<ParameterSet xmlns="http://ssp-standard.org/SSP1/SystemStructureParameterValues" version="1.0" name="s">'
        '<Parameters><Parameter name="second.gain"><Real value="5"/></Parameter></Parameters></ParameterSet>'
    )
    file = tmp_path / "inner" / "SystemStructure.ssd"
    binding = '<ssd:ParameterBindings><ssd:ParameterBinding source="set.ssv"/></ssd:ParameterBindings>'
    file.write_text(file.read_text().replace("<ssd:Elements>", binding + "<ssd:Elements>"))
    d = Diagram("whole")
    d.add("box", read(file))
    d.add("lower", read(file), **{"second.gain": 6.0})
    assert flatten(d).parts["box.second"].start_values() == {"gain": 5.0}
    (tmp_path / "elsewhere").mkdir()
    write(d, tmp_path / "elsewhere")
    again = read(tmp_path / "elsewhere")
    assert faults(again) == []
    assert flatten(again).parts["box.second"].start_values() == {"gain": 5.0}
    assert flatten(again).parts["lower.second"].start_values() == {"gain": 6.0}
    assert flatten(again).parts["box.plant"].fmu.resolve() == fmu.resolve()
    assert to_text(again, tmp_path / "elsewhere") == (tmp_path / "elsewhere" / "SystemStructure.ssd").read_text()


def test_a_picture_shows_a_system_as_one_box_and_its_inside_by_name(outer, tmp_path, capsys):
    write(outer, tmp_path)
    view = ["view", str(tmp_path), "--svg", str(tmp_path / "d.svg")]
    assert main(view) == 0
    text = (tmp_path / "d.svg").read_text()
    assert text.count('class="box system"') == 2
    assert "<title>left: system</title>" in text
    assert ">first<" not in text
    assert text == outer._repr_svg_()
    assert main([*view, "--system", "left"]) == 0
    text = (tmp_path / "d.svg").read_text()
    assert ">first<" in text
    assert ">source<" not in text
    assert "box system" not in text
    capsys.readouterr()
    assert main([*view, "--system", "lft"]) == 2
    assert "there is no system 'lft' in outer; did you mean 'left'?" in capsys.readouterr().err


@pytest.mark.compiler
def test_a_package_holds_what_is_inside_systems(outer, fmu_file, tmp_path):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    far = fmu_file("far").rename(elsewhere / "far.fmu")
    outer.parts["left"].diagram.add("far", far)
    write(outer, tmp_path / "o.ssp")
    again = read(tmp_path / "o.ssp")
    assert faults(again) == []
    assert flatten(again).parts["right.far"].source == "resources/far.fmu"
    write(again, tmp_path / "p.ssp")
    assert (tmp_path / "p.ssp").read_bytes() == (tmp_path / "o.ssp").read_bytes()


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


def test_one_name_of_a_unit_has_one_meaning(block, tmp_path):
    files = []
    for factor in ("0.001", "0.01"):
        d = Diagram("d")
        d.add("source", block("Source"))
        write(d, tmp_path)
        file = tmp_path / "SystemStructure.ssd"
        text = file.read_text()
        assert 'm="1" factor="0.001"' in text
        file.write_text(text.replace('m="1" factor="0.001"', f'm="1" factor="{factor}"'))
        files.append(read(tmp_path))
    with pytest.raises(DiagramError, match="unit 'mm' is defined differently in the file of 'inner'"):
        files[0].add("inner", files[1])
