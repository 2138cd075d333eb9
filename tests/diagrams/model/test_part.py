"""A part: its ports as attributes, and nothing else as one."""

import zipfile

import pytest

from drawbar.blocks import Continuous, DiagramError, Input, Output
from drawbar.blocks.signals.first_order_lag import FirstOrderLag
from drawbar.diagrams import Diagram, End, faults, read, scalar_connections, to_text, write
from drawbar.diagrams.model.scalar_connections import bus_connections

DESCRIPTION = """<?xml version="1.0" encoding="UTF-8"?>
<fmiModelDescription fmiVersion="2.0" modelName="Foreign" guid="{{1}}" variableNamingConvention="structured">
  <CoSimulation modelIdentifier="Foreign"/>
  <UnitDefinitions>
    <Unit name="m"><BaseUnit m="1"/></Unit>
    <Unit name="odd"/>
  </UnitDefinitions>
  <ModelVariables>
    <ScalarVariable name="u" valueReference="0" causality="input"><Real start="0" {unit_in}/></ScalarVariable>
    <ScalarVariable name="y" valueReference="1" causality="output"><Real {unit_out}/></ScalarVariable>
    <ScalarVariable name="hub.force[1]" valueReference="2" causality="input"><Real start="0" unit="m"/></ScalarVariable>
    <ScalarVariable name="hub.force[2]" valueReference="3" causality="input"><Real start="0" unit="m"/></ScalarVariable>
    <ScalarVariable name="hub.speed" valueReference="4" causality="output"><Real unit="m"/></ScalarVariable>
    <ScalarVariable name="back.force[1]" valueReference="5" causality="output"><Real unit="m"/></ScalarVariable>
    <ScalarVariable name="back.force[2]" valueReference="6" causality="output"><Real unit="m"/></ScalarVariable>
    <ScalarVariable name="back.speed" valueReference="7" causality="input"><Real start="0" unit="m"/></ScalarVariable>
    <ScalarVariable name="label" valueReference="8" causality="parameter" variability="fixed">
      <String start="none"/></ScalarVariable>
    <ScalarVariable name="odd" valueReference="9" causality="output"><Real unit="odd"/></ScalarVariable>
  </ModelVariables>
  <ModelStructure><Outputs>{outputs}</Outputs></ModelStructure>
</fmiModelDescription>
"""


def make(file, unit_in="", unit_out="", outputs='<Unknown index="2" dependencies="1"/>'):
    file.parent.mkdir(exist_ok=True)
    with zipfile.ZipFile(file, "w") as archive:
        text = DESCRIPTION.format(unit_in=unit_in, unit_out=unit_out, outputs=outputs)
        archive.writestr("modelDescription.xml", text)
    return file


@pytest.fixture
def fmu(tmp_path):
    return make(tmp_path / "resources" / "a b.fmu")


def connected(folder, fmu, block, unit, **options):
    """Source.metre to input u of the FMU, whose connector the file puts in another unit."""
    d = Diagram("d")
    source, a = d.add("source", block("Source")), d.add("a", fmu)
    d.connect(source.metre, a.u, **options)
    write(d, folder)
    file = folder / "SystemStructure.ssd"
    text = file.read_text()
    start = text.index('<ssd:Component name="a"')
    cut = text.index('name="u" kind="input"', start)
    end = text.index("</ssd:Connector>", cut)
    text = text[:cut] + f'name="u" kind="input"><ssc:Real unit="{unit}"/>' + text[end:]
    if 'name="mm"' not in text:
        mm = '<ssc:Unit name="mm"><ssc:BaseUnit m="1" factor="0.001"/></ssc:Unit>'
        text = text.replace("</ssd:Units>", mm + "</ssd:Units>")
    file.write_text(text)
    return read(folder)


def test_ports_are_attributes_with_the_nearest_name(block):
    source = Diagram("d").add("s", block("Source"))
    assert source.metre == End("s", "metre")
    assert source["vector[1]"] == End("s", "vector[1]")
    assert "millimetre" in dir(source)
    with pytest.raises(DiagramError, match=r"s \(Source\) has no variable 'metr'; did you mean 'metre'\?"):
        _ = source.metr


def test_a_port_that_is_called_like_an_attribute_of_a_part_is_told_how_to_reach():
    class Motors(Continuous):
        name = Input("1", "called like an attribute")
        given = Output("1", "called like a method")

        def outputs(self):
            return {"given": 2 * self.name}

    d = Diagram("d", step=0.1)
    motors, lag = d.add("motors", Motors), d.add("lag", FirstOrderLag)
    with pytest.raises(DiagramError, match=r"this is a method of every part, the port is motors\['given'\]"):
        d.connect(motors.given, lag.u)
    with pytest.raises(DiagramError, match=r"'motors'; give ports, .* or a\['name'\] where a part has an attribute"):
        d.connect(lag.y, motors.name)
    d.connect(motors["given"], lag.u)
    d.connect(lag.y, motors["name"])


def test_a_part_has_no_other_attributes(block) -> None:
    part = Diagram("d").add("gain", block("Gain"))
    part.algorithm = "jacobi"
    with pytest.raises(DiagramError, match=r"part 'gain' has no attribute 'algoritm'; did you mean 'algorithm'\?"):
        part.algoritm = "jacobi"
    with pytest.raises(DiagramError, match=r"part 'gain': write part.set\('u', 2.0\) for a start value"):
        part.u = 2.0


