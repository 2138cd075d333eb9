"""The rules of the tree that no tool checks: what is listed, how long a file is."""

from __future__ import annotations

import importlib
import importlib.util
import re
import runpy
import tomllib
from pathlib import Path, PurePosixPath
from types import ModuleType
from typing import Any

import pytest

PACKAGES = ("blocks", "fmus", "diagrams", "orchestrator", "web")
SOURCES = {".py", ".c", ".h", ".js", ".jsx", ".ts", ".tsx"}
# folders that exist on one machine only
MACHINE_PATH = re.compile(r"(?<![\w.~$}-])/(?:work|root|home|Users)/\w")


@pytest.fixture(scope="session")
def pyproject(clone: Path) -> dict[str, Any]:
    return tomllib.loads((clone / "pyproject.toml").read_text())


def folders(tracked: list[PurePosixPath]) -> set[str]:
    """The packages that hold tracked files, by their dotted name."""
    return {".".join(("drawbar", *file.parent.parts)) for file in tracked if file.parts[0] in PACKAGES}


def test_every_folder_is_a_listed_package(tracked: list[PurePosixPath], pyproject: dict[str, Any]) -> None:
    # what is not listed works in an editable install and is missing from the wheel
    assert folders(tracked) == set(pyproject["tool"]["setuptools"]["packages"])


def test_an_unlisted_folder_is_seen(tracked: list[PurePosixPath], pyproject: dict[str, Any]) -> None:
    stray = PurePosixPath("blocks/vehicle/unlisted/model.json")
    assert folders([*tracked, stray]) - set(pyproject["tool"]["setuptools"]["packages"]) == {
        "drawbar.blocks.vehicle.unlisted"
    }


def public(module: ModuleType) -> set[str]:
    """Return the names that a module offers: all but private ones, submodules and what it needs for itself."""
    own = {"TYPE_CHECKING", "annotations", "lazy_names"}
    return {
        name
        for name in dir(module)
        if not name.startswith("_") and name not in own and not isinstance(getattr(module, name), ModuleType)
    }


@pytest.mark.parametrize("package", PACKAGES)
def test_exported_names(package: str) -> None:
    module = importlib.import_module(f"drawbar.{package}")
    exported = list(getattr(module, "__all__", ()))
    assert exported == sorted(exported)
    assert set(exported) == public(module)
    assert [name for name in exported if not getattr(module, name).__doc__] == []


def test_a_name_that_is_not_exported_is_seen() -> None:
    module = ModuleType("sample")
    vars(module).update(shown=len, _hidden=len, path=importlib)
    assert public(module) == {"shown"}


def lines(text: str) -> int:
    return text.count("\n")


def test_no_source_file_is_over_400_lines(clone: Path, tracked: list[PurePosixPath]) -> None:
    sources = [file for file in tracked if file.suffix in SOURCES]
    assert len(sources) > 20  # the list is not empty by mistake
    assert {str(f): n for f in sources if (n := lines((clone / f).read_text())) > 400} == {}


def without_test_file(tracked: list[PurePosixPath]) -> set[str]:
    """The modules of the packages that have no test file of their name in the same folder of ``tests/``."""
    files = set(tracked)
    modules = [f for f in tracked if f.parts[0] in PACKAGES and f.suffix == ".py" and f.name != "__init__.py"]
    return {str(f) for f in modules if PurePosixPath("tests", f.parent, f"test_{f.name}") not in files}


def test_a_module_without_a_test_file_of_its_name_is_listed(clone: Path, tracked: list[PurePosixPath]) -> None:
    rows = [line.split("|")[1:3] for line in (clone / "tests/README.md").read_text("utf-8").splitlines() if "|" in line]
    tests, modules = ([re.findall(r"`([\w/]+\.py)`", row[k]) for row in rows] for k in (0, 1))
    listed = [module for found, named in zip(tests, modules, strict=True) if found for module in named]
    assert sorted(listed) == sorted(without_test_file(tracked))


def test_a_module_without_a_test_file_is_seen(tracked: list[PurePosixPath]) -> None:
    stray = PurePosixPath("fmus/loading/untested.py")
    assert without_test_file([*tracked, stray]) - without_test_file(tracked) == {str(stray)}


def machine_paths(data: bytes) -> list[str]:
    """The lines of a text file that name a folder of some machine; nothing for a binary file."""
    if b"\0" in data:
        return []
    return [line for line in data.decode("utf-8", "replace").splitlines() if MACHINE_PATH.search(line)]


def test_no_machine_paths(clone: Path, tracked: list[PurePosixPath]) -> None:
    assert {str(f): found for f in tracked if (found := machine_paths((clone / f).read_bytes()))} == {}


@pytest.mark.parametrize(("before", "folder"), [('open("', "home"), ("cd ", "work"), ("see ", "Users")])
def test_a_machine_path_is_seen(before: str, folder: str) -> None:
    assert machine_paths(f"{before}/{folder}/somebody".encode())


@pytest.mark.parametrize(("before", "folder"), [("https://host.org", "home"), ("$HOME", "work"), ("docs", "work")])
def test_other_paths_are_no_machine_paths(before: str, folder: str) -> None:
    assert not machine_paths(f"{before}/{folder}/somebody".encode())


def test_the_test_files_that_begin_first_are_there(clone: Path) -> None:
    first = runpy.run_path(str(clone / "tests" / "conftest.py"))["FIRST"]
    assert [file for file in first if not (clone / "tests" / file).is_file()] == []
