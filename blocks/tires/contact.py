"""The contact of a round wheel with a plane."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from drawbar.blocks import atan2, cross, dot, norm_2


@dataclass(frozen=True)
class Contact:
    """The contact frame of a wheel (ISO 8855): x along its heading, y to its left on the ground, z along the normal.

    `deflection`, in m, is how far the undeformed wheel would reach below the plane; it is negative in the air.
    `radius`, in m, is the loaded radius from the centre along the wheel plane. `camber_cosine` is the cosine of the
    angle between the wheel plane and the normal.
    """

    x: Any
    y: Any
    z: Any
    point: Any
    deflection: Any
    radius: Any
    camber_cosine: Any

    def camber(self, axis: Any) -> Any:
        """Return the camber angle of a wheel with this axis, in rad (ISO 8855): positive where its top leans right."""
        return atan2(dot(axis, self.z), self.camber_cosine)


def contact(centre: Any, axis: Any, radius: Any, plane_point: Any, plane_normal: Any) -> Contact:
    """Return the contact of a wheel with this centre and an axis that points to its left.

    All vectors are in the same axes; directions have unit length. The wheel must not lie flat: as its axis approaches
    the normal, `camber_cosine` approaches 0 and the contact is undefined.
    """
    across = cross(axis, plane_normal)
    camber_cosine = norm_2(across)
    x = across / camber_cosine
    down = cross(axis, x)  # in the wheel plane; because the axis points left, this points downward
    height = dot(centre - plane_point, plane_normal)
    loaded_radius = height / camber_cosine
    return Contact(
        x,
        cross(plane_normal, x),
        plane_normal,
        centre + loaded_radius * down,
        radius - loaded_radius,
        loaded_radius,
        camber_cosine,
    )
