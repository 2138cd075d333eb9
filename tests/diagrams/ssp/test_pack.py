"""A packed diagram holds all it needs, opens everywhere a diagram is named, and runs as the diagram does."""

import json
import shutil
import zipfile

import pytest

from drawbar.blocks import BuildError, DiagramError, UsageError
from drawbar.blocks.authoring.registry import reference_of
from drawbar.diagrams import Diagram, faults, read, to_text, write
from drawbar.diagrams.checks.notes import notes
from drawbar.diagrams.ssp.pack import pack
from drawbar.fmus.toolchain import compilers
from drawbar.orchestrator.cli.commands import main

SET = """<ParameterSet xmlns="http://ssp-standard.org/SSP1/SystemStructureParameterValues" version="1.0" name="s">
<Parameters><Parameter name="gain"><Real value="3"/></Parameter></Parameters></ParameterSet>"""


@pytest.fixture
def pair(block, tmp_path):
    """A diagram in a folder of its own, with a block, a parameter set and a resource that nothing names."""
    d = Diagram("pair", step=0.01, stop=0.05)
    a, b = d.add("a", block("Gain"), gain=2.0, u=1.5), d.add("b", block("Held"))
    d.connect(a.y, b.u)
    folder = tmp_path / "pair"
    (folder / "resources").mkdir(parents=True)
    (folder / "resources" / "map.csv").write_text("1,2\n")
    write(d, folder)
    return folder


def packed_names(path):
    with zipfile.ZipFile(path) as archive:
        return archive.namelist()


@pytest.mark.compiler
def test_the_same_diagram_gives_the_same_bytes(pair, tmp_path):
    first, second = pack(read(pair), tmp_path / "1.ssp"), pack(read(pair), tmp_path / "deep" / "2.ssp")
    assert first.path.read_bytes() == second.path.read_bytes()
    assert first.built == ("resources/Gain.fmu", "resources/Held.fmu")
    assert (
        list(first.files)
        == packed_names(first.path)
        == sorted([*first.built, "SystemStructure.ssd", "resources/map.csv"])
    )
    with zipfile.ZipFile(first.path) as archive:
        for entry in archive.infolist():
            assert entry.compress_type == zipfile.ZIP_DEFLATED
            assert not entry.flag_bits & 0x08, "a data descriptor"
            assert entry.date_time == (1980, 1, 1, 0, 0, 0)
    # packed again from the package: nothing is lost, nothing changes
    assert pack(read(first.path), tmp_path / "3.ssp").path.read_bytes() == first.path.read_bytes()
    (pair / "resources" / "map.csv").write_text("1,3\n")
    assert pack(read(pair), tmp_path / "4.ssp").path.read_bytes() != first.path.read_bytes()


@pytest.mark.cross
def test_what_a_package_holds_is_for_the_platforms_that_are_asked_for(pair, tmp_path):
    target = tmp_path / "pair.ssp"
    assert main(["pack", str(pair), "--platform", "win64", "--platform", "linux64", "--out", str(target)]) == 0
    with zipfile.ZipFile(target) as archive:
        (tmp_path / "Gain.fmu").write_bytes(archive.read("resources/Gain.fmu"))
    binaries = {name for name in packed_names(tmp_path / "Gain.fmu") if name.startswith("binaries/")}
    assert binaries == {"binaries/win64/Gain.dll", "binaries/linux64/Gain.so"}


