"""``drawbar doctor``: the compiler, platforms, cache and libraries of this machine."""

from __future__ import annotations

import argparse
import json
import platform
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from drawbar.blocks.core.cache import cache_folder
from drawbar.fmus.toolchain.compilers import ADVICE, find_compiler, host_platform
from drawbar.fmus.toolchain.cross import PLATFORMS, find_cross_compiler

LIBRARIES = ("casadi", "fmpy", "pythonfmu", "numpy", "scipy", "bokeh", "pyarrow", "lxml", "ziglang")


def configure(parser: argparse.ArgumentParser) -> None:
    """Add nothing: the verb has no arguments of its own."""


def call(options: argparse.Namespace) -> int:
    """Print the findings."""
    found = _findings()
    if options.json:
        print(json.dumps(found))
        return 0
    compiler = found["compiler"] or f"none; {ADVICE}"
    rows = {
        "drawbar": found["drawbar"],
        "python": found["python"],
        "platform": found["platform"],
        "C compiler": compiler,
        "for platforms": ", ".join(found["platforms"]) or "only this one; others need `pip install 'drawbar[cross]'`",
        "blocks run": found["backend"],
        "cache": found["cache"],
        **found["libraries"],
    }
    width = max(map(len, rows))
    for name, value in rows.items():
        print(f"{name:{width}}  {value or 'not installed'}")
    return 0


def _findings() -> dict[str, Any]:
    compiler = find_compiler()
    return {
        "drawbar": version("drawbar"),
        "python": platform.python_version(),
        "platform": host_platform(),
        "compiler": f"{' '.join(compiler.command)}: {compiler.identity}" if compiler else None,
        "platforms": list(PLATFORMS) if find_cross_compiler() else [],
        "backend": "as FMUs, stepped in C" if compiler else "interpreted, stepped in Python",
        "cache": str(cache_folder()),
        "libraries": {name: _version(name) for name in LIBRARIES},
    }


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None
