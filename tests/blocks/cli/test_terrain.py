"""The verb `terrain`: each kind makes a folder whose block is built and whose map is what was asked for."""

import inspect
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from drawbar.blocks.authoring.registry import block_class, open_workspace
from drawbar.blocks.cli.terrain import EXAMPLES, GENERATORS
from drawbar.blocks.terrain.maps.map_files import read_map
from drawbar.blocks.terrain.maps.obstacles import half_round
from drawbar.blocks.terrain.maps.rough import iso_8608
from drawbar.fmus.backends.native import native_instance
from drawbar.orchestrator.cli.commands import main


def told(capsys: pytest.CaptureFixture[str], *words: str) -> Any:
    assert main(["terrain", *words, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_a_half_round_is_made_as_the_function_makes_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "round"
    found = told(capsys, "half-round", "--radius", "0.3", "--wheel-radius", "0.47", "--out", str(out), "--soil", "ice")
    assert found["block"] == "half_round_map:HalfRoundMap"
    assert (found["x"], found["heights"], found["wheel_radius"]) == ([-10.0, 40.0], [0.0, 0.3], 0.47)
    made, wanted = read_map(out / "terrain.json"), half_round(0.3, wheel_radius=0.47)
    np.testing.assert_array_equal(made.arrays()["heights"], wanted.arrays()["heights"])
    assert made.soils[0].friction == 0.098


@pytest.mark.parametrize("kind", GENERATORS)
def test_each_generator_has_its_command_with_an_example(
    kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = told(capsys, kind, "--out", str(tmp_path / "map"))
    made, wanted = read_map(tmp_path / "map" / "terrain.json"), GENERATORS[kind]()
    np.testing.assert_array_equal(made.arrays()["heights"], wanted.arrays()["heights"])
    assert found["points"] == list(made.heights.shape[::-1])
    assert main(["terrain", kind, "--help"]) == 0
    shown = capsys.readouterr().out
    assert f"example: drawbar terrain {kind}" in shown and "(default: " in shown


def test_the_examples_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    Image.fromarray(np.zeros((8, 9), np.float32)).save("heights.tif", tiffinfo={33550: (2.0, 2.0, 0.0)})
    Path("town.obj").write_text("v 0 0 0\nv 4 0 0\nv 4 4 1\nf 1 2 3\n")
    for example in EXAMPLES.values():
        assert main(example.split()[1:]) == 0, capsys.readouterr().err
    assert "9 x 8 points, 2 m by 2 m" in capsys.readouterr().out
    assert read_map(tmp_path / "quarry" / "terrain.json").soils[0].k_c == pytest.approx(5300.0)


@pytest.mark.compiler
def test_the_block_that_is_written_carries_the_map(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--road-class", "B", "--length", "20", "--cell", "0.5", "1", "--seed", "4", "--name", "WrittenRoad"]
    found = told(capsys, "iso-8608", *words, "--out", str(tmp_path / "road"))
    open_workspace(tmp_path / "road")
    instance = native_instance(block_class(found["block"]), "a")
    instance.initialize(0.0, {"ground_fl.at[1]": 10.0, "ground_fl.at[2]": 2.0})
    instance.start()
    wanted = iso_8608("B", 20.0, cell=(0.5, 1.0), seed=4)
    assert instance.get(["ground_fl.point[3]"])[0] == pytest.approx(wanted.heights[6, 20], abs=1e-7)
    instance.close()


def test_a_side_file_is_imported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    np.save(tmp_path / "h.npy", np.eye(50))
    side = tmp_path / "h.json"
    side.write_text(json.dumps({"heights": "h.npy", "cell": 0.1, "scale": 0.5, "soils": ["LETE_sand"]}))
    out = ["--out", str(tmp_path / "map")]
    found = told(capsys, "import", str(side), *out)
    assert found["heights"] == [0.0, 0.5]
    assert read_map(tmp_path / "map" / "terrain.json").soils[0].k_c == pytest.approx(102e3)
    lifted, rolled = (["--out", str(tmp_path / name)] for name in ("lifted", "rolled"))
    found = told(capsys, "import", str(tmp_path / "h.npy"), "--cell", "0.1", "--datum", "7", *lifted)
    assert found["heights"] == [7, 8]
    assert told(capsys, "import", str(side), "--wheel-radius", "0.5", *rolled)["wheel_radius"] == 0.5


def test_a_map_is_not_written_over_what_it_is_made_of(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    np.save(tmp_path / "heights.npy", np.eye(50))
    side = tmp_path / "terrain.json"
    side.write_text(json.dumps({"heights": "heights.npy", "cell": 0.1, "scale": 0.01}))
    before = side.read_bytes(), (tmp_path / "heights.npy").read_bytes()
    assert main(["terrain", "import", str(side), "--out", str(tmp_path)]) == 2
    assert "heights.npy exists already, so nothing was written" in capsys.readouterr().err
    assert (side.read_bytes(), (tmp_path / "heights.npy").read_bytes()) == before


def test_what_is_missing_may_have_the_height_0(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    np.save(tmp_path / "h.npy", [[3.0, np.nan], [3.0, 3.0]])
    (tmp_path / "m.obj").write_text("v 0 0 3\nv 4 0 3\nv 0 4 3\nf 1 2 3\n")
    words = ["--cell", "1", "--missing", "0", "--out"]
    assert told(capsys, "import", str(tmp_path / "h.npy"), *words, str(tmp_path / "map"))["heights"] == [0.0, 3.0]
    assert told(capsys, "mesh", str(tmp_path / "m.obj"), *words, str(tmp_path / "mesh"))["heights"] == [0.0, 3.0]


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["half-round", "--radius", "-1"], 2, "radius -1 m: give more than 0"),
        (["half-round", "--name", "my road"], 2, "--name my road: the name of a block is"),
        (["half-round", "--soil", "icy"], 2, "--soil: there is no soil 'icy'; did you mean 'ice'"),
        (
            ["import", "flat.npy", "--cell", "1", "2", "3"],
            2,
            "--cell 1.0 2.0 3.0: give one number, or those along x and y",
        ),
        (["import", "h.npy", "--missing", "all"], 2, "--missing all: must be refuse, nearest, or a height in m"),
        (["import", "side.json", "--cell", "1"], 2, "--cell: write this into side.json, which defines the whole map"),
        (["import", "side.json", "--soil", "ice"], 2, "--soil: write this into side.json, which defines the whole map"),
        (["import", "h.npy"], 2, "h.npy: there is no such file"),
        (["half-round", "--out", "mine"], 2, "exists already, so nothing was written; name another folder"),
        (["half-round", "--out", "mine/heights.npy/map"], 2, "cannot be written: Not a directory; name another folder"),
        (["kerb", "--face", "0"], 2, "face 0 m: give more than 0"),
        (
            ["import", "flat.npy"],
            2,
            "flat.npy does not state the distance between its points; give it in m, for example --cell",
        ),
        (["import", "flat.npy", "--cell", "1", "0"], 2, "--cell 0: must be from 0.001 to 10000 m"),
        (
            ["import", "flat.npy", "--cell", "1", "--origin", "0", "nan"],
            2,
            "--origin nan: must be from -1e+09 to 1e+09",
        ),
        (
            ["import", "flat.npy", "--cell", "1", "--scale", "0"],
            2,
            "--scale 0: must be from -100000 to 100000 m, and not",
        ),
        (["import", "flat.npy", "--cell", "1", "--datum", "inf"], 2, "--datum inf: must be from -100000 to 100000 m"),
        (["import", "flat.npy", "--cell", "1", "--missing", "nan"], 2, "--missing nan: must be from -100000 to 100000"),
        (["import", "flat.npy", "--cell", "1", "--soil", ""], 2, "--soil: there is no soil ''"),
        (["import", "flat.npy", "--cell", "1", "--name", ""], 2, "--name : the name of a block is"),
        (["import", "flat.npy", "--cell", "1", "--wheel-radius", "1"], 2, "radius 1 m on cells of 1 m along x"),
        (["import", "notes.txt"], 2, "notes.txt: the ending of the file must be one of .npy, .png, .tif, .tiff, .json"),
        (["import", "flat.json"], 2, "flat.json: there is no such file; did you mean 'flat.npy'?"),
        (["mesh", "none.obj"], 2, "none.obj: there is no such file"),
        (["mesh", "flat.npy"], 2, "flat.npy: the ending of the file must be one of .obj, .stl, .ply, .glb, .gltf"),
        (["mesh", "town.obj", "--cell", "-1"], 2, "--cell -1: must be from 0.001 to 10000 m"),
        (["mesh", "town.obj", "--cell", "0.001"], 2, "points are more than 25000000; take coarser cells"),
        # what is wrong in a file
        (["import", "gap.npy", "--cell", "1"], 1, "gap.npy: 1 of 4 heights are missing"),
        (["import", "bad.json"], 1, "bad.json is not a JSON file"),
        (["mesh", "empty.obj"], 1, "empty.obj holds no triangle"),
    ],
)
def test_what_cannot_be_made_is_one_line(
    words: list[str], code: int, message: str,
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    Path("mine").mkdir()
    Path("mine/heights.npy").touch()
    np.save("flat.npy", np.zeros((9, 9)))
    np.save("gap.npy", [[3.0, np.nan], [3.0, 3.0]])
    Path("town.obj").write_text("v 0 0 0\nv 9 0 0\nv 9 9 1\nf 1 2 3\n")
    for name in ("notes.txt", "bad.json", "side.json", "empty.obj"):
        Path(name).touch()
    assert main(["terrain", *words]) == code
    said = capsys.readouterr().err
    assert message in said and said.count("\n") == 1


@pytest.mark.parametrize("kind", GENERATORS)
def test_no_option_takes_what_is_no_number_or_beyond_all_bounds(
    kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for parameter in inspect.signature(GENERATORS[kind]).parameters.values():
        second = ["0.5"] if isinstance(parameter.default, tuple) else []
        for value in ("nan", "1e9", "text"):
            option = "--" + parameter.name.replace("_", "-")
            assert main(["terrain", kind, option, value, *second, "--out", str(tmp_path / "map")]) == 2
            assert "fault in Drawbar" not in capsys.readouterr().err
    assert not (tmp_path / "map").exists()
