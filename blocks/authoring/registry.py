"""From ``block="package.module:Class"`` to the class, among installed packages and the open workspace.

A diagram names blocks, and resolving a name imports its module. Therefore only modules of the packages in the
entry-point group ``drawbar.blocks`` are considered, and those of the workspace folder that the user opened; never a
path from a file. A search for blocks in a workspace imports only the modules that define blocks. What modules print
during their import goes to stderr, because stdout belongs to the answer of the command.
"""

from __future__ import annotations

import contextlib
import difflib
import importlib
import importlib.util
import pkgutil
import re
import sys
import traceback
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import entry_points
from pathlib import Path

from drawbar.blocks.authoring.block import Block, kind_of, summary
from drawbar.blocks.authoring.model_cache import FINGERPRINT, LIBRARY
from drawbar.blocks.authoring.renamed import renamed_block
from drawbar.blocks.authoring.workspace import Workspace
from drawbar.blocks.core.cache import is_unchanged, read_record, write_record
from drawbar.blocks.core.errors import DefinitionError, DrawbarError, UsageError, did_you_mean

GROUP = "drawbar.blocks"
MAX_SEARCHED = 500  # files of a workspace that are read for a hint
_workspaces: list[Path] = []


class UnknownBlockError(DrawbarError):
    """A diagram names a block that does not exist."""


def open_workspace(folder: str | Path) -> None:
    """Make the blocks of a folder's modules available to diagrams; the folder goes last on the import path."""
    path = Path(folder).resolve()
    if not path.is_dir():
        raise UsageError(f"the workspace {folder} is no folder")
    if path not in _workspaces:
        _workspaces.append(path)
        # last, so that a workspace cannot replace a module of Python or of an installed package
        sys.path.append(str(path))
        importlib.invalidate_caches()


def packages() -> list[str]:
    """Return the installed packages that offer blocks, the library first: a name that two use is its block."""
    found = {point.value for point in entry_points(group=GROUP)}
    return sorted(found, key=lambda name: (name != LIBRARY, name))


@contextlib.contextmanager
def _printing_to_stderr() -> Iterator[None]:
    with contextlib.redirect_stdout(sys.stderr):
        yield


@_printing_to_stderr()
def block_class(reference: str) -> type[Block]:
    """Return the block ``package.module:Class``; raise `UnknownBlockError` with the nearest name if there is none."""
    module_name, colon, class_name = reference.partition(":")
    if not colon or not all(part.isidentifier() for part in [*module_name.split("."), class_name]):
        raise UnknownBlockError(f"block '{reference}': write it as 'package.module:Class'")
    if not _allowed(module_name):
        if hidden := _hidden(module_name):
            raise UnknownBlockError(f"block '{reference}' is unknown: {hidden}")
        raise UnknownBlockError(f"block '{reference}' is unknown" + _nearest(reference) + _searched(reference))
    try:
        module = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        if error.name is not None and (module_name + ".").startswith(error.name + "."):
            raise UnknownBlockError(
                f"block '{reference}' is unknown" + _nearest(reference) + _searched(reference)
            ) from None
        raise UnknownBlockError(f"block '{reference}': its module does not import: {_reason(error)}") from None
    except (Exception, SystemExit) as error:  # a module of the user may raise anything
        raise UnknownBlockError(f"block '{reference}': its module does not import: {_reason(error)}") from error
    found = getattr(module, class_name, None)
    if isinstance(found, type) and issubclass(found, Block) and found.is_concrete():
        return found
    raise UnknownBlockError(f"block '{reference}' is unknown" + _nearest(reference) + _searched(reference))


def reference_of(block: type[Block]) -> str:
    """Return the reference ``package.module:Class`` of a block.

    A block of the running script is named by the script's file, as other modules would import it.
    """
    module = block.__module__
    if module == "__main__":
        module = Path(getattr(sys.modules[module], "__file__", None) or module).stem
    return f"{module}:{block.__qualname__}"


def block_classes() -> dict[str, type[Block]]:
    """Return all blocks that diagrams may name, by class name; if two share it, the later by its reference."""
    return survey()[0]


