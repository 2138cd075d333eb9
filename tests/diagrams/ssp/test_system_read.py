"""Descriptions of other tools: nothing is lost, and what cannot run is named."""

import re

import pytest

from drawbar.diagrams import Diagram, faults, read, scalar_connections, write
from drawbar.diagrams.xml.markup import parse
from drawbar.diagrams.xml.schema import schema_faults

# written from the SSP 1.0 standard, with other prefixes than ours and as much of it as there is
FOREIGN = """\
<?xml version="1.0" encoding="UTF-8"?>
<!-- by hand -->
<SystemStructureDescription xmlns="http://ssp-standard.org/SSP1/SystemStructureDescription"
    xmlns:c="http://ssp-standard.org/SSP1/SystemStructureCommon"
    xmlns:v="http://ssp-standard.org/SSP1/SystemStructureParameterValues"
    xmlns:b="http://ssp-standard.org/SSP1/SystemStructureSignalDictionary"
    xmlns:tool="urn:tool" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
    version="1.0" name="foreign" author="somebody" generationTool="Tool 3" tool:mark="x &amp; y">
  <System name="root" id="top" description="two &quot;lines&quot;&#10;of text">
    <Connectors>
      <Connector name="speed" kind="input" description="wanted"><c:Real unit="km/h"/>
        <ConnectorGeometry x="0" y="0.5"/><c:Dimension size="1"/></Connector>
      <Connector name="mode" kind="output"><c:Enumeration name="Mode"/></Connector>
    </Connectors>
    <ElementGeometry x1="0" y1="0" x2="1" y2="1" rotation="90"/>
    <ParameterBindings>
      <ParameterBinding source="params.ssv"/>
    </ParameterBindings>
    <Elements>
      <!-- the plant -->
      <Component name="plant" source="resources/plant%20one.fmu" type="application/x-fmu-sharedlibrary"
          implementation="CoSimulation" description="a plant">
        <Connectors>
          <Connector name="u" kind="input"><c:Real unit="m"/></Connector>
          <Connector name="y" kind="output"><c:Real unit="m"/>
            <ConnectorGeometry x="1" y="0.25"/></Connector>
        </Connectors>
        <ElementGeometry x1="1e1" y1="20.0" x2="30" y2="40" iconSource="icon.png" iconFlip="true"/>
        <ParameterBindings>
          <ParameterBinding prefix="">
            <ParameterValues>
              <v:ParameterSet version="1.0" name="values">
                <v:Parameters>
                  <v:Parameter name="k"><v:Real value="2.50" unit="m"/></v:Parameter>
                  <v:Parameter name="mode"><v:Enumeration value="fast" name="Mode"/></v:Parameter>
                </v:Parameters>
                <v:Units><c:Unit name="m"><c:BaseUnit m="1"/></c:Unit></v:Units>
              </v:ParameterSet>
            </ParameterValues>
          </ParameterBinding>
        </ParameterBindings>
        <Annotations>
          <c:Annotation type="tool.data"><tool:Data xmlns:deep="urn:deep"><deep:x a="1"> kept <b xmlns="">as</b> it is
</deep:x></tool:Data></c:Annotation>
        </Annotations>
      </Component>
      <System name="inner">
        <Elements>
          <Component name="leaf" source="resources/leaf.fmu"/>
        </Elements>
      </System>
      <SignalDictionaryReference name="signals" dictionary="bus"/>
      <Component name="packed" source="other.ssp" type="application/x-ssp-package"/>
      <Component name="second" source="resources/second.fmu">
        <Connectors>
          <Connector name="u[1]" kind="input"><c:Real unit="mm"/></Connector>
          <Connector name="u[2]" kind="input"><c:Real unit="mm"/></Connector>
          <Connector name="y[1]" kind="output"><c:Real unit="m"/></Connector>
          <Connector name="y[2]" kind="output"><c:Real unit="m"/></Connector>
        </Connectors>
      </Component>
    </Elements>
    <Connections>
      <Connection startElement="second" startConnector="y[1]" endElement="second" endConnector="u[1]"/>
      <Connection startElement="second" startConnector="y[2]" endElement="second" endConnector="u[2]"/>
      <!-- back -->
      <Connection startElement="plant" startConnector="y" endElement="inner" endConnector="u" description="down"
          suppressUnitConversion="true">
        <c:LinearTransformation factor="1.0" offset="0.0"/>
        <ConnectionGeometry pointsX="1 2.0" pointsY="3 4"/>
        <Annotations><c:Annotation type="tool.wire"/></Annotations>
      </Connection>
    </Connections>
    <SignalDictionaries>
      <SignalDictionary name="bus"><b:SignalDictionary version="1.0">
        <b:DictionaryEntry name="e"><c:Real unit="m"/></b:DictionaryEntry>
      </b:SignalDictionary></SignalDictionary>
    </SignalDictionaries>
    <SystemGeometry x1="0" y1="0" x2="100" y2="100"/>
    <GraphicalElements><Note x1="0" y1="0" x2="1" y2="1" text="a &lt; b"/></GraphicalElements>
    <Annotations><c:Annotation type="org.other"><tool:Solver h="0.01"/></c:Annotation></Annotations>
  </System>
  <Enumerations>
    <c:Enumeration name="Mode"><c:Item name="slow" value="0"/><c:Item name="fast" value="1"/></c:Enumeration>
  </Enumerations>
  <Units>
    <c:Unit name="m"><c:BaseUnit m="1"/></c:Unit>
    <c:Unit name="mm" description="small"><c:BaseUnit m="1" factor="0.001"/></c:Unit>
    <c:Unit name="km/h"><c:BaseUnit m="1" s="-1" factor="0.2777777777777778"/></c:Unit>
  </Units>
  <DefaultExperiment startTime="0.0" stopTime="3e0">
    <Annotations><c:Annotation type="org.other"><tool:Master/></c:Annotation></Annotations>
  </DefaultExperiment>
  <Annotations><c:Annotation type="tool.all">text only</c:Annotation></Annotations>
</SystemStructureDescription>
<!-- the end -->
"""


