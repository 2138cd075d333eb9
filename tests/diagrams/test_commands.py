import argparse
import json
import zipfile

import pytest

from drawbar.blocks import UsageError
from drawbar.diagrams import Diagram, library, verbs, write
from drawbar.diagrams.library import find
from drawbar.fmus.verbs import info


def call(verb, *words, as_json=False):
    parser = argparse.ArgumentParser()
    verb.configure(parser)
    args = parser.parse_args(list(words))
    args.json = as_json
    return verb.call(args)


@pytest.fixture
def file(block, tmp_path):
    d = Diagram("pair")
    a, b = d.add("a", block("Gain")), d.add("b", block("Held"))
    d.connect(a.y, b.u)
    write(d, tmp_path)
    return tmp_path / "SystemStructure.ssd"


def test_check_of_a_good_diagram(file, capsys):
    assert call(verbs.check, str(file.parent)) == 0
    note = "1 input keeps its start value, nothing drives it: a.u"
    assert capsys.readouterr().out == f"note: {note}\npair: 2 parts, 1 connection, no fault\n"
    assert call(verbs.check, str(file), as_json=True) == 0
    report = json.loads(capsys.readouterr().out)
    wanted = {"diagram": "pair", "file": str(file), "parts": 2, "connections": 1, "faults": [], "notes": [note]}
    assert report == wanted
    file.write_text(file.read_text().replace('startElement="a"', 'startElement="b"'))
    assert call(verbs.check, str(file)) == 0


def test_check_of_a_stop_time_that_is_no_whole_number_of_steps(file, capsys):
    file.write_text(file.read_text().replace('stopTime="1"', 'stopTime="1.0004"'))
    assert call(verbs.check, str(file)) == 1
    first, *_ = capsys.readouterr().out.splitlines()
    assert "stop time 1.0004 s is no whole number of steps of 0.001 s; the nearest is 1 s" in first
    assert first.startswith(f"{file}:")


def test_check_of_a_bad_diagram(file, capsys):
    file.write_text(file.read_text().replace('endConnector="u"', 'endConnector="v"').replace("0.001", "-1"))
    assert call(verbs.check, str(file)) == 1
    lines = capsys.readouterr().out.splitlines()
    assert [line.startswith("note: ") for line in lines] == [False, False, True, False]
    assert lines[-1] == "pair: 2 faults"
    assert call(verbs.check, str(file), as_json=True) == 1
    assert len(json.loads(capsys.readouterr().out)["faults"]) == 2


def test_list(tmp_path, capsys):
    (tmp_path / "some.fmu").touch()
    assert call(verbs.list_, "--workspace", str(tmp_path), as_json=True) == 0
    report = json.loads(capsys.readouterr().out)
    blocks = {b["name"]: b for b in report["blocks"]}
    assert blocks["FirstOrderLag"]["block"] == "drawbar.blocks.signals.first_order_lag:FirstOrderLag"
    assert blocks["FirstOrderLag"]["about"].startswith("A first-order lag")
    assert [blocks[name]["kind"] for name in ("Gain", "UnitDelay", "RayMarch")] == ["continuous", "sampled", "kernel"]
    assert [d["name"] for d in report["diagrams"]] == library.names()
    assert {b["kind"] for b in report["blocks"]} >= {"continuous", "sampled"}
    assert report["fmus"] == [str(tmp_path / "some.fmu")]
    assert call(verbs.list_) == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["FirstOrderLag", "continuous"] in [words[:2] for words in lines]


def test_list_and_info_tell_a_script_from_the_others(tmp_path, capsys):
    name = f"looker_{tmp_path.name}"
    text = """
from drawbar.blocks import Output, Script

class Looker(Script, period=0.5):
    "Looks."

    y = Output("1", "what it sees")

    def step(self, t, dt):
        self.y = 1.0
"""
    (tmp_path / f"{name}.py").write_text(text)
    assert call(verbs.list_, "--workspace", str(tmp_path)) == 0
    assert ["Looker", "script", "Looks."] in [line.split() for line in capsys.readouterr().out.splitlines()]
    assert call(info, f"{name}:Looker") == 0
    said = capsys.readouterr().out
    assert "  kind: script\n" in said and "  sampled every 1/2 s\n" in said


def test_list_shows_the_diagrams_of_a_workspace(file, tmp_path, capsys):
    places = ("cart/SystemStructure.ssd", "cart/deep/other.ssd", "cart/deep/deeper/lost.ssd", ".git/hidden.ssd")
    for place in places:
        (tmp_path / place).parent.mkdir(exist_ok=True, parents=True)
        (tmp_path / place).write_bytes(file.read_bytes())
    (tmp_path / "folder.ssd").mkdir()
    with zipfile.ZipFile(tmp_path / "cart" / "packed.ssp", "w") as archive:
        archive.write(file, file.name)
    assert call(verbs.list_, "--workspace", str(tmp_path), as_json=True) == 0
    found = json.loads(capsys.readouterr().out)["diagrams"][len(library.names()) :]
    assert found == [
        {"name": tmp_path.name, "file": str(file)},
        {"name": "cart", "file": str(tmp_path / places[0])},
        {"name": "other", "file": str(tmp_path / places[1])},
        {"name": "packed", "file": str(tmp_path / "cart" / "packed.ssp")},
    ]
    for entry in found:
        assert call(verbs.check, entry["file"]) == 0
    assert call(verbs.list_, "--workspace", str(tmp_path)) == 0
    assert str(tmp_path / places[1]) in capsys.readouterr().out


def test_a_diagram_is_found_by_file_folder_or_name(file, tmp_path, monkeypatch):
    assert find(file) == file
    assert find(file.parent) == file
    monkeypatch.setattr(library, "_folder", lambda: tmp_path)
    (tmp_path / "pair").mkdir()
    (tmp_path / "pair" / "SystemStructure.ssd").write_bytes(file.read_bytes())
    assert library.names() == ["pair"]
    assert find("pair") == tmp_path / "pair" / "SystemStructure.ssd"
    with pytest.raises(UsageError, match=r"there is no diagram 'pear'.*did you mean 'pair'"):
        find("pear")
    (tmp_path / "hollow").mkdir()
    with pytest.raises(UsageError, match=r"has no SystemStructure\.ssd"):
        find(tmp_path / "hollow")
