"""The HMMWV's hardpoints, bodies and force laws as parameters of a block, from its data file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import casadi as ca

from drawbar.blocks import Parameter
from drawbar.blocks.data.default_vehicle import AXLES, BODIES, TOTAL_MASS, VEHICLE, WHEEL
from drawbar.blocks.vehicle.bodies.body_contact import contact_parameters
from drawbar.blocks.vehicle.bodies.chassis import with_payload

POINTS = {
    "lca_pivot_front": "front pivot of the lower arm",
    "lca_pivot_rear": "rear pivot of the lower arm",
    "lca_ball": "lower ball joint",
    "uca_pivot_front": "front pivot of the upper arm",
    "uca_pivot_rear": "rear pivot of the upper arm",
    "uca_ball": "upper ball joint",
    "tierod_inner": "inner end of the tie rod",
    "tierod_outer": "outer end of the tie rod",
    "wheel_center": "wheel centre",
    "spring_upper": "upper end of the spring, on the chassis",
    "spring_lower": "lower end of the spring, on the lower arm",
    "damper_upper": "upper end of the damper, on the chassis",
    "damper_lower": "lower end of the damper, on the lower arm",
}
BALANCED = ("spindle",)  # its centre of mass is the wheel centre
STEERING_POINTS = {
    "pitman_pivot": "pivot of the Pitman arm",
    "pitman_link_joint": "joint of Pitman arm and centre link",
}
INERTIA = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))
# the data contain the positions of the end stops, not their stiffness. Assumed: 20 kN, three times the load of a wheel,
# compress the stop of a damper by 3 mm; a steering wheel 17 rad beyond the lock turns the wheels one degree more.
# The rates that they cause are below the 1000 1/s at which RK4 is stable with steps of 2.5 ms.
END_STOP, PITMAN_STOP = 2e7, 3e6  # N/m, N m/rad
LEFT = "left side, vehicle axes, design position"


def _body(prefix: str, meaning: str, b: Mapping[str, Any], balanced: bool = False) -> dict[str, Parameter]:
    inertia = [b["inertia_com_kgm2"][i][j] for i, j in INERTIA]
    found = {f"{prefix}_mass": Parameter(b["mass_kg"], "kg", f"mass of the {meaning}", min=0.0)}
    if not balanced:
        found[f"{prefix}_com"] = Parameter(b["com_m"], "m", f"centre of mass of the {meaning}, {LEFT}", size=3)
    found[f"{prefix}_inertia"] = Parameter(
        inertia, "kg.m2", f"inertia of the {meaning} about its centre of mass: xx, yy, zz, xy, xz, yz", size=6
    )
    return found


def declared_parameters() -> dict[str, Parameter]:
    """Return all parameters by name."""
    chassis = VEHICLE["chassis"]
    found = _body("chassis", "chassis", chassis) | {
        "chassis_mass": Parameter(chassis["mass_kg"], "kg", "mass of the chassis", min=1.0),
        "payload_mass": Parameter(0.0, "kg", "mass of a payload fixed to the chassis, a point mass", min=0.0),
        "payload_position": Parameter(
            [-1.0, 0.0, 0.5], "m", "position of the payload, vehicle axes, design position", size=3
        ),
    }
    for axle in AXLES:
        a = VEHICLE[axle]
        for point, meaning in POINTS.items():
            found[f"{axle}_{point}"] = Parameter(a["points_m"][point], "m", f"{axle} {meaning}, {LEFT}", size=3)
        for body, meaning in BODIES.items():
            found |= _body(f"{axle}_{body}", f"{axle} {meaning}", a["bodies"][body], body in BALANCED)
        s, d = a["spring"], a["damper"]
        found |= {
            f"{axle}_spring_free": Parameter(s["free_length_m"], "m", f"{axle} spring: free length", min=0.0),
            f"{axle}_spring_rate": Parameter(s["rate_N_per_m"], "N/m", f"{axle} spring: rate k", min=0.0),
            f"{axle}_spring_progression": Parameter(
                0.0, "1/m2", f"{axle} spring: progression p in k x (1 + p x^2)", min=0.0
            ),
            f"{axle}_damping_compression": Parameter(
                d["midstroke_compression_Ns_per_m"], "N.s/m", f"{axle} damper: coefficient in compression", min=0.0
            ),
            f"{axle}_damping_rebound": Parameter(
                d["midstroke_rebound_Ns_per_m"], "N.s/m", f"{axle} damper: coefficient in rebound", min=0.0
            ),
            f"{axle}_damper_min": Parameter(
                d["length_limits_m"][0], "m", f"{axle} damper: length at the end stop in bump"
            ),
            f"{axle}_damper_max": Parameter(
                d["length_limits_m"][1], "m", f"{axle} damper: length at the end stop in droop"
            ),
            f"{axle}_stop_bump": Parameter(
                a["stops"]["spring_length_m"][0], "m", f"{axle} spring: length at the bump stop"
            ),
            f"{axle}_stop_rebound": Parameter(
                a["stops"]["spring_length_m"][1], "m", f"{axle} spring: length at the droop stop"
            ),
            f"{axle}_anti_roll": Parameter(
                0.0,
                "N.m/rad",
                f"{axle} anti-roll bar: moment on each lower arm per difference of their angles",
                min=0.0,
            ),
        }
    st = VEHICLE["steering"]
    for point, meaning in STEERING_POINTS.items():
        found[point] = Parameter(st[f"{point}_m"], "m", f"{meaning}, vehicle axes, design position", size=3)
    found["steering_axis"] = Parameter(st["axis"], "1", "axis of the Pitman arm and the idler, upwards", size=3)
    for body in ("pitman", "link"):
        found |= _body(body, {"pitman": "Pitman arm", "link": "centre link"}[body], st["bodies"][body])
    mass = sum(part["mass_kg"] for part in WHEEL)
    across, spin = (sum(part["inertia_kgm2_xyz"][i] for part in WHEEL) for i in (0, 1))
    found |= {
        "wheel_mass": Parameter(mass, "kg", "mass of rim and tire", min=1.0),
        "wheel_inertia": Parameter(
            [across, spin], "kg.m2", "inertia of rim and tire across the axle and about it", size=2
        ),
        "shaft_inertia": Parameter(
            VEHICLE["front"]["axle_shaft_spin_inertia_kgm2"],
            "kg.m2",
            "spin inertia of a half shaft",
            min=0.0,
        ),
        "column_ratio": Parameter(st["column_ratio"], "1", "steering wheel angle over Pitman arm angle"),
        "column_stiffness": Parameter(
            st["column_stiffness_Nm_per_rad"], "N.m/rad", "stiffness of the steering column, at the steering wheel"
        ),
        "column_damping": Parameter(1.0, "N.m.s/rad", "damping of the steering column, at the steering wheel", min=0.0),
        "pitman_limit": Parameter(
            st["pitman_limit_deg"] * ca.pi / 180.0, "rad", "angle of the Pitman arm at its stops"
        ),
        "pitman_stop_stiffness": Parameter(PITMAN_STOP, "N.m/rad", "stiffness of the stops of the Pitman arm", min=0.0),
        "end_stop_stiffness": Parameter(END_STOP, "N/m", "stiffness of the end stops of the dampers", min=0.0),
    }
    return found


def mechanism_values(block: Any) -> dict[str, Any]:
    """Return the parameters of a block in the shape of the data file, for `hmmwv_mechanism.mechanism`."""
    across, spin = block.wheel_inertia[0], block.wheel_inertia[1] + block.shaft_inertia
    found: dict[str, Any] = {
        "chassis": with_payload(_values(block, "chassis"), block.payload_mass, block.payload_position),
        "steering": {
            "axis": block.steering_axis,
            "bodies": {name: _values(block, name) for name in ("pitman", "link")},
            **{f"{point}_m": getattr(block, point) for point in STEERING_POINTS},
            # its arm is parallel to the Pitman arm and has no mass, so its position has no effect
            "idler_pivot_m": ca.DM(VEHICLE["steering"]["idler_pivot_m"]),
        },
        "wheel": {
            "rim": {"mass_kg": block.wheel_mass, "inertia_kgm2_xyz": ca.vertcat(across, spin, across)},
            "tire": {"mass_kg": 0.0, "inertia_kgm2_xyz": ca.DM.zeros(3)},
        },
    }
    for axle in AXLES:
        points = {point: getattr(block, f"{axle}_{point}") for point in POINTS}
        centres = dict.fromkeys(BALANCED, points["wheel_center"])
        bodies = {body: _values(block, f"{axle}_{body}", centres.get(body)) for body in BODIES}
        found[axle] = {"points_m": points, "bodies": bodies}
    return found


def _values(block: Any, prefix: str, com: Any = None) -> dict[str, Any]:
    six = getattr(block, f"{prefix}_inertia")
    J = ca.SX(3, 3)
    for k, (i, j) in enumerate(INERTIA):
        J[i, j] = J[j, i] = six[k]
    return {
        "mass_kg": getattr(block, f"{prefix}_mass"),
        "com_m": getattr(block, f"{prefix}_com") if com is None else com,
        "inertia_com_kgm2": J,
    }


Hardpoints: Any = type("Hardpoints", (), declared_parameters())
BodyPoints: Any = type("BodyPoints", (), contact_parameters(VEHICLE["body_points_m"], TOTAL_MASS))
