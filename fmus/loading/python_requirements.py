"""What an FMU that runs Python requires where it is imported."""

from __future__ import annotations

import ast
import json
import platform
import re
from pathlib import Path

REQUIREMENTS_FILE = "requirements.json"  # in resources/, written by us
_MAX_BYTES = 100_000
# pythonfmu takes my-model.py, which no import statement could name; a point would mean a package
_MODULE = re.compile(r"[^/\\:.\0-\x1f]+")
_WORD = re.compile(r"[\w.+!-]{1,80}")


def is_pythonfmu(folder: Path) -> bool:
    """Return whether an unpacked FMU was exported through pythonfmu."""
    return (folder / "resources" / "slavemodule.txt").is_file()


def requirements_of(folder: Path) -> str:
    """Return in one sentence what an unpacked FMU that runs Python requires; an empty text for any other."""
    if not is_pythonfmu(folder):
        return ""
    python, packages = _read(folder / "resources" / REQUIREMENTS_FILE)
    listed = ", ".join(f"{name} {number}" for name, number in sorted(packages.items()))
    return f"Python{f' {python} or later' if python else ''} in the process that imports it, " + (
        f"with {listed} (or versions near these)" if listed else "with the packages that its modules import"
    )


def import_advice(folder: Path) -> str:
    """Return advice for importing such an FMU from a program in C; an empty text for any other."""
    if not is_pythonfmu(folder):
        return ""
    return (
        "its library brings no Python: a program that is not Python itself must load libpython before it (Linux: "
        "LD_PRELOAD=libpython3.X.so, and PYTHONPATH to the packages); where that cannot be, write the block as "
        "Continuous, Sampled or Kernel, whose FMUs need nothing"
    )


def check_python(folder: Path) -> str:
    """Return why an unpacked FMU of pythonfmu would crash instead of failing to load, or an empty text.

    Its library does so where the module that it looks for is missing or is not Python.
    """
    resources = folder / "resources"
    lines = (resources / "slavemodule.txt").read_bytes()[:200].decode("utf-8", "replace").splitlines()
    name = lines[0] if lines else ""
    if not _MODULE.fullmatch(name):
        return f"resources/slavemodule.txt names {name!a}, which is no Python module"
    path = resources / f"{name}.py"
    if not path.is_file():
        return f"resources/{name}.py, the module that resources/slavemodule.txt names, is missing"
    try:
        ast.parse(path.read_bytes())
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        return f"resources/{name}.py is not understood by Python {platform.python_version()}: {error}"
    return ""


def _read(path: Path) -> tuple[str, dict[str, str]]:
    """Return the content of the file as far as it is fit to be shown."""
    try:
        if path.stat().st_size > _MAX_BYTES:
            return "", {}
        requirements = json.loads(path.read_bytes())
        python, packages = requirements["python"], dict(requirements["packages"])
        words = [python, *packages, *packages.values()]
        return (python, packages) if all(isinstance(w, str) and _WORD.fullmatch(w) for w in words) else ("", {})
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return "", {}
