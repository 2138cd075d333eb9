"""Parameter sets and mappings: canonical text of ours, nothing lost of others, values that reach the parts."""

import zipfile

import pytest

from drawbar.blocks import DiagramError
from drawbar.diagrams import Diagram, faults, read, to_text, write
from drawbar.diagrams.model.flatten import flatten
from drawbar.diagrams.parameters.parameter_mapping import ParameterMapping, mapping_text, read_mapping, write_mapping
from drawbar.diagrams.parameters.parameter_set import ParameterSet, read_set, set_text, write_set
from drawbar.diagrams.xml.markup import parse
from drawbar.diagrams.xml.schema import schema_faults

OURS = """\
<?xml version="1.0" encoding="UTF-8"?>
<ssv:ParameterSet xmlns:ssc="http://ssp-standard.org/SSP1/SystemStructureCommon" \
xmlns:ssv="http://ssp-standard.org/SSP1/SystemStructureParameterValues" version="1.0" name="winter">
  <ssv:Parameters>
    <ssv:Parameter name="wheel.radius"><ssv:Real value="40" unit="cm"/></ssv:Parameter>
    <ssv:Parameter name="flags.limit"><ssv:Integer value="7"/></ssv:Parameter>
    <ssv:Parameter name="flags.active"><ssv:Boolean value="false"/></ssv:Parameter>
    <ssv:Parameter name="file"><ssv:String value="a &lt; b.csv"/></ssv:Parameter>
    <ssv:Parameter name="mode"><ssv:Enumeration value="fast"/></ssv:Parameter>
    <ssv:Parameter name="raw"><ssv:Binary value="00ff"/></ssv:Parameter>
  </ssv:Parameters>
  <ssv:Units>
    <ssc:Unit name="cm"><ssc:BaseUnit m="1" factor="0.01"/></ssc:Unit>
  </ssv:Units>
</ssv:ParameterSet>
"""
OURS_MAPPING = """\
<?xml version="1.0" encoding="UTF-8"?>
<ssm:ParameterMapping xmlns:ssc="http://ssp-standard.org/SSP1/SystemStructureCommon" \
xmlns:ssm="http://ssp-standard.org/SSP1/SystemStructureParameterMapping" version="1.0">
  <ssm:MappingEntry source="a" target="wheel.radius"/>
  <ssm:MappingEntry source="a" target="gain.gain" suppressUnitConversion="true">\
<ssc:LinearTransformation factor="2" offset="-0.5"/></ssm:MappingEntry>
  <ssm:MappingEntry source="b" target="flags.active"><ssc:BooleanMappingTransformation>\
<ssc:MapEntry source="true" target="false"/></ssc:BooleanMappingTransformation></ssm:MappingEntry>
</ssm:ParameterMapping>
"""
# as another tool may write them: its own prefixes, order of attributes, annotations and comments
FOREIGN_SET = """<?xml version="1.0"?>
<!-- measured -->
<p:ParameterSet name="s" version="1.0" author="x" xmlns:p="http://ssp-standard.org/SSP1/SystemStructureParameterValues"
  xmlns:c="http://ssp-standard.org/SSP1/SystemStructureCommon" xmlns:t="urn:tool" t:mark="1"><p:Parameters>
  <!-- on the bench -->
  <p:Parameter description="d" name="k"><p:Real unit="mm" value="1e3"/>
    <p:Annotations><c:Annotation type="t"><t:Data a="1"> kept </t:Data></c:Annotation></p:Annotations></p:Parameter>
  <p:Parameter name="e"><p:Enumeration value="x" name="Mode"/></p:Parameter>
  <p:Parameter name="odd"><t:Fancy value="1"/></p:Parameter>
  </p:Parameters>
  <p:Enumerations><c:Enumeration name="Mode"><c:Item name="x" value="1"/></c:Enumeration></p:Enumerations>
  <p:Units><c:Unit name="mm" description="small"><c:BaseUnit m="1" factor="1e-3"/></c:Unit></p:Units>
</p:ParameterSet>
<!-- end -->"""
FOREIGN_MAPPING = """<?xml version="1.0"?>
<m:ParameterMapping version="1.0" xmlns:m="http://ssp-standard.org/SSP1/SystemStructureParameterMapping"
  xmlns:c="http://ssp-standard.org/SSP1/SystemStructureCommon" xmlns:t="urn:tool" fileversion="3">
  <!-- both sides -->
  <m:MappingEntry target="x" source="k" description="d"><c:LinearTransformation offset="1" t:by="me"/></m:MappingEntry>
  <m:MappingEntry target="y" source="on"><c:BooleanMappingTransformation t:by="you"><!-- why -->
    <c:MapEntry source="true" target="false" t:row="1"/><!-- and --><c:MapEntry source="false" target="true"/>
    <!-- that is all --></c:BooleanMappingTransformation></m:MappingEntry>
  <m:MappingEntry target="z" source="mode"><c:EnumerationMappingTransformation>
    <c:MapEntry target="b" source="a"><!-- inside --><t:More/></c:MapEntry></c:EnumerationMappingTransformation>
  </m:MappingEntry>
  <m:Annotations><c:Annotation type="t"><t:Data/></c:Annotation></m:Annotations>
</m:ParameterMapping>"""


