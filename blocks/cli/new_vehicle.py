"""The files that ``drawbar new vehicle`` writes: a vehicle file, its body, and its tires as parameter sets."""

from __future__ import annotations

import math
import os
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

import drawbar.blocks.data
from drawbar.blocks.authoring.registry import snake_case
from drawbar.blocks.cli.new_block import name_fault, write_files
from drawbar.blocks.core.errors import DefinitionError, UsageError
from drawbar.blocks.vehicle.bodies.vehicle_file import VehicleFile, read_vehicle

EXAMPLE = "vehicles/hmmwv_simple.json"
BODY = """\"\"\"The body of a vehicle file.\"\"\"

from drawbar.blocks.vehicle.bodies.vehicle_body import VehicleBody


class {name}(VehicleBody, file="{file}"):
    \"\"\"The vehicle of {file_name} on simple springs, without its wheels: see `VehicleBody`.\"\"\"
"""
SET = """<?xml version="1.0" encoding="UTF-8"?>
<ssv:ParameterSet xmlns:ssv="http://ssp-standard.org/SSP1/SystemStructureParameterValues" version="1.0" name="{module}">
  <ssv:Parameters>
{rows}
  </ssv:Parameters>
</ssv:ParameterSet>
"""
ROW = '    <ssv:Parameter name="wheel_{wheel}.{name}"><ssv:Real value="{value}"/></ssv:Parameter>'
# parameters of a wheel FMU, and their keys in the vehicle file
TIRE = {
    "radius": "radius_m",
    "stiffness": "spring_constant_N_per_m",
    "damping": "damping_constant_Ns_per_m",
}
# those of a `SurfaceTire`, which has more parameters
SURFACE_TIRE = TIRE | {"width": "width_m", "crolla_angle": "high_slip_crossover_angle_deg"}
MACRO_STEP = 2e-3  # s, of body and wheels in the diagrams of the library


@dataclass(frozen=True)
class WrittenFiles:
    """The files that were written, with their purpose, and notes about the vehicle."""

    files: dict[Path, str]
    tires: Path
    notes: list[str]

    def commands(self, reference: str, folder: str) -> dict[str, str]:
        """Return the commands that may follow, with their purpose."""
        drive = f"drawbar run double_lane_change_modular --use body={reference} --params {shlex.quote(str(self.tires))}"
        return {
            f"drawbar info {reference} --workspace {folder}": "show its ports",
            f"drawbar build {reference} --workspace {folder}": "make its FMU",
            f"{drive} --workspace {folder}": "drive the double lane change",
        }


def write_vehicle(name: str, folder: Path, file: Path | None) -> WrittenFiles:
    """Write the body of a vehicle file, and its tires as parameter sets: for any wheel, and for `SurfaceTire`.

    Without a `file`, also write an example of a vehicle file. Raise `UsageError`, and write nothing, if that is not
    possible.
    """
    if reason := name_fault(name):
        raise UsageError(f"vehicle '{name}': {reason}")
    module = snake_case(name)
    own = folder / f"{module}.json"
    source = Path(str(files(drawbar.blocks.data))) / EXAMPLE if file is None else file
    try:
        vehicle = read_vehicle(source)
    except DefinitionError as error:
        raise UsageError(f"vehicle '{name}': {error}") from None
    path = own.name if file is None else Path(os.path.relpath(file.resolve(), folder.resolve())).as_posix()
    if any(letter in path for letter in '"\\{}\n'):
        raise UsageError(
            f"vehicle '{name}': {file}: the path of the file must not contain quotes, braces or backslashes"
        )
    body, tires = folder / f"{module}.py", folder / f"{module}.ssv"
    surface = folder / f"{module}_surface.ssv"
    texts = {
        body: BODY.format(name=name, file=path, file_name=Path(path).name),
        tires: tire_set(module, vehicle, TIRE),
        surface: tire_set(f"{module}_surface", vehicle, SURFACE_TIRE),
    }
    if file is None:
        texts = {own: source.read_text(encoding="utf-8")} | texts
    write_files(name, folder, texts)
    purposes = {own: "the vehicle file: replace the numbers by those of your vehicle"} if file is None else {}
    purposes |= {
        body: "its body as a block",
        tires: "its tires as parameters of the wheel FMUs of a diagram (wheel_fl, ...)",
        surface: "the same for wheels that are a SurfaceTire, with width and crossover angle",
    }
    stiff = [i for i in range(len(vehicle.axles)) if has_stiff_damping(vehicle, i)]
    return WrittenFiles(purposes, tires, [damping_note(vehicle, i) for i in stiff])


def has_stiff_damping(vehicle: VehicleFile, axle: int) -> bool:
    """Return whether the damping of the tires of an axle is too stiff for macro steps of `MACRO_STEP`."""
    a = vehicle.axles[axle]
    return bool(a["tire"]["damping_constant_Ns_per_m"] * MACRO_STEP > a["unsprung_mass_kg"])


def damping_note(vehicle: VehicleFile, axle: int) -> str:
    """Return the note about such damping."""
    a = vehicle.axles[axle]
    c = a["tire"]["damping_constant_Ns_per_m"]
    return (
        f"the tires of axle {axle + 1} damp {a['unsprung_mass_kg']:g} kg by {c:g} N.s/m, which needs steps below "
        f"{1e3 * a['unsprung_mass_kg'] / c:.2g} ms; the parameter sets omit this damping"
    )


def tire_set(module: str, vehicle: VehicleFile, names: Mapping[str, str]) -> str:
    """Return the tires of a vehicle as a parameter set (SSP) for wheel FMUs with the names of their wheels.

    `names` maps each parameter to a number of the vehicle file; angles are converted to rad.
    """

    def value(axle: int, key: str) -> float:
        number: float = vehicle.axles[axle]["tire"][key]
        return math.radians(number) if key.endswith("_deg") else number

    rows = [
        ROW.format(wheel=wheel, name=name, value=value(i // 2, key))
        for i, wheel in enumerate(vehicle.wheels)
        for name, key in names.items()
        if name != "damping" or not has_stiff_damping(vehicle, i // 2)
    ]
    return SET.format(module=module, rows="\n".join(rows))
