"""Bindings of parameter sets: whose unit of measure counts."""

import zipfile
from pathlib import Path

import pytest

from drawbar.blocks import DiagramError
from drawbar.diagrams import Diagram, faults, read, to_text, write
from drawbar.diagrams.model.flatten import flatten
from drawbar.diagrams.parameters.parameter_mapping import ParameterMapping, write_mapping
from drawbar.diagrams.parameters.parameter_set import ParameterSet, set_text, write_set
from drawbar.diagrams.xml.markup import parse
from drawbar.diagrams.xml.schema import schema_faults

FILES = Path(__file__).parents[1] / "files"
OURS = (FILES / "winter.ssv").read_text(encoding="utf-8")
OURS_MAPPING = (FILES / "winter.ssm").read_text(encoding="utf-8")


def values_of(diagram):
    return {n: p.start_values() for n, p in flatten(diagram).parts.items() if p.start_values()}


def set_with(name, value, unit="", **more):
    values = ParameterSet("v")
    values.set(name, value, unit, **more)
    return values


def mapping_with(*entry, **more):
    mapping = ParameterMapping()
    mapping.add(*entry, **more)
    return mapping


ENUMERATION = """<?xml version="1.0" encoding="UTF-8"?>
<fmiModelDescription fmiVersion="2.0" modelName="plant" guid="1">
  <CoSimulation modelIdentifier="plant"/>
  <TypeDefinitions><SimpleType name="Mode"><Enumeration>
    <Item name="slow" value="1"/><Item name="fast" value="4"/></Enumeration></SimpleType></TypeDefinitions>
  <ModelVariables>
    <ScalarVariable name="mode" valueReference="0" causality="parameter" variability="fixed">
      <Enumeration declaredType="Mode" start="1"/></ScalarVariable>
  </ModelVariables>
  <ModelStructure/>
</fmiModelDescription>"""


def test_a_unit_of_the_set_wins_over_one_of_the_same_name_in_the_diagram(tmp_path, block):
    """Each file defines its own 'span': what a set gives in it is a number of the set's."""
    d = Diagram("d")
    d.add("gain", block("Gain"))
    file = tmp_path / "SystemStructure.ssd"
    write(d, file)
    unit = '<ssc:Unit name="span"><ssc:BaseUnit factor="{}"/></ssc:Unit>'
    values = (
        '<ssd:ParameterBindings><ssd:ParameterBinding><ssd:ParameterValues><ssv:ParameterSet version="1.0" name="q" '
        'xmlns:ssv="http://ssp-standard.org/SSP1/SystemStructureParameterValues"><ssv:Parameters>'
        '<ssv:Parameter name="gain.gain"><ssv:Real value="4" unit="span"/></ssv:Parameter>'
        f"</ssv:Parameters><ssv:Units>{unit.format(2)}</ssv:Units></ssv:ParameterSet></ssd:ParameterValues>"
        "</ssd:ParameterBinding></ssd:ParameterBindings>"
    )
    text = file.read_text().replace("<ssd:Units>", f"<ssd:Units>{unit.format(3)}")
    begin, bracket, rest = text.partition('<ssd:System name="d">')
    file.write_text(begin + bracket + values + rest)
    diagram = read(file)
    assert faults(diagram) == []
    assert diagram.parts["gain"].start_values()["gain"] == 4 * 2


def test_values_reach_parts_at_every_depth(bench, tmp_path):
    values = ParameterSet("v")
    values.set("wheel.radius", 40.0, "cm")
    values.set("sink.table[1,2]", 3.0)
    values.set("box.gain.gain", 2.0)
    values.set("box.x", 250.0, "mm")  # a connector, and what is connected to it
    values.set("flags.active", False)
    bench.bind(values)
    expected = {
        "wheel": {"radius": pytest.approx(0.4)},
        "flags": {"active": False},
        "sink": {"table[1,2]": 3.0},
        "box.sink": {"length": pytest.approx(0.25)},
        "box.gain": {"gain": 2.0},
    }
    assert values_of(bench) == expected
    write(bench, tmp_path)
    again = read(tmp_path)
    assert faults(again) == []
    assert values_of(again) == expected
    assert to_text(again, tmp_path) == (tmp_path / "SystemStructure.ssd").read_text()
    assert schema_faults(parse(tmp_path / "SystemStructure.ssd")) == []


def test_later_bindings_win_and_overrides_win_over_all(bench):
    bench.parts["gain"].set("gain", 1.5)
    for value in (2.0, 3.0):
        values = ParameterSet("v")
        values.set("gain", value)
        bench.bind(values, prefix="gain.")
    assert values_of(bench)["gain"] == {"gain": 3.0}
    bench.parts["gain"].overrides["gain"] = 4.0
    assert values_of(bench)["gain"] == {"gain": 4.0}
    assert 'value="4"' not in to_text(bench)


