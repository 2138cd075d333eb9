"""The cache of what was built: a folder that outlives the process, and records in it about the installed packages."""

from __future__ import annotations

import contextlib
import hashlib
import importlib
import os
import pickle
import sys
import tempfile
import time
from functools import lru_cache
from pathlib import Path
from typing import Any

import platformdirs

from drawbar.blocks.core.errors import UsageError

_BEGAN = time.time()


def cache_folder() -> Path:
    """Return the folder of built things: ``$DRAWBAR_CACHE``, else a folder of the user's cache."""
    given = os.environ.get("DRAWBAR_CACHE")
    return Path(given) if given else Path(platformdirs.user_cache_dir("drawbar"))


def make_cache_folder(folder: Path) -> None:
    """Make a folder of the cache; raise `UsageError` with the place, the reason and the variable that moves it."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(
            f"the cache folder {cache_folder()} cannot be made or written to: {error.strerror or error}; name another "
            "one in the environment variable DRAWBAR_CACHE"
        ) from None


@lru_cache(maxsize=16)
def fingerprint(*packages: str) -> str:
    """Return a hash of all files of some packages, and of what else decides about a result of their code.

    It is calculated once in a process, at the first call: a file that changes later belongs to another fingerprint.
    """
    import casadi
    import numpy

    found = hashlib.sha256(f"{sys.version}\0{numpy.__version__}\0{casadi.__version__}".encode())
    for package in packages:
        for folder, folders, files in os.walk(root := _folder(package)):
            folders[:] = sorted(name for name in folders if name != "__pycache__")
            for file in sorted(files):
                content = (path := Path(folder) / file).read_bytes()
                found.update(f"\0{path.relative_to(root)}\0{len(content)}\0".encode())
                found.update(content)
    return found.hexdigest()


def is_unchanged(*packages: str) -> bool:
    """Return whether no file of some packages was written since this process began to read them.

    Else what the process has imported may differ from what the fingerprint stands for.
    """
    return all(
        (Path(folder) / file).stat().st_mtime < _BEGAN
        for package in packages
        for folder, _, files in os.walk(_folder(package))
        if "__pycache__" not in Path(folder).parts
        for file in files
    )


def read_record(kind: str, name: str, wanted: str) -> Any:
    """Return what `write_record` stored under the fingerprint `wanted`, or None.

    The folder belongs to the user, who also executes the libraries in it, so its pickles are trusted like these.
    """
    try:
        with _file(kind, name).open("rb") as file:
            return pickle.load(file) if pickle.load(file) == wanted else None
    except Exception:  # none was stored, or it is damaged or of another version
        return None


def write_record(kind: str, name: str, found: str, value: Any) -> None:
    """Store a value under a fingerprint in place of what was stored before; without effect on a read-only disk."""
    place = _file(kind, name)
    with contextlib.suppress(OSError):
        place.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=place.parent, prefix=".build-") as scratch:
            content = pickle.dumps(found) + pickle.dumps(value)
            (Path(scratch) / place.name).write_bytes(content)
            os.replace(Path(scratch) / place.name, place)  # atomic: another process may read or write it


def _file(kind: str, name: str) -> Path:
    """Return the file of a record; two installations that share the cache have files of their own."""
    installation = hashlib.sha256(str(_folder("drawbar.blocks")).encode()).hexdigest()[:16]
    return cache_folder() / kind / installation / name


def _folder(package: str) -> Path:
    return Path(str(importlib.import_module(package).__file__)).resolve().parent
