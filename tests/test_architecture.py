"""The architecture: which folder may import which, and that no files import each other in a circle.

Every arrow points to a folder that stands above it in the table.
"""

from __future__ import annotations

import ast
import importlib.util
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path, PurePosixPath

import pytest

# each folder with code, and the folders that it may import from
ARROWS = {
    "blocks/core": "",
    "blocks/authoring": "blocks/core",
    "blocks": "blocks/core blocks/authoring",
    "blocks/data": "",
    "blocks/autonomy": "blocks blocks/data",
    "blocks/terrain/soil": "blocks/core blocks blocks/data",
    "blocks/terrain/maps": "blocks/core blocks/terrain/soil",
    "blocks/terrain/ground": "blocks blocks/data blocks/terrain/soil blocks/terrain/maps",
    "blocks/vehicle/multibody": "blocks/core",
    "blocks/vehicle/hub": "blocks blocks/vehicle/multibody",
    "blocks/tires": (
        "blocks/core blocks/authoring blocks blocks/data blocks/terrain/soil blocks/terrain/ground "
        "blocks/vehicle/multibody blocks/vehicle/hub"
    ),
    "blocks/vehicle/bodies": (
        "blocks/core blocks/authoring blocks blocks/data blocks/vehicle/multibody blocks/vehicle/hub blocks/tires"
    ),
    "blocks/cli": (
        "blocks blocks/data blocks/core blocks/authoring blocks/terrain/soil blocks/terrain/maps blocks/vehicle/bodies"
    ),
    "blocks/sensors": "blocks",
    "blocks/signals": "blocks",
    "blocks/vehicle/drivetrain": "blocks/core blocks/authoring blocks blocks/data blocks/tires",
    "blocks/vehicle/hmmwv": (
        "blocks/core blocks/authoring blocks blocks/data blocks/terrain/soil blocks/terrain/ground "
        "blocks/vehicle/multibody blocks/vehicle/hub blocks/tires blocks/vehicle/bodies "
        "blocks/vehicle/drivetrain"
    ),
    "blocks/vehicle/rover": (
        "blocks/core blocks blocks/data blocks/terrain/soil blocks/terrain/ground blocks/vehicle/multibody "
        "blocks/vehicle/hub blocks/tires blocks/vehicle/bodies"
    ),
    "fmus/toolchain": "blocks/core",
    "fmus/loading": "blocks/core fmus/toolchain",
    "fmus/runtime": "",
    "fmus/scripts": "blocks/core blocks/authoring fmus/runtime",
    "fmus/vectorize": "blocks/core fmus/toolchain fmus/runtime",
    "fmus/export": "blocks/core blocks/authoring fmus/toolchain fmus/loading fmus/runtime fmus/scripts fmus/vectorize",
    "fmus": "blocks/core blocks/authoring fmus/toolchain fmus/loading fmus/export",
    "fmus/backends": ("blocks/core blocks/authoring fmus/toolchain fmus/loading fmus/runtime fmus/scripts fmus/export"),
    "diagrams/xml": "blocks/core",
    "diagrams/parameters": "blocks/core diagrams/xml",
    "diagrams/model": "blocks/core blocks/authoring fmus/loading diagrams/xml diagrams/parameters",
    "diagrams/ssp": "blocks/core blocks/authoring fmus/toolchain fmus/loading fmus/export diagrams/xml diagrams/model",
    "diagrams/checks": "blocks/core diagrams/xml diagrams/model diagrams/ssp",
    "diagrams/drawing": "blocks/core diagrams/model diagrams/checks",
    "diagrams/library": "blocks/core diagrams/ssp",
    "diagrams": (
        "blocks/core blocks/authoring fmus diagrams/xml diagrams/parameters diagrams/model diagrams/ssp "
        "diagrams/checks diagrams/drawing diagrams/library"
    ),
    "orchestrator/runs": "blocks/core",
    "orchestrator/scenario": "blocks/core diagrams/model",
    "orchestrator/planning": (
        "blocks/core fmus/backends diagrams/model diagrams/checks orchestrator/runs orchestrator/scenario"
    ),
    "orchestrator/master": (
        "blocks/core blocks/authoring fmus/toolchain fmus/loading fmus/export fmus/backends diagrams/model "
        "orchestrator/runs orchestrator/scenario orchestrator/planning"
    ),
    "orchestrator/reports": "blocks/core diagrams/model diagrams/checks orchestrator/runs orchestrator/planning",
    "orchestrator/supervision": (
        "blocks/core orchestrator/runs orchestrator/planning orchestrator/master orchestrator/reports"
    ),
    "orchestrator": (
        "blocks/core blocks/authoring fmus/toolchain fmus/export diagrams/model diagrams/ssp "
        "diagrams/checks diagrams/drawing orchestrator/runs orchestrator/scenario orchestrator/planning "
        "orchestrator/master orchestrator/reports orchestrator/supervision"
    ),
    "orchestrator/cli": (
        "blocks/core blocks/authoring fmus/toolchain fmus diagrams/parameters diagrams/model diagrams/ssp "
        "diagrams/checks diagrams/library orchestrator/runs orchestrator/scenario orchestrator/reports "
        "orchestrator/supervision orchestrator"
    ),
    "web/report": "blocks/core orchestrator/runs orchestrator/reports",
    "web/reference": "blocks/core blocks/authoring diagrams/model diagrams/drawing web/report",
    "web/view": "blocks/core diagrams/drawing diagrams/library diagrams orchestrator/runs web/report",
    "web": (
        "blocks/core blocks/authoring fmus diagrams/ssp diagrams/library diagrams orchestrator/runs "
        "web/report web/reference web/view"
    ),
}


