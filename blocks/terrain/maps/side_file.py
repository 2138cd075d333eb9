"""The side file of a height map: the meaning of its numbers in JSON, checked."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from drawbar.blocks.core.errors import TerrainError, did_you_mean
from drawbar.blocks.core.numbers import is_finite
from drawbar.blocks.terrain.soil.soils import Soil, soil

MOST_BYTES = 1_000_000
ROWS = ("south", "north")


@dataclass(frozen=True)
class Side:
    """The contents of a side file.

    Lengths in m. None means the value of the heights file, or the default of its format.
    """

    heights: str = ""  # a file beside it
    classes: str | None = None  # a file beside it with the class of each point
    cell: tuple[float, float] | None = None  # distance of points along x and y; one number for both
    origin: tuple[float, float] | None = None  # x and y of the south-west point
    scale: float | None = None  # m of height per number of the file; 1 where the file does not say another unit
    datum: float = 0.0  # m, height of the number 0
    no_data: float | None = None  # the number that marks what is missing
    missing: str | float = "refuse"  # what then: "refuse", "nearest", or a height in m
    first_row: str | None = None  # "south" or "north"
    soils: tuple[Soil, ...] = (Soil(),)
    wheel_radius: float = 0.0
    source: str = ""  # where the map comes from


def read_side(path: Path) -> Side:
    """Return a side file, checked; `TerrainError` names what is wrong in it."""
    try:
        if path.stat().st_size > MOST_BYTES:
            raise TerrainError(f"{path} is larger than {MOST_BYTES} bytes; it is no side file of a map")
        told = json.loads(path.read_text("utf-8"))
    except OSError as error:
        raise TerrainError(f"{path} cannot be read: {error.strerror}") from None
    except (ValueError, RecursionError) as error:
        raise TerrainError(f"{path} is no JSON file: {error}") from None
    return side(told, str(path))


def side(told: Any, where: str = "side file") -> Side:
    """Return a side file from its contents."""
    if not isinstance(told, dict):
        raise TerrainError(f'{where}: it holds an object: {{"heights": "FILE", "cell": 0.5, ...}}')
    found: dict[str, Any] = {}
    for word, value in told.items():
        if word not in Side.__dataclass_fields__:
            raise TerrainError(f"{where}: '{word}' is unknown" + did_you_mean(word, Side.__dataclass_fields__))
        found[word] = _value(word, value, where)
    return Side(**found)


def _value(word: str, value: Any, where: str) -> Any:
    fault = TerrainError(f"{where}: {word} is {json.dumps(value)[:80]}; {_WANTED[word]}")
    if word in ("heights", "classes"):
        # only beside it: a file of others must not name files elsewhere
        if not isinstance(value, str) or not value or Path(value).name != value or "\\" in value:
            raise fault
    elif word in ("cell", "origin"):
        pair = [value, value] if word == "cell" and not isinstance(value, list) else value
        if not isinstance(pair, list) or len(pair) != 2 or not all(map(is_finite, pair)):
            raise fault
        return tuple(map(float, pair))
    elif word == "soils":
        if not isinstance(value, list) or not value:
            raise fault
        return tuple(soil(given, f"{where}: class {k}") for k, given in enumerate(value))
    elif word == "missing":
        if value not in ("refuse", "nearest") and not is_finite(value):
            raise fault
    elif word == "first_row":
        if value not in ROWS:
            raise fault
    elif word == "source":
        if not isinstance(value, str):
            raise fault
    elif not is_finite(value) or (word == "scale" and value == 0):
        raise fault
    return value


_WANTED = {
    "heights": "it is the name of a file beside it",
    "classes": "it is the name of a file beside it",
    "cell": "it is a number or two, m along x and y",
    "origin": "it is two numbers, x and y of the south-west point in m",
    "scale": "it is a number, m of height per number of the file, and not 0",
    "datum": "it is a number, the height of 0 in m",
    "no_data": "it is the number that marks a missing height",
    "missing": 'it is "refuse", "nearest" or a height in m',
    "first_row": 'it is "south" or "north"',
    "soils": "it is a list of names of blocks/data/soils.json or records, one for each class",
    "wheel_radius": "it is a number in m",
    "source": "it is a text",
}
