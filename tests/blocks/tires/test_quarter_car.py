"""A linear quarter car rides over a random road as the theory of linear systems says."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.signal import lsim

from drawbar.blocks import Continuous, Output, Parameter, State, vertcat
from drawbar.blocks.terrain.ground.elevation import Elevation
from drawbar.blocks.terrain.ground.ground import Ground
from drawbar.blocks.terrain.maps.rough import CLASSES, iso_8608
from drawbar.diagrams.model.diagram import Diagram
from drawbar.orchestrator.simulate import simulate

pytestmark = pytest.mark.compiler

ROAD = iso_8608("C", 200.0, 4.0, cell=(0.1, 0.5), seed=11)
BODY, WHEEL, SPRING, DAMPER, TIRE, SPEED = 600.0, 60.0, 40e3, 3e3, 300e3, 18.0


class Quarter(Continuous, step=1e-3):
    """Body and wheel over each other at a constant speed; the wheel follows the plane that it is given."""

    ground = Ground.sink("ground under the wheel")
    z = State(0.0, "m", "height of the body", output=True)
    w = State(0.0, "m", "height of the wheel", output=True)
    v_z = State(0.0, "m/s", "its rate")
    v_w = State(0.0, "m/s", "its rate")
    y = Parameter(0.25, "m", "track")
    a = Output("m/s2", "acceleration of the body")

    def height(self) -> Any:
        n, p = self.ground.normal, self.ground.point
        return p[2] - (n[0] * (SPEED * self.time - p[0]) + n[1] * (self.y - p[1])) / n[2]

    def derivatives(self) -> dict[str, Any]:
        strut = SPRING * (self.w - self.z) + DAMPER * (self.v_w - self.v_z)
        pushed = TIRE * (self.height() - self.w)
        return {"z": self.v_z, "w": self.v_w, "v_z": strut / BODY, "v_w": (pushed - strut) / WHEEL}

    def outputs(self) -> dict[str, Any]:
        return {"a": self.derivatives()["v_z"], "ground.at": vertcat(SPEED * self.time, self.y)}


class Road(Elevation, terrain=lambda: ROAD):
    pass


A = np.array(
    [
        [0.0, 0.0, 1.0, 0.0],
        [0.0, 0.0, 0.0, 1.0],
        [-SPRING / BODY, SPRING / BODY, -DAMPER / BODY, DAMPER / BODY],
        [SPRING / WHEEL, -(SPRING + TIRE) / WHEEL, DAMPER / WHEEL, -DAMPER / WHEEL],
    ]
)
B = np.array([[0.0], [0.0], [0.0], [TIRE / WHEEL]])


@pytest.fixture(scope="module")
def ridden(tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, Any]:
    diagram = Diagram("quarter", step=1e-3, stop=11.0)
    car, road = diagram.add("car", Quarter), diagram.add("road", Road)
    diagram.connect(road.ground_fl, car.ground)
    run = simulate(diagram, out=Path(tmp_path_factory.mktemp("runs")) / "quarter")
    return run.time("car.a"), run["car.a"]


def test_it_is_the_ride_of_the_linear_system_over_the_same_road(ridden: tuple[Any, Any]) -> None:
    """Of scipy, on the heights of the map between its points."""
    t, a = ridden
    fine = np.linspace(0.0, t[-1], 10 * (len(t) - 1) + 1)
    track = 0.5 * (ROAD.heights[4] + ROAD.heights[5])
    height = np.interp(SPEED * fine, ROAD.x, track)
    _, wanted, _ = lsim((A, B, A[2:3], [[0.0]]), height, fine)
    error = a - wanted[::10]
    assert np.sqrt(np.mean(error**2)) < 0.02 * np.sqrt(np.mean(wanted**2))


def test_its_effective_acceleration_is_that_of_the_class(ridden: tuple[Any, Any]) -> None:
    """``a_rms^2 = integral of |H(2 pi v n)|^2 G_d(n) dn``; one ride over 200 m scatters about it."""
    t, a = ridden
    n = np.linspace(0.005, 5.0, 20_000)
    H = np.array([(A[2:3] @ np.linalg.solve(2j * np.pi * SPEED * k * np.eye(4) - A, B)).item() for k in n])
    expected = np.sqrt(np.trapezoid(np.abs(H) ** 2 * CLASSES["C"] * (n / 0.1) ** -2, n))
    assert np.sqrt(np.mean(a[t > 1.0] ** 2)) == pytest.approx(expected, rel=0.15)