def imported(source: str, package: str) -> Iterator[str]:
    """Yield the absolute names that a module of `package` imports, anywhere in its text."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            origin = importlib.util.resolve_name("." * node.level + (node.module or ""), package)
            yield from (f"{origin}.{alias.name}" for alias in node.names)


def folder_of(name: str, folders: Iterable[str]) -> str | None:
    """Return the folder of the tree that an imported name lies in; None for other packages."""
    head, *parts = name.split(".")
    if head != "drawbar":
        return None
    paths = ["/".join(parts[:n]) for n in range(len(parts), 0, -1)]
    return next((path for path in paths if path in folders), "/".join(parts[:1]))


def forbidden(source: str, file: PurePosixPath) -> list[str]:
    """Return the folders that a file imports and that the table does not allow."""
    own = str(file.parent)
    allowed = {own, *ARROWS.get(own, "").split()}
    package = ".".join(("drawbar", *file.parent.parts))
    found = {folder for name in imported(source, package) if (folder := folder_of(name, ARROWS)) is not None}
    return sorted(found - allowed)


def python_files(tracked: list[PurePosixPath]) -> list[PurePosixPath]:
    packages = {folder.partition("/")[0] for folder in ARROWS}
    return [file for file in tracked if file.suffix == ".py" and file.parts[0] in packages]


def module_of(file: PurePosixPath) -> str:
    """Return the name under which a file is imported."""
    return ".".join(("drawbar", *file.with_suffix("").parts)).removesuffix(".__init__")


def import_graph(sources: Mapping[PurePosixPath, str]) -> dict[str, set[str]]:
    """Return the modules that each module imports, late imports and those for type checking included."""
    modules = {module_of(file) for file in sources}
    graph: dict[str, set[str]] = {}
    for file, source in sources.items():
        own = graph[module_of(file)] = set()
        for name in imported(source, ".".join(("drawbar", *file.parent.parts))):
            found = name if name in modules else name.rpartition(".")[0]
            if found in modules and found != module_of(file):
                own.add(found)
    return graph


def circles(graph: Mapping[str, set[str]]) -> list[list[str]]:
    """Return the groups of modules that import each other, directly or through others."""
    reached: dict[str, set[str]] = {}
    for module in graph:
        found, waiting = set[str](), [module]
        while waiting:
            new = graph.get(waiting.pop(), set()) - found
            found |= new
            waiting += new
        reached[module] = found
    groups = {tuple(sorted(b for b in reached[a] if a in reached[b])) for a in graph if a in reached[a]}
    return sorted(map(list, groups))


def test_arrows_point_upwards_in_the_table() -> None:
    order = list(ARROWS)
    wrong = {a: b for a, allowed in ARROWS.items() for b in allowed.split() if order.index(b) >= order.index(a)}
    assert not wrong, "a table in which every arrow points upwards has no circles"


def test_imports_follow_the_arrows(clone: Path, tracked: list[PurePosixPath]) -> None:
    files = python_files(tracked)
    assert len(files) > 300  # the list is not empty by mistake
    assert {str(file): wrong for file in files if (wrong := forbidden((clone / file).read_text(), file))} == {}


def test_every_folder_with_code_is_in_the_table(tracked: list[PurePosixPath]) -> None:
    folders = {str(file.parent) for file in python_files(tracked) if file.name != "__init__.py"}
    assert folders - set(ARROWS) == set()


def test_every_arrow_is_used(clone: Path, tracked: list[PurePosixPath]) -> None:
    used: dict[str, set[str]] = {folder: set() for folder in ARROWS}
    for file in python_files(tracked):
        package = ".".join(("drawbar", *file.parent.parts))
        for name in imported((clone / file).read_text(), package):
            used.setdefault(str(file.parent), set()).add(folder_of(name, ARROWS) or "")
    assert {f: unused for f, a in ARROWS.items() if (unused := set(a.split()) - used[f])} == {}


def test_no_files_import_each_other_in_a_circle(clone: Path, tracked: list[PurePosixPath]) -> None:
    graph = import_graph({file: (clone / file).read_text() for file in python_files(tracked)})
    assert len(graph["drawbar.diagrams.model.diagram"]) > 5  # the graph is not empty by mistake
    assert circles(graph) == []


@pytest.mark.parametrize(
    "late",
    [
        "def f():\n    from drawbar.diagrams.c import z",
        "if TYPE_CHECKING:\n    import drawbar.diagrams.c",
        "from . import c",
        "from .c import z",
    ],
)
def test_a_circle_of_three_files_is_seen(late: str) -> None:
    a, b, c, d = (PurePosixPath(f"diagrams/{name}.py") for name in "abcd")
    rest = {b: "from drawbar.diagrams.a import x", c: "from drawbar.diagrams import b", d: "from .a import x"}
    assert circles(import_graph({a: late, **rest})) == [[f"drawbar.diagrams.{name}" for name in "abc"]]
    assert circles(import_graph({a: "import math", **rest})) == []


@pytest.mark.parametrize(
    ("file", "source", "folder"),
    [
        ("fmus/export/x.py", "import drawbar.diagrams.ssp.ssp", "diagrams/ssp"),
        ("fmus/loading/x.py", "from drawbar.fmus.export import package", "fmus/export"),
        ("fmus/loading/x.py", "from drawbar import orchestrator", "orchestrator"),
        (
            "blocks/tires/x.py",
            "def late():\n    from drawbar.blocks.vehicle.hmmwv import hmmwv\n",
            "blocks/vehicle/hmmwv",
        ),
        ("diagrams/xml/x.py", "from ..model.part import Part", "diagrams/model"),
        ("diagrams/model/part.py", "from drawbar.diagrams.drawing.picture import svg", "diagrams/drawing"),
    ],
)
def test_a_forbidden_import_is_seen(file: str, source: str, folder: str) -> None:
    assert forbidden(source, PurePosixPath(file)) == [folder]
    assert forbidden("import math\nfrom drawbar.blocks.core.errors import DrawbarError", PurePosixPath(file)) == []
