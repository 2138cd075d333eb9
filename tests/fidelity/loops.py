"""A wishbone corner placed without any of Drawbar's equations: rigid bodies at their joints by least squares."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.optimize import least_squares
from scipy.spatial.transform import Rotation


class Loop:
    """The left corner of an axle, from its hardpoints in the design position."""

    def __init__(self, points: dict[str, Any]) -> None:
        self.p = {name: np.asarray(point, float) for name, point in points.items()}
        self.rod = np.linalg.norm(self.p["tierod_outer"] - self.p["tierod_inner"])
        self.last = np.zeros(4)

    def turned(self, arm: str, angle: float, point: str | None = None) -> np.ndarray:
        """A point of an arm, or its ball joint, that has turned about its pivots, up for a positive angle."""
        axis = self.p[f"{arm}_pivot_front"] - self.p[f"{arm}_pivot_rear"]
        pivot = self.p[f"{arm}_pivot_rear"]
        turn = Rotation.from_rotvec(angle * axis / np.linalg.norm(axis))
        return pivot + turn.apply(self.p[point or f"{arm}_ball"] - pivot)

    def at(self, angle: float) -> dict[str, float]:
        """Travel in m, camber and toe in degrees at an angle of the lower arm."""
        lower = self.turned("lca", angle)

        def placed(x: np.ndarray, point: str) -> np.ndarray:
            found: np.ndarray = lower + Rotation.from_rotvec(x[1:]).apply(self.p[point] - self.p["lca_ball"])
            return found

        def open_by(x: np.ndarray) -> np.ndarray:
            rod = np.linalg.norm(placed(x, "tierod_outer") - self.p["tierod_inner"])
            return np.append(placed(x, "uca_ball") - self.turned("uca", x[0]), rod - self.rod)

        solution = least_squares(open_by, self.last, xtol=1e-15, ftol=1e-15, gtol=1e-15)
        if np.abs(solution.fun).max() > 1e-10:
            raise SystemExit(f"the loop does not close at {angle:g} rad")
        axis = Rotation.from_rotvec(solution.x[1:]).apply([0.0, 1.0, 0.0])
        return {
            "travel": float((placed(solution.x, "wheel_center") - self.p["wheel_center"])[2]),
            "camber": float(-np.degrees(np.arcsin(axis[2]))),
            "toe": float(np.degrees(np.arctan2(axis[0], axis[1]))),
            "spring": float(np.linalg.norm(self.turned("lca", angle, "spring_lower") - self.p["spring_upper"])),
        }

    def wheel_rate(self, rate: float, free: float, travel: float) -> float:
        """The second derivative of the energy of a spring by travel, N/m, at a travel in m."""
        points = [self.at(angle) for angle in np.linspace(-0.3, 0.3, 61)]
        z = np.array([p["travel"] for p in points]) - travel
        energy = np.array([0.5 * rate * (free - p["spring"]) ** 2 for p in points])
        near = np.abs(z) < 0.03
        return float(2.0 * np.polyfit(z[near], energy[near], 5)[-3])
