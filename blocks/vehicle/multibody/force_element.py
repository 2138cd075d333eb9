"""The description of force elements: springs, dampers and stops between two points, or along a joint.

Each element has one coordinate s: the distance of the points (m), the angle of a `rev` joint (rad) or the displacement
of a `pris` joint (m). Its force, positive where it acts to increase s, is::

    F = F0 + k x (1 + p x^2) - c s' + stops        x = s0 - s

The damping c is that of compression where s decreases and that of rebound where it increases. A stop is compressed by
the amount that s is below the lower or above the upper limit; its force is linear between the points of a table and
beyond it. All terms except the damping derive from a potential.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import casadi as ca

from drawbar.blocks.core.errors import DefinitionError, did_you_mean
from drawbar.blocks.vehicle.multibody.spatial import constant, matrix

ALONG = {"rev": "turn", "pris": "slide"}  # joints with one coordinate, and the name of their motion


@dataclass(frozen=True, eq=False)
class ForceLaw:
    """The force along a coordinate, in N and m, or N m and rad. Numbers may be CasADi symbols.

    `free` is s0, None if the spring is unloaded in the design position; `rate` is k, `progression` p, and `preload` F0,
    which alone is a motor or actuator. `compression` and `rebound` are the damping coefficients, equal if `rebound` is
    None. `stops` are the two values of s between which no stop is touched, and `stop_table` their (depth, force)
    points, starting at (0, 0).
    """

    rate: Any = 0.0
    free: Any = None
    progression: Any = 0.0
    preload: Any = 0.0
    compression: Any = 0.0
    rebound: Any = None
    stops: tuple[Any, Any] | None = None
    stop_table: tuple[tuple[Any, Any], ...] = ()

    def __post_init__(self) -> None:
        where = "the law of a force"
        for name in ("rate", "free", "progression", "preload", "compression", "rebound"):
            value = getattr(self, name)
            if value is not None:
                object.__setattr__(self, name, matrix(value, (1, 1), f"{where}: its {name}"))
        if self.rebound is None:
            object.__setattr__(self, "rebound", self.compression)
        if self.stops is not None:
            object.__setattr__(self, "stops", _pair(self.stops, f"{where}: its stops"))
        table = tuple(_pair(row, f"{where}: a row of its stop_table") for row in self.stop_table)
        object.__setattr__(self, "stop_table", table)

    @property
    def of_rate_alone(self) -> bool:
        """Return whether the force does not depend on the coordinate, as for a damper or motor."""
        return self.stops is None and bool(ca.SX(self.rate).is_zero())


@dataclass(frozen=True, eq=False)
class LineElement:
    """A force along the line from `point_a` of one body to `point_b` of another body or of the ground, in m."""

    body_a: str
    body_b: str
    point_a: Any
    point_b: Any
    law: ForceLaw

    def __post_init__(self) -> None:
        for name in ("point_a", "point_b"):
            object.__setattr__(self, name, matrix(getattr(self, name), (3, 1), f"{self.where}: its {name}"))

    @property
    def where(self) -> str:
        """Return the name of the element in messages."""
        return f"the force between '{self.body_a}' and '{self.body_b}'"

    @property
    def length(self) -> Any:
        """Return the length in the design position, m."""
        return ca.norm_2(self.point_b - self.point_a)


@dataclass(frozen=True, eq=False)
class JointElement:
    """A moment about, or a force along, the joint axis between the body `joint` and its parent.

    The angle of a hinge lies between -pi and pi.
    """

    joint: str
    law: ForceLaw

    @property
    def where(self) -> str:
        """Return the name of the element in messages."""
        return f"the force along the joint of '{self.joint}'"


ForceElement = LineElement | JointElement


def check_force(element: ForceElement, joints: Mapping[str, str]) -> None:
    """Raise `DefinitionError` if an element is wrong; its end bodies are checked elsewhere. `joints`: kinds by body."""
    if isinstance(element, LineElement):
        _check_line(element)
    else:
        _check_joint(element, joints)
    _check_law(element.law)


def _check_line(element: LineElement) -> None:
    length = constant(element.length)
    if length is not None and length[0, 0] == 0.0:
        raise DefinitionError("its points coincide in the design position, so it has no direction; move one of them")
    for name, value in (("free length", element.law.free), *(("stop", s) for s in element.law.stops or ())):
        found = None if value is None else constant(value)
        if found is not None and found[0, 0] < 0.0:
            raise DefinitionError(f"its {name} is {found[0, 0]:g} m; a distance must not be negative")


def _check_joint(element: JointElement, joints: Mapping[str, str]) -> None:
    if element.joint not in joints:
        raise DefinitionError(f"there is no body '{element.joint}'" + did_you_mean(element.joint, joints))
    kind = joints[element.joint]
    if kind not in ALONG:
        raise DefinitionError(f"that is a {kind} joint; a force has one coordinate, so the joint is rev or pris")
    if kind == "rev":
        for name, value in (("free angle", element.law.free), *(("stop", s) for s in element.law.stops or ())):
            found = None if value is None else constant(value)
            if found is not None and not abs(found[0, 0]) <= math.pi:
                raise DefinitionError(f"its {name} is {found[0, 0]:g} rad; the angle of a hinge is between -pi and pi")


def _check_law(law: ForceLaw) -> None:
    for name in ("rate", "compression", "rebound"):
        found = constant(getattr(law, name))
        if found is not None and found[0, 0] < 0.0:
            raise DefinitionError(f"its {name} is {found[0, 0]:g}; it must not be negative")
    if (law.stops is None) != (law.stop_table == ()):
        raise DefinitionError("stops and stop_table go together: where the stops are, and their forces over depth")
    if law.stops is None:
        return
    low, high = (constant(s) for s in law.stops)
    if low is not None and high is not None and not low < high:
        raise DefinitionError(f"its stops are {low[0, 0]:g} and {high[0, 0]:g}; the lower one comes first")
    rows = [[constant(v) for v in row] for row in law.stop_table]
    if any(v is not None and v[0, 0] != 0.0 for v in rows[0]) or len(rows) < 2:
        raise DefinitionError("its stop_table needs two points or more, the first of them depth 0 and force 0")
    for before, after in pairwise(rows):
        (d0, f0), (d1, f1) = before, after
        if d0 is not None and d1 is not None and not d0 < d1:
            raise DefinitionError(f"its stop_table goes from depth {d0[0, 0]:g} to {d1[0, 0]:g}; depths must increase")
        if f0 is not None and f1 is not None and not f0 <= f1:
            raise DefinitionError(
                f"its stop_table goes from force {f0[0, 0]:g} to {f1[0, 0]:g}; forces must not decrease"
            )


def _pair(values: Any, what: str) -> tuple[Any, Any]:
    try:
        first, second = values
    except (TypeError, ValueError):
        raise DefinitionError(f"{what} is {values!r}, which is not a pair of numbers") from None
    return matrix(first, (1, 1), what), matrix(second, (1, 1), what)
