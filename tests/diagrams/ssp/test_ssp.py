from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from drawbar.blocks import DiagramError
from drawbar.diagrams import Diagram, faults, read, scalar_connections, to_text, write
from drawbar.diagrams.model.master_settings import ALGORITHMS
from drawbar.diagrams.model.scalar_connections import bus_connections
from drawbar.diagrams.xml.markup import parse
from drawbar.diagrams.xml.schema import schema_faults

GOLDEN = """\
<?xml version="1.0" encoding="UTF-8"?>
<ssd:SystemStructureDescription xmlns:ssd="http://ssp-standard.org/SSP1/SystemStructureDescription" \
xmlns:ssc="http://ssp-standard.org/SSP1/SystemStructureCommon" \
xmlns:ssv="http://ssp-standard.org/SSP1/SystemStructureParameterValues" \
xmlns:drawbar="urn:drawbar:diagram" version="1.0" name="two">
  <ssd:System name="two">
    <ssd:Connectors>
      <ssd:Connector name="out" kind="output"><ssc:Real unit="1"/></ssd:Connector>
    </ssd:Connectors>
    <ssd:Elements>
      <ssd:Component name="a" source="resources/Gain.fmu">
        <ssd:Connectors>
          <ssd:Connector name="gain" kind="parameter"><ssc:Real unit="1"/></ssd:Connector>
          <ssd:Connector name="u" kind="input"><ssc:Real unit="1"/></ssd:Connector>
          <ssd:Connector name="y" kind="output"><ssc:Real unit="1"/></ssd:Connector>
        </ssd:Connectors>
        <ssd:ElementGeometry x1="0" y1="0" x2="40.5" y2="30"/>
        <ssd:ParameterBindings>
          <ssd:ParameterBinding>
            <ssd:ParameterValues>
              <ssv:ParameterSet version="1.0" name="a">
                <ssv:Parameters>
                  <ssv:Parameter name="gain"><ssv:Real value="2" unit="1"/></ssv:Parameter>
                </ssv:Parameters>
              </ssv:ParameterSet>
            </ssd:ParameterValues>
          </ssd:ParameterBinding>
        </ssd:ParameterBindings>
        <ssd:Annotations>
          <ssc:Annotation type="org.drawbar"><drawbar:Component block="bench_blocks:Gain"/></ssc:Annotation>
        </ssd:Annotations>
      </ssd:Component>
      <ssd:Component name="b" source="resources/Held.fmu">
        <ssd:Connectors>
          <ssd:Connector name="u" kind="input"><ssc:Real unit="1"/></ssd:Connector>
          <ssd:Connector name="y" kind="output"><ssc:Real unit="1"/></ssd:Connector>
        </ssd:Connectors>
        <ssd:Annotations>
          <ssc:Annotation type="org.drawbar"><drawbar:Component block="bench_blocks:Held"/></ssc:Annotation>
        </ssd:Annotations>
      </ssd:Component>
    </ssd:Elements>
    <ssd:Connections>
      <ssd:Connection startElement="a" startConnector="y" endElement="b" endConnector="u">\
<ssc:LinearTransformation factor="2" offset="-0.5"/><ssd:ConnectionGeometry pointsX="50 60" pointsY="15 7.5"/>\
</ssd:Connection>
      <ssd:Connection startElement="b" startConnector="y" endConnector="out"/>
    </ssd:Connections>
  </ssd:System>
  <ssd:Units>
    <ssc:Unit name="1"><ssc:BaseUnit/></ssc:Unit>
  </ssd:Units>
  <ssd:DefaultExperiment stopTime="2.5">
    <ssd:Annotations>
      <ssc:Annotation type="org.drawbar"><drawbar:Master step="1/30" loops="delay"/></ssc:Annotation>
    </ssd:Annotations>
  </ssd:DefaultExperiment>
</ssd:SystemStructureDescription>
"""


def two(block):
    d = Diagram("two", step="1/30", stop=2.5, loops="delay")
    a, b = d.add("a", block("Gain"), gain=2), d.add("b", block("Held"))
    a.geometry = (0, 0, 40.5, 30)
    d.expose(b.y, "out")
    (connection,) = d.connect(a.y, b.u, factor=2, offset=-0.5)
    connection.geometry = ((50, 15), (60, 7.5))
    return d


def bench(block):
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


def test_the_text_is_canonical(block):
    assert to_text(two(block)) == GOLDEN


def test_reading_and_writing_a_file_of_ours_changes_no_byte(block, tmp_path):
    for diagram in (two(block), bench(block)):
        file = tmp_path / "SystemStructure.ssd"
        write(diagram, tmp_path)
        first = file.read_bytes()
        again = read(tmp_path)
        assert faults(again) == []
        write(again, file)
        assert file.read_bytes() == first
        assert [p.name for p in tmp_path.iterdir()] == ["SystemStructure.ssd"]


def test_what_was_written_is_what_is_read(block, tmp_path):
    before = bench(block)
    write(before, tmp_path)
    after = read(tmp_path)
    assert after.step == Fraction(1, 1000)
    assert scalar_connections(after) == scalar_connections(before)
    assert {str(c) for c in after.connections} == {str(c) for c in before.connections}
    shown = [[(p.name, p.causality, p.unit, p.shape) for p in d.connectors.values()] for d in (before, after)]
    assert shown[0] == shown[1]
    assert len(bus_connections(after)) == 1
    for name, part in before.parts.items():
        assert after.parts[name].block is part.block
        assert after.parts[name].interface == part.interface
        assert after.parts[name].start_values() == part.start_values()
    assert after.parts["sink"].starts["table"] == [[1.0, 2.0], [3.0, 4.0]]


