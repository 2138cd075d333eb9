"""How a notebook shows a diagram. The package registers the picture here, because drawing is built on the model."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

svg: Callable[[Any], str]  # set by `drawbar.diagrams`, whose import precedes that of any module in it
