"""The schema check: lines of what violates it, and which files it does not check."""

from lxml import etree

from drawbar.diagrams import Diagram, to_text
from drawbar.diagrams.xml.schema import is_newer, schema_faults


def root_of(text):
    return etree.fromstring(text.encode())


def test_a_violation_has_its_line(block):
    d = Diagram("d")
    d.add("gain", block("Gain"))
    text = to_text(d)
    assert schema_faults(root_of(text)) == []
    ((line, fault),) = schema_faults(root_of(text.replace('kind="output"', 'kind="outcome"', 1)))
    assert 'name="y" kind="output"' in text.splitlines()[line - 1]
    assert "'outcome'" in fault
    assert "ssp-standard.org" not in fault


def test_a_newer_file_is_not_checked(block):
    text = (
        to_text(Diagram("d"))
        .replace('version="1.0" name', 'version="2.0" name')
        .replace("<ssd:System ", "<ssd:Sistem ", 1)
    )
    root = root_of(text.replace("</ssd:System>", "</ssd:Sistem>"))
    assert is_newer(root)
    assert schema_faults(root) == []
