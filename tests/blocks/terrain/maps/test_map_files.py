"""Maps from files of each kind and back, and what is refused of the files of others."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from drawbar.blocks import TerrainError
from drawbar.blocks.terrain.maps.elevation_map import ElevationMap
from drawbar.blocks.terrain.maps.map_files import read_map, write_map
from drawbar.blocks.terrain.maps.obstacles import half_round
from drawbar.blocks.terrain.soil.soils import soil

# as a map has it: the first row is the south; steps of 1/4 are exact in all types below
HEIGHTS = np.arange(20.0).reshape(4, 5) / 4


def test_what_is_written_is_read_back(tmp_path: Path) -> None:
    kinds = (np.arange(20).reshape(4, 5) % 3).astype(np.uint8)
    soils = (soil("dry_pavement"), soil("LETE_sand"), soil({"soil": "ice", "cone_index_Pa": 3e5}))
    made = ElevationMap(812.5 + HEIGHTS, (0.5, 0.25), (-3.0, 7.0), kinds, soils, 0.47)
    files = write_map(made, tmp_path / "map", "Quarry", "quarry", 'a "quarry"')
    assert [p.name for p in files] == ["heights.npy", "classes.npy", "terrain.json", "quarry.py"]
    found = read_map(tmp_path / "map" / "terrain.json")
    for name, array in made.arrays().items():
        np.testing.assert_allclose(found.arrays()[name], array, rtol=1e-15, err_msg=name)
    assert found.soils[2].surface == 3


def test_a_written_map_has_the_same_bytes_each_time(tmp_path: Path) -> None:
    one, two = (write_map(half_round(), tmp_path / n, "Round", "round", "x") for n in "ab")
    assert [p.read_bytes() for p in one] == [p.read_bytes() for p in two]
    assert (tmp_path / "a" / "heights.npy").stat().st_size < 41_000, "32 bits a height"


SHAPE = {"heights": "h.npy", "cell": 1}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({}, r"side\.json: name the file of heights"),
        ({"heights": "h.npy"}, r"h\.npy contains no distance of its points; give the cell in m"),
        ({"heights": "H.npy", "cell": 1}, r"H\.npy: there is no such file; did you mean 'h\.npy'"),
        ({"heights": "h.asc", "cell": 1}, r"h\.asc: give a file of type \.npy, \.png, \.tif, \.tiff"),
        ({"heights": "../h.npy", "cell": 1}, r"heights is \"\.\./h\.npy\"; give the name of a file beside it"),
        ({"heights": "/etc/h.npy", "cell": 1}, "give the name of a file beside it"),
        ({**SHAPE, "classes": "..\\c.npy"}, "classes is .*; give the name of a file beside it"),
        ({**SHAPE, "cel": 2}, r"side\.json: 'cel' is unknown; did you mean 'cell'"),
        ({**SHAPE, "cell": [1, 2, 3]}, r"cell is \[1, 2, 3\]; give one number, or two"),
        ({**SHAPE, "cell": float("nan")}, "cell is NaN; give one number"),
        ({**SHAPE, "cell": 10**400}, "cell is 10*; give one number"),
        ({**SHAPE, "datum": -(10**400)}, "datum is -10*; give a number"),
        ({**SHAPE, "cell": 1e9}, "the distance of points must be 0.001 to 10000 m"),
        ({**SHAPE, "origin": 3}, "origin is 3; give two numbers"),
        ({**SHAPE, "scale": 0}, "scale is 0; give a number other than 0"),
        ({**SHAPE, "missing": "fill"}, 'missing is "fill"; give "refuse", "nearest" or a height in m'),
        ({**SHAPE, "first_row": "top"}, 'first_row is "top"; give "south" or "north"'),
        ({**SHAPE, "source": 3}, "source is 3; give a text"),
        ({**SHAPE, "soils": []}, r"soils is \[\]; give a list of names"),
        ({**SHAPE, "soils": ["ices"]}, r"side\.json: class 0: there is no soil 'ices'; did you mean 'ice'"),
        ({**SHAPE, "soils": [{"k_c": "x"}]}, "class 0: k_c is 'x'; give a number"),
        ({**SHAPE, "classes": "c.npy"}, r"the soil classes have shape \(2, 2\)"),
    ],
)
def test_a_wrong_side_file_is_told(words: dict[str, Any], message: str, side_file: Any, tmp_path: Path) -> None:
    np.save(tmp_path / "h.npy", HEIGHTS)
    np.save(tmp_path / "c.npy", np.zeros((2, 2), np.uint8))
    with pytest.raises(TerrainError, match=message):
        read_map(side_file(**words))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"[1]", 'it must hold an object: {"heights"'),
        (b"{", "is not a JSON file: Expecting"),
        (b"\xff\xfe", "is not a JSON file"),
        (b"[" * 100_000, "is not a JSON file"),
        (b" " * 1_000_001, "is larger than 1000000 bytes"),
    ],
)
def test_a_side_file_that_is_none_is_told(content: bytes, message: str, tmp_path: Path) -> None:
    (tmp_path / "side.json").write_bytes(content)
    with pytest.raises(TerrainError, match=message):
        read_map(tmp_path / "side.json")
    with pytest.raises(TerrainError, match=r"none\.json cannot be read: No such file"):
        read_map(tmp_path / "none.json")


def test_an_interruption_leaves_nothing_half_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(path: Path, text: str, encoding: str) -> int:
        assert [p.name for p in tmp_path.iterdir()] != []
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "write_text", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_map(half_round(), tmp_path, "Round", "round", "x")
    assert list(tmp_path.iterdir()) == []
