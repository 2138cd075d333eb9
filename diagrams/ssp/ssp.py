"""Diagrams as SSP 1.0 files (``SystemStructure.ssd``, ``.ssp``): read, write, and the text that is written."""

from __future__ import annotations

import os
from pathlib import Path

from drawbar.blocks.authoring.registry import open_workspace
from drawbar.blocks.core.atomic_write import save
from drawbar.blocks.core.errors import UsageError
from drawbar.diagrams.model.diagram import Diagram
from drawbar.diagrams.ssp.ssp_archive import FILE, SUFFIX, open_package, split_variant
from drawbar.diagrams.ssp.ssp_read import read_ssd
from drawbar.diagrams.ssp.ssp_write import text_to_write, to_text

__all__ = ["read", "to_text", "write"]


def read(path: str | os.PathLike[str], *, workspace: str | os.PathLike[str] | None = None) -> Diagram:
    """Return the diagram of an ``.ssd`` file, of the folder that holds one, or of a package (``.ssp``).

    A package is opened in the cache. ``package.ssp:Variant.ssd`` means another of its descriptions than
    ``SystemStructure.ssd``.

    `workspace` is a folder whose modules hold blocks that the file names, as of ``--workspace``. It is searched from
    then on, and a file never names one itself.

    Faults that do not hinder reading are left to `drawbar.diagrams.checks.check`; ``DiagramError`` is raised if the
    file is not an SSD at all.
    """
    if workspace is not None:
        open_workspace(Path(workspace))
    file = Path(path)
    if (chosen := split_variant(str(path))) is not None and not file.exists():
        return read_ssd(open_package(*chosen))
    if file.suffix == SUFFIX and not file.is_dir():
        return read_ssd(open_package(file))
    if file.suffix.lower() == ".fmu" and file.is_file():
        advice = f"`drawbar info {file}` shows it, and Diagram('name').add('part', '{file}') puts it on a diagram"
        raise UsageError(f"{file} is an FMU, not a diagram; {advice}")
    return read_ssd(file / FILE if file.is_dir() else file)


def write(diagram: Diagram, path: str | os.PathLike[str]) -> None:
    """Write a diagram as an ``.ssd`` file, or into a folder; the file is replaced as a whole or not at all.

    ``DiagramError`` if what would be written is no valid file, as with a character that XML does not have. A diagram
    that is not complete yet, or cannot run for other reasons, is written.
    A name that ends in ``.ssp`` is written as a package, by `pack`.
    """
    file = Path(path)
    if file.suffix == SUFFIX and not file.is_dir():
        # imported late: building FMUs is heavy, and no other diagram needs it
        from drawbar.diagrams.ssp.pack import pack

        pack(diagram, file)
        return
    file = file / FILE if file.is_dir() else file
    save(file, text_to_write(diagram, file.parent))
