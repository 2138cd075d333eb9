"""Names of a package and functions of a verb that are imported at their first use."""

from __future__ import annotations

import importlib
import pkgutil
import sys
from collections.abc import Callable, Mapping
from typing import Any


def lazy_names(package: str, homes: Mapping[str, str]) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return ``__getattr__`` and ``__dir__`` of a package whose names are defined in the modules `homes`.

    If a package imported all its names itself, every import of one of its modules would be as slow as the slowest.
    """

    def get(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module '{package}' has no attribute '{name}'")
        value = getattr(importlib.import_module(homes[name]), name)
        setattr(sys.modules[package], name, value)
        return value

    def names() -> list[str]:
        return sorted({*vars(sys.modules[package]), *homes})

    return get, names


def later(reference: str) -> Callable[..., Any]:
    """Return a function that imports the function ``package.module:name`` at its first call and calls it."""

    def call(*arguments: Any) -> Any:
        return pkgutil.resolve_name(reference)(*arguments)

    return call