def test_an_fmu_of_others_without_a_binary_for_what_is_asked_for_is_named(fmu_file, tmp_path, capsys):
    d = Diagram("mixed")
    for name, folders in (("both", ["win64", "linux64"]), ("one", ["linux64"]), ("none", [])):
        d.add(name, fmu_file(name))
        with zipfile.ZipFile(tmp_path / f"resources/{name}.fmu", "a") as archive:
            for folder in folders:
                archive.writestr(f"binaries/{folder}/{name}.bin", "stands in")
    d.add("one_more", tmp_path / "resources/one.fmu")
    write(d, tmp_path)
    asked = [
        "pack",
        str(tmp_path),
        "--out",
        str(tmp_path / "mixed.ssp"),
        "--platform",
        "win64",
        "--platform",
        "linux64",
    ]
    assert main(asked) == 0
    *_, first, second, _ = capsys.readouterr().out.splitlines()
    assert first == "  resources/none.fmu  has no binary for win64 and linux64, where the package will not run"
    assert second == "  resources/one.fmu  has no binary for win64, where the package will not run"
    assert main([*asked, "--json"]) == 0
    missing = json.loads(capsys.readouterr().out)["missing_binaries"]
    assert missing == {"resources/none.fmu": ["win64", "linux64"], "resources/one.fmu": ["win64"]}
    assert pack(read(tmp_path), tmp_path / "mixed.ssp").missing_binaries == {}, "nothing was asked for"


@pytest.mark.compiler
@pytest.mark.parametrize("known", [True, False], ids=["as blocks", "as FMUs"])
def test_a_package_runs_as_the_diagram_does(pair, tmp_path, known, capsys):
    package = tmp_path / "pair.ssp"
    if not known:  # on a machine that does not have the blocks, the FMUs stand in for them
        write(read(pair), package)
        with zipfile.ZipFile(package) as archive:
            content = {name: archive.read(name) for name in archive.namelist()}
        text = content["SystemStructure.ssd"].replace(b"bench_blocks:", b"elsewhere:")
        assert text != content["SystemStructure.ssd"]
        content["SystemStructure.ssd"] = text
        with zipfile.ZipFile(package, "w") as archive:
            for name, data in content.items():
                archive.writestr(name, data)
        assert read(package).parts["a"].block is None
    else:
        assert main(["pack", str(pair), "--out", str(package)]) == 0
        assert "resources/Gain.fmu  built" in capsys.readouterr().out
    runs = [str(tmp_path / "one"), str(tmp_path / "two")]
    for what, out in zip([pair, package], runs, strict=True):
        assert main(["run", str(what), "--out", out, "--no-page", "--json"]) == 0
    assert main(["compare", *runs]) == 0
    assert main(["check", str(package)]) == 0
    assert main(["run", str(package), "--set", "a.gain=2.5", "--out", str(tmp_path / "three"), "--no-page"]) == 0
    assert main(["compare", runs[0], str(tmp_path / "three")]) == 1


