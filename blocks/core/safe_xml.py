"""XML of others (robots, FMUs, diagrams), read without entities, document type and network."""

from __future__ import annotations

from typing import Any

from lxml import etree

# readers catch it and raise an error that names the expected kind of file
MalformedXml = etree.XMLSyntaxError


class DoctypeError(Exception):
    """The XML declares a document type, which could define entities."""


def parse_hostile(content: bytes) -> Any:
    """Return the root element; raise `MalformedXml` or `DoctypeError` if the XML must not be read."""
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
    root = etree.fromstring(content, parser)
    if root.getroottree().docinfo.internalDTD is not None:
        raise DoctypeError
    return root
