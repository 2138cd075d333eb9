"""The verb ``terrain``: maps of the ground from a generator, a height map or a mesh."""

from __future__ import annotations

import argparse
import contextlib
import inspect
import json
import re
import shlex
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from drawbar.blocks.authoring.registry import snake_case
from drawbar.blocks.cli.new_block import name_fault
from drawbar.blocks.core.errors import TerrainError, UsageError, did_you_mean
from drawbar.blocks.terrain.maps import obstacles, rough
from drawbar.blocks.terrain.maps.elevation_map import CELLS, MAX_HEIGHT, ElevationMap
from drawbar.blocks.terrain.maps.envelope import envelope
from drawbar.blocks.terrain.maps.grid_files import READERS
from drawbar.blocks.terrain.maps.map_files import SideFile, import_heights, read_map, write_map
from drawbar.blocks.terrain.maps.mesh import FORMATS, highest_surface, read_triangles
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
SUMMARIES = {
    "iso-8608": "random road of an ISO 8608 class",
    "rms-course": "random ground of a given RMS height, as in ride tests",
    "half-round": "half a cylinder across the road, as in shock tests",
    "step": "step up or down",
    "kerb": "kerb stone across the road",
    "ditch": "ditch or bank across the road",
    "pothole": "pothole",
    "slope": "level ground, then a slope",
    "import": "height map from a GeoTIFF, PNG or NPY file, or from a side file (.json) that names one",
    "mesh": "highest surface of a mesh in an OBJ, STL, PLY or glTF file",
}
PARAMETERS = {
    "road_class": "ISO 8608 class, from A (very good) to H",
    "length": "length from x = 0 on, m",
    "width": "width about y = 0, m",
    "cell": "distance between points, m",
    "seed": "seed of the random ground",
    "waviness": "exponent of the power spectral density",
    "level": "length of level ground at the beginning, m",
    "wheel_radius": "if not 0: make the map the envelope of a rigid disk of this radius, m, that rolls along x",
    "rms": "root mean square of the heights, m",
    "radius": "radius of the cylinder, m",
    "at": "position of the obstacle along x, m",
    "tracks": "both, or the left (y > 0) or right one: the tracks with the obstacle",
    "height": "height, m",
    "face": "length of the rise along x, m",
    "top": "length of the top along x, m",
    "depth": "depth, m",
    "bottom": "length of the bottom along x, m",
    "slope": "slope of the sides, rise over run",
    "size": "length of the pothole along x, m",
    "grade": "grade, rise over run, negative downhill",
    "rounding": "length of the rounded foot along x, m",
}
# limits of the options for a map from a file, in m
LIMITS = {
    "cell": CELLS,
    "origin": (-1e9, 1e9),
    "scale": (-MAX_HEIGHT, MAX_HEIGHT),
    "datum": (-MAX_HEIGHT, MAX_HEIGHT),
    "missing": (-MAX_HEIGHT, MAX_HEIGHT),
    "wheel_radius": (0.0, 10.0),
}


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``drawbar terrain``."""
    kinds = parser.add_subparsers(dest="kind", metavar="KIND", required=True)
    for name, generator in GENERATORS.items():
        sub = _add_kind(kinds, name, _description(generator))
        for parameter in inspect.signature(generator).parameters.values():
            pair = isinstance(parameter.default, tuple)
            default = " ".join(map(str, parameter.default)) if pair else parameter.default
            sub.add_argument(
                _option(parameter.name),
                type=float if pair else type(parameter.default),
                nargs=2 if pair else None,
                default=parameter.default,
                metavar=("X", "Y") if pair else parameter.name[:1].upper(),
                help=f"{PARAMETERS[parameter.name]} (default: {default})",
            )
        _add_soil(sub)
    sub = _add_kind(kinds, "import", "")
    sub.add_argument("file", help="height map, or its side file")
    sub.add_argument(
        "--cell", type=float, nargs="+", metavar="M", help="distance between points, m: one number, or x y"
    )
    sub.add_argument("--origin", type=float, nargs=2, metavar=("X", "Y"), help="south-west point, m")
    sub.add_argument("--scale", type=float, metavar="M", help="m of height per number of the file (default: 1)")
    sub.add_argument("--datum", type=float, metavar="Z", help="height of the number 0, m (default: 0)")
    _add_file_options(sub, "refuse")
    sub = _add_kind(kinds, "mesh", "")
    sub.add_argument("file", help="mesh")
    sub.add_argument(
        "--cell",
        type=float,
        nargs="+",
        metavar="M",
        default=[0.25],
        help="distance between points, m: one number, or x y (default: 0.25)",
    )
    sub.add_argument("--up", choices=["y", "z"], help="axis that points upwards (default: y in glTF, else z)")
    _add_file_options(sub, "nearest")


def _add_kind(kinds: Any, name: str, description: str) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = kinds.add_parser(
        name,
        help=SUMMARIES[name],
        description=description or f"{SUMMARIES[name][0].upper()}{SUMMARIES[name][1:]}.",
        epilog=f"example: {EXAMPLES.get(name, f'drawbar terrain {name} --out map')}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--out", default="map", metavar="DIR", help="folder to write (default: %(default)s)")
    parser.add_argument("--name", metavar="CLASS", help="class name of the block with the map (default: by the kind)")
    # the options that the dispatcher adds to all verbs, for use after the kind
    for word in ("--json", "--debug"):
        parser.add_argument(word, action="store_true", default=argparse.SUPPRESS, help=argparse.SUPPRESS)
    return parser


def _option(parameter: str) -> str:
    return "--" + parameter.replace("_", "-")


def _description(generator: Callable[..., ElevationMap]) -> str:
    """Return the docstring of a generator as a description of its command, whose parameters are options."""
    text = (inspect.getdoc(generator) or "").removeprefix("Return ")
    names = inspect.signature(generator).parameters
    text = re.sub(r"`(\w+)`", lambda found: _option(found[1]) if found[1] in names else found[0], text)
    return text[:1].upper() + text[1:]


def _add_soil(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--soil", metavar="NAME", help="soil of blocks/data/soils.json (default: dry road)")


def _add_file_options(parser: argparse.ArgumentParser, missing: str) -> None:
    _add_soil(parser)
    parser.add_argument(
        "--missing", metavar="WHAT", help=f"missing heights: refuse, nearest, or a height in m (default: {missing})"
    )
    parser.add_argument(
        "--wheel-radius", type=float, default=0.0, metavar="R", help=f"{PARAMETERS['wheel_radius']} (default: 0)"
    )


def call(options: argparse.Namespace) -> int:
    """Call ``drawbar terrain`` and return its exit code."""
    kind, folder = options.kind, Path(options.out)
    name = options.name
    if name is None:
        name = "".join(word.capitalize() for word in f"{kind}-map".split("-"))
    if reason := name_fault(name):
        raise UsageError(f"--name {name}: {reason}")
    with _as_usage_error():
        new_soil = None if options.soil is None else soil(options.soil, "--soil")
    elevation = _make_map(kind, options)
    if new_soil is not None:
        elevation = elevation.with_soil(new_soil)
    module = snake_case(name)
    paths = write_map(elevation, folder, name, module, _origin(kind, options))
    rows, columns = elevation.heights.shape
    result = {
        "block": f"{module}:{name}",
        "files": [str(path) for path in paths],
        "points": [columns, rows],
        "cell": list(elevation.cell),
        "x": [float(elevation.x[0]), float(elevation.x[-1])],
        "y": [float(elevation.y[0]), float(elevation.y[-1])],
        "heights": [float(elevation.heights.min()), float(elevation.heights.max())],
        "wheel_radius": elevation.wheel_radius,
    }
    if options.json:
        print(json.dumps(result))
        return 0
    print(f"{columns} x {rows} points, {elevation.cell[0]:g} m by {elevation.cell[1]:g} m")
    ranges = {"x": elevation.x, "y": elevation.y, "heights": elevation.heights}
    print(", ".join(f"{what} {values.min():g} to {values.max():g} m" for what, values in ranges.items()))
    for path in paths:
        print(path)
    workspace = f"--workspace {shlex.quote(str(folder))}"
    print(f"next:\n  drawbar info {result['block']} {workspace}")
    print(f"  drawbar run half_round --use road={result['block']} {workspace}")
    return 0


def _make_map(kind: str, options: argparse.Namespace) -> ElevationMap:
    if kind in GENERATORS:
        names = inspect.signature(GENERATORS[kind]).parameters
        given = {name: getattr(options, name) for name in names}
        with _as_usage_error():
            return GENERATORS[kind](**{n: tuple(v) if isinstance(v, list) else v for n, v in given.items()})
    path = Path(options.file)
    missing = _missing(options.missing)
    if missing is None:
        missing = "nearest" if kind == "mesh" else "refuse"
    _check_numbers({**vars(options), "missing": missing})
    _check_file(path, FORMATS if kind == "mesh" else (*READERS, ".json"))
    if kind == "mesh":
        elevation = highest_surface(read_triangles(path, options.up), _pair(options.cell), missing, str(path))
    elif path.suffix.lower() == ".json":
        words = [w for w in ("cell", "origin", "scale", "datum", "missing", "soil") if getattr(options, w) is not None]
        if words:
            raise UsageError(f"--{words[0]}: write this into {path}, which defines the whole map")
        elevation = read_map(path)
    elif path.suffix.lower() in (".npy", ".png") and not options.cell:
        raise UsageError(f"{path} does not state the distance between its points; give it in m, for example --cell 0.5")
    else:
        side = SideFile(heights=path.name)
        for word in ("scale", "datum"):
            if (value := getattr(options, word)) is not None:
                side = replace(side, **{word: value})
        if options.cell:
            side = replace(side, cell=_pair(options.cell))
        if options.origin:
            side = replace(side, origin=tuple(options.origin))
        elevation = import_heights(path, replace(side, missing=missing))
    with _as_usage_error():
        return envelope(elevation, options.wheel_radius) if options.wheel_radius else elevation


@contextlib.contextmanager
def _as_usage_error() -> Iterator[None]:
    """Turn a `TerrainError` into a `UsageError`: the fault lies in the command, not in a file."""
    try:
        yield
    except TerrainError as error:
        raise UsageError(str(error)) from None


def _check_file(path: Path, kinds: tuple[str, ...]) -> None:
    if path.suffix.lower() not in kinds:
        raise UsageError(f"{path}: the ending of the file must be one of {', '.join(kinds)}")
    if not path.is_file():
        near = did_you_mean(path.name, [p.name for p in path.parent.glob("*") if p.suffix.lower() in kinds])
        raise UsageError(f"{path}: there is no such file{near}")


def _check_numbers(given: dict[str, Any]) -> None:
    for word, (low, high) in LIMITS.items():
        value = given.get(word)
        numbers = [v for v in (value if isinstance(value, list) else [value]) if isinstance(v, float)]
        if bad := [v for v in numbers if not low <= v <= high or (word == "scale" and v == 0.0)]:
            exception = ", and not 0" if word == "scale" else ""
            raise UsageError(f"--{word.replace('_', '-')} {bad[0]:g}: must be from {low:g} to {high:g} m{exception}")


def _pair(cell: list[float]) -> tuple[float, float]:
    if len(cell) > 2:
        raise UsageError(f"--cell {' '.join(map(str, cell))}: give one number, or those along x and y")
    return cell[0], cell[-1]


def _missing(word: str | None) -> str | float | None:
    if word in (None, "refuse", "nearest"):
        return word
    try:
        return float(word)
    except ValueError:
        raise UsageError(f"--missing {word}: must be refuse, nearest, or a height in m") from None


def _origin(kind: str, options: argparse.Namespace) -> str:
    """Return the arguments that define the map, which its side file states as its source."""
    left_out = {"kind", "out", "name", "json", "debug", "file"}
    words = {k: v for k, v in sorted(vars(options).items()) if k not in left_out and v is not None}
    file = [Path(options.file).name] if hasattr(options, "file") else []
    arguments = [f"{k} {' '.join(map(str, v)) if isinstance(v, list | tuple) else v}" for k, v in words.items()]
    return ", ".join([" ".join([kind, *file]), *arguments])
