"""Units and text from files, prepared for readers and for Bokeh."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from html import escape

# angles are displayed in degrees, everything else in the unit of its port
_DEGREES = {"rad": "deg", "rad/s": "deg/s", "rad/s2": "deg/s2"}
_POWERS = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")


def shown(unit: str) -> tuple[float, str]:
    """Return the factor to the unit in which values are displayed, and its name."""
    return (180 / math.pi, _DEGREES[unit]) if unit in _DEGREES else (1.0, unit)


def pretty(unit: str) -> str:
    """Return a unit as it is printed: ``m/s2`` as m/s², ``1`` as an empty text."""
    if unit == "1":
        return ""
    raised = re.sub(r"(?<=[A-Za-z])-?[0-9]+", lambda power: power[0].translate(_POWERS), unit)
    return raised.replace(".", "·").replace("deg", "°") if unit in _DEGREES.values() else raised.replace(".", "·")


def quantity(names: Sequence[str], unit: str) -> str:
    """Return the label of an axis: the quantity, if it is the same for all signals, and the unit."""
    words = {_words(name.split("[")[0].rsplit(".", 1)[-1]) for name in names}
    return plain(f"{words.pop() if len(words) == 1 else ''} [{pretty(shown(unit)[1]) or '-'}]".strip())


def _words(name: str) -> str:
    parts = name.split("_")
    return " ".join(parts) if all(len(part) > 1 for part in parts) else name  # a_y is a symbol, wheel_load are words


def plain(text: str) -> str:
    """Return text from a file, marked so that Bokeh does not take parts of it for TeX."""
    return re.sub(r"\$(?=\$)|\\(?=[\[\]()])", "\\g<0>\u200b", text)


def template(text: str) -> str:
    """Return text from a file for the value of a tooltip, which Bokeh takes for HTML with ``@`` and ``$`` as fields."""
    return escape(text).replace("@", "&#64;").replace("$", "&#36;")
