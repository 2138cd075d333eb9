"""The wheel holds what is tracked, no more and no less."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tomllib
import zipfile
from email import message_from_string
from pathlib import Path, PurePosixPath

import pytest

pytestmark = pytest.mark.slow

# lies in the folder the wheel is built from, and is of no kind that the wheel takes
STRAY = PurePosixPath("web/stray.unknown")


@pytest.fixture(scope="module")
def wheel(clone: Path, tracked: list[PurePosixPath], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of the tracked files, built in a folder of its own where no earlier build lies about."""
    tree, out = tmp_path_factory.mktemp("tree"), tmp_path_factory.mktemp("out")
    for file in tracked:
        (tree / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(clone / file, tree / file)
    (tree / STRAY).write_text("x")
    call = "import sys; from setuptools import build_meta; build_meta.build_wheel(sys.argv[1])"
    done = subprocess.run([sys.executable, "-c", call, str(out)], cwd=tree, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    (path,) = out.iterdir()
    return path


def difference(wheel: Path, files: list[PurePosixPath], clone: Path) -> set[str]:
    """What is in only one of the two: the wheel (but for its metadata) and these files of the packages."""
    folders = tomllib.loads((clone / "pyproject.toml").read_text())["tool"]["setuptools"]["package-dir"].values()
    with zipfile.ZipFile(wheel) as archive:
        packed = {name for name in archive.namelist() if ".dist-info/" not in name}
    return packed ^ {f"drawbar/{file}" for file in files if file.parts[0] in folders}


def test_wheel_holds_exactly_the_tracked_files(clone: Path, wheel: Path, tracked: list[PurePosixPath]) -> None:
    assert difference(wheel, tracked, clone) == set()


def test_a_file_that_the_wheel_misses_is_seen(clone: Path, wheel: Path, tracked: list[PurePosixPath]) -> None:
    assert difference(wheel, [*tracked, STRAY], clone) == {f"drawbar/{STRAY}"}


def test_a_file_that_is_not_tracked_is_seen(clone: Path, wheel: Path, tracked: list[PurePosixPath]) -> None:
    some = PurePosixPath("web/__init__.py")
    assert difference(wheel, [file for file in tracked if file != some], clone) == {f"drawbar/{some}"}


def test_wheel_is_pure_and_names_its_licence(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith("METADATA"))
        metadata = message_from_string(archive.read(name).decode())
    assert wheel.name.endswith("-py3-none-any.whl")  # one wheel for every machine: C is compiled at first use
    assert metadata["License-Expression"] == "BSD-3-Clause"