@pytest.fixture
def foreign(tmp_path):
    file = tmp_path / "SystemStructure.ssd"
    file.write_text(FOREIGN, encoding="utf-8")
    return file


def facts(file):
    """Elements, attributes (numbers and defaults as values), texts and comments of a file, in no order."""
    found = []
    for item in parse(file).iter():
        name = item.tag if isinstance(item.tag, str) else "comment"
        found.append((name, " ".join((item.text or "").split())))
        for key, value in item.attrib.items():
            try:
                found.append((name, key, [float(number) for number in value.split()]))
            except ValueError:
                found.append((name, key, value))
    return found


def test_nothing_of_a_foreign_file_is_lost(foreign):
    before = facts(foreign)
    head = [str(c) for c in parse(foreign).itersiblings(preceding=True)]
    write(read(foreign), foreign)
    after = facts(foreign)
    # a transformation that changes nothing may lose its two default values; everything else must be there
    defaults = [
        ("{http://ssp-standard.org/SSP1/SystemStructureCommon}LinearTransformation", k, v)
        for k, v in (("factor", [1.0]), ("offset", [0.0]))
    ]
    missing = [f for f in before if f not in after and f not in defaults]
    assert missing == []
    assert len(head) == 1
    text = foreign.read_text(encoding="utf-8")
    for piece in ("<!-- by hand -->", "<!-- the plant -->", "<!-- back -->", "<!-- the end -->"):
        assert piece in text
    assert '<deep:x a="1"> kept <b>as</b> it is\n</deep:x>' in text


def test_the_second_writing_equals_the_first(foreign):
    write(read(foreign), foreign)
    first = foreign.read_bytes()
    write(read(foreign), foreign)
    assert foreign.read_bytes() == first


