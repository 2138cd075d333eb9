"""What a query of a map of the ground costs: height, normal and soil, beside one read of the nearest height.

Along a path, where the map stays in the cache, and at random places of a map of 16 MB.
"""

from __future__ import annotations

import argparse
import ctypes as ct
import json
import tempfile
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
from compiled import SHIPPED, build
from numpy.typing import NDArray

import drawbar.blocks.terrain.ground
from drawbar.blocks.terrain.maps.elevation_map import ElevationMap
from drawbar.fmus.backends.native import native_instance

HERE = Path(__file__).parent
SIZE = 2000  # points along x and y


def main() -> None:
    """Print the costs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--windows", type=int, default=30)
    options = parser.parse_args()
    rng = np.random.default_rng(1)
    ground = ElevationMap(rng.normal(size=(SIZE, SIZE)), (0.1, 0.1), classes=rng.integers(0, 1, (SIZE, SIZE)))
    end = 0.1 * (SIZE - 1) - 1e-6
    t = np.linspace(0.0, 1.0, 20_000)
    places = {
        "path": np.column_stack([5.0 + 40.0 * t, 100.0 + np.sin(9.0 * t)]),
        "random": end * rng.random((20_000, 2)),
    }
    found = measured(ground, places, options.windows)
    if options.json:
        print(json.dumps(found))
        return
    for name, value in found.items():
        print(f"{name:24} {value:.3g}")


def measured(ground: ElevationMap, places: dict[str, NDArray[np.float64]], windows: int) -> dict[str, Any]:
    """Nanoseconds by kind of place, and the largest difference of a height from the same law in numpy."""
    found: dict[str, Any] = {}
    arrays = [ground.arrays()[name] for name in ("heights", "classes", "frame")]
    pointers = [array.ctypes.data_as(ct.c_void_p) for array in arrays]
    with tempfile.TemporaryDirectory(prefix="drawbar-elevation-") as folder:
        header = files(drawbar.blocks.terrain.ground).joinpath("bilinear.h").read_text("utf-8")
        (Path(folder) / "bilinear.h").write_text(header, "utf-8")
        sizes = f"#define ROWS {SIZE}\n#define COLUMNS {SIZE}\n#define LENGTH(a) ((int) (sizeof(a)/sizeof((a)[0])))\n"
        text = (HERE / "elevation_loop.c").read_text("utf-8")
        (Path(folder) / "loop.c").write_text("#define _POSIX_C_SOURCE 199309L\n" + sizes + text, "utf-8")
        library = build(Path(folder) / "loop.c", SHIPPED)
        for name, function in (("query", library.queries), ("floor", library.floor_of)):
            function.restype = ct.c_double
            for kind, at in places.items():
                total = ct.c_double()
                rows = np.ascontiguousarray(at)
                where = rows.ctypes.data_as(ct.c_void_p)
                found[f"{kind}_{name}_ns"] = function(*pointers, where, len(at), windows, ct.byref(total))
    found |= {f"{kind}_ratio": found[f"{kind}_query_ns"] / found[f"{kind}_floor_ns"] for kind in places}
    found["largest_difference"] = difference(ground, places["random"][:200])
    return found


def difference(ground: ElevationMap, places: NDArray[np.float64]) -> float:
    """Of the heights that an `Elevation` gives from those of numpy, m."""
    from scipy.interpolate import RegularGridInterpolator

    from drawbar.blocks.terrain.ground.elevation import Elevation

    class Measured(Elevation, terrain=lambda: ground):
        pass

    wanted = RegularGridInterpolator((ground.y, ground.x), ground.heights)(places[:, ::-1])
    instance = native_instance(Measured, "a")
    instance.initialize(0.0, {})
    instance.start()
    heights = []
    for x, y in places:
        instance.set({"ground_fl.at[1]": float(x), "ground_fl.at[2]": float(y)})
        heights.append(instance.get(["ground_fl.point[3]"])[0])
    instance.close()
    return float(np.abs(np.array(heights) - wanted).max())


if __name__ == "__main__":
    main()
