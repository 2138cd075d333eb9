"""XML of others: no entity is resolved, no document type accepted."""

from pathlib import Path

import pytest

from drawbar.blocks.core.safe_xml import DoctypeError, MalformedXml, parse_hostile


def test_plain_xml_is_read() -> None:
    root = parse_hostile(b'<?xml version="1.0"?><a b="1"><c>&lt;</c></a>')
    assert (root.tag, root.get("b"), root.findtext("c")) == ("a", "1", "<")


@pytest.mark.parametrize("inside", ['<!ENTITY e "aaaa">', '<!ENTITY e SYSTEM "{file}">', ""])
def test_a_document_type_is_refused(inside: str, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("secret")
    declared = f"<!DOCTYPE a [{inside.format(file=secret.as_uri())}]>"
    with pytest.raises(DoctypeError):
        parse_hostile(f"{declared}<a>{'&e;' if inside else ''}</a>".encode())


@pytest.mark.parametrize("content", [b"", b"<a>", b"<a/><b/>", b"\x00\x01", b"<a>&undefined;</a>"])
def test_malformed_xml_is_refused(content: bytes) -> None:
    with pytest.raises(MalformedXml):
        parse_hostile(content)


def test_elements_nested_beyond_reason_are_refused() -> None:
    with pytest.raises(MalformedXml):
        parse_hostile(100_000 * b"<a>" + 100_000 * b"</a>")