def test_what_was_kept_stands_where_it_stood(foreign):
    write(read(foreign), foreign)
    text = foreign.read_text(encoding="utf-8")
    order = ['name="plant"', 'name="inner"', 'name="signals"', 'name="packed"', 'Component name="second"']
    positions = [text.index(piece) for piece in order]
    assert positions == sorted(positions)
    comment = text.index("<!-- back -->")
    assert "\n" not in text[comment : text.index("<ssd:Connection ", comment)].strip().replace("<!-- back -->", "")
    assert text.index("<!-- the plant -->") < text.index('name="plant"')


def test_a_valid_foreign_file_stays_valid(foreign):
    valid = FOREIGN.replace('<c:Dimension size="1"/>', "").replace(' tool:mark="x &amp; y"', "")
    valid = valid.replace("text only", "")
    foreign.write_text(valid, encoding="utf-8")
    assert schema_faults(parse(foreign)) == []
    write(read(foreign), foreign)
    assert schema_faults(parse(foreign)) == []


def test_what_cannot_run_is_named_with_its_line(foreign):
    found = "\n".join(faults(read(foreign)))

    def line(piece):
        return FOREIGN[: FOREIGN.index(piece)].count("\n") + 1

    path = re.escape(str(foreign))
    for piece, reason in (
        ('<Component name="leaf"', "in system 'inner': part 'leaf' has no FMU at resources/leaf.fmu"),
        ('<Component name="packed"', "part 'packed': there is no file at other.ssp"),
        ('<Component name="second"', "part 'second' has no FMU at resources/second.fmu; put the file there"),
        ('<ParameterBinding source="params', "there is no parameter set at params.ssv"),
        ('suppressUnitConversion="true"', "inner (system) has no 'u'"),
    ):
        assert re.search(rf"{path}:{line(piece)}: .*{re.escape(reason)}", found), reason
    assert "part 'plant' has no FMU at resources/plant one.fmu" in found
    assert "not valid SSP 1.0" in found  # Dimension belongs to SSP 2.0


def test_arrays_are_folded_from_the_connectors_alone(foreign):
    d = read(foreign)
    assert d.parts["second"].interface.port("u").shape == (2,)
    assert "second.y -> second.u" in [str(c) for c in d.connections]
    second = [w for w in scalar_connections(d) if w.start_part == "second"]
    assert [(w.start, w.end) for w in second] == [("y[1]", "u[1]"), ("y[2]", "u[2]")]
    assert second[0].gain == pytest.approx(1000.0)


def test_a_connection_names_connectors_that_the_file_has(block, tmp_path):
    """Of the variables of an FMU the file leaves out as many as it likes, but those that connections name."""
    d = Diagram("d")
    a, b = d.add("a", block("Gain")), d.add("b", block("Gain"))
    d.connect(a.y, b.u)
    file = tmp_path / "d.ssd"
    write(d, file)
    text = file.read_text()
    connectors = re.findall(r"\n *<ssd:Connector name=\"([uy])\".*?</ssd:Connector>", text, re.DOTALL)
    assert connectors == ["u", "y", "u", "y"]
    parts = re.split(r"(\n *<ssd:Connector name=\"[uy]\".*?</ssd:Connector>)", text, flags=re.DOTALL)
    file.write_text("".join(parts[:1] + parts[2:7] + parts[8:]))  # without a.u and b.y
    assert faults(read(file)) == []
    file.write_text("".join(parts[:3] + parts[4:]))  # without a.y
    line = file.read_text()[: file.read_text().index("<ssd:Connection ")].count("\n") + 1
    assert faults(read(file)) == [
        f"{file}:{line}: component 'a' has no connector 'y' for this connection, as SSP 1.0 requires; "
        'add <ssd:Connector name="y" kind="output"/> to its Connectors'
    ]
    write(read(file), file)  # which adds it
    assert faults(read(file)) == []
