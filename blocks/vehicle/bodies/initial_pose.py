"""The pose in which a solver looks for the start of a body: near the ground, along its slope."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Any

from drawbar.blocks import cos, dot, fabs, fmax, fmin, if_else, logic_and, logic_or, norm_2, sin, sqrt, vertcat

PULL = 1e6  # N/m and N m, more than any imbalance near the ground
LEADING = 1e12  # N/m and N m, for a step that is taken whole
NOTHING = 1e-9  # m, and parts of a turn


def _smaller(a: Any, b: Any) -> Any:
    """The one that is nearer to zero."""
    return if_else(fabs(a) < fabs(b), a, b)


class InitialPose:
    """The pose in which a solver looks for the equilibrium: where it is, or near the ground where it is far from that.

    Far off the equations of equilibrium lead nowhere: a wheel 100 m in the ground turns the car by its lever. So there
    the unknowns are drawn to a pose that stands along the ground: at the `height` that the block declares for z, and by
    `lift` more where its wheels are larger than those that this is meant for.
    """

    def __init__(self, block: Any, wheels: Sequence[str], height: Any, height_offset: Any = 0.0) -> None:
        at, z = zip(*(self._foot(block, w) for w in wheels), strict=True)
        n_wheels = len(wheels)
        fl, fr, rl, rr = 0, 1, n_wheels - 2, n_wheels - 1  # of the first axle and the last
        # of the slopes on both sides, and of those in front and behind, the smaller: one wheel may hang over a hole
        ahead = _smaller(*((z[f] - z[r]) / norm_2(at[f] - at[r]) for f, r in ((fl, rl), (fr, rr))))
        left = _smaller(*((z[i] - z[o]) / norm_2(at[i] - at[o]) for i, o in ((fl, fr), (rl, rr))))
        forward = vertcat(cos(block.heading), sin(block.heading))
        slope = vertcat(ahead * forward[0] - left * forward[1], ahead * forward[1] + left * forward[0])
        n = vertcat(-slope[0], -slope[1], 1.0) / sqrt(1.0 + dot(slope, slope))
        levels = [z[i] - dot(slope, at[i]) for i in range(n_wheels)]
        # of those in the middle
        level = (sum(levels) - reduce(fmax, levels) - reduce(fmin, levels)) / (n_wheels - 2)
        near = (level + height + height_offset, *tilted(n, block.heading))
        self._off = [a - b for a, b in zip((block.z, block.q_x, block.q_y), near, strict=True)]
        self._far = fmax(fabs(self._off[0]) / 0.5, fmax(fabs(self._off[1]), fabs(self._off[2])) / 0.1) > 1.0
        # the declared start values stand on level ground at z = 0; elsewhere the first step leads to the ground, whole
        self._first = fabs(block.z - height) + fabs(block.q_x) + fabs(block.q_y) < NOTHING
        self._first = logic_and(self._first, sum(fabs(off) for off in self._off) > NOTHING)
        self._far = logic_or(self._far, self._first)
        there = zip(near, (block.z, block.q_x, block.q_y), strict=True)
        self.pose = tuple(if_else(self._far, a, b) for a, b in there)

    @staticmethod
    def _foot(block: Any, wheel: str) -> tuple[Any, Any]:
        """Where a wheel asks for its ground, from the chassis origin, and the height of the ground there."""
        g, at = block.wheel_port(wheel), block.ground_query_point(wheel)
        below = dot(g.normal[:2], at - g.point[:2]) / g.normal[2]
        return at - vertcat(block.x, block.y), g.point[2] - below

    def residual(self, unknown: int, balance: Any) -> Any:
        """The balance of a force or moment near the ground, far off a pull towards it."""
        pull = if_else(self._first, LEADING, PULL)
        return if_else(self._far, pull * self._off[unknown], balance)


def tilted(normal: Any, heading: Any) -> tuple[Any, Any]:
    """q_x and q_y of the turn from the vertical to the normal, after that by the heading; of a slope, not a wall."""
    c, s = cos(0.5 * heading), sin(0.5 * heading)
    across, along = -normal[1] / (1.0 + normal[2]), normal[0] / (1.0 + normal[2])
    return across * c + along * s, along * c - across * s
