"""Parameter sets of a description: in all forms, in their order, with units, faults and comments."""

import pytest

from drawbar.diagrams import Diagram, faults, read, to_text, write
from drawbar.diagrams.model.flatten import flatten

NAMESPACE = 'xmlns:ssv="http://ssp-standard.org/SSP1/SystemStructureParameterValues" '


def binding(name, value):
    return (
        '<ssd:ParameterBinding><ssd:ParameterValues><ssv:ParameterSet version="1.0" name="q"><ssv:Parameters>'
        f'<ssv:Parameter name="{name}"><ssv:Real value="{value}"/></ssv:Parameter>'
        "</ssv:Parameters></ssv:ParameterSet></ssd:ParameterValues></ssd:ParameterBinding>"
    )


def in_file(folder, block, bindings, *, of_system):
    """A file with a gain inside a system, and bindings of one of the two as another tool may write them."""
    inner = Diagram("inner")
    inner.add("gain", block("Gain"))
    whole = Diagram("whole")
    whole.add("box", inner)
    file = folder / "SystemStructure.ssd"
    write(whole, file)
    container = f"<ssd:ParameterBindings>{''.join(bindings)}</ssd:ParameterBindings>"
    text = file.read_text().replace("ssd:SystemStructureDescription ", "ssd:SystemStructureDescription " + NAMESPACE, 1)
    if of_system:
        text = text.replace('<ssd:System name="box">', f'<ssd:System name="box">{container}')
    else:
        text = text.replace("</ssd:Connectors>", "</ssd:Connectors>" + container, 1)
    assert container in text
    file.write_text(text)
    return file


def gain_of(diagram):
    return flatten(diagram).parts["box.gain"].start_values()["gain"]


SSV = """\
<v:ParameterSet xmlns:v="http://ssp-standard.org/SSP1/SystemStructureParameterValues"
    xmlns:c="http://ssp-standard.org/SSP1/SystemStructureCommon" version="1.0" name="p">
  <v:Parameters>
    <v:Parameter name="{name}"><v:Real value="{value}" unit="{unit}"/></v:Parameter>
  </v:Parameters>
  <v:Units>
    <c:Unit name="inch"><c:BaseUnit m="1" factor="0.0254"/></c:Unit>
    <c:Unit name="kilo"><c:BaseUnit kg="1"/></c:Unit>
  </v:Units>
</v:ParameterSet>
"""

OURS = """\
<ssd:SystemStructureDescription xmlns:ssd="http://ssp-standard.org/SSP1/SystemStructureDescription"
    xmlns:ssc="http://ssp-standard.org/SSP1/SystemStructureCommon"
    xmlns:ssv="http://ssp-standard.org/SSP1/SystemStructureParameterValues" xmlns:drawbar="urn:drawbar:diagram"
    version="1.0" name="d">
  <ssd:System name="d">{above}
    <ssd:Elements>
      <ssd:Component name="wheel" source="resources/Wheel.fmu">{inside}
        <ssd:Annotations>
          <ssc:Annotation type="org.drawbar"><drawbar:Component block="bench_blocks:Wheel"/></ssc:Annotation>
        </ssd:Annotations>
      </ssd:Component>
    </ssd:Elements>
  </ssd:System>
</ssd:SystemStructureDescription>
"""

FILE = '<ssd:ParameterBindings><ssd:ParameterBinding source="{}.ssv"{}/></ssd:ParameterBindings>'

INLINE = """<ssd:ParameterBindings><ssd:ParameterBinding><ssd:ParameterValues>
<ssv:ParameterSet version="1.0" name="p"><ssv:Parameters>
<ssv:Parameter name="radius"><ssv:Real value="{}"/></ssv:Parameter></ssv:Parameters></ssv:ParameterSet>
</ssd:ParameterValues></ssd:ParameterBinding>{}</ssd:ParameterBindings>"""


