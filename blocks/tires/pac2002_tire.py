"""A wheel with a tire by the Magic Formula of Pacejka 2002, as a block."""

from __future__ import annotations

import math
import os
from functools import cached_property
from typing import Any, ClassVar

from drawbar.blocks import Output, Parameter
from drawbar.blocks.authoring.resource import folder_of
from drawbar.blocks.data import read
from drawbar.blocks.tires.pac2002 import Pac2002
from drawbar.blocks.tires.relaxation import Relaxation
from drawbar.blocks.tires.road_tire import RoadTire
from drawbar.blocks.tires.tir_file import (
    LEAST_POSITIVE,
    POSITIVE_SCALING,
    SCALING,
    TireProperties,
    from_sections,
    read_tir,
)

IN_OTHER_PARAMETERS = ("LCZ", "LSGKP", "LSGAL")  # factors that the defaults of stiffness and relaxation contain
MIN_RELAXATION = 0.05  # m, where the file gives less at its nominal load


def published(name: str) -> TireProperties:
    """Return the tire of a file in ``blocks/data/tires``."""
    data = read(f"tires/{name}.json")
    return from_sections({key: value for key, value in data.items() if isinstance(value, dict)}, data["name"])


def declared_parameters(tire: TireProperties) -> dict[str, Parameter]:
    """Return the parameters of the block for a property file."""
    R_0, load_ratio = tire["UNLOADED_RADIUS"], 1.0 / tire["PTY2"] if tire["PTY2"] else math.inf
    along = tire["PTX1"] * R_0 * tire["LFZO"] * tire["LSGKP"]
    across = tire["PTY1"] * math.sin(2.0 * math.atan(load_ratio)) * R_0 * tire["LFZO"] * tire["LSGAL"]
    found = {
        "radius": Parameter(R_0, "m", "R_0, unloaded radius", min=0.05),
        "stiffness": Parameter(tire["VERTICAL_STIFFNESS"] * tire["LCZ"], "N/m", "vertical stiffness", min=1.0),
        "damping": Parameter(tire["VERTICAL_DAMPING"], "N.s/m", "vertical damping", min=0.0),
        "relaxation": Parameter(
            [max(MIN_RELAXATION, along), max(MIN_RELAXATION, across)],
            "m",
            "sigma_kappa, sigma_alpha, longitudinal and lateral relaxation length",
            size=2,
            min=0.01,
        ),
    }
    for name, meaning in SCALING.items():
        if name not in IN_OTHER_PARAMETERS:
            found[name] = Parameter(tire[name], "1", meaning, min=LEAST_POSITIVE if name in POSITIVE_SCALING else 0.0)
    return found


def _range_warning(tire: TireProperties) -> str:
    return (
        f"load, camber or slips are outside the range of the tire data (load {tire['FZMIN']:g} to {tire['FZMAX']:g} N, "
        f"camber {tire['CAMMIN']:g} to {tire['CAMMAX']:g} rad, slip {tire['KPUMIN']:g} to {tire['KPUMAX']:g}, slip "
        f"angle {tire['ALPMIN']:g} to {tire['ALPMAX']:g} rad), and count as the ends of it, or scaling factors take a "
        "friction or stiffness to its lower limit"
    )


class PropertyFileTire(RoadTire, abstract=True, step=2.5e-3):
    """A wheel whose tire is that of a property file (`tir_file`), by the law of `Pac2002`.

    The scaling factors of the file are parameters; its coefficients are fixed when the block is built. A subclass names
    its `file`, a path relative to the folder of its module, or `properties` that were read.
    """

    properties: ClassVar[TireProperties]

    asymmetry = Parameter(
        0.0,
        "1",
        "1 with ply steer and conicity as measured, -1 mirrored for the other side of the vehicle, 0 without them",
        min=-1.0,
        max=1.0,
    )
    reference_friction = Parameter(1.0, "1", "friction of the ground on which the tire was measured", min=0.01)

    outside_range = Output("1", "whether load, camber, slips or scaling are outside the range of the data", type=bool)

    def __init_subclass__(
        cls,
        *,
        file: str | os.PathLike[str] | None = None,
        properties: TireProperties | None = None,
        **rest: Any,
    ) -> None:
        if file is not None:
            properties = read_tir(folder_of(cls) / file)
        if properties is not None:
            cls.properties = properties
            cls.warn_if_true = {"outside_range": _range_warning(properties)}
            for name, word in declared_parameters(properties).items():
                setattr(cls, name, word)
                word.__set_name__(cls, name)
        super().__init_subclass__(**rest)

    @cached_property
    def law(self) -> Pac2002:
        """Return the law of the forces along the ground."""
        tire = self.properties
        factors = {name: getattr(self, name) for name in SCALING if name not in IN_OTHER_PARAMETERS}
        relaxation = Relaxation(self.relaxation[0], self.relaxation[1], self.damping_time, self.slow_speed)
        return Pac2002(relaxation, tire, factors, self.asymmetry, self.reference_friction)

    @property
    def slip_stiffness(self) -> Any:
        """Return an upper bound of dF_x/dkappa."""
        r = self.rolling_wheel
        return self.law.curves(r.load, self.ground.friction).along.steepest

    def outputs(self) -> dict[str, Any]:
        """Return the outputs of the wheel, and whether it is outside the range of the data."""
        r = self.rolling_wheel
        law = self.law.in_motion(r.contact.camber(self.axis), r.speeds[0], r.speeds[2])
        return super().outputs() | {"outside_range": law.outside_range(r.load, r.slip, r.side_slip)}


class Pac2002Tire(PropertyFileTire, properties=published("hmmwv_pac2002")):
    """A wheel with a tire by the Magic Formula of Pacejka 2002 (MF-Tyre 5.2, PAC2002); it connects to a hub.

    Friction and stiffnesses depend on the load, forces and moments on the camber (`Pac2002`). Load, relaxation,
    standstill and brake are those of `FialaTire`, which it can replace. Beyond the range of the data, load, slips and
    camber count as its ends; `outside_range` is true there, and the report of a run warns.

    ::

        hub (motion) ---> |             | --> hub (force, moment, spin)
        ground ---------> | Pac2002Tire | --> ground.at
        drive, brake ---> |             | --> load, force_x, force_y, slip, slip_angle, outside_range

    The friction of the ground multiplies the friction of the tire, 1 is as measured. `LMUX`, `LMUY` and the other
    scaling factors are named as in tire property files. By default all wheels are alike and without ply steer and
    conicity; set `asymmetry` to 1 on the side of the measurement and to -1 on the other. The relaxation lengths do not
    change with the load: their defaults are those of the file at its nominal load.

    Another tire is another block, of a ``.tir`` file beside the module: ``class Mine(Pac2002Tire, file="mine.tir")``.

    Valid on hard ground that is nearly plane under the wheel, at standstill as well. Source: Pacejka, Tyre and Vehicle
    Dynamics (2002); data of ``blocks/data/tires/hmmwv_pac2002.json``.
    """
