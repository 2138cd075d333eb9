"""The hub on the side of the body: the motion that it sends and the wrench that it receives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from drawbar.blocks import cross, dot
from drawbar.blocks.vehicle.multibody.spatial import Matrix, couple, force_at, velocity


@dataclass(frozen=True)
class Upright:
    """An upright at the centre of its wheel, in chassis axes about the chassis origin.

    Columns of `axes` are forward, along the axle to the left, and up; `motion` is that of the upright as a rigid body.
    """

    centre: Matrix
    axes: Matrix
    motion: Matrix

    @property
    def axis(self) -> Matrix:
        """Return n, the direction of the axle to the left."""
        return self.axes[:, 1]


def hub_motion(hub: str, upright: Upright, origin: Matrix, R: Matrix) -> dict[str, Any]:
    """Return the members that the body sends, for a chassis at `origin` in the world with the rotation R."""
    centre = origin + R @ upright.centre
    return {
        f"{hub}.at": centre[:2],
        f"{hub}.position": centre,
        f"{hub}.rotation": R @ upright.axes,
        f"{hub}.velocity": R @ velocity(upright.motion, upright.centre),
        f"{hub}.omega": R @ upright.motion[:3],
    }


def hub_wrench(hub: Any, upright: Upright, R: Matrix, inertia: Any) -> Matrix:
    """Return the wrench on the upright: force and moment of the hub, and the gyroscopic moment of the wheel.

    The wheel turns with ``w = spin + n.omega`` and has the `inertia` J about its axle; its angular momentum along n is
    balanced in the wheel FMU. The body carries the mass of the wheel and its inertia across the axle, so only the
    gyroscopic moment ``-J w omega x n`` remains for the upright.
    """
    omega, n = upright.motion[:3], upright.axis
    gyroscopic = -inertia * (hub.spin + dot(n, omega)) * cross(omega, n)
    return force_at(upright.centre, R.T @ hub.force) + couple(R.T @ hub.moment + gyroscopic)


def hub_ground_plane(hub: Any, origin: Matrix, R: Matrix) -> tuple[Matrix, Matrix]:
    """Return point and normal of the ground under the wheel, in chassis axes."""
    return R.T @ (hub.point - origin), R.T @ hub.normal