def build(tmp_path, above="", inside="", **sets):
    for name, (variable, value, unit) in sets.items():
        (tmp_path / f"{name}.ssv").write_text(SSV.format(name=variable, value=value, unit=unit))
    file = tmp_path / "SystemStructure.ssd"
    file.write_text(OURS.format(above=above, inside=inside))
    return read(file)


def test_parameter_sets_reach_the_part_in_all_forms(tmp_path):
    forms = {
        "beside": {"inside": FILE.format("a", ""), "a": ("radius", 20, "inch")},
        "above": {"above": FILE.format("a", ""), "a": ("wheel.radius", 20, "inch")},
        "prefixed": {"above": FILE.format("a", ' prefix="wheel."'), "a": ("radius", 20, "inch")},
    }
    for name, form in forms.items():
        folder = tmp_path / name
        folder.mkdir()
        d = build(folder, **form)
        assert faults(d) == []
        assert d.parts["wheel"].start_values() == {"radius": pytest.approx(20 * 0.0254)}
        assert d.parts["wheel"].starts == {}
        write(d, folder)
        assert read(folder).parts["wheel"].start_values() == d.parts["wheel"].start_values()


def test_the_enclosing_system_wins_over_the_part(tmp_path):
    d = build(tmp_path, FILE.format("a", ""), INLINE.format(0.5, ""), a=("wheel.radius", 0.7, "m"))
    assert faults(d) == []
    assert d.parts["wheel"].starts == {"radius": 0.5}
    assert d.parts["wheel"].start_values() == {"radius": 0.7}
    alone = build(tmp_path, "", INLINE.format(0.5, ""))
    assert alone.parts["wheel"].start_values() == {"radius": 0.5}


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        (("radius", 0.01, "m"), "wheel.radius = 0.01 lies outside its limits 0.1 to 2"),
        (("radus", 0.5, "m"), "wheel (Wheel) has no variable 'radus'; did you mean 'radius'?"),
        (("radius", 0.5, "kilo"), "wheel.radius is given in [kilo], but the variable is in [m]"),
        (("radius", 0.5, "furlong"), "wheel.radius is given in [furlong], but the variable is in [m]"),
    ],
)
def test_faults_of_a_parameter_set_name_its_line(tmp_path, given, reason):
    d = build(tmp_path, inside=FILE.format("a", ""), a=given)
    (fault,) = faults(d)
    assert reason in fault
    assert "a.ssv:4" in fault


def test_a_parameter_of_no_part_is_a_fault(tmp_path):
    d = build(tmp_path, above=FILE.format("a", ""), a=("weel.radius", 0.5, "m"))
    (fault,) = faults(d)
    assert "a parameter set sets 'weel.radius', but there is no such part" in fault


def test_a_mapping_that_is_not_there_is_named_and_kept(tmp_path):
    mapping = '<ssd:ParameterMapping source="x.ssm"/>'
    inside = INLINE.format(0.5, "").replace("</ssd:ParameterValues>", f"</ssd:ParameterValues>{mapping}")
    d = build(tmp_path, inside=inside)
    (fault,) = faults(d)
    assert "SystemStructure.ssd:7: there is no parameter mapping at x.ssm" in fault
    assert mapping in to_text(d, tmp_path)


def test_units_of_start_values_are_converted_and_kept(tmp_path):
    inside = INLINE.format(500, "").replace('value="500"', 'value="500" unit="mm"')
    d = build(tmp_path, inside=inside)
    assert faults(d) == []
    assert d.parts["wheel"].starts == {"radius": 500.0}
    assert d.parts["wheel"].start_values() == {"radius": 0.5}
    assert 'value="500" unit="mm"' in to_text(d, tmp_path)


