"""A map from a mesh: the highest surface over each point of a grid."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np

from drawbar.blocks.core.errors import TerrainError, UsageError, did_you_mean
from drawbar.blocks.terrain.maps.elevation_map import MAX_POINTS, ElevationMap, Floats
from drawbar.blocks.terrain.maps.map_files import fill_gaps

FORMATS = (".obj", ".stl", ".ply", ".glb", ".gltf")
MAX_BYTES = 500_000_000
MAX_TRIANGLES = 5_000_000
AXES = ("y", "z")
EDGE_TOLERANCE = 1e-9  # tolerance of barycentric coordinates at the edges of a triangle


def read_triangles(path: Path, up: str | None = None) -> Floats:
    """Return the corners of the triangles of a mesh file, (n, 3, 3), with z up.

    `up` is the axis of the file that points upward, y or z; by default it is what the format prescribes: y in glTF,
    else z. With y up, the x of the file is east and its -z is north. Neither textures nor other files to which it
    refers are read.
    """
    kind = path.suffix.lower()
    if kind not in FORMATS:
        raise TerrainError(f"{path}: a mesh is read from {', '.join(FORMATS)}" + did_you_mean(kind, FORMATS))
    if up is not None and up not in AXES:
        raise TerrainError(f"up '{up}': give y or z, the axis that points up")
    try:
        import trimesh
    except ImportError:
        raise TerrainError("meshes are read by trimesh: pip install 'drawbar[mesh]'") from None
    try:
        if path.stat().st_size > MAX_BYTES:
            raise TerrainError(f"it is larger than {MAX_BYTES} bytes")
        # from the bytes alone, because the reader would find other files through an open file
        scene = trimesh.load(
            io.BytesIO(path.read_bytes()),
            file_type=kind[1:],
            resolver=_NoExternalFiles(),
            process=False,
            skip_materials=True,
        )
        if isinstance(scene, trimesh.Scene):
            # checked before the scene is copied, because many nodes may show one mesh
            shown = (scene.geometry[scene.graph[node][1]] for node in scene.graph.nodes_geometry)
            _check_count(sum(len(mesh.faces) for mesh in shown if isinstance(mesh, trimesh.Trimesh)))
        elif isinstance(scene, trimesh.Trimesh):
            _check_count(len(scene.faces))
        meshes = scene.dump() if isinstance(scene, trimesh.Scene) else [scene]
        found = [np.asarray(m.triangles, float) for m in meshes if isinstance(m, trimesh.Trimesh)]
    except TerrainError as error:
        raise TerrainError(f"{path}: {error}") from None
    except OSError as error:
        raise TerrainError(f"{path} cannot be read: {error.strerror or error}") from None
    except Exception as error:  # a reader may raise any exception for a damaged file
        reason = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise TerrainError(f"{path} cannot be read: {reason}") from None
    triangles = np.concatenate([np.zeros((0, 3, 3)), *found])
    if not len(triangles):
        raise TerrainError(f"{path} holds no triangle")
    if not np.isfinite(triangles).all():
        raise TerrainError(f"{path}: corners of its triangles are not finite")
    if (up or ("y" if kind in (".glb", ".gltf") else "z")) == "y":
        triangles = np.stack([triangles[..., 0], -triangles[..., 2], triangles[..., 1]], axis=-1)
    return triangles


class _NoExternalFiles:
    """A resolver that refuses all files to which a mesh refers."""

    def __getitem__(self, name: str) -> bytes:
        raise TerrainError(f"it refers to the file '{name[-80:]}', which is not read; embed it, as a .glb does")


def _check_count(count: int) -> None:
    if count > MAX_TRIANGLES:
        raise TerrainError(f"it has {count} triangles; give at most {MAX_TRIANGLES}")


def highest_surface(
    triangles: Floats, cell: tuple[float, float], missing: str | float = "nearest", where: str = "the mesh"
) -> ElevationMap:
    """Return a map with the height of the highest triangle over each point of a grid.

    The grid starts in the south-west corner of the bounding box of the mesh. A map does not contain surfaces under a
    roof or a bridge. Points over no triangle are `missing`, as in a side file. Raise `UsageError` if the cells are not
    positive or too small for the mesh.
    """
    low, high = triangles.min(axis=(0, 1)), triangles.max(axis=(0, 1))
    size = np.array(cell)
    if not (size > 0.0).all() or not np.isfinite(size).all():
        raise UsageError(f"cell {cell}: two sizes in m")
    counts = np.floor((high[:2] - low[:2]) / size + 1e-6).astype(float) + 1.0
    if counts.prod() > MAX_POINTS:
        raise UsageError(f"{counts[0]:g} x {counts[1]:g} points are more than {MAX_POINTS}; take coarser cells")
    columns, rows = int(counts[0]), int(counts[1])
    z = np.full((rows, columns), -np.inf)
    # positions in cells from the corner
    corners = (triangles[:, :, :2] - low[:2]) / size
    first = np.ceil(corners.min(axis=1) - 1e-6).astype(int)
    last = np.minimum(np.floor(corners.max(axis=1) + 1e-6).astype(int), [columns - 1, rows - 1])
    # vertical triangles have no height over a point
    a, b, c = corners[:, 0], corners[:, 1], corners[:, 2]
    double_area = (b - a)[:, 0] * (c - a)[:, 1] - (b - a)[:, 1] * (c - a)[:, 0]
    for k in np.flatnonzero((np.abs(double_area) > 1e-12) & (first <= last).all(axis=1)):
        (i0, j0), (i1, j1) = first[k], last[k]
        x, y = np.arange(i0, i1 + 1)[None, :], np.arange(j0, j1 + 1)[:, None]
        u = ((x - a[k, 0]) * (c[k, 1] - a[k, 1]) - (y - a[k, 1]) * (c[k, 0] - a[k, 0])) / double_area[k]
        v = ((y - a[k, 1]) * (b[k, 0] - a[k, 0]) - (x - a[k, 0]) * (b[k, 1] - a[k, 1])) / double_area[k]
        inside = (u >= -EDGE_TOLERANCE) & (v >= -EDGE_TOLERANCE) & (u + v <= 1.0 + EDGE_TOLERANCE)
        height = triangles[k, 0, 2] + u * (triangles[k, 1, 2] - triangles[k, 0, 2])
        height = height + v * (triangles[k, 2, 2] - triangles[k, 0, 2])
        part: Any = z[j0 : j1 + 1, i0 : i1 + 1]
        np.maximum(part, np.where(inside, height, -np.inf), out=part)
    return ElevationMap(fill_gaps(z, missing, where), (float(size[0]), float(size[1])), (float(low[0]), float(low[1])))
