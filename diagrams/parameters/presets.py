"""Parameter sets that come with the blocks, by name: each is a file beside the facts in ``drawbar.blocks.data``.

The names in a set are those of the block's parameters, so it is bound to the part:
``bind(diagram, file, prefix="vehicle.")``.
"""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from drawbar.blocks.core.errors import UsageError, did_you_mean

SUFFIX = ".ssv"


def presets() -> dict[str, Path]:
    """Return the files of the sets by their names."""
    found = Path(str(files("drawbar.blocks.data"))).rglob(f"*{SUFFIX}")
    return {file.stem: file for file in sorted(found)}


def find_set(name_or_path: str, beside: Path | None = None) -> Path:
    """Return the file of a parameter set: a path, a name in the folder `beside` or the working directory, or a preset.

    ``UsageError`` with the nearest name if there is no such set; a path is returned as it is.
    """
    path = Path(name_or_path)
    if path.suffix == SUFFIX or path.name != name_or_path:
        return path
    file = f"{name_or_path}{SUFFIX}"
    folders = [folder for folder in (beside, Path()) if folder is not None]
    if (near := next((folder / file for folder in folders if (folder / file).is_file()), None)) is not None:
        return near
    known = presets()
    if (found := known.get(name_or_path)) is not None:
        return found
    there = [path.stem for folder in folders for path in folder.glob(f"*{SUFFIX}")]
    nearest = did_you_mean(name_or_path, [*known, *there])
    raise UsageError(
        f"there is no parameter set '{name_or_path}': no preset, and no file {file} beside the diagram or in the "
        f"working directory{nearest}"
    )
