"""Values in the XML of SSP: numbers and Booleans read strictly, URIs, units of measure by base units."""

import re

import pytest
from lxml import etree

from drawbar.blocks.core.units import parse_unit
from drawbar.diagrams.xml.markup import Node, text
from drawbar.diagrams.xml.tags import SSC, ssd
from drawbar.diagrams.xml.values import (
    path_of,
    read_boolean,
    read_integer,
    read_real,
    read_units,
    type_of_value,
    unit_nodes,
    uri_of,
)


def test_values_are_read():
    assert read_real(" 1.5e3 ") == 1500.0
    assert read_real("-INF") == float("-inf")
    assert read_integer("-7") == -7
    assert [read_boolean(text) for text in ("true", "1", " false", "0")] == [True, True, False, False]


@pytest.mark.parametrize(
    ("read", "given"),
    [
        (read_real, "1_0"),
        (read_real, "\u0661"),
        (read_real, "1,5"),
        (read_integer, "1_0"),
        (read_integer, "1.0"),
        (read_integer, "2147483648"),
        (read_boolean, "True"),
        (read_boolean, "yes"),
    ],
)
def test_what_only_python_reads_is_refused(read, given):
    with pytest.raises(ValueError, match=re.escape(given)):
        read(given)


@pytest.mark.parametrize(
    ("value", "name"), [(True, "Boolean"), (1, "Integer"), (2**31, "Real"), (1.0, "Real"), ("a", "String")]
)
def test_the_type_of_a_value(value, name):
    assert type_of_value(value) == name


@pytest.mark.parametrize(
    ("source", "path"),
    [
        ("resources/a.fmu", "resources/a.fmu"),
        ("a%20b.fmu", "a b.fmu"),
        ("file:///tmp/a%20b.fmu", "/tmp/a b.fmu"),
        ("http://[x", "http://[x"),
    ],
)
def test_a_source_is_a_path(source, path):
    assert path_of(source) == path
    if not source.startswith("http"):
        assert uri_of(path) == source


def test_units_are_read_and_written():
    xml = f"""<Units xmlns:c="{SSC}"><c:Unit name="km/h"><c:BaseUnit m="1" s="-1" factor="0.2777777777777778"/></c:Unit>
    <c:Unit name="degC"><c:BaseUnit K="1" offset="273.15"/></c:Unit><c:Unit name="bad"><c:BaseUnit m="x"/></c:Unit>
    <c:Unit name="none"/></Units>"""
    table = read_units(etree.fromstring(xml))
    assert list(table.units) == ["km/h", "degC"]
    assert table.units["km/h"].conversion_to(parse_unit("m/s")) == (pytest.approx(1 / 3.6), 0.0)
    assert table.units["degC"].conversion_to(parse_unit("K")) == (1.0, pytest.approx(273.15))
    written = text(Node(ssd("Units"), children=unit_nodes(table.units, table.preserved)), {})
    again = read_units(etree.fromstring(written.encode()))
    assert again.units == table.units
    assert 'name="degC"><ssc:BaseUnit K="1" offset="273.15"/>' in written


def test_a_unit_with_a_factor_of_zero_is_a_fault():
    xml = f"""<Units xmlns:c="{SSC}">\n<c:Unit name="z"><c:BaseUnit m="1" factor="0"/></c:Unit></Units>"""
    ((line, fault),) = read_units(etree.fromstring(xml)).faults
    assert line == 2
    assert "unit 'z'" in fault
