"""What all chassis share: the quaternion of the rotation."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from drawbar.blocks.vehicle.bodies.simple_body import SimpleBody
from drawbar.blocks.vehicle.hmmwv.hmmwv_vehicle import HmmwvVehicle
from drawbar.blocks.vehicle.rover.warthog_body import WarthogBody

Q = ("q_w", "q_x", "q_y", "q_z")


@pytest.mark.parametrize("norm", [0.99, 1.0, 1.01])
def test_the_quaternion_returns_to_length_one(norm: float, stand: Callable[..., Any]) -> None:
    """d|q|^2/dt = 2 (1 - |q|^2) |q|^2 however it turns: rounding and truncation of long runs do not add up."""
    s = stand(SimpleBody)
    q = np.array([0.8, 0.4, -0.4, 0.2]) * norm
    values = dict(zip(Q, q, strict=True)) | {f"omega[{i}]": w for i, w in ((1, 0.3), (2, -0.2), (3, 0.5))}
    rates = s.rates(**values)
    found = 2.0 * q @ [rates[name] for name in Q]
    assert found == pytest.approx(2.0 * (1.0 - norm**2) * norm**2, abs=1e-12)


G = 9.80665
YAW = 0.7  # rad
TURNED = {"q_w": np.cos(YAW / 2), "q_x": 0.0, "q_y": 0.0, "q_z": np.sin(YAW / 2)}
POINT = np.array([2.0, 0.5, -0.4])  # m
OMEGA = np.array([0.3, -0.2, 0.9])  # rad/s
FLIES = {"z": 10.0, "v": [8.0, 1.0, -0.5], "omega": OMEGA} | TURNED
BLOCKS = [HmmwvVehicle, WarthogBody]


@pytest.mark.parametrize("block", BLOCKS)
def test_a_point_has_what_the_origin_has_and_what_turning_adds(bench: Any, block: Any) -> None:
    """a_P = a_O + alpha x r + omega x (omega x r); level but for its yaw, so chassis axes are the yawed axes."""
    twist = {"external_moment": [900.0, 700.0, -1500.0], "external_force": [500.0, 2000.0, 300.0]}
    origin, point = (bench(block, sensor=at) for at in (np.zeros(3), POINT))
    rates = origin.ode(**FLIES, **twist)
    a_0, a_p = (b.out(**FLIES, **twist)["a"] for b in (origin, point))
    assert a_0 == pytest.approx(rates["v"] + np.cross(OMEGA, FLIES["v"]), rel=1e-12)
    added = np.cross(rates["omega"], POINT) + np.cross(OMEGA, np.cross(OMEGA, POINT))
    assert a_p - a_0 == pytest.approx(added, rel=1e-9)
    assert np.linalg.norm(np.cross(rates["omega"], POINT)) > 0.3, "both parts are there"


@pytest.mark.parametrize("block", BLOCKS)
def test_it_is_the_second_derivative_of_where_the_point_is(bench: Any, block: Any) -> None:
    """Of its position in the world, by differences over steps of 0.1 ms, turned into the yawed axes."""
    b, h = bench(block, sensor=POINT), 1e-4
    x, u = b.pack("x", FLIES), b.pack("u", {"external_force": [500.0, 2000.0, 300.0]})
    step, places, rows = b.rk4(h), [], []
    for _ in range(3):
        out = b.unpack("y", np.asarray(b.model.out(0.0, x, np.zeros(0), u, b.p)).ravel())
        places.append(out["position"])
        rows.append(out)
        x = step(x, u)
    now, yaw = rows[1], rows[1]["yaw"]
    world = (places[2] - 2.0 * places[1] + places[0]) / h**2
    along, across = np.array([np.cos(yaw), np.sin(yaw), 0.0]), np.array([-np.sin(yaw), np.cos(yaw), 0.0])
    assert now["a"] == pytest.approx([along @ world, across @ world, world[2]], abs=1e-3)


@pytest.mark.parametrize("block", BLOCKS)
def test_a_fall_is_seen_and_weight_is_not(bench: Any, block: Any) -> None:
    """Of the centre of mass of a chassis that weighs far more than what hangs on it.

    Unlike an accelerometer: -g in free fall, and nothing at rest, as the tests of rest say.
    """
    com = np.ravel(next(port.start for port in block.model().p if port.name == "chassis_com") or np.zeros(3))
    b = bench(block, chassis_mass=1e9, sensor=com)
    assert b.out(z=10.0, **TURNED)["a"] == pytest.approx([0.0, 0.0, -G], abs=1e-3)
