"""Heights from files of each kind, and what is refused of third-party files."""

import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image
from PIL.TiffImagePlugin import ImageFileDirectory_v2

from drawbar.blocks import TerrainError
from drawbar.blocks.terrain.maps import grid_files
from drawbar.blocks.terrain.maps.map_files import read_map

# as a map has it: the first row is the south; steps of 1/4 are exact in all types below
HEIGHTS = np.arange(20.0).reshape(4, 5) / 4


def tiff(path: Path, values: NDArray[Any], tags: dict[int, Any] | None = None, **options: Any) -> str:
    directory = ImageFileDirectory_v2()
    for tag, value in (tags or {}).items():
        directory[tag] = value
        directory.tagtype[tag] = 2 if isinstance(value, str) else 3 if tag == grid_files.KEYS else 12
    Image.fromarray(values).save(path, tiffinfo=directory, **options)
    return path.name


UTM = {grid_files.PIXEL_SCALE: (0.5, 0.25, 0.0), grid_files.TIE_POINT: (0.0, 0.0, 0.0, 600.0, 4000.0, 0.0)}


def keys(**values: int) -> dict[int, Any]:
    entries = [(getattr(grid_files, name), 0, 1, value) for name, value in values.items()]
    return {grid_files.KEYS: (1, 1, 0, len(entries), *(n for e in entries for n in e))}


@pytest.mark.parametrize("dtype", ["f8", "f4", ">f4", "i2", "u1"])
def test_npy(dtype: str, side_file: Any, tmp_path: Path) -> None:
    np.save(tmp_path / "h.npy", np.asfortranarray((HEIGHTS * 4).astype(dtype)))
    found = read_map(side_file(heights="h.npy", cell=2, origin=[1, 2], scale=0.25, datum=10))
    np.testing.assert_array_equal(found.heights, HEIGHTS + 10.0)
    assert (found.cell, found.origin) == ((2.0, 2.0), (1.0, 2.0))
    np.testing.assert_array_equal(
        read_map(side_file(heights="h.npy", cell=2, first_row="north")).heights[::-1], HEIGHTS * 4
    )


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
def test_png_begins_in_the_north(dtype: type, side_file: Any, tmp_path: Path) -> None:
    Image.fromarray((HEIGHTS[::-1] * 4).astype(dtype)).save(tmp_path / "h.png")
    Image.fromarray((HEIGHTS[::-1] > 2.0).astype(np.uint8)).save(tmp_path / "c.png")
    found = read_map(
        side_file(heights="h.png", cell=[1, 3], scale=0.25, classes="c.png", soils=["ice", {"soil": "snow_US"}])
    )
    np.testing.assert_array_equal(found.heights, HEIGHTS)
    np.testing.assert_array_equal(found.classes, HEIGHTS > 2.0)
    assert [s.surface for s in found.soils] == [3, 2]


@pytest.mark.parametrize("dtype", [np.float32, np.int32, np.uint16, np.uint8])
@pytest.mark.parametrize("compression", [None, "tiff_lzw", "tiff_adobe_deflate"])
def test_geotiff_says_where_it_is(dtype: type, compression: str | None, side_file: Any, tmp_path: Path) -> None:
    """600 and 4000 are the upper left corner of the upper left cell, 0.5 m by 0.25 m."""
    options = {} if compression is None else {"compression": compression}
    name = tiff(
        tmp_path / "h.tif", (HEIGHTS[::-1] * 4).astype(dtype), UTM | keys(MODEL_TYPE=1, RASTER_TYPE=1), **options
    )
    found = read_map(side_file(heights=name, scale=0.25))
    np.testing.assert_array_equal(found.heights, HEIGHTS)
    assert (found.cell, found.origin) == ((0.5, 0.25), (600.25, 4000.0 - 0.125 - 3 * 0.25))
    name = tiff(tmp_path / "p.tif", HEIGHTS[::-1].astype(dtype), UTM | keys(RASTER_TYPE=2))
    assert read_map(side_file(heights=name)).origin == (600.0, 4000.0 - 3 * 0.25), "its tie point is a point"
    assert read_map(side_file(heights=name, origin=[0, 0], cell=1)).origin == (0.0, 0.0), "the side file overrules"


def test_heights_in_feet_are_refused_without_a_scale(side_file: Any, tmp_path: Path) -> None:
    name = tiff(tmp_path / "h.tif", HEIGHTS[::-1].astype(np.float32), UTM | keys(VERTICAL_UNITS=9002))
    with pytest.raises(TerrainError, match=r'h\.tif are not in metres \(unit 9002 of EPSG\);.* "scale": 0\.3048'):
        read_map(side_file(heights=name))
    np.testing.assert_array_equal(read_map(side_file(heights=name, scale=0.25)).heights, 0.25 * HEIGHTS)
    for unit in (9001, 0):
        tiff(tmp_path / "h.tif", HEIGHTS[::-1].astype(np.float32), UTM | keys(VERTICAL_UNITS=unit))
        np.testing.assert_array_equal(read_map(side_file(heights=name)).heights, HEIGHTS)


