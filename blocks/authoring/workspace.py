"""Which modules of the user's folders define blocks, told from their text: nothing of the user's runs for it.

A folder with blocks holds scripts as well, and importing a script runs it. A module counts if it has a class whose
base is a block of an installed package or of these folders. Where a base comes from is followed through imports, also
relative, renamed and starred ones. What only the running program could tell (a class that a function of another
library returns) does not count.
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
    """What the text of one module says: its classes with their bases, and where other names come from."""

    classes: dict[str, list[str]] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)  # name here -> dotted name
    stars: list[str] = field(default_factory=list)


class Workspace:
    """The texts in folders; `installed` are the packages whose classes may be imported to see what they are.

    `broken` says of each module that cannot be read, why.
    """

    def __init__(self, folders: Sequence[Path], installed: Sequence[str]) -> None:
        self._installed = installed
        self._texts: dict[str, _Text] = {}
        self.broken: dict[str, str] = {}
        paths: dict[str, Path] = {}
        for folder in reversed(folders):  # Python takes the first of a name
            paths.update(_modules(folder))
        for name, path in paths.items():
            try:
                self._texts[name] = _read(name, path)
            except (SyntaxError, ValueError, OSError, RecursionError, MemoryError) as error:
                self.broken[name] = str(error)

    def modules(self) -> list[str]:
        """The modules with a class that derives from a block."""
        return [
            module
            for module, text in self._texts.items()
            if any(self._is_block(f"{module}.{name}", set()) for name in text.classes)
        ]

    def _is_block(self, dotted: str, seen: set[str]) -> bool:
        """Whether a dotted name leads to a block; `seen` ends circles of imports."""
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
        # a class may have the name of its base, which was imported before it; so all that a name may be is followed
        leads = [] if rest else [f"{module}.{base}" for base in text.classes.get(head, [])]
        leads += [text.names[head] + (f".{rest}" if rest else "")] if head in text.names else []
        leads += [f"{star}.{name}" for star in text.stars]
        return any(self._is_block(lead, seen) for lead in leads)

    def _split(self, dotted: str) -> tuple[str | None, str]:
        """A dotted name as the longest module here that begins it, and the rest."""
        parts = dotted.split(".")
        for count in range(len(parts) - 1, 0, -1):
            if (module := ".".join(parts[:count])) in self._texts:
                return module, ".".join(parts[count:])
        return None, dotted


def _modules(folder: Path, prefix: str = "", seen: frozenset[Path] = frozenset()) -> Iterator[tuple[str, Path]]:
    """Modules and packages below a folder as Python would name them; ``__main__`` is a script, not a module."""
    try:
        places = sorted(folder.iterdir(), key=lambda place: (place.stem, place.is_dir()))  # a package hides a module
    except OSError:  # a folder that may not be read has no modules for us
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
        warnings.simplefilter("ignore")  # what Python thinks of the text, it says when the module is imported
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
    """The module that ``from ... import`` names, also where it is relative."""
    if not node.level:
        return node.module or ""
    parts = package.split(".")
    return ".".join([*parts[: len(parts) - node.level + 1], *([node.module] if node.module else [])])


def _dotted(node: ast.expr) -> str:
    """``a.b.C`` of an expression, without what is in brackets behind it; empty if it is nothing like that."""
    if isinstance(node, ast.Subscript):
        return _dotted(node.value)
    if isinstance(node, ast.Attribute):
        return f"{above}.{node.attr}" if (above := _dotted(node.value)) else ""
    return node.id if isinstance(node, ast.Name) else ""


def _is_installed_block(dotted: str) -> bool:
    try:
        found = pkgutil.resolve_name(dotted)
    except Exception:  # the import of an installed module may raise anything; then it gives no block either
        return False
    return isinstance(found, type) and issubclass(found, Block)
