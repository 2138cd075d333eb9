"""The canonical text of a diagram."""

from drawbar.diagrams import Diagram, to_text, write
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


def test_the_text_is_canonical(two):
    assert to_text(two) == GOLDEN


def test_what_is_written_is_valid(two, bench, tmp_path):
    for diagram in (two, bench, Diagram("empty")):
        write(diagram, tmp_path)
        assert schema_faults(parse(tmp_path / "SystemStructure.ssd")) == []


def test_a_moved_part_is_a_difference_of_one_line(two):
    d = two
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
