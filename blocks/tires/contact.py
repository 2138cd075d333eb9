"""The contact of a round wheel with a plane."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from drawbar.blocks import atan2, cross, dot, fmax, fmin, norm_2

FLAT_COSINE = 0.1  # cosine of the angle between wheel plane and normal below which a wheel counts as lying flat
HIGHEST = 4.0  # largest loaded radius over the radius; a wheel further above the ground has this one


@dataclass(frozen=True)
class Contact:
    """The contact frame of a wheel (ISO 8855): x along its heading, y to its left on the ground, z along the normal.

    `deflection`, in m, is how far the undeformed wheel would reach below the plane; it is negative in the air.
    `radius`, in m, is the loaded radius from the centre along the wheel plane. `camber_cosine` is the cosine of the
    angle between the wheel plane and the normal. Where a wheel lies flat, the directions x and y are undefined; from 84
    degrees of camber on their length falls to zero, and the contact point approaches the centre. Deflection and damping
    fall by the factor `fade`, which is 0 from 87 degrees on: of a vehicle on its side the body bears the load.
    """

    x: Any
    y: Any
    z: Any
    point: Any
    deflection: Any
    radius: Any
    camber_cosine: Any
    fade: Any

    def load(self, stiffness: Any, damping: Any, velocity: Any) -> Any:
        """Return the load of a spring and damper, in N, at a contact point with this velocity; it never pulls."""
        spring_and_damper = stiffness * self.deflection - self.fade * damping * dot(velocity, self.z)
        return fmax(0.0, spring_and_damper) * (self.deflection > 0.0)

    def camber(self, axis: Any) -> Any:
        """Return the camber angle of a wheel with this axis, in rad (ISO 8855): positive where its top leans right."""
        return atan2(dot(axis, self.z), self.camber_cosine)


def contact(centre: Any, axis: Any, radius: Any, plane_point: Any, plane_normal: Any) -> Contact:
    """Return the contact of a wheel with this centre and an axis that points to its left.

    All vectors are in the same axes; directions have unit length.
    """
    across = cross(axis, plane_normal)
    cosine = norm_2(across)
    camber_cosine = fmax(cosine, FLAT_COSINE)
    share = fmax(0.0, 2.0 * cosine / camber_cosine - 1.0)  # exactly 1 up to 84 degrees
    fade = share**2 * (3.0 - 2.0 * share)
    x = across / camber_cosine
    down = cross(axis, x)  # in the wheel plane; because the axis points left, this points downward
    height = dot(centre - plane_point, plane_normal)
    loaded_radius = fmin(height / camber_cosine, HIGHEST * radius)
    return Contact(
        x,
        cross(plane_normal, x),
        plane_normal,
        centre + loaded_radius * down,
        fade * (radius - loaded_radius),
        loaded_radius,
        camber_cosine,
        fade,
    )
