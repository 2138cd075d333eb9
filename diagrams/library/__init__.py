"""Diagrams that come with Drawbar: one folder each, with its ``SystemStructure.ssd``."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from drawbar.blocks.core.errors import UsageError, did_you_mean
from drawbar.diagrams.ssp.ssp_archive import FILE, SUFFIX, open_package, split_variant


def _folder() -> Path:
    return Path(str(files(__name__)))


def names() -> list[str]:
    """Return the names of the diagrams of the library."""
    return sorted(f.parent.name for f in _folder().glob(f"*/{FILE}"))


def diagrams_in(folder: Path) -> list[tuple[str, Path]]:
    """Return the diagrams of a folder and two levels below it, with a name for each; hidden folders are left out.

    A file with the usual name is called by its folder, others by their own name.
    """
    files = [f for depth in ("", "*/", "*/*/") for kind in (".ssd", SUFFIX) for f in folder.glob(f"{depth}*{kind}")]
    shown = sorted(f for f in files if f.is_file() and not any(p[0] == "." for p in f.relative_to(folder).parts))
    return [(f.resolve().parent.name if f.name == FILE else f.stem, f) for f in shown]


def find(name_or_path: str | Path, workspace: str | Path | None = None) -> Path:
    """Return the ``.ssd`` file that is meant: a file, a folder that holds one, a package, or a name of the library.

    A package (``.ssp``) is opened in the cache; ``package.ssp:Variant.ssd`` means another of its descriptions. A path
    wins over a diagram of the `workspace` (by its name from `diagrams_in`), and that over a name of the library;
    ``UsageError`` with the nearest name if there is none.
    """
    path = Path(name_or_path)
    try:
        path.stat()
    except FileNotFoundError:
        if (variant := split_variant(str(name_or_path))) is not None and variant[0].is_file():
            return open_package(*variant)
    except (OSError, ValueError) as error:  # a name too long, or one that no file can have
        raise UsageError(f"there is no diagram '{str(name_or_path)[:80]}': {error}") from None
    if path.is_file():
        return open_package(path) if path.suffix == SUFFIX else path
    if path.is_dir() and (path / FILE).is_file():
        return path / FILE
    mine = dict(diagrams_in(Path(workspace))) if workspace is not None else {}
    if (chosen := mine.get(str(name_or_path))) is not None:
        return find(chosen)
    if (found := _folder() / str(name_or_path) / FILE).is_file() and path.name == str(name_or_path):
        return found
    if path.is_dir():
        others = sorted(p.name for p in path.glob("*.ssd"))
        raise UsageError(f"{path} has no {FILE}" + (f"; name one of {', '.join(others)}" if others else ""))
    meant = [f"{path}{ending}" for ending in (".ssd", SUFFIX) if Path(f"{path}{ending}").is_file()]
    near = f"; did you mean '{meant[0]}'?" if meant else did_you_mean(path.name, [*mine, *names()])
    raise UsageError(f"there is no diagram '{name_or_path}': no such file or folder" + near)
