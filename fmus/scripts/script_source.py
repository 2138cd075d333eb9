"""The Python files of a script: its own module, and the modules of the same folder that it imports.

Files of Python and of installed packages are told from the user's own.
"""

from __future__ import annotations

import ast
import inspect
import sys
import sysconfig
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.metadata import packages_distributions, version
from pathlib import Path

from drawbar.blocks.authoring import assignment
from drawbar.blocks.authoring.registry import packages, reference_of
from drawbar.blocks.authoring.script import Script
from drawbar.blocks.core.errors import BuildError

_OURS = (Path(__file__).resolve().parent, Path(assignment.__file__).resolve().parent)
_STANDARD = Path(sysconfig.get_paths()["stdlib"]).resolve()


@dataclass(frozen=True)
class Source:
    """A script's modules by path below their folder, their imports from elsewhere, and the name of the class."""

    module: str
    name: str
    files: dict[str, bytes]
    imports: frozenset[str]  # top-level names of what is not in `files`
    packed: bool  # whether an FMU brings it; a script of an installed package is imported from there

    def packages(self) -> dict[str, str]:
        """Return the installed distributions that the script imports, with their versions; always Drawbar."""
        foreign = self.imports - set(sys.stdlib_module_names)
        names = {d for top in foreign for d in _distributions().get(top, ())}
        return {name: version(name) for name in sorted({"drawbar", *names})}


@cache  # reads the list of files of each installed distribution
def _distributions() -> Mapping[str, list[str]]:
    return packages_distributions()


def source_of(block: type[Script]) -> Source:
    """Read the text of a script that others can import; the ``BuildError`` states why it cannot be packed."""
    module, _, name = reference_of(block).partition(":")
    if not name.isidentifier():
        raise BuildError(f"{block.__name__}: an FMU needs a script at the top of a module, not inside {name}")
    path = _path_of(block)
    if path is None:
        raise BuildError(f"{block.__name__}: its text is in no file; write it into a module")
    if is_installed(str(path)) or any(f"{module}.".startswith(f"{package}.") for package in packages()):
        text = path.read_bytes()
        return Source(module, name, {path.name: text}, frozenset(_top_names(_imports(text, path.name))), packed=False)
    parts = module.split(".")
    root = path.parent if path.stem != "__init__" else path.parent.parent
    for _ in parts[1:]:
        root = root.parent
    files: dict[str, bytes] = {}
    imports: list[str] = []
    waiting = [module]
    while waiting:
        for file in _files(root, waiting.pop()):
            relative = file.relative_to(root).as_posix()
            if relative not in files:
                files[relative] = file.read_bytes()
                found = _imports(files[relative], relative)
                imports += found
                waiting += found
    local = {relative.partition("/")[0].removesuffix(".py") for relative in files}
    return Source(module, name, files, frozenset(_top_names(imports) - local), packed=True)


def text_of(block: type[Script]) -> str:
    """Return the text that identifies a script, wherever it is written."""
    try:
        source = source_of(block)
        return "\0".join(f"{name}\0{source.files[name].decode('utf-8', 'replace')}" for name in sorted(source.files))
    except BuildError:
        try:
            return textwrap.dedent(inspect.getsource(block))
        except (OSError, TypeError):  # typed into an interpreter
            return f"{block.__module__}.{block.__qualname__}"


def _path_of(block: type[Script]) -> Path | None:
    file = getattr(sys.modules.get(block.__module__), "__file__", None)
    return Path(file) if file and Path(file).is_file() else None


def _files(root: Path, dotted: str) -> list[Path]:
    """Return the files that importing a dotted name of this folder runs; none if it is not of this folder."""
    found: list[Path] = []
    place = root
    for part in dotted.split("."):
        place = place / part
        if (place / "__init__.py").is_file():
            found.append(place / "__init__.py")
        elif place.with_suffix(".py").is_file():
            return [*found, place.with_suffix(".py")]
        elif not place.is_dir():
            break
    return found


def _top_names(names: list[str]) -> set[str]:
    return {name.partition(".")[0] for name in names}


def _imports(text: bytes, relative: str) -> list[str]:
    """Return the dotted names that a module imports anywhere in it; those from a package also as modules of it."""
    package = relative.split("/")[:-1]
    found: list[str] = []
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):  # a module for another Python, which this one does not reach
        return []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            found += [f"{base}.{alias.name}" if base else alias.name for alias in node.names]
            found += [base] if base else []
    return found


def is_ours(file: str) -> bool:
    """Return whether a file belongs to the code around a block, not to a block."""
    return Path(file).resolve().parent in _OURS


def is_installed(file: str) -> bool:
    """Return whether a file is of Python or of an installed package, or is not a file."""
    path = Path(file).resolve()
    return (
        file.startswith("<") or bool({"site-packages", "dist-packages"} & set(path.parts)) or _STANDARD in path.parents
    )