def test_without_a_compiler_the_part_and_the_remedy_are_named(pair, tmp_path, monkeypatch):
    monkeypatch.setenv("DRAWBAR_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(compilers, "find_compiler", lambda: None)
    with pytest.raises(BuildError, match=r"part 'a' cannot be packed .*no C compiler found; install gcc"):
        pack(read(pair), tmp_path / "pair.ssp")
    assert not (tmp_path / "pair.ssp").exists()


def test_what_could_not_be_read_again_is_not_packed(pair, tmp_path):
    diagram = read(pair)
    diagram.expose(next(iter(diagram.parts.values())).u, "a\x01b")
    with pytest.raises(DiagramError, match="cannot be written: "):
        write(diagram, tmp_path / "new.ssp")
    assert not (tmp_path / "new.ssp").exists()


def test_fmus_and_parameter_sets_come_along(fmu_file, tmp_path):
    fmu_file("plant")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    far = shutil.copy(fmu_file("far"), elsewhere / "plant.fmu")  # another FMU of a name that is taken
    d = Diagram("mixed")
    for name, fmu in (("near", "resources/plant.fmu"), ("far", far), ("far_too", far)):
        d.add(name, tmp_path / fmu)
    file = tmp_path / "SystemStructure.ssd"
    write(d, file)
    (tmp_path / "sets").mkdir()
    (tmp_path / "sets" / "a b.ssv").write_text(SET.replace("gain", "near.u"))
    binding = '<ssd:ParameterBindings><ssd:ParameterBinding source="sets/a%20b.ssv"/></ssd:ParameterBindings>'
    file.write_text(file.read_text().replace("<ssd:Elements>", binding + "<ssd:Elements>"))
    # write the far FMU as the file of another tool would name it: by its URI
    file.write_text(file.read_text().replace('source="elsewhere/', f'source="{elsewhere.as_uri()}/'))
    home = tmp_path / "home"
    home.mkdir()
    for name in ("SystemStructure.ssd", "resources", "sets"):
        shutil.move(tmp_path / name, home / name)
    packed = pack(read(home), tmp_path / "mixed.ssp")
    assert packed.built == ()
    kept = "resources/far.fmu"  # named by no part, but a resource
    names = [kept, "resources/plant.fmu", "resources/plant_2.fmu", "sets/a b.ssv"]
    assert [n for n in packed.files if n != "SystemStructure.ssd"] == names
    opened = read(packed.path)
    assert {n: p.source for n, p in opened.parts.items()} == {
        "near": "resources/plant.fmu",
        "far": "resources/plant_2.fmu",
        "far_too": "resources/plant_2.fmu",
    }
    assert {n: p.kind for n, p in opened.parts.items()} == {"near": "plant", "far": "far", "far_too": "far"}
    assert opened.parts["near"].start_values() == {"u": 3.0}
    assert faults(opened) == []
    assert to_text(opened, opened.file.path.parent) == opened.file.path.read_text()


def test_a_part_without_block_and_fmu_is_told_why_it_has_none(pair, tmp_path):
    file = pair / "SystemStructure.ssd"
    file.write_text(file.read_text().replace("bench_blocks:", "elsewhere:"))
    message = r"'a' cannot be packed: there is no file at .*Gain\.fmu, and block 'elsewhere:Gain' is .*--workspace"
    with pytest.raises(DiagramError, match=message):
        pack(read(pair), tmp_path / "out.ssp")


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("../secret.ssv", r"ParameterBinding '\.\./secret\.ssv' cannot be packed from .*secret\.ssv: it lies outside"),
        ("resources/link.ssv", "cannot be packed from .*lies outside"),
        ("lost.ssv", "cannot be packed: there is no file at lost.ssv"),
    ],
)
def test_a_diagram_cannot_make_a_package_carry_other_files(pair, tmp_path, source, reason):
    (tmp_path / "secret.ssv").write_text(SET)
    (pair / "resources" / "link.ssv").symlink_to(tmp_path / "secret.ssv")
    (pair / "own.ssv").write_text(SET)
    file = pair / "SystemStructure.ssd"
    text = file.read_text().replace("bench_blocks:", "elsewhere:")
    for fmu in ("Gain", "Held"):
        (pair / "resources" / f"{fmu}.fmu").write_bytes(b"stands in")

    def pack_with(name):
        binding = f'<ssd:ParameterBindings><ssd:ParameterBinding source="{name}"/></ssd:ParameterBindings>'
        file.write_text(text.replace("<ssd:Elements>", binding + "<ssd:Elements>"))
        return pack(read(pair), tmp_path / "out.ssp")

    with pytest.raises(DiagramError, match=reason):
        pack_with(source)
    assert not (tmp_path / "out.ssp").exists()
    assert "own.ssv" in pack_with("own.ssv").files


