"""The SSP 1.0 XML schemas, as the installed FMPy package ships them."""

from __future__ import annotations

from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from lxml import etree

from drawbar.blocks.authoring.errors import DrawbarError

_NAMESPACE = "http://ssp-standard.org/SSP1/SystemStructure"
_KINDS = ("Description", "ParameterValues", "ParameterMapping", "SignalDictionary")


@lru_cache(maxsize=1)
def _schema() -> Any:
    # one schema of all, so that parameter sets inside a description are checked as well
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
    """What contradicts the schema in a description or parameter set, with the line of each."""
    schema = _schema()
    if schema.validate(root):
        return []
    return [(error.line, _readable(error.message)) for error in schema.error_log]


def _readable(message: str) -> str:
    for kind in (*_KINDS, "Common"):
        message = message.replace(f"{{{_NAMESPACE}{kind}}}", "")
    return f"not valid SSP 1.0: {message}"
