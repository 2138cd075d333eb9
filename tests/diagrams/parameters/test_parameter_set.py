"""Parameter sets and mappings: canonical text of ours, nothing lost of others."""

from pathlib import Path

import pytest

from drawbar.blocks import DiagramError
from drawbar.diagrams import faults, read, write
from drawbar.diagrams.parameters.parameter_mapping import ParameterMapping, mapping_text, read_mapping, write_mapping
from drawbar.diagrams.parameters.parameter_set import ParameterSet, read_set, set_text, write_set
from drawbar.diagrams.xml.markup import parse
from drawbar.diagrams.xml.schema import schema_faults

FILES = Path(__file__).parents[1] / "files"
OURS = (FILES / "winter.ssv").read_text(encoding="utf-8")
OURS_MAPPING = (FILES / "winter.ssm").read_text(encoding="utf-8")
FOREIGN_MAPPING = (FILES / "foreign.ssm").read_text(encoding="utf-8")


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


def set_with(name, value, unit="", **more):
    values = ParameterSet("v")
    values.set(name, value, unit, **more)
    return values


@pytest.mark.parametrize(
    ("was", "given", "reason"),
    [
        ('value="40"', 'value="4_0"', "parameter 'wheel.radius': value = '4_0' is no Real"),
        ('value="40"', 'value="\u0664"', "parameter 'wheel.radius': value = '\u0664' is no Real"),
        ('value="7"', 'value="1_0"', "parameter 'flags.limit': value = '1_0' is no Integer of 32 bits"),
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


def test_a_doctype_in_a_parameter_set_is_refused(bench, tmp_path):
    (tmp_path / "w.ssv").write_text(
        OURS.replace("<ssv:ParameterSet", '<!DOCTYPE a [<!ENTITY x "y">]><ssv:ParameterSet', 1)
    )
    with pytest.raises(DiagramError, match="has a DOCTYPE"):
        bench.bind(tmp_path / "w.ssv")