def snake_case(name: str) -> str:
    """Return the module name of a class: ``RateLimiter`` gives ``rate_limiter``, ``PIDControl`` ``pid_control``."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()


def find_block(name: str) -> type[Block]:
    """Return the block of a class name, or of a whole reference; raise `UsageError` with the nearest name."""
    if ":" in name:
        return block_class(name)
    entries, broken = _library_index()
    if name in entries:
        return block_class(entries[name].reference)
    others, reasons = _survey_others()
    if name in others:
        return others[name]
    names = [*entries, *others]
    broken |= reasons
    # the block may be in a module whose import fails; then its author needs that reason
    failed = "".join(f"; {module} does not import: {reason}" for module, reason in broken.items())
    searched = _deeper(name) if _workspaces else _searched()
    raise UsageError(f"there is no block '{name}'{renamed_block(name) or did_you_mean(name, names)}{failed}{searched}")


@dataclass(frozen=True)
class BlockEntry:
    """What the index holds of a block: its ``package.module:Class``, its kind and the first line of its docstring."""

    reference: str
    kind: str
    about: str


def block_index() -> tuple[dict[str, BlockEntry], dict[str, str]]:
    """Return the entries of all blocks by name, and the reason for each module that fails or has a faulty block.

    The entries of the library are in the cache, so no module of it is imported.
    """
    entries, broken = _library_index()
    found, reasons = _survey_others()
    for block in found.values():
        try:
            block.model()
        except DefinitionError as error:  # of a block in work; those of the library have none
            reasons[block.__module__] = str(error)
            continue
        name = block.__name__ if block.__name__ not in entries else reference_of(block)
        entries[name] = _entry(block)
    return entries, broken | reasons


def _library_index() -> tuple[dict[str, BlockEntry], dict[str, str]]:
    entries = read_record("index", LIBRARY, FINGERPRINT)
    broken: dict[str, str] = {}
    if entries is None:
        found, broken = _survey([LIBRARY], [])
        entries = {name: _entry(block) for name, block in found.items()}
        if not broken and is_unchanged(LIBRARY):
            write_record("index", LIBRARY, FINGERPRINT, entries)
    return entries, broken


def _entry(block: type[Block]) -> BlockEntry:
    return BlockEntry(reference_of(block), kind_of(block), summary(block))


def _survey_others() -> tuple[dict[str, type[Block]], dict[str, str]]:
    return _survey([name for name in packages() if name != LIBRARY], _workspaces)


def survey() -> tuple[dict[str, type[Block]], dict[str, str]]:
    """Return all blocks as in `block_classes`, and the reason for each module whose import fails.

    Modules of a workspace that define no block in their text are not imported, so no script that runs blocks is
    started.
    """
    return _survey(packages(), _workspaces)


@_printing_to_stderr()
def _survey(installed: Sequence[str], folders: Sequence[Path]) -> tuple[dict[str, type[Block]], dict[str, str]]:
    found: dict[str, type[Block]] = {}
    broken: dict[str, str] = {}
    for name in _modules(installed, folders, broken):
        try:
            module = importlib.import_module(name)
        except (Exception, SystemExit) as error:  # a script that exits must not end the survey
            broken[name] = _reason(error)
            continue
        for value in list(vars(module).values()):
            if isinstance(value, type) and issubclass(value, Block) and value.is_concrete():
                if value.__module__ != name or found.get(value.__name__) is value:
                    continue
                key = value.__name__ if value.__name__ not in found else reference_of(value)
                found[key] = value
    return found, broken


def _modules(installed: Sequence[str], folders: Sequence[Path], broken: dict[str, str]) -> list[str]:
    names: list[str] = []
    for package in installed:
        try:
            root = importlib.import_module(package)
        except Exception as error:
            broken[package] = str(error)
            continue
        names.append(package)
        walk = pkgutil.walk_packages(getattr(root, "__path__", []), package + ".", onerror=lambda name: None)
        names += [info.name for info in walk]
    if folders:
        workspace = Workspace(folders, packages())
        broken.update({name: reason for name, reason in workspace.broken.items() if _allowed(name)})
        for name in workspace.modules():
            if _allowed(name):
                names.append(name)
            elif hidden := _hidden(name):
                broken[name] = hidden
    return names


def _allowed(module: str) -> bool:
    if any((module + ".").startswith(package + ".") for package in packages()):
        return True
    top = module.partition(".")[0]
    if not any((folder / f"{top}.py").is_file() or (folder / top).is_dir() for folder in _workspaces):
        return False
    spec = importlib.util.find_spec(top)
    places = [] if spec is None else [spec.origin or "", *(spec.submodule_search_locations or [])]
    return any(Path(place).resolve().is_relative_to(folder) for place in places if place for folder in _workspaces)


def _hidden(module: str) -> str:
    """Return why a module of a workspace is not imported though it is there; empty if there is none."""
    top = module.partition(".")[0]
    for folder in _workspaces:
        found = [path for path in (folder / f"{top}.py", folder / top) if path.exists()]
        if found and not _allowed(module):
            return (
                f"{found[0].name} of the workspace is never imported, because Python or an installed package has a "
                f"module '{top}'; rename it"
            )
    return ""


def _deeper(name: str) -> str:
    """Return a hint to a file further down in a workspace that defines a class.

    It is no module of the workspace, because its folder has no ``__init__.py``.
    """
    defines = re.compile(rf"^class {re.escape(name)}\b", re.MULTILINE)
    for folder in _workspaces:
        for path in [*sorted(folder.glob("*/*.py"))[:MAX_SEARCHED], *sorted(folder.glob("*/*/*.py"))[:MAX_SEARCHED]]:
            with contextlib.suppress(OSError):
                if defines.search(path.read_text("utf-8", "replace")):
                    place = path.relative_to(folder)
                    return f" ({place} has a class of that name: open its folder, --workspace {path.parent})"
    return ""


def _nearest(reference: str) -> str:
    if now := renamed_block(reference):
        return now
    known = [entry.reference for entry in block_index()[0].values()]
    same = [r for r in known if r.partition(":")[2] == reference.partition(":")[2]]
    # a class of that name is meant, in any module; without a near name a list of all would not help
    near = difflib.get_close_matches(reference, same or known, n=1, cutoff=0.0 if same else 0.6)
    return f"; did you mean '{near[0]}'?" if near else ""


def _reason(error: BaseException) -> str:
    """Return the message of a failed import, with the user's line that caused it unless the error names it."""
    frames = traceback.extract_tb(error.__traceback__)
    mine = [f for f in frames if any(Path(f.filename).is_relative_to(folder) for folder in _workspaces)]
    if isinstance(error, DrawbarError | SyntaxError) or not mine:
        return str(error)
    return f"{error} ({Path(mine[-1].filename).name}:{mine[-1].lineno})"


def _searched(reference: str = "") -> str:
    if reference and (deeper := _deeper(reference.rpartition(":")[2])):
        return deeper
    places = ", ".join([*packages(), *(p.name for p in _workspaces)])
    return f" (searched {places}; open the folder of other blocks with --workspace)"
