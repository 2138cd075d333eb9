"""Search of the user's folders for modules that define blocks, by their text: nothing is imported or executed.

A folder with blocks also holds scripts, and importing a script runs it. A module counts if it has a class whose base is
a block of an installed package or of these folders. The origin of a base is followed through imports, including
relative, renamed and starred ones. Classes that only the running program knows (such as one returned by a function of
another library) do not count.
"""

from __future__ import annotations

import ast
import pkgutil
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from drawbar.blocks.authoring.block import Block


@dataclass
class _Text:
    """The text of one module: its classes with their bases, and where other names come from."""

    classes: dict[str, list[str]] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)  # local name -> dotted name
    stars: list[str] = field(default_factory=list)


class Workspace:
    """The modules in some folders; classes of the packages `installed` may be imported for inspection.

    `broken` holds the reason for each module that cannot be read.
    """

    def __init__(self, folders: Sequence[Path], installed: Sequence[str]) -> None:
        self._installed = installed
        self._texts: dict[str, _Text] = {}
        self.broken: dict[str, str] = {}
        paths: dict[str, Path] = {}
        for folder in reversed(folders):  # Python imports the first module of a name
            paths.update(_modules(folder))
        for name, path in paths.items():
            try:
                self._texts[name] = _read(name, path)
            except (SyntaxError, ValueError, OSError, RecursionError, MemoryError) as error:
                self.broken[name] = str(error)

    def modules(self) -> list[str]:
        """Return the modules with a class that derives from a block."""
        return [
            module
            for module, text in self._texts.items()
            if any(self._is_block(f"{module}.{name}", set()) for name in text.classes)
        ]

    def _is_block(self, dotted: str, seen: set[str]) -> bool:
        """Return whether a dotted name leads to a block; `seen` stops at circular imports."""
        if dotted in seen:
            return False
        seen.add(dotted)
        if dotted.startswith(tuple(f"{package}." for package in self._installed)):
            return _is_installed_block(dotted)
        module, name = self._split(dotted)
        if module is None:
            return False
        text = self._texts[module]
        head, _, rest = name.partition(".")
        # a class may have the name of its imported base, so every meaning of a name is followed
        leads = [] if rest else [f"{module}.{base}" for base in text.classes.get(head, [])]
        leads += [text.names[head] + (f".{rest}" if rest else "")] if head in text.names else []
        leads += [f"{star}.{name}" for star in text.stars]
        return any(self._is_block(lead, seen) for lead in leads)

    def _split(self, dotted: str) -> tuple[str | None, str]:
        """Return the longest module of these folders that begins a dotted name, and the rest of the name."""
        parts = dotted.split(".")
        for count in range(len(parts) - 1, 0, -1):
            if (module := ".".join(parts[:count])) in self._texts:
                return module, ".".join(parts[count:])
        return None, dotted


def _modules(folder: Path, prefix: str = "", seen: frozenset[Path] = frozenset()) -> Iterator[tuple[str, Path]]:
    """Return modules and packages below a folder under their Python names; ``__main__`` is a script, not a module."""
    try:
        places = sorted(folder.iterdir(), key=lambda place: (place.stem, place.is_dir()))  # a package hides a module
    except OSError:  # a folder without read permission has no modules
        return
    for place in places:
        name = prefix + place.stem
        if place.suffix == ".py" and place.stem.isidentifier() and not place.stem.startswith("__") and place.is_file():
            yield name, place
        elif place.name.isidentifier() and (place / "__init__.py").is_file() and (real := place.resolve()) not in seen:
            yield name, place / "__init__.py"
            yield from _modules(place, name + ".", seen | {real})


def _read(module: str, path: Path) -> _Text:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Python repeats these warnings when the module is imported
        tree = ast.parse(path.read_bytes(), path.name)
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    text = _Text()
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            bases = [name for base in node.bases if (name := _dotted(base))]
            text.classes.setdefault(node.name, []).extend(bases)
        elif isinstance(node, ast.Import):
            for alias in node.names:
                head = alias.name.partition(".")[0]
                text.names.update({alias.asname: alias.name} if alias.asname else {head: head})
        elif isinstance(node, ast.ImportFrom):
            source = _source(node, package)
            for alias in node.names:
                if alias.name == "*":
                    text.stars.append(source)
                else:
                    text.names[alias.asname or alias.name] = f"{source}.{alias.name}"
        elif isinstance(node, ast.Assign) and (name := _dotted(node.value)):
            text.names.update({t.id: f"{module}.{name}" for t in node.targets if isinstance(t, ast.Name)})
    return text


def _source(node: ast.ImportFrom, package: str) -> str:
    """Return the module that ``from ... import`` names, also if it is relative."""
    if not node.level:
        return node.module or ""
    parts = package.split(".")
    return ".".join([*parts[: len(parts) - node.level + 1], *([node.module] if node.module else [])])


def _dotted(node: ast.expr) -> str:
    """Return ``a.b.C`` of an expression without subscripts; an empty text if it is no dotted name."""
    if isinstance(node, ast.Subscript):
        return _dotted(node.value)
    if isinstance(node, ast.Attribute):
        return f"{above}.{node.attr}" if (above := _dotted(node.value)) else ""
    return node.id if isinstance(node, ast.Name) else ""


def _is_installed_block(dotted: str) -> bool:
    try:
        found = pkgutil.resolve_name(dotted)
    except Exception:  # the import of an installed module may raise anything; then it provides no block
        return False
    return isinstance(found, type) and issubclass(found, Block)
