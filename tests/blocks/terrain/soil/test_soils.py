"""Soils by name and by record."""

import math
from typing import Any

import pytest

from drawbar.blocks import TerrainError
from drawbar.blocks.terrain.ground.ground import Ground
from drawbar.blocks.terrain.soil.soils import Soil, row, soil, soil_names


def test_all_soils_of_the_table_can_be_read() -> None:
    assert {"dry_pavement", "tbf_sandy_loam", "LETE_sand", "snow_US"} <= set(soil_names())
    for name in soil_names():
        found = soil(name)
        assert found.friction > 0.0
        assert found.k_phi > 0.0 or found.surface < 4, "a soil bears by its Bekker moduli, a pavement does not sink"


def test_the_loam_of_the_closed_form_paper() -> None:
    found = soil("tbf_sandy_loam")
    phi = math.radians(29)
    assert found == Soil(math.tan(phi), 1700.0, phi, 0.025, 0.7, 5300.0, 1515e3, surface=4)


def test_a_record_may_begin_with_another() -> None:
    found = soil({"soil": "LETE_sand", "cone_index_Pa": 4e5, "friction": 0.5})
    assert (found.cone_index, found.friction, found.k_c) == (4e5, 0.5, 102e3)
    assert soil({}) == Soil()
    assert soil({"surface": 5.0}) == Soil(surface=5)


def test_a_soil_is_what_the_bus_carries() -> None:
    members = {name: m.options.get("start", 0.0) for name, m in Ground.members().items() if not m.back}
    soils = {name: start for name, start in members.items() if name not in ("point", "normal")}
    assert list(soils) == list(Soil.__dataclass_fields__)
    assert row(Soil()) == [float(start) for start in soils.values()]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("LETE_sandy", r"class 3: there is no soil 'LETE_sandy'; did you mean 'LETE_sand'\?"),
        (7, r"class 3: 7 is not a soil; give a name of blocks/data/soils\.json or a record"),
        ({"soil": 3}, r"class 3: 'soil' is 3; give the name of the soil to start from"),
        ({"cohesion": 3}, r"class 3: a soil has no 'cohesion'; did you mean 'cohesion_Pa'\?"),
        ({"k_c": -1.0}, r"class 3: k_c is -1\.0; give a number that is not negative"),
        ({"k_c": math.nan}, r"class 3: k_c is nan; give a number"),
        ({"k_c": 10**400}, r"class 3: k_c is 10{79}; give a number"),
        ({"k_c": True}, r"class 3: k_c is True; give a number"),
        ({"surface": 0.5}, r"class 3: surface is 0\.5; give a whole number"),
        ({"surface": 6}, r"surface is 6; give a whole number: 0 dry, 1 wet, 2 snow, 3 ice, 4 fine, 5 coarse"),
        ({"surface": True}, r"surface is True; give a whole number"),
        ({"friction_angle_deg": 90}, r"class 3: the friction angle must be below 90 degrees"),
        ({"shear_modulus_m": 0.0}, r"shear modulus at least 0\.0001 m"),
    ],
)
def test_a_wrong_soil_is_told(given: Any, message: str) -> None:
    with pytest.raises(TerrainError, match=message):
        soil(given, "class 3")
