"""The follower: optimality, symmetry, and convergence of the closed loop with the planar vehicle."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.linalg import expm

from drawbar.blocks.autonomy.path_follower import DATA, PathFollower
from drawbar.blocks.autonomy.preview import POINTS
from drawbar.blocks.vehicle.bodies.single_track import SingleTrack

Offsets = Callable[[NDArray[np.float64], NDArray[np.float64]], NDArray[np.float64]]
small = st.floats(-0.05, 0.05)


RELAXATION = 2.0  # m


def steer_of(distance: Any, offset: Any, u: float, v: float = 0.0, r: float = 0.0) -> float:
    model = PathFollower.model()
    p = model.start()[: model.sizes()[0]]
    return float(model.out(0, [], np.zeros(3), np.concatenate([distance, offset, [u, v, r]]), p))


def ahead(u: float, time: float = 0.3) -> NDArray[np.float64]:
    return u * time * np.arange(1, POINTS + 1) / POINTS


def straight(x: NDArray[np.float64], d: NDArray[np.float64]) -> NDArray[np.float64]:
    """Offsets of the world's x axis."""
    return -(x[1] + d * math.sin(x[2])) / math.cos(x[2])


def circle(radius: float) -> Offsets:
    """Offsets of a circle to the left that touches the x axis at the origin."""

    def offsets(x: NDArray[np.float64], d: NDArray[np.float64]) -> NDArray[np.float64]:
        dx, dy = -x[0], radius - x[1]
        a, b = dx * math.cos(x[2]) + dy * math.sin(x[2]), -dx * math.sin(x[2]) + dy * math.cos(x[2])
        return b - np.sqrt(radius**2 - (d - a) ** 2)

    return offsets


def linear_vehicle(u: float) -> NDArray[np.float64]:
    """The matrix of y, yaw, v, yaw rate and a constant steer."""
    m, J, la, lb = (DATA[k] for k in ("mass", "yaw_inertia", "cg_to_front_axle", "cg_to_rear_axle"))
    cf, cr = DATA["cornering_stiffness"]["front"], DATA["cornering_stiffness"]["rear"]
    A = np.zeros((5, 5))
    A[0, 1:3], A[1, 3] = (u, 1.0), 1.0
    A[2, 2:] = -(cf + cr) / (m * u), (lb * cr - la * cf) / (m * u) - u, cf / m
    A[3, 2:] = (lb * cr - la * cf) / (J * u), -(la**2 * cf + lb**2 * cr) / (J * u), la * cf / J
    return A


def lagging_vehicle(u: float) -> NDArray[np.float64]:
    """The same with tires that lag: y, yaw, v, yaw rate, the slips that act in front and in the rear, and the steer."""
    m, J, la, lb = (DATA[k] for k in ("mass", "yaw_inertia", "cg_to_front_axle", "cg_to_rear_axle"))
    cf, cr = DATA["cornering_stiffness"]["front"], DATA["cornering_stiffness"]["rear"]
    A = np.zeros((7, 7))
    A[0, 1:3], A[1, 3] = (u, 1.0), 1.0
    A[2, 3:6] = -u, cf / m, cr / m
    A[3, 4:6] = la * cf / J, -lb * cr / J
    A[4, 2:] = np.array([-1 / u, -la / u, -1.0, 0.0, 1.0]) * u / RELAXATION
    A[5, 2:] = np.array([-1 / u, lb / u, 0.0, -1.0, 0.0]) * u / RELAXATION
    return A


def follow(bench: Any, start: list[float], offsets: Offsets, time: float, preview: float = 0.3) -> NDArray[np.float64]:
    """The states of the vehicle at each sample of the follower."""
    x, step, rows = np.array(start, float), bench(SingleTrack).rk4(2e-3), []
    for _ in range(round(time / 0.01)):
        d = ahead(x[3], preview)
        steer = steer_of(d, offsets(x, d), *x[3:])
        for _ in range(5):
            x = step(x, np.array([steer, 0.0]))
        rows.append(x)
    return np.array(rows)


