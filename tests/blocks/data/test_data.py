"""Facts are readable and name where they come from."""

import json
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from drawbar.blocks import data


def json_files() -> list[str]:
    root = Path(str(files(data)))
    return [path.relative_to(root).as_posix() for path in sorted(root.rglob("*.json"))]


@pytest.mark.parametrize("name", json_files())
def test_every_file_names_its_source(name: str) -> None:
    facts: dict[str, Any] = data.read(name)
    assert len(facts["source"]) > 20
    assert json.loads(json.dumps(facts)) == facts


def test_the_vehicle_is_there() -> None:
    assert data.read("vehicles/hmmwv_planar.json")["mass"] == 2688.7
