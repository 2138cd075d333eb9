"""Meshes to maps: a roof of known heights, in each kind of file."""

import base64
import json
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import trimesh

from drawbar.blocks import TerrainError, UsageError
from drawbar.blocks.terrain.maps.mesh import highest_surface, read_triangles

# a gable roof 6 m by 4 m along x, its eaves 3 m and its ridge 5 m high, over ground 10 m by 8 m
OBJ = """
v -5 -4 0
v 5 -4 0
v 5 4 0
v -5 4 0
v -3 -2 3
v 3 -2 3
v 3 0 5
v -3 0 5
v 3 2 3
v -3 2 3
f 1 2 3 4
f 5 6 7 8
f 8 7 9 10
"""


def roof(x: Any, y: Any) -> Any:
    over = (np.abs(x) <= 3.0) & (np.abs(y) <= 2.0)
    return np.where(over, 5.0 - np.abs(y), 0.0)


@pytest.fixture
def obj(tmp_path: Path) -> Path:
    path = tmp_path / "roof.obj"
    path.write_text(OBJ)
    return path


def test_the_highest_surface_is_that_of_the_roof(obj: Path) -> None:
    found = highest_surface(read_triangles(obj), (0.25, 0.5))
    assert (found.cell, found.origin, found.heights.shape) == ((0.25, 0.5), (-5.0, -4.0), (17, 41))
    x, y = np.meshgrid(found.x, found.y)
    np.testing.assert_allclose(found.heights, roof(x, y), rtol=0.0, atol=1e-9)


@pytest.mark.parametrize("kind", ["stl", "ply", "glb", "gltf"])
def test_all_kinds_of_file_hold_the_same(kind: str, obj: Path, tmp_path: Path) -> None:
    mesh = trimesh.load(obj, process=False, force="mesh")
    if kind in ("glb", "gltf"):  # their y is up
        mesh.apply_transform([[1, 0, 0, 0], [0, 0, 1, 0], [0, -1, 0, 0], [0, 0, 0, 1]])
    path = tmp_path / f"roof.{kind}"
    if kind == "gltf":
        parts = trimesh.exchange.gltf.export_gltf(trimesh.Scene(mesh), embed_buffers=True)
        path.write_bytes(parts["model.gltf"])
    else:
        mesh.export(path)
    found, wanted = (highest_surface(read_triangles(p), (0.25, 0.5)) for p in (path, obj))
    np.testing.assert_allclose(found.heights, wanted.heights, atol=1e-5)
    assert found.origin == pytest.approx(wanted.origin, abs=1e-5)


def test_what_is_up_may_be_said(obj: Path) -> None:
    standing = read_triangles(obj, "y")
    np.testing.assert_array_equal(standing[0, 0], [-5.0, 0.0, -4.0])


def test_what_lies_under_no_triangle_is_the_nearest_or_refused(obj: Path, tmp_path: Path) -> None:
    bare = tmp_path / "bare.obj"
    bare.write_text(OBJ.replace("f 1 2 3 4\n", "").replace("f 8 7 9 10\n", "f 8 9 10\n"))
    triangles = read_triangles(bare)
    assert highest_surface(triangles, (0.5, 0.5)).heights.min() == pytest.approx(3.0)
    assert highest_surface(triangles, (0.5, 0.5), -1.0).heights.min() == -1.0
    with pytest.raises(TerrainError, match="heights are missing"):
        highest_surface(triangles, (0.5, 0.5), "refuse")


def test_a_wall_gives_no_height_of_its_own(tmp_path: Path) -> None:
    path = tmp_path / "wall.obj"
    path.write_text("v 0 0 0\nv 4 0 0\nv 4 4 0\nv 0 4 0\nv 2 0 9\nv 2 4 9\nv 2 0 0\nf 1 2 3 4\nf 5 6 7\n")
    assert not highest_surface(read_triangles(path), (1.0, 1.0)).heights.any()


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.dxf", b"", r"a mesh is read from \.obj, \.stl"),
        ("a.obj", b"v 0 0 0\n", "holds no triangle"),
        ("a.obj", b"v 0 0 nan\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", "corners of its triangles are not finite"),
        ("a.stl", b"solid\xff", r"a\.stl cannot be read|holds no triangle"),
        ("a.glb", b"glTF" + bytes(40), r"a\.glb cannot be read"),
        ("a.gltf", b'{"asset":{"version":"2.0"},"buffers":[{"uri":"../../secret.bin","byteLength":4}]}',
         r"a\.gltf: it refers to the file '\.\./\.\./secret\.bin', which is not read"),
        ("none.obj", None, r"none\.obj cannot be read: No such file"),
    ],
)  # fmt: skip
def test_a_mesh_that_is_none_is_told(name: str, content: bytes | None, message: str, tmp_path: Path) -> None:
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(TerrainError, match=message):
        read_triangles(tmp_path / name)


def gltf(uri: str, triangles: int, nodes: int) -> str:
    """A file in which each node shows the same triangles."""
    view = {"byteLength": 36 * triangles, "buffer": 0}
    corners = {"bufferView": 0, "componentType": 5126, "count": 3 * triangles, "type": "VEC3"}
    return json.dumps(
        {
            "asset": {"version": "2.0"},
            "scenes": [{"nodes": list(range(nodes))}],
            "nodes": [{"mesh": 0}] * nodes,
            "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
            "accessors": [corners | {"min": [0, 0, 0], "max": [1, 1, 1]}],
            "bufferViews": [view],
            "buffers": [{"uri": uri, "byteLength": 36 * triangles}],
        }
    )


TRIANGLE = np.array([[0, 0, 0], [1, 0, 0], [0, 0, 1]], np.float32).tobytes()


def embedded(triangles: int, nodes: int) -> str:
    data = base64.b64encode(TRIANGLE * triangles).decode()
    return gltf(f"data:application/octet-stream;base64,{data}", triangles, nodes)


def test_a_mesh_reads_no_other_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "secret.bin").write_bytes(TRIANGLE)
    path = tmp_path / "a.gltf"
    monkeypatch.chdir(tmp_path)
    for uri in ("secret.bin", str(tmp_path / "secret.bin")):
        path.write_text(gltf(uri, 1, 1))
        for name in (path, Path("a.gltf")):
            with pytest.raises(TerrainError, match=r"a\.gltf: it refers to the file '.*secret\.bin', which is"):
                read_triangles(name)
    path.write_text(embedded(1, 2))
    assert read_triangles(path).shape == (2, 3, 3)


def test_triangles_that_many_nodes_show_are_counted_before_they_are_copied(tmp_path: Path) -> None:
    path = tmp_path / "many.gltf"
    path.write_text(embedded(1000, 5001))
    tracemalloc.start()
    try:
        with pytest.raises(TerrainError, match=r"many\.gltf: it has 5001000 triangles; give at most 5000000"):
            read_triangles(path)
        assert tracemalloc.get_traced_memory()[1] < 100e6
    finally:
        tracemalloc.stop()


def test_cells_that_are_too_many_are_told(obj: Path) -> None:
    with pytest.raises(UsageError, match="10001 x 8001 points are more than 25000000; take coarser cells"):
        highest_surface(read_triangles(obj), (1e-3, 1e-3))
    with pytest.raises(UsageError, match=r"cell \(0\.0, 1\.0\): two sizes in m"):
        highest_surface(read_triangles(obj), (0.0, 1.0))


def test_without_the_reader_it_is_told_how_to_get_it(obj: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "trimesh", None)
    with pytest.raises(TerrainError, match=r"meshes are read by trimesh: pip install 'drawbar\[mesh\]'"):
        read_triangles(obj)