@pytest.mark.parametrize(("u", "preview"), [(3.0, 0.3), (8.0, 0.3), (14.0, 0.3), (14.0, 0.7), (25.0, 0.7)])
def test_converges_to_a_straight_line(bench: Any, u: float, preview: float) -> None:
    states = follow(bench, [0, 1.0, 0.05, u, 0, 0], straight, 6.0, preview)
    assert np.abs(states[-100:, 1]).max() < 5e-3 and np.abs(states[-100:, 2]).max() < 5e-3
    assert states[:, 1].min() > -0.35


@pytest.mark.parametrize(
    ("u", "preview", "damping"),
    [(10.0, 0.3, 0.54), (14.0, 0.3, 0.38), (25.0, 0.3, 0.19), (10.0, 0.7, 0.63), (14.0, 0.7, 0.53), (25.0, 0.7, 0.35)],
)
def test_damping_with_the_linear_vehicle(u: float, preview: float, damping: float) -> None:
    """The figures of the docstring, from the poles of the loop sampled every 10 ms along a straight line."""
    d = ahead(u, preview)
    straight_offsets = [-np.ones(POINTS), -d, np.zeros(POINTS), np.zeros(POINTS)]  # for unit y, yaw, v, yaw rate
    gain = [1e3 * steer_of(d, 1e-3 * o, u, 1e-3 * (k == 2), 1e-3 * (k == 3)) for k, o in enumerate(straight_offsets)]
    step = expm(0.01 * linear_vehicle(u))
    poles = np.log(np.linalg.eigvals(step[:4, :4] + np.outer(step[:4, 4], gain)).astype(complex))
    assert (-poles.real / np.abs(poles)).min() == pytest.approx(damping, abs=0.01)


@pytest.mark.parametrize(
    ("preview", "known", "damping"),
    [(0.5, 0.0, 0.11), (0.5, RELAXATION, 0.16), (0.7, 0.0, 0.29), (0.7, RELAXATION, 0.44), (0.3, RELAXATION, -0.02)],
)
def test_damping_with_tires_that_lag(bench: Any, preview: float, known: float, damping: float) -> None:
    """The figures of the docstring: at 15 m/s, with a lag that the prediction knows or not."""
    u, follower = 15.0, bench(PathFollower, relaxation=known)
    d = ahead(u, preview)
    step = expm(0.01 * lagging_vehicle(u))
    loop = np.zeros((8, 8))  # the six states of the vehicle, and the slips as the follower knows them
    for k, unit in enumerate(1e-3 * np.eye(8)):
        y, yaw, v, r = unit[:4]
        now = {"u": u, "v": v, "yaw_rate": r, "front_slip": unit[6], "rear_slip": unit[7]}
        now |= {"preview.distance": d, "preview.offset": -y - d * yaw}
        loop[:6, k] = step[:6] @ np.append(unit[:6], follower.out(**now)["steer"])
        loop[6:, k] = [follower.update(**now)[name] for name in ("front_slip", "rear_slip")]
    poles = np.linalg.eigvals(1e3 * loop)
    poles = np.log(poles[np.abs(poles) > 1e-6].astype(complex))  # without a lag, what was slips no longer
    assert (-poles.real / np.abs(poles)).min() == pytest.approx(damping, abs=0.01)


@pytest.mark.parametrize("u", [2.0, 6.0, 14.0, 25.0])
def test_finds_the_steer_that_made_the_path_with_tires_that_lag(bench: Any, u: float) -> None:
    A = lagging_vehicle(u)
    start = np.array([0.0, 0.0, 0.1, -0.05, 0.02, -0.01, 0.03])
    d = ahead(u)
    y = np.array([(expm(A * t) @ start)[0] for t in d / u])
    now = {"preview.distance": d, "preview.offset": y, "u": u, "v": 0.1, "yaw_rate": -0.05}
    now |= {"front_slip": 0.02, "rear_slip": -0.01}
    assert bench(PathFollower, relaxation=RELAXATION).out(**now)["steer"] == pytest.approx(0.03, rel=0.02)
    assert abs(bench(PathFollower).out(**now)["steer"] - 0.03) > 1e-3, "without the lag it is another"