def test_files_of_sets_and_mappings(bench, tmp_path):
    values, mapping = ParameterSet("v"), ParameterMapping()
    values.set("a", 40.0, "cm")
    values.set("on", True)
    values.set("n", 3)
    values.set("unused", 1.0)
    mapping.add("a", "wheel.radius", 2.0, 0.1)  # 40 cm are 0.4 m, doubled, and 0.1 more
    mapping.add("a", "gain.gain", 0.1, suppress_unit_conversion=True)
    mapping.add("on", "flags.active", table={True: False}, table_type="Boolean")
    mapping.add("n", "flags.limit", table={3: 5, 5: 3}, table_type="Integer")
    mapping.add("a", "box.x", 1.0, 1.0)
    (tmp_path / "resources").mkdir()
    write_set(values, tmp_path / "resources" / "v.ssv")
    write_mapping(mapping, tmp_path / "resources" / "m.ssm")
    expected = {
        "wheel": {"radius": pytest.approx(0.9)},
        "gain": {"gain": 4.0},
        "flags": {"active": False, "limit": 5},
        "box.sink": {"length": pytest.approx(1.4)},
    }
    bench.bind(tmp_path / "resources" / "v.ssv", tmp_path / "resources" / "m.ssm")
    assert values_of(bench) == expected
    write(bench, tmp_path)
    text = (tmp_path / "SystemStructure.ssd").read_text()
    assert '<ssd:ParameterBinding source="resources/v.ssv">' in text
    assert '<ssd:ParameterMapping source="resources/m.ssm"/>' in text
    again = read(tmp_path)
    assert (faults(again), values_of(again)) == ([], expected)
    (tmp_path / "other").mkdir()
    write(again, tmp_path / "other")  # from elsewhere the files are named by where they lie
    assert values_of(read(tmp_path / "other")) == expected


@pytest.mark.parametrize(
    ("values", "mapping", "reason"),
    [
        (("weel.radius", 0.4), None, "sets 'weel.radius', but there is no such part; did you mean 'wheel.radius'?"),
        (("wheel.radus", 0.4), None, "wheel (Wheel) has no variable 'radus'; did you mean 'radius'?"),
        (("box.gain.gian", 0.4), None, "box (system) has no 'gain.gian'; did you mean 'gain.gain'?"),
        (("radius", 0.4), None, "sets 'radius', but the diagram has no such connector"),
        (("wheel.radius", 40.0), None, "wheel.radius = 40 lies outside its limits 0.1 to 2 m"),
        (("wheel.radius", 1.0, "kg"), None, "wheel.radius is given in [kg], but the variable is in [m]"),
        (("wheel.radius", True), None, "wheel.radius = true, but it is of type Real; give a number"),
        (("flags.limit", False), None, "flags.limit = false, but it is of type Integer; give a number"),
        (("flags.limit", "many"), None, "flags.limit = 'many' is no number"),
        (("a", 1.0), ("b", "wheel.radius"), "no entry of the mapping names a parameter of the set, as in 'b'"),
        (("a", True), ("a", "gain.gain", 2.0), "a linear transformation cannot change 'a', which is of type Boolean"),
        (("a", 1.0), ("a", "wheel.radus"), "has no variable 'radus'; did you mean 'radius'?"),
        (("a", 3), ("a", "flags.limit", 2.0), "flags.limit is of type Integer; a linear transformation needs Real"),
        (("wheel.radius", "00", "", "Binary"), None, "of type Binary, which no variable of FMI 2.0 has"),
    ],
)  # fmt: skip
def test_what_cannot_be_applied_is_named_and_nothing_changes(bench, tmp_path, values, mapping, reason):
    before = to_text(bench)
    values = set_with(*values[:3], **({"type": values[3]} if len(values) > 3 else {}))
    mapping = None if mapping is None else mapping_with(*mapping)
    with pytest.raises(DiagramError) as caught:
        bench.bind(values, mapping)
    assert reason in str(caught.value)
    assert (to_text(bench), faults(bench), values_of(bench)) == (before, [], {})
    # the same in files: the fault has the file and the line
    write_set(values, tmp_path / "v.ssv")
    mapped = '><ssd:ParameterMapping source="m.ssm"/></ssd:ParameterBinding>' if mapping is not None else "/>"
    if mapping is not None:
        write_mapping(mapping, tmp_path / "m.ssm")
    binding = f'<ssd:ParameterBindings><ssd:ParameterBinding source="v.ssv"{mapped}</ssd:ParameterBindings>'
    file = tmp_path / "SystemStructure.ssd"
    file.write_text(before.replace("    <ssd:Elements>", binding + "    <ssd:Elements>", 1))
    (fault,) = faults(read(file))
    assert reason in fault
    assert "v.ssv:4" in fault or "m.ssm" in fault