def winter():
    values = ParameterSet("winter")
    values.set("wheel.radius", 40, "cm", type="Real")
    values.set("flags.limit", 7)
    values.set("flags.active", False)
    values.set("file", "a < b.csv")
    values.set("mode", "fast", type="Enumeration")
    values.set("raw", "00ff", type="Binary")
    return values


def test_the_text_of_our_own_is_canonical(tmp_path):
    assert set_text(winter()) == OURS
    write_set(winter(), tmp_path / "w.ssv")
    again = read_set(tmp_path / "w.ssv")
    assert (again.faults, set_text(again)) == ([], OURS)
    assert schema_faults(parse(tmp_path / "w.ssv")) == []
    assert [(p.name, p.type, p.value, p.unit) for p in again.parameters.values()][:3] == [
        ("wheel.radius", "Real", 40.0, "cm"),
        ("flags.limit", "Integer", 7, ""),
        ("flags.active", "Boolean", False, ""),
    ]
    mapping = ParameterMapping()
    mapping.add("a", "wheel.radius")
    mapping.add("a", "gain.gain", 2.0, -0.5, suppress_unit_conversion=True)
    mapping.add("b", "flags.active", table={True: False}, table_type="Boolean")
    assert mapping_text(mapping) == OURS_MAPPING
    write_mapping(mapping, tmp_path / "m.ssm")
    assert mapping_text(read_mapping(tmp_path / "m.ssm")) == OURS_MAPPING
    assert schema_faults(parse(tmp_path / "m.ssm")) == []
    with pytest.raises(DiagramError, match=r"type = 'Raal'; did you mean 'Real'"):
        winter().set("x", 1, type="Raal")
    with pytest.raises(DiagramError, match=r"only Real has a unit"):
        winter().set("x", True, "m")
    with pytest.raises(DiagramError, match=r"only Real has a unit"):
        winter().set("x", 1, "m", type="Integer")
    whole = ParameterSet("whole")
    whole.set("x", 2, "km")
    assert (whole.parameters["x"].type, whole.parameters["x"].value) == ("Real", 2.0)


def content(root):
    return sorted(
        [(str(i.tag), k, v) for i in root.iter() for k, v in i.attrib.items()]
        + [(str(i.tag), "", " ".join((i.text or "").split())) for i in root.iter()]
    )


@pytest.mark.parametrize(
    ("text", "name", "again"),
    [
        (FOREIGN_SET, "s.ssv", lambda file: set_text(read_set(file))),
        (FOREIGN_MAPPING, "m.ssm", lambda file: mapping_text(read_mapping(file))),
    ],
)
def test_nothing_of_a_foreign_file_is_lost(tmp_path, text, name, again):
    file = tmp_path / name
    file.write_text(text.replace("1e3", "1000").replace("1e-3", "0.001"))
    before = content(parse(file))
    first = again(file)
    file.write_text(first)
    assert content(parse(file)) == before
    assert again(file) == first
    for comment in ("measured", "on the bench", "end", "both sides", "why", "and", "that is all", "inside"):
        assert (f"<!-- {comment} -->" in text) == (f"<!-- {comment} -->" in first)


