from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def side_file(tmp_path: Path) -> Callable[..., Path]:
    """Write a side file with the given entries, and return its path."""

    def write(**entries: Any) -> Path:
        path = tmp_path / "side.json"
        path.write_text(json.dumps(entries))
        return path

    return write
