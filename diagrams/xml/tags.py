"""The names of SSP: namespaces and their tags, media types, and the attributes of Drawbar's own annotations."""

from __future__ import annotations

from typing import Any

SSD = "http://ssp-standard.org/SSP1/SystemStructureDescription"
SSC = "http://ssp-standard.org/SSP1/SystemStructureCommon"
SSV = "http://ssp-standard.org/SSP1/SystemStructureParameterValues"
SSM = "http://ssp-standard.org/SSP1/SystemStructureParameterMapping"
OWN = "urn:drawbar:diagram"
PREFIXES = {SSD: "ssd", SSC: "ssc", SSV: "ssv", SSM: "ssm", OWN: "drawbar"}
FMU_TYPE = "application/x-fmu-sharedlibrary"
SSD_TYPE = "application/x-ssp-definition"
SSP_TYPE = "application/x-ssp-package"
ANNOTATION = "org.drawbar"
TYPES = ("Real", "Integer", "Boolean", "String")
# the names in SSP 2.0 of the types of FMI 2.0
ALIASES = {"Float64": "Real", "Float32": "Real", "Int32": "Integer", "Int16": "Integer", "Int8": "Integer"}
# the attributes of Drawbar's own annotations
OWN_ATTRIBUTES = {
    "Master": ("step", "loops", "algorithm"),
    "Component": ("block", "algorithm", "freshRead"),
    "Connection": ("algorithm",),
}


def ssd(name: str) -> str:
    """Return a tag of the SSD namespace."""
    return f"{{{SSD}}}{name}"


def ssc(name: str) -> str:
    """Return a tag of the SSC namespace."""
    return f"{{{SSC}}}{name}"


def ssv(name: str) -> str:
    """Return a tag of the SSV namespace."""
    return f"{{{SSV}}}{name}"


def ssm(name: str) -> str:
    """Return a tag of the SSM namespace."""
    return f"{{{SSM}}}{name}"


def own(name: str) -> str:
    """Return a tag of Drawbar's annotations."""
    return f"{{{OWN}}}{name}"


def type_of(component: Any) -> str:
    """Return the media type of a component; some tools omit it for descriptions and packages too."""
    if given := component.get("type"):
        return str(given)
    source = str(component.get("source") or "")
    if source.startswith("#") or source.partition("#")[0].endswith(".ssd"):
        return SSD_TYPE
    return SSP_TYPE if source.partition("#")[0].endswith(".ssp") else FMU_TYPE
