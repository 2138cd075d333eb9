"""Vectorized functions in the cache: the search takes seconds for a vehicle, and its result is always the same."""

from __future__ import annotations

import hashlib
import os
import tempfile
from functools import lru_cache
from importlib import resources

import casadi as ca

from drawbar.blocks.core.cache import cache_folder
from drawbar.fmus.runtime.constants import SIGNATURE
from drawbar.fmus.toolchain.cache import cache_miss
from drawbar.fmus.vectorize.code import vectorize


def cached_vector_code(function: ca.Function) -> str | None:
    """Return the result of `vectorize`, from the cache if the same function was requested before."""
    generator = ca.CodeGenerator("function.c", {"with_header": False})
    generator.add(function)
    key = hashlib.sha256(f"{SIGNATURE}\0{_package_text()}\0{generator.dump()}".encode()).hexdigest()[:32]
    stored = cache_folder() / "lanes" / f"{key}.c"
    if not stored.is_file():
        cache_miss()
        text = vectorize(function) or ""
        stored.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(
            "w", dir=stored.parent, prefix=".build-", delete=False, encoding="utf-8"
        ) as file:
            file.write(text)
        os.replace(file.name, stored)
    return stored.read_text("utf-8") or None


@lru_cache(maxsize=1)
def _package_text() -> str:
    """Return the text of this package, so that another version of it uses nothing that this one has stored."""
    files = sorted(resources.files("drawbar.fmus.vectorize").iterdir(), key=lambda file: file.name)
    return "\0".join(file.read_text("utf-8") for file in files if file.name.endswith(".py"))
