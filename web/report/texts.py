"""Units and text from files, as people and Bokeh read them."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from html import escape

# people read angles in degrees; everything else stays in the unit of its port
_DEGREES = {"rad": "deg", "rad/s": "deg/s", "rad/s2": "deg/s2"}
_POWERS = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")


def shown(unit: str) -> tuple[float, str]:
    """Factor and name of the unit that people read."""
    return (180 / math.pi, _DEGREES[unit]) if unit in _DEGREES else (1.0, unit)


def pretty(unit: str) -> str:
    """A unit as it is printed: ``m/s2`` becomes m/s², ``1`` nothing."""
    if unit == "1":
        return ""
    raised = re.sub(r"(?<=[A-Za-z])-?[0-9]+", lambda power: power[0].translate(_POWERS), unit)
    return raised.replace(".", "·").replace("deg", "°") if unit in _DEGREES.values() else raised.replace(".", "·")


def quantity(names: Sequence[str], unit: str) -> str:
    """The text of an axis: what it shows, if the signals agree on that, and its unit."""
    words = {_words(name.split("[")[0].rsplit(".", 1)[-1]) for name in names}
    return plain(f"{words.pop() if len(words) == 1 else ''} [{pretty(shown(unit)[1]) or '-'}]".strip())


def _words(name: str) -> str:
    parts = name.split("_")
    return " ".join(parts) if all(len(part) > 1 for part in parts) else name  # a_y is a symbol, wheel_load are words


def plain(text: str) -> str:
    """Text from a file, so marked that Bokeh does not take parts of it for TeX."""
    return re.sub(r"\$(?=\$)|\\(?=[\[\]()])", "\\g<0>\u200b", text)


def template(text: str) -> str:
    """Text from a file as a part of a tooltip's value, which Bokeh takes for HTML with ``@`` and ``$`` to fill in."""
    return escape(text).replace("@", "&#64;").replace("$", "&#36;")