def test_the_experiment_comes_back(block, tmp_path):
    write(two(block), tmp_path)
    d = read(tmp_path)
    assert (d.step, d.stop, d.loops) == (Fraction(1, 30), 2.5, "delay")
    assert d.parts["a"].geometry == (0, 0, 40.5, 30)
    assert d.connections[0].geometry == ((50, 15), (60, 7.5))


def test_what_is_written_is_valid(block, tmp_path):
    for diagram in (two(block), bench(block), Diagram("empty")):
        write(diagram, tmp_path)
        assert schema_faults(parse(tmp_path / "SystemStructure.ssd")) == []


def test_a_moved_part_is_a_difference_of_one_line(block):
    d = two(block)
    before = to_text(d).splitlines()
    d.parts["a"].geometry = (10, 0, 50.5, 30)
    after = to_text(d).splitlines()
    assert len(before) == len(after)
    assert sum(a != b for a, b in zip(before, after, strict=True)) == 1


def test_the_order_of_connecting_does_not_matter(block):
    texts = set()
    for reverse in (False, True):
        d = Diagram("d")
        source, sink = d.add("source", block("Source")), d.add("sink", block("Sink"))
        pairs = [("vector", "vector"), ("metre", "length"), ("degree", "angle")]
        for a, b in reversed(pairs) if reverse else pairs:
            d.connect(source[a], sink[b])
        texts.add(to_text(d))
    assert len(texts) == 1


def test_part_of_an_array_stays_part_of_an_array(block, tmp_path):
    d = Diagram("d")
    source, sink = d.add("source", block("Source")), d.add("sink", block("Sink"))
    for i, j in ((1, 1), (2, 3), (3, 2)):  # all elements, but not in their order
        d.connect(source[f"vector[{i}]"], sink[f"vector[{j}]"])
    sink.set("offsets[2]", 5.0)
    write(d, tmp_path)
    again = read(tmp_path)
    assert len(again.connections) == 3
    assert again.parts["sink"].starts == {"offsets[2]": 5.0}
    assert scalar_connections(again) == scalar_connections(d)


def test_connections_that_differ_are_not_folded(block, tmp_path):
    d = Diagram("d")
    source, sink = d.add("source", block("Source")), d.add("sink", block("Sink"))
    for i in (1, 2, 3):
        d.connect(source[f"vector[{i}]"], sink[f"vector[{i}]"], factor=float(i))
    write(d, tmp_path)
    assert [c.factor for c in read(tmp_path).connections] == [1.0, 2.0, 3.0]


def test_one_file_per_folder_or_name(block, tmp_path):
    write(two(block), tmp_path / "other.ssd")
    assert read(tmp_path / "other.ssd").name == "two"


def test_a_folder_that_cannot_be_written_is_named(block, tmp_path):
    from drawbar.blocks import UsageError

    with pytest.raises(UsageError, match="cannot write"):
        write(two(block), tmp_path / "none" / "x.ssd")


def test_a_file_that_is_not_there_or_no_ssd(tmp_path):
    from drawbar.blocks import UsageError

    with pytest.raises(UsageError, match=r"x\.ssd: No such file"):
        read(tmp_path / "x.ssd")
    file = tmp_path / "x.ssd"
    file.write_text("<html/>")
    with pytest.raises(DiagramError, match=r"x\.ssd:1: begins with <html>"):
        read(file)
    file.write_text("<a>\n<b>\n</a>")
    with pytest.raises(
        DiagramError, match=r"x\.ssd:3: not an \.ssd file, or a damaged one: Opening and ending tag mismatch"
    ):
        read(file)


numbers = st.floats(allow_nan=False, allow_infinity=False)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    factor=numbers,
    offset=numbers,
    table=st.lists(numbers, min_size=4, max_size=4),
    geometry=st.none() | st.tuples(*[st.floats(-1e4, 1e4)] * 4),
    points=st.lists(st.tuples(numbers, numbers), max_size=3),
    step=st.fractions(min_value=Fraction(1, 10**6), max_value=10, max_denominator=10**9),
    suppress=st.booleans(),
    coupling=st.tuples(
        st.sampled_from(ALGORITHMS), *[st.none() | st.sampled_from(ALGORITHMS)] * 2, st.none() | st.booleans()
    ),
)
def test_any_diagram_round_trips(block, tmp_path, factor, offset, table, geometry, points, step, suppress, coupling):
    d = Diagram("any", step=step, algorithm=coupling[0])
    source = d.add("source", block("Source"))
    sink = d.add("sink", block("Sink"), table=np.reshape(table, (2, 2)))
    sink.geometry = geometry
    (connection,) = d.connect(source.vector, sink.vector, factor, offset, suppress_unit_conversion=suppress)
    connection.geometry = tuple(points)
    _, sink.algorithm, connection.algorithm, sink.fresh_read = coupling
    text = to_text(d, tmp_path)
    (tmp_path / "SystemStructure.ssd").write_text(text)
    again = read(tmp_path)
    assert to_text(again, tmp_path) == text
    assert again.step == step
    assert again.parts["sink"].start_values() == sink.start_values()
    part = again.parts["sink"]
    assert (again.algorithm, part.algorithm, again.connections[0].algorithm, part.fresh_read) == coupling
    assert scalar_connections(again) == scalar_connections(d)


def test_library_diagrams_are_canonical_and_free_of_faults():
    from drawbar.diagrams.library import find, names

    for name in names():
        file = find(name)
        d = read(file)
        assert faults(d) == []
        assert to_text(d, Path(file).parent) == file.read_text(encoding="utf-8")
