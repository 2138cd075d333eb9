"""A vehicle with four double wishbones and a parallelogram steering as a `Mechanism`: the HMMWV, by its data file.

Two models come from one set of values. The *production* model has the bodies that determine the motion: arms,
uprights, wheels, Pitman arm and centre link; springs and dampers are forces without bodies, and the idler is a second
Pitman arm without mass. The *detailed* model has all 36 bodies, with strut bodies, and with rim and tire apart;
formulations are compared on it.

Values have the shape of ``blocks/data/vehicles/hmmwv.json``, points and axes as CasADi vectors; they may be symbols.
Angles of arms are positive in bump on both sides.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import casadi as ca
import numpy as np

from drawbar.blocks.terrain.ground.ground import WHEELS
from drawbar.blocks.vehicle.multibody.mechanism import Body, Cut, Mechanism

MIRROR = ca.DM([1, -1, 1])
Y = ca.DM([0, 1, 0])


def values(data: Any) -> Any:
    """Return lists of numbers as CasADi vectors and matrices, and other values unchanged."""
    if isinstance(data, Mapping):
        return {key: values(value) for key, value in data.items()}
    if isinstance(data, list) and data and np.asarray(data, dtype=object).shape in ((3,), (3, 3)):
        return ca.DM(np.asarray(data, float))
    return data


def mechanism(v: Mapping[str, Any], *, detailed: bool = False) -> Mechanism:
    """Return the vehicle as bodies and cuts."""
    s, chassis = v["steering"], v["chassis"]
    axis = _unit(s["axis"])
    bodies = [
        Body("chassis", None, "free", chassis["mass_kg"], chassis["com_m"], chassis["inertia_com_kgm2"]),
        _body("pitman", "chassis", "rev", s["bodies"]["pitman"], s["pitman_pivot_m"], axis),
        _body("link", "pitman", "rev", s["bodies"]["link"], s["pitman_link_joint_m"], axis),
    ]
    idler = v["assumed"]["idler"] if detailed else {"mass_kg": 0.0, "com_m": s["idler_pivot_m"], **NO_INERTIA}
    bodies.append(_body("idler", "chassis", "rev", idler, s["idler_pivot_m"], axis))
    # by default the idler is as long as the Pitman arm and parallel to it
    end = s.get("idler_link_joint_m", s["idler_pivot_m"] + s["pitman_link_joint_m"] - s["pitman_pivot_m"])
    cuts = [Cut("inplane", "link", "idler", end, end, (Y, ca.cross(axis, Y)), "chassis")]
    for wheel in WHEELS:
        new_bodies, corner_cuts = corner_bodies(v, wheel, detailed)
        bodies += new_bodies
        cuts += corner_cuts
    independent = ("pitman", *(f"lower_arm_{w}" for w in WHEELS))
    return Mechanism(tuple(bodies), tuple(cuts), independent)


NO_INERTIA = {"inertia_com_kgm2": ca.DM(3, 3)}


def rotors(detailed: bool = False) -> tuple[str, ...]:
    """Return the wheels, named by the body that carries their hinge."""
    return tuple(f"{'spindle' if detailed else 'wheel'}_{w}" for w in WHEELS)


def side(wheel: str) -> int:
    """Return +1 on the left, -1 on the right."""
    return 1 if wheel[1] == "l" else -1


def mirrored(point: Any, wheel: str) -> Any:
    """Return a point of the left side at the side of a wheel."""
    return point if side(wheel) > 0 else point * MIRROR


def axle(wheel: str) -> str:
    """Return ``front`` or ``rear``."""
    return "front" if wheel[0] == "f" else "rear"


def corner_bodies(v: Mapping[str, Any], w: str, detailed: bool) -> tuple[list[Body], list[Cut]]:
    """Return the bodies and cuts of a wheel."""
    c = v[axle(w)]
    at = {name: mirrored(point, w) for name, point in c["points_m"].items()}
    part = {name: _mirrored_body(b, w) for name, b in c["bodies"].items()}
    lower = _unit(at["lca_pivot_front"] - at["lca_pivot_rear"]) * side(w)
    upper = _unit(at["uca_pivot_front"] - at["uca_pivot_rear"]) * side(w)
    bodies = [
        _body(f"lower_arm_{w}", "chassis", "rev", part["lower_arm"], at["lca_pivot_rear"], lower),
        _body(f"upper_arm_{w}", "chassis", "rev", part["upper_arm"], at["uca_pivot_rear"], upper),
        _body(f"upright_{w}", f"lower_arm_{w}", "ball", part["upright"], at["lca_ball"]),
        *_wheel(v, w, part["spindle"], at["wheel_center"], detailed),
    ]
    carrier = "link" if axle(w) == "front" else "chassis"
    cuts = [
        Cut("ball", f"upper_arm_{w}", f"upright_{w}", at["uca_ball"], at["uca_ball"]),
        Cut("dist", f"upright_{w}", carrier, at["tierod_outer"], at["tierod_inner"]),
    ]
    if detailed:
        strut = v["assumed"]["struts"][axle(w)]
        tube, rod = _mirrored_body(strut["cyl"], w), _mirrored_body(strut["rod"], w)
        along = _unit(at["damper_lower"] - at["damper_upper"])
        # the two axes of the universal joint are perpendicular to the strut
        second = _unit(ca.cross(along, ca.DM([1, 0, 0])))
        first = ca.cross(second, along)
        bodies.append(_body(f"cylinder_{w}", "chassis", "univ", tube, at["damper_upper"], first, second))
        bodies.append(_body(f"rod_{w}", f"cylinder_{w}", "pris", rod, at["damper_lower"], along))
        cuts.append(Cut("ball", f"rod_{w}", f"lower_arm_{w}", at["damper_lower"], at["damper_lower"]))
    return bodies, cuts


def _wheel(v: Mapping[str, Any], w: str, spindle: Mapping[str, Any], centre: Any, detailed: bool) -> list[Body]:
    rim, tire = (_round(v["wheel"][name], centre) for name in ("rim", "tire"))
    hinge = dict(point=centre, axes=(Y,))
    if detailed:
        return [
            _body(f"spindle_{w}", f"upright_{w}", "rev", spindle, centre, Y),
            _body(f"rim_{w}", f"spindle_{w}", "fix", rim, centre),
            _body(f"tire_{w}", f"rim_{w}", "fix", tire, centre),
        ]
    mass = sum(b["mass_kg"] for b in (spindle, rim, tire))
    inertia = sum(b["inertia_com_kgm2"] for b in (spindle, rim, tire))
    return [Body(f"wheel_{w}", f"upright_{w}", "rev", mass, centre, inertia, **hinge)]


def _body(name: str, parent: str, joint: str, b: Mapping[str, Any], point: Any, *axes: Any) -> Body:
    return Body(name, parent, joint, b["mass_kg"], b["com_m"], b["inertia_com_kgm2"], point, axes)


def _round(b: Mapping[str, Any], centre: Any) -> dict[str, Any]:
    return {"mass_kg": b["mass_kg"], "com_m": centre, "inertia_com_kgm2": ca.diag(b["inertia_kgm2_xyz"])}


def _mirrored_body(b: Mapping[str, Any], w: str) -> dict[str, Any]:
    if side(w) > 0:
        return dict(b)
    M = ca.diag(MIRROR)
    return {**b, "com_m": b["com_m"] * MIRROR, "inertia_com_kgm2": M @ b["inertia_com_kgm2"] @ M}


def _unit(v: Any) -> Any:
    return v / ca.norm_2(v)
