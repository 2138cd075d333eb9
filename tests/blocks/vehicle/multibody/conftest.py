"""Mechanisms that the tests of this folder share."""

from collections.abc import Callable
from typing import Any

import casadi as ca
import numpy as np
import pytest

from drawbar.blocks.data import read
from drawbar.blocks.vehicle.multibody.mechanism import Body, Cut, Mechanism
from drawbar.blocks.vehicle.wishbone_car import mechanism, values

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


def quarter_car() -> Mechanism:
    """A corner of the HMMWV on a chassis that slides along the vertical."""
    car = hmmwv(detailed=False)
    whole = car.by_name["chassis"]
    chassis = Body("chassis", None, "pris", 0.25 * whole.mass, whole.com, whole.inertia, (0, 0, 0), (Z,))
    bodies = [b for b in car.bodies if b.name.endswith("_rl")]
    cuts = [c for c in car.cuts if c.body_a.endswith("_rl")]
    return Mechanism((chassis, *bodies), tuple(cuts), ("lower_arm_rl",))


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
        "hmmwv": hmmwv,
    }