def test_what_is_wrong_inside_a_file_is_named_by_its_line(bench, tmp_path):
    bad = OURS.replace('value="7"', 'value="seven"').replace("flags.active", "wheel.radius")
    (tmp_path / "w.ssv").write_text(bad)
    with pytest.raises(DiagramError) as caught:
        bench.bind(tmp_path / "w.ssv")
    for reason, line in (("'flags.limit': value = 'seven' is no Integer", 5), ("'wheel.radius' is there twice", 6)):
        assert any(reason in text and text.endswith(f"w.ssv:{line})") for text in caught.value.faults), reason
    (tmp_path / "w.ssv").write_text(OURS_MAPPING)
    with pytest.raises(DiagramError, match=r"w\.ssv:2: begins with <ParameterMapping>, not with ParameterSet"):
        bench.bind(tmp_path / "w.ssv")
    with pytest.raises(DiagramError, match=r"there is no parameter set at .*wi\.ssv; did you mean 'w\.ssv'"):
        bench.bind(tmp_path / "wi.ssv")
    double = OURS_MAPPING.replace("gain.gain", "wheel.radius")
    (tmp_path / "m.ssm").write_text(double)
    with pytest.raises(DiagramError, match=r"'wheel\.radius' is the target of both 'a' and 'a'"):
        bench.bind(set_with("a", 0.4), tmp_path / "m.ssm")


def test_a_truth_for_a_real_number_in_a_part_of_a_file_is_a_fault(bench, tmp_path):
    bench.parts["gain"].set("gain", 2.0)
    file = tmp_path / "SystemStructure.ssd"
    write(bench, file)
    good = file.read_text()
    file.write_text(good.replace('<ssv:Real value="2" unit="1"/>', '<ssv:Boolean value="true"/>'))
    assert file.read_text() != good
    assert any("gain.gain = true, but it is of type Real" in fault for fault in faults(read(file)))
    with pytest.raises(DiagramError, match=r"gain\.gain = true, but it is of type Real"):
        bench.parts["gain"].set("gain", True)
    bench.parts["flags"].set("active", True)  # which is one


def test_enumerations_by_the_name_of_their_item(tmp_path):
    with zipfile.ZipFile(tmp_path / "plant.fmu", "w") as archive:
        archive.writestr("modelDescription.xml", ENUMERATION)
        archive.writestr("extra/own.ssv", set_text(set_with("mode", "slow", type="Enumeration")))
    d = Diagram("d")
    part = d.add("plant", tmp_path / "plant.fmu", mode="fast")
    assert part.start_values() == {"mode": 4}
    write(d, tmp_path)
    assert '<ssv:Enumeration value="fast"/>' in (tmp_path / "SystemStructure.ssd").read_text()
    again = read(tmp_path)
    assert (again.parts["plant"].starts, faults(again)) == ({"mode": "fast"}, [])
    assert to_text(again, tmp_path) == (tmp_path / "SystemStructure.ssd").read_text()
    d.bind(set_with("plant.mode", "fast", type="Enumeration"))
    for given, reason in (("fst", "plant.mode has no value 'fst'; did you mean 'fast'"),):
        with pytest.raises(DiagramError, match=reason):
            part.set("mode", given)
    d.bind(
        set_with("m", "quick", type="Enumeration"),
        mapping_with("m", "plant.mode", table={"quick": "slow"}, table_type="Enumeration"),
    )
    assert part.start_values() == {"mode": 1}
    # a set that lies in the FMU
    text = (tmp_path / "SystemStructure.ssd").read_text()
    start, end = text.index("<ssd:ParameterBinding>"), text.index("</ssd:ParameterBindings>")
    inside = '<ssd:ParameterBinding source="{}" sourceBase="component"/>'
    (tmp_path / "SystemStructure.ssd").write_text(text[:start] + inside.format("extra/own.ssv") + text[end:])
    assert read(tmp_path).parts["plant"].start_values() == {"mode": 1}
    assert faults(read(tmp_path)) == []
    (tmp_path / "SystemStructure.ssd").write_text(text[:start] + inside.format("../../x.ssv") + text[end:])
    (fault,) = faults(read(tmp_path))
    assert "lies outside of the FMU" in fault
