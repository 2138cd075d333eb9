"""Packages of others are hostile until checked: each bad one gives one message, and nothing is left behind."""

import stat
import zipfile

import pytest

from drawbar.blocks import DiagramError
from drawbar.diagrams import read
from drawbar.diagrams.library import find
from drawbar.diagrams.ssp.ssp_archive import FILE, is_opened, open_package, variants

SSD = """<SystemStructureDescription xmlns="http://ssp-standard.org/SSP1/SystemStructureDescription" version="1.0"
name="sound"><System name="root"/></SystemStructureDescription>"""


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("DRAWBAR_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def package(tmp_path):
    def make(entries):
        path = tmp_path / "x.ssp"
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, content in entries:
                archive.writestr(name, content)
        return path

    return make


def link(name, target="/etc/passwd"):
    entry = zipfile.ZipInfo(name)
    entry.create_system = 3
    entry.external_attr = (stat.S_IFLNK | 0o777) << 16
    return entry, target


def test_a_sound_package_opens_wherever_a_diagram_is_named(package, cache, tmp_path):
    path = package([(FILE, SSD), ("resources\\map.csv", "1"), ("Other.ssd", SSD)])
    file = find(path)
    assert file == open_package(path) == read(path).file.path
    assert file.is_relative_to(cache)
    assert (file.parent / "resources" / "map.csv").read_text() == "1"
    assert read(path).name == "sound"
    assert is_opened(file)
    assert variants(file) == ["Other.ssd"]
    assert not is_opened(tmp_path / FILE)


@pytest.mark.parametrize(
    ("entries", "reason"),
    [
        ([("../evil.ssd", SSD)], r"'\.\./evil.ssd' leads out of the package; this file is not to be trusted"),
        ([("..\\evil.ssd", SSD)], "leads out of the package"),
        ([("/tmp/evil.ssd", SSD)], "leads out of the package"),
        ([("C:/evil.ssd", SSD)], "leads out of the package"),
        ([("resources/../../evil", "")], "leads out of the package"),
        ([link("resources/passwd")], "'resources/passwd' is a link"),
        ([link("resources", ".."), ("resources/evil.ssd", SSD)], "'resources' is a link"),
        ([("resources/zeros", bytes(20 * 1024**2))], "a zip bomb"),
        ([("name", "x"), ("name/below", "y")], "cannot be unpacked"),
    ],
)
@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_hostile_packages_are_refused_and_leave_nothing(package, cache, tmp_path, entries, reason):
    before = {p.name for p in tmp_path.iterdir()}
    path = package([(FILE, SSD), *entries])
    with pytest.raises(DiagramError, match=reason) as caught:
        read(path)
    assert "FMU" not in str(caught.value)
    assert {p.name for p in tmp_path.iterdir()} - before <= {"x.ssp", "cache"}
    assert list((cache / "unpacked").iterdir()) == []


def test_too_many_files_are_refused(package):
    with pytest.raises(DiagramError, match=r"10001 files .* the limits are 10000"):
        read(package([(FILE, SSD), *((f"resources/{i}", "") for i in range(10_000))]))


def test_what_is_no_zip_or_a_damaged_one(package, tmp_path):
    plain = tmp_path / "plain.ssp"
    plain.write_text(SSD)
    with pytest.raises(DiagramError, match=r"plain\.ssp: not a readable SSP \(zip\) file"):
        read(plain)
    path = package([(FILE, SSD), ("resources/x", "content " * 1000)])
    data = path.read_bytes()
    place = data.index(b"resources/x") + 20
    path.write_bytes(data[:place] + bytes([data[place] ^ 0xFF]) + data[place + 1 :])
    with pytest.raises(DiagramError, match=r"x\.ssp: "):
        read(path)
    with pytest.raises(DiagramError, match="there is no such file"):
        read(tmp_path / "none.ssp")


def test_a_package_without_its_diagram_at_the_top(package):
    with pytest.raises(
        DiagramError, match=r"x\.ssp: a package has its SystemStructure.ssd at the top, and it has no .ssd"
    ):
        read(package([("readme.txt", "")]))
    with pytest.raises(DiagramError, match=r"has inner/SystemStructure.ssd; name one as in x.ssp:inner/System"):
        find(package([(f"inner/{FILE}", SSD)]))


def test_a_folder_may_be_called_like_a_package(tmp_path):
    folder = tmp_path / "odd.ssp"
    folder.mkdir()
    (folder / FILE).write_text(SSD)
    assert find(folder) == folder / FILE
    assert read(folder).name == "sound"
