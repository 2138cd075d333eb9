"""The verb ``terrain``: maps of the ground from a generator, a height map or a mesh."""

from __future__ import annotations

import argparse
import contextlib
import inspect
import json
import shlex
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from drawbar.blocks.authoring.registry import snake_case
from drawbar.blocks.cli.new import misspelt
from drawbar.blocks.core.errors import TerrainError, UsageError, did_you_mean
from drawbar.blocks.terrain.maps import obstacles, rough
from drawbar.blocks.terrain.maps.elevation_map import CELLS, HIGHEST, ElevationMap
from drawbar.blocks.terrain.maps.envelope import envelope
from drawbar.blocks.terrain.maps.folder import imported, read_map, write_map
from drawbar.blocks.terrain.maps.grids import READERS
from drawbar.blocks.terrain.maps.mesh import KINDS, read_triangles, surface
from drawbar.blocks.terrain.maps.side_file import Side
from drawbar.blocks.terrain.soil.soils import soil

GENERATORS: dict[str, Callable[..., ElevationMap]] = {
    "iso-8608": rough.iso_8608,
    "rms-course": rough.rms_course,
    "half-round": obstacles.half_round,
    "step": obstacles.step,
    "kerb": obstacles.kerb,
    "ditch": obstacles.ditch,
    "pothole": obstacles.pothole,
    "slope": obstacles.slope,
}
EXAMPLES = {
    "iso-8608": "drawbar terrain iso-8608 --road-class D --length 300 --seed 2 --out rough",
    "half-round": "drawbar terrain half-round --radius 0.2 --wheel-radius 0.47 --out round",
    "kerb": "drawbar terrain kerb --height 0.15 --tracks right --wheel-radius 0.47 --out kerb",
    "import": "drawbar terrain import heights.tif --origin 0 0 --soil tbf_sandy_loam --out quarry",
    "mesh": "drawbar terrain mesh town.obj --cell 0.25 --out town",
}
MEANING = {
    "road_class": "A (very good) to H",
    "length": "m, from x = 0 on",
    "width": "m, about y = 0",
    "cell": "m, distance of points",
    "seed": "another road of the same kind",
    "waviness": "exponent of the spectrum",
    "level": "m of level ground at the beginning",
    "wheel_radius": "m; where it is not 0 the map is the envelope of a rigid disk that rolls along x",
    "rms": "m, root of the mean square of the heights",
    "radius": "m",
    "at": "m, x where it is",
    "tracks": "across both tracks, or on the left or right of y = 0",
    "height": "m",
    "face": "m along x in which it rises",
    "top": "m along x on top",
    "depth": "m",
    "bottom": "m along x",
    "slope": "of the sides, rise over run",
    "size": "m along x",
    "grade": "rise over run, negative downhill",
    "rounding": "m of the foot",
}
# limits of the numbers of a map from a file, in m
LIMITS = {
    "cell": CELLS,
    "origin": (-1e9, 1e9),
    "scale": (-HIGHEST, HIGHEST),
    "datum": (-HIGHEST, HIGHEST),
    "missing": (-HIGHEST, HIGHEST),
    "wheel_radius": (0.0, 10.0),
}


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``drawbar terrain``."""
    kinds = parser.add_subparsers(dest="kind", metavar="KIND", required=True)
    for name, generator in GENERATORS.items():
        made = _kind(kinds, name, inspect.getdoc(generator) or "")
        for parameter in inspect.signature(generator).parameters.values():
            pair = isinstance(parameter.default, tuple)
            made.add_argument(
                "--" + parameter.name.replace("_", "-"),
                type=float if pair else type(parameter.default),
                nargs=2 if pair else None,
                default=parameter.default,
                metavar=("X", "Y") if pair else parameter.name[:1].upper(),
                help=f"{MEANING[parameter.name]} (default: {parameter.default})",
            )
        made.add_argument("--soil", help="a soil of blocks/data/soils.json (default: dry road)")
    made = _kind(kinds, "import", "A height map in a GeoTIFF, PNG or NPY file, or a side file (.json) that names one.")
    made.add_argument("file", help="the heights, or their side file")
    made.add_argument("--cell", type=float, nargs="+", metavar="M", help="distance of points, one number or x and y")
    made.add_argument("--origin", type=float, nargs=2, metavar=("X", "Y"), help="of the south-west point, m")
    made.add_argument("--scale", type=float, metavar="M", help="m of height per number of the file (default: 1)")
    made.add_argument("--datum", type=float, metavar="Z", help="m, height of the number 0 (default: 0)")
    _common(made)
    made = _kind(kinds, "mesh", "The highest surface of a mesh in an OBJ, STL, PLY or glTF file.")
    made.add_argument("file", help="the mesh")
    made.add_argument("--cell", type=float, nargs="+", metavar="M", default=[0.25], help="m (default: 0.25)")
    made.add_argument("--up", choices=["y", "z"], help="the axis upwards (default: y in glTF, else z)")
    _common(made)


def _kind(kinds: Any, name: str, text: str) -> argparse.ArgumentParser:
    found: argparse.ArgumentParser = kinds.add_parser(
        name,
        help=text.partition("\n")[0],
        description=text,
        epilog=f"example: {EXAMPLES.get(name, f'drawbar terrain {name} --out map')}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    found.add_argument("--out", default="map", metavar="DIR", help="folder to write (default: %(default)s)")
    found.add_argument("--name", metavar="CLASS", help="class name of the block that carries it (default: by the kind)")
    # the options that the dispatcher adds to all verbs, for use after the kind
    for word in ("--json", "--debug"):
        found.add_argument(word, action="store_true", default=argparse.SUPPRESS, help=argparse.SUPPRESS)
    return found


def _common(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--soil", help="a soil of blocks/data/soils.json (default: dry road)")
    parser.add_argument(
        "--missing", metavar="WHAT", help="refuse, nearest, or a height in m where there is none (default: by the kind)"
    )
    parser.add_argument(
        "--wheel-radius", type=float, default=0.0, metavar="R", help=f"{MEANING['wheel_radius']} (default: 0)"
    )


def call(options: argparse.Namespace) -> int:
    """Call ``drawbar terrain`` and return its exit code."""
    kind, folder = options.kind, Path(options.out)
    name = options.name
    if name is None:
        name = "".join(word.capitalize() for word in f"{kind}-map".split("-"))
    if reason := misspelt(name):
        raise UsageError(f"--name {name}: {reason}")
    with _asked_for():
        ground = None if options.soil is None else soil(options.soil, "--soil")
    made = _made(kind, options)
    if ground is not None:
        made = made.on(ground)
    module = snake_case(name)
    paths = write_map(made, folder, name, module, _how(kind, options))
    rows, columns = made.heights.shape
    told = {
        "block": f"{module}:{name}",
        "files": [str(path) for path in paths],
        "points": [columns, rows],
        "cell": list(made.cell),
        "x": [float(made.x[0]), float(made.x[-1])],
        "y": [float(made.y[0]), float(made.y[-1])],
        "heights": [float(made.heights.min()), float(made.heights.max())],
        "wheel_radius": made.wheel_radius,
    }
    if options.json:
        print(json.dumps(told))
        return 0
    print(f"{columns} x {rows} points, {made.cell[0]:g} m by {made.cell[1]:g} m")
    spans = {"x": made.x, "y": made.y, "heights": made.heights}
    print(", ".join(f"{what} {values.min():g} to {values.max():g} m" for what, values in spans.items()))
    for path in paths:
        print(path)
    where = f"--workspace {shlex.quote(str(folder))}"
    print(f"next:\n  drawbar info {told['block']} {where}")
    print(f"  drawbar run half_round --use road={told['block']} {where}")
    return 0


def _made(kind: str, options: argparse.Namespace) -> ElevationMap:
    if kind in GENERATORS:
        names = inspect.signature(GENERATORS[kind]).parameters
        given = {name: getattr(options, name) for name in names}
        with _asked_for():
            return GENERATORS[kind](**{n: tuple(v) if isinstance(v, list) else v for n, v in given.items()})
    path = Path(options.file)
    missing = _missing(options.missing)
    if missing is None:
        missing = "nearest" if kind == "mesh" else "refuse"
    _check_numbers({**vars(options), "missing": missing})
    _check_file(path, KINDS if kind == "mesh" else (*READERS, ".json"))
    if kind == "mesh":
        made = surface(read_triangles(path, options.up), _pair(options.cell), missing, str(path))
    elif path.suffix.lower() == ".json":
        words = [w for w in ("cell", "origin", "scale", "datum", "missing", "soil") if getattr(options, w) is not None]
        if words:
            raise UsageError(f"--{words[0]}: write it into {path}, which says all of the map")
        made = read_map(path)
    elif path.suffix.lower() in (".npy", ".png") and not options.cell:
        raise UsageError(f"{path} does not say how far its points are apart; give that in m, as in --cell 0.5")
    else:
        told = Side(heights=path.name)
        for word in ("scale", "datum"):
            if (value := getattr(options, word)) is not None:
                told = replace(told, **{word: value})
        if options.cell:
            told = replace(told, cell=_pair(options.cell))
        if options.origin:
            told = replace(told, origin=tuple(options.origin))
        made = imported(path, replace(told, missing=missing))
    with _asked_for():
        return envelope(made, options.wheel_radius) if options.wheel_radius else made


@contextlib.contextmanager
def _asked_for() -> Iterator[None]:
    """Turn a `TerrainError` into a `UsageError`: the fault lies in the command, not in a file."""
    try:
        yield
    except TerrainError as error:
        raise UsageError(str(error)) from None


def _check_file(path: Path, kinds: tuple[str, ...]) -> None:
    if path.suffix.lower() not in kinds:
        raise UsageError(f"{path}: it is read from {', '.join(kinds)}")
    if not path.is_file():
        near = did_you_mean(path.name, [p.name for p in path.parent.glob("*") if p.suffix.lower() in kinds])
        raise UsageError(f"{path}: there is no such file{near}")


def _check_numbers(given: dict[str, Any]) -> None:
    for word, (low, high) in LIMITS.items():
        value = given.get(word)
        numbers = [v for v in (value if isinstance(value, list) else [value]) if isinstance(v, float)]
        if bad := [v for v in numbers if not low <= v <= high or (word == "scale" and v == 0.0)]:
            but = ", and not 0" if word == "scale" else ""
            raise UsageError(f"--{word.replace('_', '-')} {bad[0]:g}: it is from {low:g} to {high:g} m{but}")


def _pair(cell: list[float]) -> tuple[float, float]:
    if len(cell) > 2:
        raise UsageError(f"--cell {' '.join(map(str, cell))}: one number, or those along x and y")
    return cell[0], cell[-1]


def _missing(word: str | None) -> str | float | None:
    if word in (None, "refuse", "nearest"):
        return word
    try:
        return float(word)
    except ValueError:
        raise UsageError(f"--missing {word}: it is refuse, nearest, or a height in m") from None


def _how(kind: str, options: argparse.Namespace) -> str:
    """Return the arguments that define the map, without those that only say where it is written."""
    left_out = {"kind", "out", "name", "json", "debug", "file"}
    words = {k: v for k, v in sorted(vars(options).items()) if k not in left_out and v is not None}
    file = [Path(options.file).name] if hasattr(options, "file") else []
    told = [f"{k} {' '.join(map(str, v)) if isinstance(v, list | tuple) else v}" for k, v in words.items()]
    return ", ".join([" ".join([kind, *file]), *told])