def test_missing_heights_are_refused_or_filled(side_file: Any, tmp_path: Path) -> None:
    holed = HEIGHTS[::-1].astype(np.float32)
    holed[0, 4], holed[2, 2] = -9999.0, np.nan
    name = tiff(tmp_path / "h.tif", holed, UTM | {grid_files.NO_DATA: "-9999 "})
    with pytest.raises(TerrainError, match=r"2 of 20 heights are missing, the first in row 0, column 4; .*nearest"):
        read_map(side_file(heights=name))
    level = read_map(side_file(heights=name, missing=1.5)).heights
    assert (level[3, 4], level[1, 2], level[3, 3]) == (1.5, 1.5, HEIGHTS[3, 3])
    near = read_map(side_file(heights=name, missing="nearest")).heights
    assert near[3, 4] in (HEIGHTS[3, 3], HEIGHTS[2, 4]) and abs(near[1, 2] - HEIGHTS[1, 2]) < 1.3
    np.save(tmp_path / "n.npy", np.full((3, 3), 7))
    with pytest.raises(TerrainError, match="no point has a height"):
        read_map(side_file(heights="n.npy", cell=1, no_data=7, missing="nearest"))


def npy(array: Any, allow_pickle: bool = False) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, array, allow_pickle=allow_pickle)
    return buffer.getvalue()


def png(array: NDArray[Any]) -> bytes:
    buffer = io.BytesIO()
    Image.fromarray(array).save(buffer, "png")
    return buffer.getvalue()


BOMB = png(np.zeros((5100, 5000), np.uint8))
HUGE = npy(HEIGHTS).replace(b"(4, 5), }   ", b"(400000, 5)}")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("h.npy", b"", r"h\.npy cannot be read: "),
        ("h.npy", npy(HEIGHTS)[:-1], r"h\.npy cannot be read: "),
        ("h.npy", HUGE, r"h\.npy cannot be read: "),
        ("h.npy", npy(np.array([print], object), allow_pickle=True), r"h\.npy cannot be read: "),
        ("h.npy", npy(HEIGHTS * 1j), "it holds values of type complex128; a map holds numbers"),
        ("h.npy", npy(HEIGHTS.ravel()), r"it has shape \(20,\); a map is one table"),
        ("h.npy", npy(np.zeros((25_001, 1000), np.uint8)), "it has 25001 x 1000 points, more than 25000000"),
        ("h.npy", npy(np.full((3, 3), 2e5)), "9 heights are invalid, the first at row 0, column 0: 200000"),
        ("h.png", BOMB, "it has 5100 x 5000 points, more than 25000000"),
        ("h.png", png(np.zeros((4, 5, 3), np.uint8)), "its points are RGB; a map has one number each"),
        ("h.png", png(HEIGHTS.astype(np.uint8))[:60], r"h\.png cannot be read: "),
        ("h.png", b"GIF89a" + bytes(100), "it is not an image of the type of its name"),
        ("h.tif", png(HEIGHTS.astype(np.uint8)), "it is not an image of the type of its name"),
        ("h.tif", b"II*\0\xff\xff\xff\xff", r"h\.tif"),
    ],
)
def test_a_file_of_heights_that_is_none_is_told(
    name: str, content: bytes, message: str, side_file: Any, tmp_path: Path
) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(TerrainError, match=message):
        read_map(side_file(heights=name, cell=1))


@pytest.mark.parametrize(
    ("tags", "message"),
    [
        (UTM | keys(MODEL_TYPE=2), r"its cells are in degrees; project it to metres: gdalwarp -t_srs"),
        (UTM | keys(LINEAR_UNITS=9002), "its coordinates are not in metres"),
        (UTM | {grid_files.TRANSFORMATION: (1.0,) * 16}, "it is turned by a ModelTransformation"),
        ({grid_files.PIXEL_SCALE: (0.5, float("nan"), 0.0)}, "its tags of scale and tie point are damaged"),
        (UTM | {grid_files.TIE_POINT: (0.0, 0.0)}, "its tags of scale and tie point are damaged"),
        ({}, "contains no distance of its points"),
    ],
)
def test_a_geotiff_of_another_kind_is_told(tags: dict[int, Any], message: str, side_file: Any, tmp_path: Path) -> None:
    name = tiff(tmp_path / "h.tif", HEIGHTS.astype(np.float32), tags)
    with pytest.raises(TerrainError, match=message):
        read_map(side_file(heights=name))


def test_no_byte_of_an_image_can_do_more_than_be_refused(side_file: Any, tmp_path: Path) -> None:
    random = np.random.default_rng(5)
    path = side_file(heights="h.tif", cell=1)
    good = (tmp_path / tiff(tmp_path / "h.tif", HEIGHTS.astype(np.float32), UTM)).read_bytes()
    refused = 0
    for _ in range(60):
        content = bytearray(good)
        for at in random.integers(0, len(good), 3):
            content[at] = random.integers(0, 256)
        (tmp_path / "h.tif").write_bytes(content)
        try:
            read_map(path)
        except TerrainError:
            refused += 1
    assert refused > 10
