"""XML that is no file of a diagram, or a dangerous one, is refused."""

import pytest

from drawbar.blocks import DiagramError
from drawbar.diagrams import read
from drawbar.diagrams.xml.markup import parse

VALID = """\
<ssd:SystemStructureDescription xmlns:ssd="http://ssp-standard.org/SSP1/SystemStructureDescription"
    version="1.0" name="d">
  <ssd:System name="d"/>
</ssd:SystemStructureDescription>
"""

BOMB = """<?xml version="1.0"?><!DOCTYPE a [<!ENTITY x "{fill}">{more}]>
<SystemStructureDescription xmlns="http://ssp-standard.org/SSP1/SystemStructureDescription"
    name="{use}" version="1.0"/>"""


@pytest.mark.parametrize("use", ["", "&y8;"])
def test_entities_are_refused(tmp_path, use):
    more = "".join(f'<!ENTITY y{i} "{f"&y{i - 1};" * 10 if i else "&x;" * 10}">' for i in range(9))
    file = tmp_path / "x.ssd"
    file.write_text(BOMB.format(fill="lol" * 10, more=more, use=use))
    with pytest.raises(DiagramError, match=r"x\.ssd:\d+: "):
        read(file)


@pytest.mark.parametrize(
    "doctype",
    [
        "<!DOCTYPE a>",
        '<!DOCTYPE a SYSTEM "http://localhost:1/a.dtd">',
        '<!DOCTYPE a [<!ENTITY secret SYSTEM "file:///etc/passwd">]>',
    ],
)
def test_a_doctype_is_refused_and_nothing_is_fetched(tmp_path, doctype):
    file = tmp_path / "x.ssd"
    file.write_text(doctype + VALID)
    with pytest.raises(DiagramError, match=r"x\.ssd:1: has a DOCTYPE"):
        read(file)
    file.write_text(VALID)
    assert read(file).name == "d"


def test_a_file_of_enormous_size_is_not_read(tmp_path, monkeypatch):
    file = tmp_path / "x.ssd"
    file.write_text(VALID)
    monkeypatch.setattr("drawbar.diagrams.xml.markup.MAX_BYTES", file.stat().st_size)
    assert read(file).name == "d"
    monkeypatch.setattr("drawbar.diagrams.xml.markup.MAX_BYTES", file.stat().st_size - 1)
    with pytest.raises(DiagramError, match="a file of a diagram has at most"):
        read(file)


def test_nesting_without_end_is_refused(tmp_path):
    file = tmp_path / "x.ssd"
    file.write_text("<a>" * 100_000)
    with pytest.raises(DiagramError, match=r"x\.ssd:\d+: "):
        read(file)


@pytest.mark.parametrize(
    ("name", "kind"), [("x.ssd", ".ssd"), ("x.ssv", ".ssv"), ("x.ssm", ".ssm"), ("x.txt", "XML"), ("x", "XML")]
)
def test_what_is_no_xml_is_named_by_what_it_was_to_be(tmp_path, name, kind):
    (tmp_path / name).write_text("no XML")
    with pytest.raises(DiagramError, match=rf"{name}:1: not an {kind} file, or a damaged one: "):
        parse(tmp_path / name)
