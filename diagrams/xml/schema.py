"""The XML schemas of SSP 1.0, as the installed FMPy package ships them."""

from __future__ import annotations

import re
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from lxml import etree

from drawbar.blocks.core.errors import DrawbarError

_NAMESPACE = "http://ssp-standard.org/SSP1/SystemStructure"
_NEWER = re.compile(r"}Parameter(Set|Mapping)', attribute 'version': \[facet 'pattern'\] The value '2\.")
_KINDS = ("Description", "ParameterValues", "ParameterMapping", "SignalDictionary")


@lru_cache(maxsize=1)
def _schema() -> Any:
    # one schema of all kinds, so that parameter sets inside a description are checked as well
    spec = find_spec("fmpy")
    folder = Path(spec.origin).parent / "ssp" / "schema" if spec is not None and spec.origin else Path()
    if not (folder / "SystemStructureDescription.xsd").is_file():
        raise DrawbarError("the installed FMPy has no SSP schemas; reinstall it: pip install --force-reinstall fmpy")
    imports = ""
    for kind in _KINDS:
        place = (folder / f"SystemStructure{kind}.xsd").as_uri()
        imports += f'<xs:import namespace="{_NAMESPACE}{kind}" schemaLocation="{place}"/>'
    text = f'<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">{imports}</xs:schema>'
    return etree.XMLSchema(etree.fromstring(text, etree.XMLParser(no_network=True)))


def schema_faults(root: Any) -> list[tuple[int, str]]:
    """Return what violates the schema in a description or parameter set, with the line of each fault.

    A file of SSP 2.0 is not validated. Neither is a parameter set of version 2.0 in a description of SSP 1.0, which
    some tools write.
    """
    schema = _schema()
    if is_newer(root) or schema.validate(root):
        return []
    return [(e.line, _readable(e.message)) for e in schema.error_log if not _NEWER.search(e.message)]


def is_newer(root: Any) -> bool:
    """Return whether a file declares SSP 2.0, for which there is no schema here."""
    return str(root.get("version", "")).startswith("2.")


def _readable(message: str) -> str:
    for kind in (*_KINDS, "Common"):
        message = message.replace(f"{{{_NAMESPACE}{kind}}}", "")
    return f"not valid SSP 1.0: {message}"
