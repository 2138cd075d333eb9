"""Diagrams as SSP 1.0 files (``SystemStructure.ssd``, ``.ssp``): read, write, and the text that is written."""

from __future__ import annotations

import os
from pathlib import Path

from drawbar.blocks.core.atomic_write import save
from drawbar.diagrams.model.diagram import Diagram
from drawbar.diagrams.ssp.ssp_archive import FILE, SUFFIX, open_package, split_variant
from drawbar.diagrams.ssp.ssp_read import read_ssd
from drawbar.diagrams.ssp.ssp_write import to_text

__all__ = ["read", "to_text", "write"]


def read(path: str | os.PathLike[str]) -> Diagram:
    """Return the diagram of an ``.ssd`` file, of the folder that holds one, or of a package (``.ssp``).

    A package is opened in the cache. ``package.ssp:Variant.ssd`` means another of its descriptions than
    ``SystemStructure.ssd``.

    Faults that do not hinder reading are left to `drawbar.diagrams.checks.check`; ``DiagramError`` is raised if the
    file is not an SSD at all.
    """
    file = Path(path)
    if (chosen := split_variant(str(path))) is not None and not file.exists():
        return read_ssd(open_package(*chosen))
    if file.suffix == SUFFIX and not file.is_dir():
        return read_ssd(open_package(file))
    return read_ssd(file / FILE if file.is_dir() else file)


def write(diagram: Diagram, path: str | os.PathLike[str]) -> None:
    """Write a diagram as an ``.ssd`` file, or into a folder; the file is replaced as a whole or not at all.

    A name that ends in ``.ssp`` is written as a package, by `pack`.
    """
    file = Path(path)
    if file.suffix == SUFFIX and not file.is_dir():
        # imported late: building FMUs is heavy, and no other diagram needs it
        from drawbar.diagrams.ssp.pack import pack

        pack(diagram, file)
        return
    file = file / FILE if file.is_dir() else file
    save(file, to_text(diagram, file.parent))
