"""Packages (``.ssp``) opened in the user's cache; they come from elsewhere and are not trusted until checked."""

from __future__ import annotations

from pathlib import Path

from drawbar.blocks.core.cache import cache_folder
from drawbar.blocks.core.errors import DiagramError, FmuError, did_you_mean
from drawbar.fmus.loading.archive import unpack

FILE = "SystemStructure.ssd"
SUFFIX = ".ssp"


def open_package(path: Path, variant: str | None = None) -> Path:
    """Return the ``SystemStructure.ssd`` of a package, or the `variant` of it, in the folder where it is unpacked.

    The name of the folder is the hash of the content. The checks are those of FMU files: names that leave the folder,
    links, damage and excessive unpacked size are refused with ``DiagramError``, as is a package without the file.
    """
    try:
        folder = unpack(path)
    except FmuError as error:
        text = str(error).replace("not a readable FMU (zip) file", "not a readable SSP (zip) file")
        raise DiagramError(text.replace("leads out of the FMU;", "leads out of the package;")) from None
    others = sorted(p.relative_to(folder).as_posix() for p in folder.rglob("*.ssd"))
    if variant is not None:
        if variant not in others:
            raise DiagramError(f"{path}: there is no '{variant}' in the package" + did_you_mean(variant, others))
        return folder / variant
    if (folder / FILE).is_file():
        return folder / FILE
    found = (
        f"it has {', '.join(others[:5])}; name one as in {path.name}:{others[0]}"
        if others
        else "it has no .ssd file at all"
    )
    raise DiagramError(f"{path}: a package has its {FILE} at the top, and {found}")


def split_variant(name: str) -> tuple[Path, str | None] | None:
    """Return the package and the description in it for ``package.ssp:Variant.ssd``; None for any other name."""
    package, colon, variant = name.rpartition(":")
    if not colon or not package.endswith(SUFFIX) or not variant.endswith(".ssd"):
        return None
    return Path(package), variant


def is_opened(file: Path) -> bool:
    """Return whether a file of a diagram lies at the top level of an opened package."""
    return file.parent.parent.resolve() == (cache_folder() / "unpacked").resolve()


def variants(file: Path) -> list[str]:
    """Return the other ``.ssd`` files of the package that a diagram was opened from."""
    return sorted(p.name for p in file.parent.glob("*.ssd") if p.name != file.name) if is_opened(file) else []