def test_an_fmu_is_a_part_like_a_block(fmu, tmp_path):
    d = Diagram("d")
    a, b = d.add("a", fmu, label="left"), d.add("b", fmu)
    d.connect(a.back, b.hub)
    assert {str(c) for c in d.connections} == {"a.back.force -> b.hub.force", "b.hub.speed -> a.back.speed"}
    assert len(bus_connections(d)) == 1
    write(d, tmp_path)
    first = (tmp_path / "SystemStructure.ssd").read_text()
    assert 'source="resources/a%20b.fmu"' in first
    again = read(tmp_path)
    assert faults(again) == []
    assert again.parts["a"].source == "resources/a b.fmu"
    assert again.parts["a"].start_values() == {"label": "left"}
    assert to_text(again, tmp_path) == first
    assert scalar_connections(again) == scalar_connections(d)


def test_a_diagram_that_moves_still_finds_its_fmus(fmu, tmp_path):
    d = Diagram("d")
    d.add("a", fmu)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    write(d, elsewhere)
    assert 'source="file:///' in (elsewhere / "SystemStructure.ssd").read_text()
    again = read(elsewhere)
    assert faults(again) == []
    write(again, tmp_path)
    assert 'source="resources/a%20b.fmu"' in (tmp_path / "SystemStructure.ssd").read_text()
    assert faults(read(tmp_path)) == []


def test_an_fmu_that_names_no_unit_connects_to_anything(fmu, block):
    d = Diagram("d")
    a, source, sink = d.add("a", fmu), d.add("source", block("Source")), d.add("sink", block("Sink"))
    d.connect(source.degree, a.u)
    d.connect(a.y, sink.length)
    assert {(w.gain, w.offset) for w in scalar_connections(d)} == {(1.0, 0.0)}


def test_a_unit_without_meaning_compares_by_name(fmu, block):
    d = Diagram("d")
    a, sink = d.add("a", fmu), d.add("sink", block("Sink"))
    with pytest.raises(DiagramError, match=r"units differ by name, and the meaning of \[odd\] is not known"):
        d.connect(a.odd, sink.length)


def test_the_unit_of_the_connector_holds_where_the_fmu_has_none(fmu, tmp_path, block):
    d = connected(tmp_path, fmu, block, "mm")
    assert faults(d) == []
    (connection,) = scalar_connections(d)
    assert connection.gain == pytest.approx(1000.0)
    assert any("units differ" in fault for fault in faults(connected(tmp_path, fmu, block, "degC")))


def test_a_connector_in_another_unit_than_its_variable(tmp_path, block):
    fmu = make(tmp_path / "resources" / "a.fmu", unit_in='unit="m"')
    (connection,) = scalar_connections(connected(tmp_path, fmu, block, "mm"))
    assert connection.gain == pytest.approx(1.0)  # m to mm to m
    (connection,) = scalar_connections(connected(tmp_path, fmu, block, "mm", factor=2.0, offset=500.0))
    assert connection.gain == pytest.approx(2.0)
    assert connection.offset == pytest.approx(0.5)  # 500 mm
    found = faults(connected(tmp_path, fmu, block, "rad"))
    assert any("connector a.u is in [rad], but the variable is in [m]" in fault for fault in found)


def test_feed_through_of_fmus_closes_loops_and_silence_does_not(tmp_path):
    for outputs, count in (('<Unknown index="2" dependencies="1"/>', 1), ('<Unknown index="2"/>', 0)):
        d = Diagram("d")
        a = d.add("a", make(tmp_path / f"{count}.fmu", outputs=outputs))
        d.connect(a.y, a.u)
        assert len(faults(d)) == count


def test_a_corrupt_fmu_is_named_with_the_line_of_its_part(fmu, tmp_path):
    d = Diagram("d")
    d.add("a", fmu)
    write(d, tmp_path)
    assert faults(read(tmp_path)) == []
    fmu.write_bytes(b"PK nonsense")
    (fault,) = faults(read(tmp_path))
    assert fault.startswith(f"{tmp_path / 'SystemStructure.ssd'}:5: part 'a': ")
    assert "a b.fmu: not a readable FMU" in fault
    with pytest.raises(DiagramError, match="not a readable FMU"):
        Diagram("d").add("a", fmu)


def test_an_fmu_stands_in_for_a_block_that_is_not_installed(fmu, tmp_path):
    d = Diagram("d")
    d.add("a", fmu)
    write(d, tmp_path)
    file = tmp_path / "SystemStructure.ssd"
    annotation = (
        '<ssd:Annotations><ssc:Annotation type="org.drawbar"><drawbar:Component block="not.here:Block"/>'
        "</ssc:Annotation></ssd:Annotations></ssd:Component>"
    )
    file.write_text(file.read_text().replace("</ssd:Component>", annotation, 1))
    d = read(file)
    assert faults(d) == []
    assert d.parts["a"].y == End("a", "y")
    assert 'block="not.here:Block"' in to_text(d, tmp_path)
    fmu.unlink()
    (fault,) = faults(read(file))
    assert "block 'not.here:Block' is unknown" in fault