@pytest.mark.parametrize("of_system", [False, True])
@pytest.mark.parametrize(
    ("given", "wins"),
    [
        ([("gain", 4), ("gain", 5)], 5.0),
        ([("gain", 5), ("gain", 4)], 4.0),
        ([("gain", 4), ("gain", 5), ("u", 1)], 5.0),
        ([("u", 1), ("gain", 4), ("gain", 5)], 5.0),
        ([("gain", 4), ("u", 1)], 4.0),
    ],
)
def test_the_later_inline_set_wins_and_is_written_last(tmp_path, block, given, wins, of_system):
    prefix = "gain." if of_system else ""
    file = in_file(tmp_path, block, [binding(prefix + n, v) for n, v in given], of_system=of_system)
    diagram = read(file)
    assert faults(diagram) == []
    assert gain_of(diagram) == wins
    write(diagram, file)
    first = file.read_text()
    assert first.count("<ssd:ParameterBinding>") == len(given)
    assert gain_of(read(file)) == wins
    assert to_text(read(file), tmp_path) == first
    # what Python sets wins over them all, here and for whoever reads the file
    part = diagram.parts["box"] if of_system else diagram.parts["box"].diagram.parts["gain"]
    part.set(prefix + "gain", 6.0)
    assert gain_of(diagram) == 6.0
    write(diagram, file)
    text = file.read_text()
    assert text.rindex('value="6"') > max(text.rfind(f'value="{v}"') for n, v in given if n == "gain")
    assert gain_of(read(file)) == 6.0
    assert to_text(read(file), tmp_path) == text


def test_a_last_binding_of_another_form_is_kept_and_wins(tmp_path, block):
    mapped = binding("k", 2).replace(
        "</ssd:ParameterBinding>",
        '<ssd:ParameterMapping><ssm:ParameterMapping version="1.0" xmlns:ssm="http://ssp-standard.org/SSP1/'
        'SystemStructureParameterMapping"><ssm:MappingEntry source="k" target="gain"/></ssm:ParameterMapping>'
        "</ssd:ParameterMapping></ssd:ParameterBinding>",
    )
    file = in_file(tmp_path, block, [binding("gain", 4), mapped], of_system=False)
    diagram = read(file)
    gain = diagram.parts["box"].diagram.parts["gain"]
    assert (faults(diagram), gain_of(diagram), gain.starts) == ([], 2.0, {})
    gain.set("u", 1.0)
    write(diagram, file)
    again = read(file)
    assert (gain_of(again), again.parts["box"].diagram.parts["gain"].starts) == (2.0, {"u": 1.0})
    assert file.read_text().count("<ssd:ParameterBinding>") == 3


def test_comments_of_people_stay(tmp_path):
    inside = INLINE.format(0.5, "").replace("<ssv:Parameter ", "<!-- measured -->\n<ssv:Parameter ")
    d = build(tmp_path, inside=inside)
    assert d.parts["wheel"].starts == {"radius": 0.5}
    text = to_text(d, tmp_path)
    assert "<!-- measured -->" in text
    (tmp_path / "SystemStructure.ssd").write_text(text)
    assert to_text(read(tmp_path), tmp_path) == text


@pytest.mark.parametrize(("last", "expected"), [("element", [1.0, 7.0, 3.0]), ("array", [1.0, 2.0, 3.0])])
def test_of_an_array_and_its_element_the_one_that_was_set_last_is_written(block, tmp_path, last, expected):
    """Both were written, and the file that was read again was refused."""
    d = Diagram("d")
    sink = d.add("sink", block("Sink"), offsets=[4.0, 5.0, 6.0])
    sink.set("offsets[2]", 7.0)
    sink.set("offsets", [1.0, 2.0, 3.0])
    if last == "element":
        sink.set("offsets[2]", 7.0)
    file = tmp_path / "SystemStructure.ssd"
    write(d, file)
    assert file.read_text().count('<ssv:Parameter name="offsets[2]">') == 1
    for diagram in (d, read(file)):
        assert list(diagram.parts["sink"].start_values().values()) == expected
