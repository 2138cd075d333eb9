"""The recursion with the four corners in the lanes of a vector: the code of one corner, run for all wheels at once.

One corner is traced with a symbol for each of its numbers. What follows from the numbers alone is evaluated for each
wheel beforehand; the rest becomes C over vectors of four. Each lane eliminates its arm and its wheel, so that what is
left for scalar code is steering and chassis.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import casadi as ca
import numpy as np
from car_formulations import Car
from lane_code import HELPERS, emitted

from drawbar.blocks.data import read
from drawbar.blocks.vehicle.multibody.compound import Placed
from drawbar.blocks.vehicle.multibody.embedding import Positive
from drawbar.blocks.vehicle.multibody.loops import CornerPiece, SteeringPiece, steering_bodies, wishbone_bodies
from drawbar.blocks.vehicle.multibody.lumps import Lump, Rigid, composite, together
from drawbar.blocks.vehicle.multibody.spatial import DESIGN, cross_motion, reciprocal
from drawbar.blocks.vehicle.multibody.wishbone import Moving
from drawbar.blocks.vehicle.wishbone_car import WHEELS, axle, corner_bodies, mirrored, side, values

LOWER = [(i, j) for j in range(6) for i in range(j, 6)]


def numbers_of(data: Any, wheel: str) -> dict[str, Any]:
    """The values of a wheel as those of a left one: points mirrored, pivots exchanged so that axes turn over too."""
    part = data[axle(wheel)]
    points = {name: mirrored(point, wheel) for name, point in part["points_m"].items()}
    if side(wheel) < 0:
        for arm in ("lca", "uca"):
            front, rear = f"{arm}_pivot_front", f"{arm}_pivot_rear"
            points[front], points[rear] = points[rear], points[front]
    flip = ca.diag(ca.DM([1, side(wheel), 1]))

    def turned(body: Any) -> Any:
        com, inertia = body["com_m"], body["inertia_com_kgm2"]
        return {"mass_kg": body["mass_kg"], "com_m": mirrored(com, wheel), "inertia_com_kgm2": flip @ inertia @ flip}

    struts = data["assumed"]["struts"][axle(wheel)]
    return {
        "points_m": points,
        "bodies": {name: turned(body) for name, body in part["bodies"].items()},
        "struts": {name: turned(struts[name]) for name in ("cyl", "rod")},
    }


def symbols(each: Sequence[Any], name: str, found: list[tuple[ca.SX, list[float]]]) -> Any:
    """The same shape with a symbol for each number that is not alike for all wheels or no zero."""
    first = each[0]
    if isinstance(first, dict):
        return {k: symbols([e[k] for e in each], f"{name}_{k}", found) for k in first}
    if isinstance(first, ca.DM):
        made = ca.SX(*first.shape)
        for i in range(first.shape[0]):
            for j in range(first.shape[1]):
                made[i, j] = symbols([float(e[i, j]) for e in each], f"{name}_{i}{j}", found)
        return ca.sparsify(made)
    if all(v == 0.0 for v in each):
        return 0.0
    found.append((ca.SX.sym(name), [float(v) for v in each]))
    return found[-1][0]


class Lanes:
    """The recursion in lanes; `source` is its C, with the arguments of `Car.embedded`."""

    def __init__(self, car: Car) -> None:
        self.car, self.detailed = car, car.detailed
        data = values(read("vehicles/hmmwv.json"))
        known: list[tuple[ca.SX, list[float]]] = []
        one = symbols([numbers_of(data, w) for w in WHEELS], "c", known)
        self.parameters, self.numbers = [s for s, _ in known], np.array([n for _, n in known])
        v = {"front": one, "wheel": data["wheel"], "assumed": {"struts": {"front": one["struts"]}}}
        bodies, _ = corner_bodies(v, "fl", self.detailed)
        self.bodies, self.points = {b.name.removesuffix("_fl"): b for b in bodies}, one["points_m"]
        self._trace()

    def _trace(self) -> None:
        """One corner, from its numbers, what else differs by wheel, the motion of the chassis and the steering rate."""
        b, p = self.bodies, self.points
        own = {n: ca.SX.sym(n) for n in ("c", "s", "u", "spin", "tau", "torque")}
        inner, by, by_by = (ca.SX.sym(n, 3) for n in ("inner", "by", "by_by"))
        hub, V, steer = ca.SX.sym("hub", 6), ca.SX.sym("V", 6), ca.SX.sym("steer")
        struts = ((b["cylinder"], b["rod"], p["damper_lower"]),) if self.detailed else ()
        piece = CornerPiece(
            b["lower_arm"],
            b["upper_arm"],
            b["upright"],
            p["uca_ball"],
            p["tierod_outer"],
            p["tierod_inner"],
            None,
            struts,
            (),
        )
        made, _ = wishbone_bodies(piece, (own["c"], own["s"]), own["u"], Moving(inner, by, by_by, steer))
        wheel = together([b[n] for n in (("spindle", "rim", "tire") if self.detailed else ("wheel",))])
        hinge = b["spindle" if self.detailed else "wheel"]
        spin_axis = hinge.axes[0]
        about = ca.dot(spin_axis, wheel.inertia @ spin_axis)
        carried = Lump(wheel.mass, wheel.com, wheel.inertia - about * (spin_axis @ spin_axis.T))
        rigid, J, inner_of = {}, {}, {}
        for name, placed in made.items():
            body = self.bodies[name.removesuffix("_fl")]
            lump = together([body, carried]) if name == "upright_fl" else Lump(body.mass, body.com, body.inertia)
            J[name] = placed.J[:, :2] if placed.J.shape[1] > 1 else ca.horzcat(placed.J, ca.SX(6, 1))
            relative = J[name] @ ca.vertcat(own["u"], steer)
            lean = cross_motion(V, relative) + placed.c
            rigid[name] = Rigid(lump, placed.pose, V + relative, lean)
            inner_of[name] = rigid[name].wrench
            if name == "upright_fl":
                carrier_lean = lean
                axis, turning = placed.pose.along(spin_axis), (V + relative)[:3]
                centre = placed.pose.at(hinge.point)
                torque = own["torque"] + ca.dot(axis, hub[:3] - ca.cross(centre, hub[3:]))
                moment = -axis * torque - about * (ca.dot(axis, turning) + own["spin"]) * ca.cross(turning, axis)
                inner_of[name] -= hub + ca.vertcat(moment, ca.SX(3, 1))
        MJ = {n: rigid[n].times(J[n]) for n in rigid}
        g = sum((MJ[n] for n in MJ), ca.SX(6, 2))
        D = sum((J[n].T @ MJ[n] for n in MJ), ca.SX(2, 2))
        e = ca.vertcat(own["tau"], 0) - sum((J[n].T @ inner_of[n] for n in J), ca.SX(2, 1))
        per = reciprocal(D[0, 0])
        scaled = g[:, 0] * per
        whole = composite(list(rigid.values())) - scaled @ g[:, 0].T
        left = sum(inner_of.values(), ca.SX(6, 1)) + scaled * e[0]
        crossed = D[1, 0] * per
        self.results = [
            ca.vertcat(*(whole[i, j] for i, j in LOWER)),
            g[:, 1] - g[:, 0] * crossed,
            D[1, 1] - D[1, 0] * crossed,
            left,
            e[1] - crossed * e[0],
            # for the way back
            scaled,
            e[0] * per,
            crossed,
            torque * reciprocal(about) - ca.dot(axis, carrier_lean[:3]),
            axis,
            J["upright_fl"][:3, :].T @ axis,
        ]
        self.arguments = [*self.parameters, *own.values(), inner, by, by_by, hub, V, steer]

    def scalar(self) -> tuple[ca.Function, ca.Function]:
        """What comes before the lanes, and what comes after them."""
        m, e = self.car.m, self.car.e
        state, _, _ = self.car.compounds()
        q, V, u = state
        tau, hubs = self.car.tau, list(self.car.wrenches.values())
        pitman, link, idler = (m.by_name[n] for n in ("pitman", "link", "idler"))
        steering = SteeringPiece(pitman, link, idler, m.cuts[0])
        at = {name: e.rates.index((name, 0)) for name, _ in e.rates}
        steer = u[at["pitman"]]
        placed, moving, shift = steering_bodies(steering, q[e.joints.index("pitman")], steer, 0, 1)
        data = values(read("vehicles/hmmwv.json"))
        still = ca.SX(3, 1)
        lanes = []
        for i, w in enumerate(WHEELS):
            front = axle(w) == "front"
            arm, wheel = at[f"lower_arm_{w}"], at[("spindle_" if self.detailed else "wheel_") + w]
            angle = q[e.joints.index(f"lower_arm_{w}")]
            inner = mirrored(data[axle(w)]["points_m"]["tierod_inner"], w) + (shift if front else 0)
            own = [ca.cos(angle), ca.sin(angle), u[arm], u[wheel], tau[arm], tau[wheel]]
            rest = [inner, moving.by if front else still, moving.by_by if front else still, hubs[i]]
            lanes.append(ca.vertcat(*own, *rest))
        before = ca.Function(
            "before", [*state, *self.car.inputs], [ca.densify(ca.vec(ca.horzcat(*lanes).T))], {"cse": True}
        )
        size = sum(r.shape[0] for r in self.results)
        back = ca.SX.sym("lanes", 4, size)
        parts = [
            ca.vertsplit(back[i, :].T, np.cumsum([0, *(r.shape[0] for r in self.results)]).tolist()) for i in range(4)
        ]
        whole, left = ca.SX(6, 6), -hubs[4]
        g, D, right = ca.SX(6, 1), ca.SX(1, 1), tau[at["pitman"]]
        for part in parts:
            for value, (i, j) in zip(ca.vertsplit(part[0]), LOWER, strict=True):
                whole[i, j] += value
            left += part[3]
        for part in parts[:2]:
            g, D, right = g + part[1], D + part[2], right + part[4]
        steered = {n: self._rigid(m.by_name[n], placed[n], V, steer) for n in placed}
        for n, body in steered.items():
            MJ = body.times(placed[n].J)
            g, D, right = g + MJ, D + placed[n].J.T @ MJ, right - placed[n].J.T @ body.wrench
            left += body.wrench
        chassis = m.by_name["chassis"]
        own = Rigid(Lump(chassis.mass, chassis.com, chassis.inertia), DESIGN, V, ca.SX(6, 1))
        per = reciprocal(D)
        total = whole + composite([*steered.values(), own]) - (g * per) @ g.T
        A = -Positive(total).solve(left + own.wrench + g * (per * right))
        turn = per * (right - g.T @ A)
        rates = {("pitman", 0): turn}
        for i, w in enumerate(WHEELS):
            part = parts[i]
            arm = part[6] - ca.dot(part[5], A) - (part[7] * turn if axle(w) == "front" else 0)
            rates[f"lower_arm_{w}", 0] = arm
            carried = part[10][0] * arm + (part[10][1] * turn if axle(w) == "front" else 0)
            rates[("spindle_" if self.detailed else "wheel_") + w, 0] = part[8] - ca.dot(part[9], A[:3]) - carried
        out = ca.vertcat(A, *(rates[r] for r in e.rates))
        after = ca.Function("after", [*state, *self.car.inputs, back], [out], {"cse": True})
        return before, after

    @staticmethod
    def _rigid(body: Any, placed: Placed, V: Any, rate: Any) -> Rigid:
        relative = placed.J @ rate
        lean = cross_motion(V, relative) + placed.c
        return Rigid(Lump(body.mass, body.com, body.inertia), placed.pose, V + relative, lean)

    def source(self) -> str:
        """The whole as C."""
        corner = ca.Function("corner", self.arguments, [ca.vertcat(*self.results)], {"cse": True})
        before, after = self.scalar()
        generator = ca.CodeGenerator("lanes.c", {"with_header": False})
        generator.add(before)
        generator.add(after)
        inputs = before.n_in()
        size, back = before.nnz_out(0), after.nnz_in(inputs)
        steer = next(i for i, r in enumerate(self.car.e.rates) if r == ("pitman", 0))
        return f"""{HELPERS}
{generator.dump()}
{emitted(corner, self.numbers)}
CASADI_SYMBOL_EXPORT int CE(const double **arg, double **res, long long *iw, double *w, int mem) {{
    double given[{size}] __attribute__((aligned(32))), found[{back}] __attribute__((aligned(32)));
    const double *more[{inputs + 1}];
    double *out[1] = {{given}};
    before(arg, out, iw, w, mem);
    corner(given, arg[1], arg[2][{steer}], found);
    for (int i = 0; i < {inputs}; ++i) more[i] = arg[i];
    more[{inputs}] = found;
    return after(more, res, iw, w, mem);
}}
"""
