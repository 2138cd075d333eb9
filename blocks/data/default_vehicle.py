"""The default vehicle of blocks: the HMMWV of ``vehicles/hmmwv.json``."""

from drawbar.blocks.data import read

VEHICLE = read("vehicles/hmmwv.json")
TIRE = VEHICLE["tire_fiala"]
AXLES = ("front", "rear")
BODIES = {"lower_arm": "lower arm", "upper_arm": "upper arm", "upright": "upright", "spindle": "spindle"}
WHEEL = [VEHICLE["wheel"][part] for part in ("rim", "tire")]
# mass of all bodies; those of an axle are on both sides
TOTAL_MASS = (
    VEHICLE["chassis"]["mass_kg"]
    + sum(VEHICLE["steering"]["bodies"][body]["mass_kg"] for body in ("pitman", "link"))
    + sum(2 * VEHICLE[axle]["bodies"][body]["mass_kg"] for axle in AXLES for body in BODIES)
    + sum(4 * part["mass_kg"] for part in WHEEL)
)
# spin inertia of a wheel with its spindle and half shaft, kg m2
SPIN_INERTIA = (
    sum(part["inertia_kgm2_xyz"][1] for part in WHEEL)
    + VEHICLE["front"]["bodies"]["spindle"]["inertia_com_kgm2"][1][1]
    + VEHICLE["front"]["axle_shaft_spin_inertia_kgm2"]
)
