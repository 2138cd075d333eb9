"""Records in the cache: found again while the files are the same, and never after a file has changed."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from drawbar.blocks.core import cache
from drawbar.blocks.core.cache import (
    cache_folder,
    fingerprint,
    is_unchanged,
    make_cache_folder,
    read_record,
    write_record,
)
from drawbar.blocks.core.errors import UsageError


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package that can be imported, with a module in it."""
    monkeypatch.setenv("DRAWBAR_CACHE", str(tmp_path / "cache"))
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "recorded_package", raising=False)
    folder = tmp_path / "recorded_package"
    folder.mkdir()
    (folder / "__init__.py").touch()
    (folder / "law.py").write_text("GAIN = 1.0\n")
    return folder


def fresh(package: Path) -> str:
    """Return the fingerprint that a new process would calculate."""
    return fingerprint.__wrapped__(package.name)


def test_the_same_files_have_the_same_fingerprint(package: Path) -> None:
    first = fresh(package)
    (package / "__pycache__").mkdir(exist_ok=True)
    (package / "__pycache__" / "law.pyc").write_bytes(b"compiled")
    assert fresh(package) == first


@pytest.mark.parametrize("change", ["content", "name", "new file", "data"])
def test_any_other_file_has_another_fingerprint(package: Path, change: str) -> None:
    first = fresh(package)
    if change == "content":
        (package / "law.py").write_text("GAIN = 2.0\n")  # of the same length
    elif change == "name":
        (package / "law.py").rename(package / "rule.py")
    elif change == "new file":
        (package / "more.py").touch()
    else:
        (package / "data.json").write_text("{}")
    assert fresh(package) != first


def test_a_record_is_found_under_its_fingerprint_only(package: Path) -> None:
    assert read_record("models", "Lag", "a") is None
    write_record("models", "Lag", "a", {"order": 1})
    assert read_record("models", "Lag", "a") == {"order": 1}
    assert read_record("models", "Lag", "b") is None
    assert read_record("models", "Gain", "a") is None
    assert read_record("sources", "Lag", "a") is None


def test_a_new_record_takes_the_place_of_the_old_one(package: Path) -> None:
    write_record("models", "Lag", "a", 1)
    write_record("models", "Lag", "b", 2)
    assert read_record("models", "Lag", "a") is None
    assert read_record("models", "Lag", "b") == 2
    assert [file.name for file in (cache_folder() / "models").rglob("*") if file.is_file()] == ["Lag"]


@pytest.mark.parametrize("damage", [b"", b"no pickle", None])
def test_a_damaged_record_is_none(package: Path, damage: bytes | None) -> None:
    write_record("models", "Lag", "a", list(range(100)))
    (file,) = (f for f in (cache_folder() / "models").rglob("Lag"))
    file.write_bytes(file.read_bytes()[:40] if damage is None else damage)
    assert read_record("models", "Lag", "a") is None


def test_a_cache_that_cannot_be_written_is_no_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("DRAWBAR_CACHE", str(tmp_path / "file" / "below"))
    write_record("models", "Lag", "a", 1)
    assert read_record("models", "Lag", "a") is None


def test_a_package_is_unchanged_until_a_file_is_written(package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    law = package / "law.py"
    for file in package.iterdir():
        os.utime(file, (1000.0, 1000.0))
    monkeypatch.setattr(cache, "_BEGAN", 2000.0)
    assert is_unchanged(package.name)
    os.utime(law, (3000.0, 3000.0))
    assert not is_unchanged(package.name)


def test_a_cache_folder_that_cannot_be_made_is_named_with_the_variable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("DRAWBAR_CACHE", str(tmp_path / "file" / "cache"))
    with pytest.raises(UsageError) as caught:
        make_cache_folder(cache_folder() / "libraries")
    assert str(caught.value) == (
        f"the cache folder {tmp_path}/file/cache cannot be made or written to: Not a directory; name another one in "
        "the environment variable DRAWBAR_CACHE"
    )