@pytest.mark.compiler
def test_links_and_hidden_files_are_left_out_and_named(pair, tmp_path, capsys):
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "key").write_text("key")
    (pair / "resources" / "link.csv").symlink_to(tmp_path / "secret" / "key")
    (pair / "documentation").symlink_to(tmp_path / "secret")
    (pair / "resources" / ".hidden").write_text("x")
    (pair / "resources" / ".tool").mkdir()
    for name in "ab":
        (pair / "resources" / ".tool" / name).write_text("x")
    assert main(["pack", str(pair), "--out", str(tmp_path / "p.ssp"), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["left_out"] == ["documentation", "resources/.hidden", "resources/.tool", "resources/link.csv"]
    assert told["files"] == packed_names(tmp_path / "p.ssp")
    assert not {name for name in told["files"] if "key" in name or "hidden" in name or "link" in name}
    assert "resources/map.csv" in told["files"]
    assert main(["pack", str(pair), "--out", str(tmp_path / "p.ssp")]) == 0
    said = capsys.readouterr().out
    assert "  resources/.tool  is hidden and left out\n  resources/link.csv  is a link and left out\n" in said


@pytest.mark.compiler
def test_two_blocks_of_one_name_become_two_fmus(block, tmp_path):
    d = Diagram("twins")
    d.add("a", block("Gain"))
    other = type("Gain", (block("Held"),), {"__module__": "twin"}, period=0.01)
    d.add("b", other)
    assert {reference_of(p.block) for p in d.parts.values()} == {"bench_blocks:Gain", "twin:Gain"}
    packed = pack(d, tmp_path / "twins.ssp")
    assert packed.built == ("resources/Gain.fmu", "resources/Gain_2.fmu")
    with zipfile.ZipFile(packed.path) as archive:
        assert archive.read("resources/Gain.fmu") != archive.read("resources/Gain_2.fmu")
    assert read(packed.path).parts["b"].source == "resources/Gain_2.fmu"


@pytest.mark.compiler
def test_the_name_of_the_package(pair, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    text = (pair / "SystemStructure.ssd").read_text()
    (pair / "SystemStructure.ssd").write_text(
        text.replace('version="1.0" name="pair">', 'version="1.0" name="../../x y">')
    )
    assert main(["pack", str(pair)]) == 0
    assert (tmp_path / "x_y.ssp").is_file()
    assert main(["pack", "x_y.ssp"]) == 2
    assert "is the package itself" in capsys.readouterr().err
    assert main(["pack", "x_y.ssp", "--out", "x_y.zip"]) == 2
    assert "a package ends in .ssp, as in x_y.ssp" in capsys.readouterr().err
    (tmp_path / "file").touch()
    with pytest.raises(UsageError, match="cannot write"):
        pack(read(pair), tmp_path / "file" / "x.ssp")


@pytest.mark.compiler
def test_the_other_diagrams_of_a_package_are_named(pair, tmp_path):
    package = tmp_path / "p.ssp"
    write(read(pair), package)
    assert not [n for n in notes(read(package)) if "of the package" in n]
    with zipfile.ZipFile(package, "a") as archive:
        archive.writestr("Winter.ssd", (pair / "SystemStructure.ssd").read_text())
    (note,) = [n for n in notes(read(package)) if "of the package" in n]
    assert note.startswith("SystemStructure.ssd of the package is used; the package also holds Winter.ssd")
    # a folder may hold as many as it likes
    shutil.copy(pair / "SystemStructure.ssd", pair / "Winter.ssd")
    assert not [n for n in notes(read(pair)) if "of the package" in n]
    assert "Winter.ssd" in packed_names(pack(read(package), tmp_path / "again.ssp").path)


def test_what_a_package_hides_is_packed_again(fmu_file, tmp_path):
    d = Diagram("plain")
    d.add("p", fmu_file("plant"))
    first = pack(d, tmp_path / "first.ssp").path
    hidden = {".tool/settings.json": b"{}", "extra/.keep": b"", ".mark": b"x"}
    with zipfile.ZipFile(first, "a") as archive:
        for name, data in hidden.items():
            archive.writestr(name, data)
    packed = pack(read(first), tmp_path / "second.ssp")
    assert packed.left_out == ()
    assert sorted(packed_names(packed.path)) == sorted(packed_names(first))
    with zipfile.ZipFile(packed.path) as archive:
        assert {name: archive.read(name) for name in hidden} == hidden
