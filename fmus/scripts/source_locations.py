"""Tells files of Python and of installed packages from the user's own."""

from __future__ import annotations

import sysconfig
from pathlib import Path

from drawbar.blocks.authoring import assignment

_OURS = (Path(__file__).resolve().parent, Path(assignment.__file__).resolve().parent)
_STANDARD = Path(sysconfig.get_paths()["stdlib"]).resolve()


def is_ours(file: str) -> bool:
    """Return whether a file belongs to the code around a block, not to a block."""
    return Path(file).resolve().parent in _OURS


def is_installed(file: str) -> bool:
    """Return whether a file is of Python or of an installed package, or is not a file."""
    path = Path(file).resolve()
    return (
        file.startswith("<") or bool({"site-packages", "dist-packages"} & set(path.parts)) or _STANDARD in path.parents
    )
