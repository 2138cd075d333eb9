"""The blocks that are installed: found by name, or by the ``package.module:Class`` that a diagram names.

Packages announce themselves in the entry-point group ``drawbar.blocks``; the value is a package whose modules define
block classes. Nothing outside those packages is ever imported on behalf of a file.
"""

from __future__ import annotations

import importlib
import pkgutil
from functools import lru_cache
from importlib.metadata import entry_points

from drawbar.blocks.authoring.block import Block
from drawbar.blocks.authoring.errors import UsageError, did_you_mean

GROUP = "drawbar.blocks"


def packages() -> list[str]:
    """The packages that announce blocks."""
    return sorted({entry.value for entry in entry_points(group=GROUP)})


@lru_cache(maxsize=1)
def block_classes() -> dict[str, type[Block]]:
    """All installed blocks by class name, sorted; a name that two packages use is listed as ``package.module:Class``."""
    found: dict[str, list[type[Block]]] = {}
    for package in packages():
        for module in _modules(package):
            for value in vars(importlib.import_module(module)).values():
                if isinstance(value, type) and issubclass(value, Block) and value.__module__ == module:
                    if "_traced" in vars(value):
                        found.setdefault(value.__name__, []).append(value)
    named = {(n if len(group) == 1 else reference(c)): c for n, group in found.items() for c in group}
    return dict(sorted(named.items()))


def reference(block: type[Block]) -> str:
    """How a diagram names a block: ``package.module:Class``."""
    return f"{block.__module__}:{block.__name__}"


def find_block(name: str) -> type[Block]:
    """The block of a class name or reference; `UsageError` names the nearest."""
    classes = block_classes()
    for known, block in classes.items():
        if name in (known, reference(block)):
            return block
    wanted = [reference(b) for b in classes.values()] if ":" in name else classes
    raise UsageError(f"there is no block '{name}'" + did_you_mean(name, wanted))


def _modules(package: str) -> list[str]:
    root = importlib.import_module(package)
    inside = pkgutil.walk_packages(root.__path__, prefix=f"{package}.") if hasattr(root, "__path__") else []
    return [package, *(m.name for m in inside)]
