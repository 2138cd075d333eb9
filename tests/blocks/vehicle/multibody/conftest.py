"""Mechanisms that the tests of this folder share."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import casadi as ca
import numpy as np
import pytest

from drawbar.blocks.data import read
from drawbar.blocks.vehicle.hmmwv.hmmwv_mechanism import axle, mechanism, rotors, values
from drawbar.blocks.vehicle.multibody.embedded import Configuration, Embedded
from drawbar.blocks.vehicle.multibody.force_element import ForceElement, ForceLaw, JointElement, LineElement
from drawbar.blocks.vehicle.multibody.mechanism import GROUND, Body, Cut, Mechanism
from drawbar.blocks.vehicle.multibody.nodes import Compound

X, Y, Z = (ca.DM(v) for v in ([1, 0, 0], [0, 1, 0], [0, 0, 1]))


def rod(name: str, parent: str | None, joint: str, start: Any, end: Any, axis: Any = Y, mass: float = 1.0) -> Body:
    """A slender rod between two points, hinged at the first."""
    a, b = ca.DM(start), ca.DM(end)
    along = b - a
    inertia = mass / 12 * (ca.dot(along, along) * ca.DM.eye(3) - along @ along.T) + 1e-3 * ca.DM.eye(3)
    return Body(name, parent, joint, mass, (a + b) / 2, inertia, a, (axis,) if joint in ("rev", "pris") else ())


def four_bar(mass: float = 1.0) -> Mechanism:
    crank = rod("crank", None, "rev", [0, 0, 0], [0, 0, 1])
    coupler = rod("coupler", "crank", "rev", [0, 0, 1], [3, 0, 1.5])
    rocker = rod("rocker", None, "rev", [2.5, 0, 0], [3, 0, 1.5], mass=mass)
    tip = ca.DM([3, 0, 1.5])
    return Mechanism((crank, coupler, rocker), (Cut("inplane", "coupler", "rocker", tip, tip, (X, Z)),), ("crank",))


def slider_crank() -> Mechanism:
    crank = rod("crank", None, "rev", [0, 0, 0], [0.3, 0, 0.2])
    conrod = rod("conrod", "crank", "rev", [0.3, 0, 0.2], [1.2, 0, 0])
    piston = Body("piston", None, "pris", 2.0, (1.2, 0, 0), np.eye(3), (1.2, 0, 0), (X,))
    pin = ca.DM([1.2, 0, 0])
    return Mechanism((crank, conrod, piston), (Cut("inplane", "conrod", "piston", pin, pin, (X, Z)),), ("crank",))


def pendulum(n: int = 6) -> Mechanism:
    return Mechanism(
        tuple(rod(f"rod{i}", f"rod{i - 1}" if i else None, "rev", [0, 0, -i], [0, 0, -i - 1]) for i in range(n))
    )


def hexapod() -> Mechanism:
    """A free plate with six legs of a universal joint, a slider and a ball."""
    bodies = [Body("plate", None, "free", 20.0, (0.1, 0, 0.05), np.diag([2.0, 2.5, 4.0]))]
    for i in range(6):
        c, s = np.cos(i * np.pi / 3), np.sin(i * np.pi / 3)
        hip, knee = ca.DM([c, s, 0]), ca.DM([1.3 * c, 1.3 * s, -0.6])
        along = (knee - hip) / ca.norm_2(knee - hip)
        first = ca.DM([-s, c, 0])
        thigh = rod(f"thigh{i}", "plate", "univ", hip, knee, mass=2.0)
        second = ca.cross(along, first)
        bodies.append(Body(thigh.name, "plate", "univ", thigh.mass, thigh.com, thigh.inertia, hip, (first, second)))
        bodies.append(rod(f"shin{i}", f"thigh{i}", "pris", knee, knee + along, along))
        foot = knee + along
        bodies.append(Body(f"foot{i}", f"shin{i}", "ball", 0.5, foot, 0.01 * np.eye(3), foot))
    return Mechanism(tuple(bodies))


def hmmwv(detailed: bool = True) -> Mechanism:
    return mechanism(values(read("vehicles/hmmwv.json")), detailed=detailed)


STOP = ((0, 0), (0.1, 20), (0.3, 100))


def struts(w: str, chassis: str, progression: float) -> tuple[ForceElement, ForceElement]:
    """Spring with its stops, and damper, of a corner of the HMMWV."""
    data = read("vehicles/hmmwv.json")[axle(w)]
    points, spring, stops, damper = (data[k] for k in ("points_m", "spring", "stops", "damper"))
    pushing = ForceLaw(
        spring["rate_N_per_m"],
        spring["free_length_m"],
        progression,
        stops=tuple(stops["spring_length_m"]),
        stop_table=tuple(map(tuple, stops["penetration_m_force_N"])),
    )
    damping = ForceLaw(
        compression=damper["midstroke_compression_Ns_per_m"], rebound=damper["midstroke_rebound_Ns_per_m"]
    )
    arm = f"lower_arm_{w}"
    return (
        LineElement(chassis, arm, points["spring_upper"], points["spring_lower"], pushing),
        LineElement(chassis, arm, points["damper_upper"], points["damper_lower"], damping),
    )


def quarter_car() -> Mechanism:
    """The left rear corner of the HMMWV, with spring, damper and tire, under a chassis that slides up and down."""
    car = hmmwv(detailed=False)
    whole = car.by_name["chassis"]
    chassis = Body("chassis", None, "pris", 0.25 * whole.mass, whole.com, whole.inertia, (0, 0, 0), (Z,))
    bodies = [b for b in car.bodies if b.name.endswith("_rl")]
    cuts = [c for c in car.cuts if c.body_a.endswith("_rl")]
    centre = car.by_name["wheel_rl"].point
    tire = LineElement(GROUND, "wheel_rl", centre - 0.45 * Z, centre, ForceLaw(3e5, compression=200.0))
    forces = (*struts("rl", "chassis", 216.0), tire)
    return Mechanism((chassis, *bodies), tuple(cuts), ("lower_arm_rl",), forces)


def clamped_corner() -> Mechanism:
    """The left front corner of the HMMWV as on the suspension bench: chassis, steering and the wheel's turn held."""
    car = hmmwv(detailed=False)
    bodies = [replace(b, parent=None if b.parent == "chassis" else b.parent) for b in car.bodies if b.name[-2:] == "fl"]
    bodies[-1] = replace(bodies[-1], joint="fix", axes=())
    held = {"chassis": GROUND, "link": GROUND}
    cuts = [replace(c, body_b=held.get(c.body_b, c.body_b)) for c in car.cuts if c.body_a[-2:] == "fl"]
    return Mechanism(tuple(bodies), tuple(cuts), ("lower_arm_fl",), struts("fl", GROUND, 0.0))