@pytest.fixture
def bench(block):
    d = Diagram("bench", step=0.01)
    for name, kind in (("wheel", "Wheel"), ("flags", "Flags"), ("gain", "Gain"), ("sink", "Sink")):
        d.add(name, block(kind))
    inner = Diagram("inner")
    inner.expose(inner.add("sink", block("Sink")).length, "x")
    inner.add("gain", block("Gain"))
    d.add("box", inner)
    return d


def values_of(diagram):
    return {n: p.start_values() for n, p in flatten(diagram).parts.items() if p.start_values()}


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


def set_with(name, value, unit="", **more):
    values = ParameterSet("v")
    values.set(name, value, unit, **more)
    return values


def mapping_with(*entry, **more):
    mapping = ParameterMapping()
    mapping.add(*entry, **more)
    return mapping


@pytest.mark.parametrize(
    ("values", "mapping", "reason"),
    [
        (("weel.radius", 0.4), None, "sets 'weel.radius', but there is no such part; did you mean 'wheel.radius'?"),
        (("wheel.radus", 0.4), None, "wheel (Wheel) has no variable 'radus'; did you mean 'radius'?"),
        (("box.gain.gian", 0.4), None, "box (system) has no 'gain.gian'; did you mean 'gain.gain'?"),
        (("radius", 0.4), None, "sets 'radius', but the diagram has no such connector"),
        (("wheel.radius", 40.0), None, "wheel.radius = 40 lies outside its limits 0.1 to 2"),
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


@pytest.mark.parametrize(
    ("was", "given", "reason"),
    [
        ('value="40"', 'value="4_0"', "parameter 'wheel.radius': value = '4_0' is no Real"),
        ('value="40"', 'value="\u0664"', "parameter 'wheel.radius': value = '\u0664' is no Real"),
        ('value="7"', 'value="1_0"', "parameter 'flags.limit': value = '1_0' is no Integer"),
    ],
)
def test_a_number_that_only_python_reads_is_none(bench, tmp_path, was, given, reason):
    (tmp_path / "w.ssv").write_text(OURS.replace(was, given), encoding="utf-8")
    assert [text for _, text in read_set(tmp_path / "w.ssv").faults] == [reason]
    inline = set_with("gain.gain", 1.0) if "Real" in reason else set_with("flags.limit", 7)
    bench.bind(inline)
    file = tmp_path / "SystemStructure.ssd"
    write(bench, file)
    assert faults(read(file)) == []
    file.write_text(file.read_text().replace('Real value="1"', 'Real value="1_0"').replace('"7"', '"1_0"'))
    assert any("value = '1_0' is no" in fault for fault in faults(read(file)))


def test_a_mapping_row_that_cannot_be_read_is_named_and_kept(tmp_path):
    (tmp_path / "m.ssm").write_text(FOREIGN_MAPPING.replace('source="false"', 'source="true"').replace('"1"', '"1_0"'))
    mapping = read_mapping(tmp_path / "m.ssm")
    assert [text for _, text in mapping.faults] == [
        "the LinearTransformation of 'k' has a value that is no number",
        "the BooleanMappingTransformation of 'on' has a value that is none or comes twice",
    ]
    again = mapping_text(mapping)
    assert 'offset="1_0"' in again
    assert again.count('source="true"') == 2


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


def test_a_doctype_in_a_parameter_set_is_refused(bench, tmp_path):
    (tmp_path / "w.ssv").write_text(
        OURS.replace("<ssv:ParameterSet", '<!DOCTYPE a [<!ENTITY x "y">]><ssv:ParameterSet', 1)
    )
    with pytest.raises(DiagramError, match="has a DOCTYPE"):
        bench.bind(tmp_path / "w.ssv")


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