@pytest.mark.parametrize(("u", "radius"), [(5.0, 20.0), (12.0, 60.0), (20.0, 150.0)])
def test_settles_on_a_circle(bench: Any, u: float, radius: float) -> None:
    states = follow(bench, [0, 0, 0, u, 0, 0], circle(radius), 8.0)
    distance = np.hypot(states[-200:, 0], states[-200:, 1] - radius)
    assert distance == pytest.approx(radius, abs=0.06)
    assert np.ptp(distance) < 2e-3
    assert states[-1, 5] == pytest.approx(u / radius, rel=0.02)


@given(small, small, small, small)
def test_odd(near: float, far: float, v: float, r: float) -> None:
    d, offset = ahead(14.0), np.linspace(near, far, POINTS)
    assert steer_of(d, -offset, 14.0, -v, -r) == pytest.approx(-steer_of(d, offset, 14.0, v, r), abs=1e-15)


@given(small, small, small, st.floats(0.1, 2.0))
def test_linear_below_the_limit(far: float, v: float, r: float, scale: float) -> None:
    d, offset = ahead(14.0), np.linspace(0.0, far, POINTS)
    once = steer_of(d, offset, 14.0, v, r)
    assert steer_of(d, scale * offset, 14.0, scale * v, scale * r) == pytest.approx(scale * once, abs=1e-12)


@given(st.floats(-50.0, 50.0), st.floats(0.0, 40.0))
def test_held_within_the_limit(far: float, u: float) -> None:
    steer = steer_of(ahead(max(u, 1.0)), np.linspace(0.0, far, POINTS), u)
    assert abs(steer) <= math.radians(30.0)


@pytest.mark.parametrize("last", [-0.1, 0.0, 0.3])
def test_steer_changes_no_faster_than_its_rate(bench: Any, last: float) -> None:
    """A path far to the left, then as far to the right: 0.5 rad/s allow 5 mrad in a sample of 10 ms."""
    follower, d = bench(PathFollower, rate=0.5), ahead(14.0)
    for side in (1.0, -1.0):
        now = {"preview.distance": d, "preview.offset": side * d, "u": 14.0, "last": last}
        steer = follower.out(**now)["steer"]
        assert steer == pytest.approx(last + side * 5e-3, abs=1e-12)
        assert follower.update(**now)["last"] == steer
        assert bench(PathFollower).out(**now)["steer"] == pytest.approx(side * math.radians(30.0)), "by itself at once"


def test_no_steer_on_a_straight_path_ahead() -> None:
    assert steer_of(ahead(14.0), np.zeros(POINTS), 14.0) == 0.0


@pytest.mark.parametrize("u", [2.0, 6.0, 14.0, 25.0])
def test_finds_the_steer_that_made_the_path(u: float) -> None:
    """The exact path of the linear vehicle under a constant steer, from a matrix exponential, gives that steer back."""
    A = linear_vehicle(u)
    start = np.array([0.0, 0.0, 0.1, -0.05, 0.03])
    d = ahead(u)
    y = np.array([(expm(A * t) @ start)[0] for t in d / u])
    assert steer_of(d, y, u, start[2], start[3]) == pytest.approx(0.03, rel=0.02)


def test_least_square_error() -> None:
    """A path no constant steer can follow: the error is orthogonal to what steer can change."""
    d, offset = ahead(14.0), 0.02 * np.sin(np.arange(POINTS))
    best = steer_of(d, offset, 14.0, 0.02, 0.01)
    reach_times_error = []
    for extra in (-1e-3, 1e-3):
        # a path moved by what `extra` more steer reaches needs exactly that much more
        steer = steer_of(d, offset + extra * reach(), 14.0, 0.02, 0.01)
        reach_times_error.append(steer - best - extra)
    assert reach_times_error == pytest.approx([0.0, 0.0], abs=1e-12)


def reach() -> NDArray[np.float64]:
    """Metres to the left per radian, probed point by point: steer = g_k offset_k, where g = reach / sum(reach^2)."""
    d = ahead(14.0)
    g = np.array([steer_of(d, row, 14.0) for row in 1e-3 * np.eye(POINTS)]) * 1e3
    return g / np.sum(g**2)
