"""A plane of one soil under four wheels, level or sloping."""

from typing import Any

from drawbar.blocks import Derived, Parameter, if_else, vertcat
from drawbar.blocks.terrain.ground.flat_road import FlatRoad
from drawbar.blocks.terrain.ground.ground import WHEELS
from drawbar.blocks.terrain.soil.soils import row, soil

SOILS = (
    "tbf_dry_sand",
    "tbf_sandy_loam",
    "tbf_clayey_soil",
    "LETE_sand",
    "upland_sandy_loam_51",
    "rubicon_sandy_loam_43",
    "north_gower_clayey_loam_46",
    "grenville_loam_24",
    "snow_US",
    "ishigami_dry_sand",
    "lunar_nominal",
)
COARSE = 5  # surface code


class FlatSoil(FlatRoad):
    """A plane of soil under the four wheels of a vehicle, level or sloping: one soil everywhere.

    The plane is that of `FlatRoad`; `friction` is for tires without a soil law. `soil` selects one of
    ``blocks/data/soils.json``:

    ====== ========================== ====== ==========================
    number soil                       number soil
    ====== ========================== ====== ==========================
    1      dry sand                   7      north gower clayey loam
    2      sandy loam                 8      grenville loam
    3      clayey soil                9      snow, US
    4      LETE sand                  10     sand of Ishigami et al.
    5      upland sandy loam          11     lunar soil
    6      rubicon sandy loam         0      the values given here
    ====== ========================== ====== ==========================

    Soils 1 to 3 are those of the 2011 paper, 4 to 9 those of Wong. Most sources give no unit weight and cone index; the
    values of the parameters are then used.

    ::

        ground_fl.at, ... --> | FlatSoil | --> ground_fl.point, .normal, .cohesion, .k_phi, ...
    """

    soil = Parameter(2, "1", "number of the soil; 0 takes the values below", type=int, min=0, max=len(SOILS))
    cohesion = Parameter(1700.0, "Pa", "c, cohesion; used if soil is 0", min=0.0)
    friction_angle = Parameter(29.0, "deg", "phi, angle of internal friction; used if soil is 0", min=0.0, max=89.0)
    shear_modulus = Parameter(0.025, "m", "K, shear deformation modulus; used if soil is 0", min=1e-4)
    sinkage_exponent = Parameter(0.7, "1", "n, exponent of sinkage; used if soil is 0", min=0.0)
    k_c = Parameter(5300.0, "1", "k_c, cohesive modulus of sinkage in N/m^(n+1); used if soil is 0", min=0.0)
    k_phi = Parameter(1.515e6, "1", "k_phi, frictional modulus of sinkage in N/m^(n+2); used if soil is 0", min=0.0)
    unit_weight = Parameter(15e3, "N/m3", "gamma, unit weight; used where the soil has none", min=0.0)
    cone_index = Parameter(500e3, "Pa", "cone index; used where the soil has none", min=0.0)

    record = Derived(
        "1", "values of the soil: c, phi, K, n, k_c, k_phi, gamma, cone index in SI units, surface code", size=9
    )

    def derived(self) -> dict[str, Any]:
        degree = 0.017453292519943295
        own = [self.cohesion, self.friction_angle * degree, self.shear_modulus, self.sinkage_exponent]
        record = vertcat(*own, self.k_c, self.k_phi, self.unit_weight, self.cone_index, float(COARSE))
        for number, name in enumerate(SOILS, start=1):
            c, phi, K, n, k_c, k_phi, gamma, cone, surface = row(soil(name))[1:]
            properties = vertcat(c, phi, K, n, k_c, k_phi, gamma or self.unit_weight, cone or self.cone_index, surface)
            record = if_else(self.soil == number, properties, record)
        return super().derived() | {"record": record}

    def outputs(self) -> dict[str, Any]:
        names = ("cohesion", "friction_angle", "shear_modulus", "sinkage_exponent", "k_c", "k_phi")
        found = super().outputs()
        for w in WHEELS:
            for i, name in enumerate((*names, "unit_weight", "cone_index", "surface")):
                found[f"ground_{w}.{name}"] = self.record[i]
        return found
