"""The C header of the constants that the runtime shares with Python."""

from __future__ import annotations

from drawbar.blocks.authoring.resource import MAX_DIMENSIONS
from drawbar.fmus.runtime import constants

CONSTANTS_HEADER = "runtime_constants.h"

Constant = int | float | tuple[float, ...] | tuple[tuple[float, ...], ...]


def shared_constants() -> dict[str, Constant]:
    """Return the numbers and tables that C and Python share, by name."""
    names = [name for name in vars(constants) if name.isupper() and not name.startswith("_") and name != "SIGNATURE"]
    return {**{name: getattr(constants, name) for name in names}, "MAX_DIMENSIONS": MAX_DIMENSIONS}


def constants_header() -> str:
    """Return the text of the header."""
    definitions = "".join(_definition(name, value) for name, value in shared_constants().items())
    return (
        "/* Constants of the runtime, generated from drawbar.fmus.runtime.constants, which gives their meaning. */\n"
        f"#ifndef DRAWBAR_CONSTANTS_H\n#define DRAWBAR_CONSTANTS_H\n\n{definitions}\n#endif\n"
    )


def _definition(name: str, value: Constant) -> str:
    if not isinstance(value, tuple):
        return f"#define {name} {value!r}\n"  # repr() of a float is the shortest text that is read as the same double
    columns = max(len(row) if isinstance(row, tuple) else 0 for row in value)
    rows = [f"    {_row(row) if isinstance(row, tuple) else repr(row)}" for row in value]
    size = f"[{len(value)}]" + (f"[{columns}]" if columns else "")
    return f"static const double {name}{size} = {{\n" + ",\n".join(rows) + "};\n"


def _row(row: tuple[float, ...]) -> str:
    """Return a row of a table; C fills the rest with zeros."""
    return "{" + (", ".join(map(repr, row)) or "0.0") + "}"
