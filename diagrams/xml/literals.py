"""Values in the XML of SSP, read strictly, so that a typing error does not become another number."""

from __future__ import annotations

from drawbar.blocks.core.interface import Value

BOOLEANS = {"true": True, "1": True, "false": False, "0": False}


def read_real(text: str) -> float:
    """Return a real number; ``ValueError`` also for what only Python accepts as one, such as ``1_0``."""
    return float(_plain(text))


def read_integer(text: str) -> int:
    """Return an integer; ``ValueError`` also for what only Python accepts as one, such as ``1_0``."""
    return int(_plain(text))


def read_boolean(text: str) -> bool:
    """Return a Boolean: ``true``, ``false``, ``1`` or ``0``."""
    try:
        return BOOLEANS[text.strip()]
    except KeyError:
        raise ValueError(text) from None


def _plain(text: str) -> str:
    if "_" in text or not text.isascii():
        raise ValueError(text)
    return text


def type_of_value(value: Value) -> str:
    """Return the SSP type of a Python value."""
    if isinstance(value, bool):
        return "Boolean"
    return "Integer" if isinstance(value, int) else "String" if isinstance(value, str) else "Real"