def sprung(m: Mechanism, damping: float = 7.0) -> Mechanism:
    """A mechanism with an element along each hinge and slider, and lines from its first body, or the ground, to others.

    Without what it has of its own. Wheels get dampers and motors alone.
    """
    wheels, along = {*rotors(), *rotors(detailed=True)}, []
    for i, b in enumerate(m.bodies):
        if b.joint in ("rev", "pris"):
            law = ForceLaw(90.0 + i, 0.1, 2.0, 3.0, damping, 2 * damping, (-0.2, 0.1), STOP)
            along.append(JointElement(b.name, ForceLaw(0, 0, 0, 3.0, damping) if b.name in wheels else law))
    law = ForceLaw(400.0, None, 5.0, -20.0, damping, stops=(0.6, 1.2), stop_table=STOP)
    lines = [LineElement(m.base, b.name, (0.1, -0.2, 0.9), b.point, law) for b in m.bodies[1:6]]
    return replace(m, forces=(*along, *lines))


class Symbolic:
    """Independent coordinates and rates of a mechanism as symbols, and its configuration."""

    def __init__(self, e: Embedded) -> None:
        self.e = e
        self.q = {n: ca.SX.sym(n) for n in e.joints}
        self.u = ca.SX.sym("u", len(e.rates))
        self.configuration: Configuration = e.configuration(self.q, self.u)

    def function(self, *values: Any) -> ca.Function:
        return ca.Function("f", [ca.vertcat(*self.q.values()), self.u], list(values))

    def derivative(self, value: Any) -> Any:
        """d/dt at constant rates u."""
        along = ca.vertcat(*(self.u[self.e.rates.index((n, 0))] for n in self.q))
        return ca.jtimes(value, ca.vertcat(*self.q.values()), along)


def poses_of(k: Compound) -> Any:
    return ca.vertcat(*(ca.vertcat(ca.vec(ca.SX(p.pose.R)), ca.SX(p.pose.p)) for p in k.kinematics.values()))


@pytest.fixture(scope="session")
def slender() -> Callable[..., Body]:
    return rod


@pytest.fixture(scope="session")
def mechanisms() -> dict[str, Callable[..., Mechanism]]:
    return {
        "four-bar": four_bar,
        "slider-crank": slider_crank,
        "pendulum": pendulum,
        "hexapod": hexapod,
        "quarter car": quarter_car,
        "clamped corner": clamped_corner,
        "hmmwv": hmmwv,
    }


@pytest.fixture(scope="session")
def on_springs() -> Callable[..., Mechanism]:
    return sprung


@pytest.fixture(scope="session")
def symbolic() -> type[Symbolic]:
    return Symbolic


@pytest.fixture(scope="session")
def all_poses() -> Callable[[Compound], Any]:
    return poses_of
