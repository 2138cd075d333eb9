"""A file is replaced as a whole, or stays as it was."""

from pathlib import Path

import pytest

from drawbar.blocks.core import atomic_write
from drawbar.blocks.core.atomic_write import save
from drawbar.blocks.core.errors import UsageError


def test_a_file_is_written_byte_by_byte_and_nothing_is_left_beside_it(tmp_path: Path) -> None:
    file = tmp_path / "x.ssv"
    file.write_text("before")
    save(file, "µ\r\n\n")
    assert file.read_bytes() == b"\xc2\xb5\r\n\n"
    assert list(tmp_path.iterdir()) == [file]


def test_a_file_that_cannot_be_replaced_stays_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(source: Path, target: Path) -> None:
        assert (source.read_text(), target.read_text()) == ("after", "before")
        raise PermissionError(13, "no entry")

    file = tmp_path / "x.ssv"
    file.write_text("before")
    monkeypatch.setattr(atomic_write.os, "replace", refuse)
    with pytest.raises(UsageError, match=r"x\.ssv: no entry"):
        save(file, "after")
    assert file.read_text() == "before"
    assert list(tmp_path.iterdir()) == [file]


def test_a_folder_that_does_not_exist_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"nowhere/x\.ssv"):
        save(tmp_path / "nowhere" / "x.ssv", "text")
