"""Where a round wheel touches a plane."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from drawbar.blocks import cross, dot, norm_2


@dataclass(frozen=True)
class Contact:
    """The contact frame of a wheel (ISO 8855): x where the wheel heads, y to its left along the ground, z the normal.

    `deflection` is how far the undeformed wheel would reach below the plane, m, negative in the air; `radius` the
    loaded radius from the centre along the wheel plane, m; `upright` the cosine of the angle between wheel plane and
    normal.
    """

    x: Any
    y: Any
    z: Any
    point: Any
    deflection: Any
    radius: Any
    upright: Any


def contact(centre: Any, axis: Any, radius: Any, plane_point: Any, plane_normal: Any) -> Contact:
    """Contact of a wheel with its centre there and its axis pointing to its left; unit vectors, all in the same axes.

    The wheel must not lie flat: where its axis nears the normal, `upright` nears 0 and nothing else is defined.
    """
    across = cross(axis, plane_normal)
    upright = norm_2(across)
    x = across / upright
    down = cross(axis, x)  # in the plane of the wheel; the axis points left, so this is downwards
    height = dot(centre - plane_point, plane_normal)
    reach = height / upright
    return Contact(x, cross(plane_normal, x), plane_normal, centre + reach * down, radius - reach, reach, upright)
