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
from drawbar.blocks.cli.new import misspelt, write_all
from drawbar.blocks.core.errors import DefinitionError, UsageError
from drawbar.blocks.vehicle.bodies.vehicle_file import VehicleFile, read_vehicle

BEGINNING = "vehicles/hmmwv_simple.json"
BODY = """\"\"\"The body of a vehicle file.\"\"\"

from drawbar.blocks.vehicle.bodies.vehicle_body import VehicleBody


class {name}(VehicleBody, file="{file}"):
    \"\"\"The vehicle of {shown}, on simple springs, cut at its hubs. What `VehicleBody` says.\"\"\"
"""
SET = """<?xml version="1.0" encoding="UTF-8"?>
<ssv:ParameterSet xmlns:ssv="http://ssp-standard.org/SSP1/SystemStructureParameterValues" version="1.0" name="{module}">
  <ssv:Parameters>
{rows}
  </ssv:Parameters>
</ssv:ParameterSet>
"""
ROW = '    <ssv:Parameter name="wheel_{wheel}.{name}"><ssv:Real value="{value}"/></ssv:Parameter>'
# parameters of a wheel FMU, and the quantities of the vehicle file
TIRE = {
    "radius": "radius_m",
    "stiffness": "spring_constant_N_per_m",
    "damping": "damping_constant_Ns_per_m",
}
# those of a `SurfaceTire`, which has more parameters
SURFACE_TIRE = TIRE | {"width": "width_m", "crolla_angle": "high_slip_crossover_angle_deg"}
COUPLED = 2e-3  # s, the communication step of body and wheels in the library's diagrams


@dataclass(frozen=True)
class Written:
    """The written files with their purpose, and notes about the vehicle."""

    files: dict[Path, str]
    tires: Path
    notes: list[str]

    def commands(self, reference: str, place: str) -> dict[str, str]:
        """Return the commands that may follow, with their purpose."""
        drive = f"drawbar run double_lane_change_modular --use body={reference} --params {shlex.quote(str(self.tires))}"
        return {
            f"drawbar info {reference} --workspace {place}": "see its ports",
            f"drawbar build {reference} --workspace {place}": "make its FMU",
            f"{drive} --workspace {place}": "drive it through the lane change of the HMMWV",
        }


def write_vehicle(name: str, folder: Path, file: Path | None) -> Written:
    """Write the body of a vehicle file, and its tires as parameter sets: of any wheel, and of `SurfaceTire`.

    Without a `file`, write a vehicle file to begin from too. Raise `UsageError`, and write nothing, if that is not
    possible.
    """
    if reason := misspelt(name):
        raise UsageError(f"vehicle '{name}': {reason}")
    module = snake_case(name)
    own = folder / f"{module}.json"
    source = Path(str(files(drawbar.blocks.data))) / BEGINNING if file is None else file
    try:
        vehicle = read_vehicle(source)
    except DefinitionError as error:
        raise UsageError(f"vehicle '{name}': {error}") from None
    path = own.name if file is None else Path(os.path.relpath(file.resolve(), folder.resolve())).as_posix()
    if any(letter in path for letter in '"\\{}\n'):
        raise UsageError(
            f"vehicle '{name}': {file}: put the file where no quotes, braces or backslashes are in its path"
        )
    body, tires = folder / f"{module}.py", folder / f"{module}.ssv"
    surface = folder / f"{module}_surface.ssv"
    texts = {
        body: BODY.format(name=name, file=path, shown=Path(path).name),
        tires: tire_set(module, vehicle, TIRE),
        surface: tire_set(f"{module}_surface", vehicle, SURFACE_TIRE),
    }
    if file is None:
        texts = {own: source.read_text(encoding="utf-8")} | texts
    write_all(name, folder, texts)
    told = {own: "the vehicle file: put the numbers of your vehicle there"} if file is None else {}
    told |= {body: "its body, a block", tires: "its tires, for the wheel units of a diagram (wheel_fl, ...)"}
    told |= {surface: "the same with width and crossover angle, where they are each a SurfaceTire"}
    return Written(told, tires, [too_stiff(vehicle, i) for i in range(len(vehicle.axles)) if is_too_stiff(vehicle, i)])


def is_too_stiff(vehicle: VehicleFile, axle: int) -> bool:
    """Return whether the tires of an axle damp their wheels too fast for steps of `COUPLED`."""
    a = vehicle.axles[axle]
    return bool(a["tire"]["damping_constant_Ns_per_m"] * COUPLED > a["unsprung_mass_kg"])


def too_stiff(vehicle: VehicleFile, axle: int) -> str:
    """Return the note about such tires."""
    a = vehicle.axles[axle]
    c = a["tire"]["damping_constant_Ns_per_m"]
    return (
        f"the tires of axle {axle + 1} damp {a['unsprung_mass_kg']:g} kg by {c:g} N.s/m, which takes steps below "
        f"{1e3 * a['unsprung_mass_kg'] / c:.2g} ms; the parameter sets leave their damping out"
    )


def tire_set(module: str, vehicle: VehicleFile, names: Mapping[str, str]) -> str:
    """Return the tires of a vehicle as a parameter set (SSP) for wheel FMUs that are named after their wheels.

    `names` maps each parameter to a number of the vehicle file; angles are converted to rad.
    """

    def value(axle: int, key: str) -> float:
        found: float = vehicle.axles[axle]["tire"][key]
        return math.radians(found) if key.endswith("_deg") else found

    rows = [
        ROW.format(wheel=wheel, name=name, value=value(i // 2, key))
        for i, wheel in enumerate(vehicle.wheels)
        for name, key in names.items()
        if name != "damping" or not is_too_stiff(vehicle, i // 2)
    ]
    return SET.format(module=module, rows="\n".join(rows))
