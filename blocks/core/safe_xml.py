"""XML of others, for robots, FMUs and diagrams alike: no entities, no document type, nothing from the network."""

from __future__ import annotations

from typing import Any

from lxml import etree

# what a reader catches; it says in its own words what the file was to be
MalformedXml = etree.XMLSyntaxError


class DoctypeError(Exception):
    """The XML declares a document type, through which entities could come."""


def parse_hostile(content: bytes) -> Any:
    """The root element; `MalformedXml` or `DoctypeError` if it is not to be read."""
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
    root = etree.fromstring(content, parser)
    if root.getroottree().docinfo.internalDTD is not None:
        raise DoctypeError
    return root
