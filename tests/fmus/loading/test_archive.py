"""FMU files of others: each bad one gives one message, and nothing is left behind."""

import os
import stat
import zipfile
from pathlib import Path
from typing import Any

import pytest

from drawbar.blocks import FmuError
from drawbar.fmus.loading import archive
from drawbar.fmus.loading.description import read_description, read_interface

VALID = Path(__file__).with_name("gain.xml").read_text("utf-8")


def left_behind(cache: Path) -> list[str]:
    return [p.name for p in (cache / "unpacked").glob("*")] if cache.is_dir() else []


def test_a_sound_file_is_read(tmp_path: Path, write_fmu: Any) -> None:
    interface = read_interface(write_fmu(tmp_path / "gain.fmu", {"modelDescription.xml": VALID}))
    assert [(p.name, p.shape) for p in interface.ports] == [("u", ()), ("y", (2,)), ("w[2]", ())]
    assert interface.feedthrough == {"y[1]": ("u",), "w[2]": ()}, "y[2] says nothing, so it is unknown"


def test_unusual_paths_in_the_zip_are_understood(tmp_path: Path, write_fmu: Any) -> None:
    files: dict[str, str | bytes] = {"./modelDescription.xml": VALID, "binaries\\linux64\\Gain.so": b"x"}
    description = read_description(write_fmu(tmp_path / "gain.fmu", files))
    assert (description.folder / "binaries" / "linux64" / "Gain.so").is_file()


@pytest.mark.parametrize("name", ["../evil", "a/../../evil", "/etc/evil", "C:/evil", "..\\evil", "\\evil", "./"])
def test_names_that_leave_the_folder_are_refused(tmp_path: Path, cache: Path, name: str, write_fmu: Any) -> None:
    path = write_fmu(tmp_path / "evil.fmu", {"modelDescription.xml": VALID, name: "x"})
    with pytest.raises(FmuError, match="leads out of the FMU; this file is not to be trusted"):
        read_interface(path)
    assert left_behind(cache) == []
    assert not (tmp_path / "evil").exists()
    assert not Path("/etc/evil").exists()


def test_links_are_refused(tmp_path: Path, cache: Path) -> None:
    path = tmp_path / "link.fmu"
    with zipfile.ZipFile(path, "w") as z:
        z.writestr("modelDescription.xml", VALID)
        entry = zipfile.ZipInfo("resources/secret")
        entry.external_attr = (stat.S_IFLNK | 0o777) << 16
        z.writestr(entry, "/etc/passwd")
    with pytest.raises(FmuError, match="'resources/secret' is a link"):
        read_interface(path)
    assert left_behind(cache) == []


def test_a_bomb_is_refused_before_it_is_unpacked(tmp_path: Path, cache: Path, write_fmu: Any) -> None:
    path = write_fmu(tmp_path / "bomb.fmu", {"modelDescription.xml": VALID, "resources/zeros": bytes(20_000_000)})
    with pytest.raises(FmuError, match="a zip bomb"):
        read_interface(path)
    assert left_behind(cache) == []


def test_too_many_files_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, write_fmu: Any) -> None:
    monkeypatch.setattr(archive, "MAX_FILES", 3)
    path = write_fmu(tmp_path / "many.fmu", {"modelDescription.xml": VALID, **{f"resources/{i}": "" for i in range(3)}})
    with pytest.raises(FmuError, match="4 files"):
        read_interface(path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "not a readable FMU"),
        (b"PK\x03\x04 not really", "not a readable FMU"),
        (b"<xml/>", "not a readable FMU"),
    ],
)
def test_what_is_no_zip(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "bad.fmu"
    path.write_bytes(content)
    with pytest.raises(FmuError, match=message):
        read_interface(path)


def test_a_damaged_entry(tmp_path: Path, cache: Path, write_fmu: Any) -> None:
    path = write_fmu(tmp_path / "bad.fmu", {"modelDescription.xml": VALID * 50})
    data = bytearray(path.read_bytes())
    data[80:120] = os.urandom(40)
    path.write_bytes(data)
    with pytest.raises(FmuError, match="not a readable FMU"):
        read_interface(path)
    assert left_behind(cache) == []


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(FmuError, match=r"none\.fmu: there is no such file"):
        read_interface(tmp_path / "none.fmu")
