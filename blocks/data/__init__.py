"""Default parameters as JSON files, each with its source."""

import json
from importlib.resources import files
from typing import Any


def read(name: str) -> dict[str, Any]:
    """Return the contents of a file of this folder, such as ``vehicles/hmmwv_planar.json``."""
    contents: dict[str, Any] = json.loads(files(__name__).joinpath(*name.split("/")).read_text(encoding="utf-8"))
    return contents
