"""Diagrams inside diagrams: judged, written, read, drawn and packed."""

import pytest

from drawbar.blocks import DiagramError
from drawbar.diagrams import Diagram, faults, read, to_text, write
from drawbar.diagrams.checks.notes import notes
from drawbar.diagrams.model.flatten import flatten
from drawbar.diagrams.xml.markup import parse
from drawbar.diagrams.xml.schema import schema_faults
from drawbar.orchestrator.cli.commands import main


def test_writing_and_reading_changes_no_byte(outer, tmp_path, shown):
    write(outer, tmp_path)
    file = tmp_path / "SystemStructure.ssd"
    assert schema_faults(parse(file)) == []
    again = read(tmp_path)
    assert faults(again) == []
    assert to_text(again, tmp_path) == file.read_text() == to_text(outer, tmp_path)
    assert shown(flatten(again)) == shown(flatten(outer))
    for name, part in flatten(outer).parts.items():
        assert flatten(again).parts[name].start_values() == part.start_values()
    assert again.parts["left"].geometry == (0, 0, 40, 30)
    assert again.parts["right"].starts == {"second.gain": 3.0, "u": 7.0}


@pytest.mark.parametrize(
    ("edit", "reason"),
    [
        (lambda d: d.connect(d.parts["left"].z, d.parts["sink"].u), "left (system) has no 'z'"),
        (
            lambda d: d.connect(d.parts["left"]["second.y"], d.parts["sink"].u),
            "left (system) has no connector 'second.y', which is a variable inside it; its connectors: u, y; connect "
            "it inside left, or expose it there",
        ),
        (lambda d: d.parts["left"].set("second.gian", 1), "has no 'second.gian'; did you mean 'second.gain'"),
        (lambda d: d.parts["left"].set("second.gain", 99), "left.second.gain = 99 lies outside its limits -10 to 10"),
        (lambda d: d.parts["left"].set("second.y", 1), "left.second.y is calculated"),
        (lambda d: d.parts["left"].diagram.add("loop", d), "'loop' would contain the diagram that it is added to"),
        (lambda d: d.add("self", d), "'self' would contain the diagram that it is added to"),
        (lambda d: d.add("left", Diagram("x")), "there is already a part 'left'"),
        (lambda d: d.connect(d.parts["source"].y, d.parts["left"].u), "they are connected already"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused_at_once(outer, edit, reason):
    with pytest.raises(DiagramError) as caught:
        edit(outer)
    assert reason in str(caught.value)
    assert faults(outer) == []


def test_faults_at_every_depth_have_file_and_line(outer, tmp_path):
    write(outer, tmp_path)
    file = tmp_path / "SystemStructure.ssd"
    text = file.read_text()
    connection = '<ssd:Connection startElement="first" startConnector="y" endElement="second" endConnector="u"/>'
    assert text.count(connection) == 2
    file.write_text(text.replace(connection, connection.replace('"second"', '"secnd"')))
    lines = [i for i, line in enumerate(file.read_text().splitlines(), 1) if "secnd" in line]
    assert [f.split(": ", 1)[0] for f in faults(read(tmp_path))] == [f"{file}:{line}" for line in lines]
    for name, fault in zip(("left", "right"), faults(read(tmp_path)), strict=True):
        assert f"in system '{name}': cannot connect first.y [1] to secnd.u: there is no part 'secnd'" in fault
        assert "did you mean 'second'?" in fault


def test_loops_that_run_through_systems_are_found(outer, block):
    d = Diagram("d")
    box, gain = d.add("box", outer.parts["left"].diagram), d.add("gain", block("Gain"))
    d.connect(box.y, gain.u)
    d.connect(gain.y, box.u)
    (fault,) = faults(d)
    assert "algebraic loop: " in fault
    assert "box.first.y" in fault
    d.loops = "delay"
    assert faults(d) == []


def test_notes_look_inside(outer, block):
    outer.parts["left"].diagram.add("free", block("Gain"))
    (note,) = notes(outer)
    assert note == "2 inputs keep their start values, nothing drives them: left.free.u, right.free.u"


def test_a_diagram_of_a_file_becomes_a_system_of_another(pair, fmu_file, tmp_path):
    (tmp_path / "inner").mkdir()
    fmu = fmu_file("plant")
    pair.add("plant", fmu)
    write(pair, tmp_path / "inner" / "SystemStructure.ssd")
    (tmp_path / "inner" / "set.ssv").write_text(
        '<ParameterSet xmlns="http://ssp-standard.org/SSP1/SystemStructureParameterValues" version="1.0" name="s">'
        '<Parameters><Parameter name="second.gain"><Real value="5"/></Parameter></Parameters></ParameterSet>'
    )
    file = tmp_path / "inner" / "SystemStructure.ssd"
    binding = '<ssd:ParameterBindings><ssd:ParameterBinding source="set.ssv"/></ssd:ParameterBindings>'
    file.write_text(file.read_text().replace("<ssd:Elements>", binding + "<ssd:Elements>"))
    d = Diagram("whole")
    d.add("box", read(file))
    d.add("lower", read(file), **{"second.gain": 6.0})
    assert flatten(d).parts["box.second"].start_values() == {"gain": 5.0}
    (tmp_path / "elsewhere").mkdir()
    write(d, tmp_path / "elsewhere")
    again = read(tmp_path / "elsewhere")
    assert faults(again) == []
    assert flatten(again).parts["box.second"].start_values() == {"gain": 5.0}
    assert flatten(again).parts["lower.second"].start_values() == {"gain": 6.0}
    assert flatten(again).parts["box.plant"].fmu.resolve() == fmu.resolve()
    assert to_text(again, tmp_path / "elsewhere") == (tmp_path / "elsewhere" / "SystemStructure.ssd").read_text()


def test_a_picture_shows_a_system_as_one_box_and_its_inside_by_name(outer, tmp_path, capsys):
    write(outer, tmp_path)
    view = ["view", str(tmp_path), "--svg", str(tmp_path / "d.svg")]
    assert main(view) == 0
    text = (tmp_path / "d.svg").read_text()
    assert text.count('class="box system"') == 2
    assert "<title>left: system</title>" in text
    assert ">first<" not in text
    assert text == outer._repr_svg_()
    assert main([*view, "--system", "left"]) == 0
    text = (tmp_path / "d.svg").read_text()
    assert ">first<" in text
    assert ">source<" not in text
    assert "box system" not in text
    capsys.readouterr()
    assert main([*view, "--system", "lft"]) == 2
    assert "there is no system 'lft' in outer; did you mean 'left'?" in capsys.readouterr().err


@pytest.mark.compiler
def test_a_package_holds_what_is_inside_systems(outer, fmu_file, tmp_path):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    far = fmu_file("far").rename(elsewhere / "far.fmu")
    outer.parts["left"].diagram.add("far", far)
    write(outer, tmp_path / "o.ssp")
    again = read(tmp_path / "o.ssp")
    assert faults(again) == []
    assert flatten(again).parts["right.far"].source == "resources/far.fmu"
    write(again, tmp_path / "p.ssp")
    assert (tmp_path / "p.ssp").read_bytes() == (tmp_path / "o.ssp").read_bytes()


def test_one_name_of_a_unit_has_one_meaning(block, tmp_path):
    files = []
    for factor in ("0.001", "0.01"):
        d = Diagram("d")
        d.add("source", block("Source"))
        write(d, tmp_path)
        file = tmp_path / "SystemStructure.ssd"
        text = file.read_text()
        assert 'm="1" factor="0.001"' in text
        file.write_text(text.replace('m="1" factor="0.001"', f'm="1" factor="{factor}"'))
        files.append(read(tmp_path))
    with pytest.raises(DiagramError, match="unit 'mm' is defined differently in the file of 'inner'"):
        files[0].add("inner", files[1])
