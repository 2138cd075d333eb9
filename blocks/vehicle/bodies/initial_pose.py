"""The pose in which static equilibrium is evaluated: near the ground, along its slope."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Any

from drawbar.blocks import cos, dot, fabs, fmax, fmin, if_else, logic_and, logic_or, norm_2, sin, sqrt, vertcat

ATTRACTION = 1e6  # N/m and N m, stiffness towards the ground, larger than any imbalance near it
FULL_STEP = 1e12  # N/m and N m, stiffness that makes the first Newton step a full one
TOLERANCE = 1e-9  # m, and components of a quaternion


def _smaller(a: Any, b: Any) -> Any:
    """Return the value that is nearer to zero."""
    return if_else(fabs(a) < fabs(b), a, b)


class InitialPose:
    """The pose in which static equilibrium is evaluated: that of the iteration, or one near the ground if it is far.

    Far from the ground the equations of equilibrium do not converge, because a wheel 100 m below the ground has a large
    moment. There the unknowns are attracted to a pose along the ground instead: at the `height` that the block declares
    for z, plus `height_offset` for wheels larger than those for which `height` holds.
    """

    def __init__(self, block: Any, wheels: Sequence[str], height: Any, height_offset: Any = 0.0) -> None:
        at, z = zip(*(self._ground_below(block, w) for w in wheels), strict=True)
        n_wheels = len(wheels)
        fl, fr, rl, rr = 0, 1, n_wheels - 2, n_wheels - 1  # wheels of the first and the last axle
        # the smaller slope of both sides, and of front and rear, because one wheel may be over a hole
        ahead = _smaller(*((z[f] - z[r]) / norm_2(at[f] - at[r]) for f, r in ((fl, rl), (fr, rr))))
        left = _smaller(*((z[i] - z[o]) / norm_2(at[i] - at[o]) for i, o in ((fl, fr), (rl, rr))))
        forward = vertcat(cos(block.heading), sin(block.heading))
        slope = vertcat(ahead * forward[0] - left * forward[1], ahead * forward[1] + left * forward[0])
        n = vertcat(-slope[0], -slope[1], 1.0) / sqrt(1.0 + dot(slope, slope))
        levels = [z[i] - dot(slope, at[i]) for i in range(n_wheels)]
        # the mean without the highest and the lowest
        level = (sum(levels) - reduce(fmax, levels) - reduce(fmin, levels)) / (n_wheels - 2)
        target = (level + height + height_offset, *tilted(n, block.heading))
        self._deviation = [a - b for a, b in zip((block.z, block.q_x, block.q_y), target, strict=True)]
        self._far = (
            fmax(fabs(self._deviation[0]) / 0.5, fmax(fabs(self._deviation[1]), fabs(self._deviation[2])) / 0.1) > 1.0
        )
        # the declared start values are for level ground at z = 0; elsewhere the first step is a full one to the ground
        self._first = fabs(block.z - height) + fabs(block.q_x) + fabs(block.q_y) < TOLERANCE
        self._first = logic_and(self._first, sum(fabs(component) for component in self._deviation) > TOLERANCE)
        self._far = logic_or(self._far, self._first)
        pairs = zip(target, (block.z, block.q_x, block.q_y), strict=True)
        self.pose = tuple(if_else(self._far, a, b) for a, b in pairs)

    @staticmethod
    def _ground_below(block: Any, wheel: str) -> tuple[Any, Any]:
        """Return the ground query point of a wheel from the chassis origin, and the height of the ground there."""
        g, at = block.wheel_port(wheel), block.ground_query_point(wheel)
        drop = dot(g.normal[:2], at - g.point[:2]) / g.normal[2]
        return at - vertcat(block.x, block.y), g.point[2] - drop

    def residual(self, unknown: int, balance: Any) -> Any:
        """Return the residual of a force or moment near the ground, and the attraction to the ground far from it."""
        stiffness = if_else(self._first, FULL_STEP, ATTRACTION)
        return if_else(self._far, stiffness * self._deviation[unknown], balance)


def tilted(normal: Any, heading: Any) -> tuple[Any, Any]:
    """Return q_x and q_y of the tilt from the vertical to the normal of a slope (not a wall), times the heading."""
    c, s = cos(0.5 * heading), sin(0.5 * heading)
    across, along = -normal[1] / (1.0 + normal[2]), normal[0] / (1.0 + normal[2])
    return across * c + along * s, along * c - across * s
