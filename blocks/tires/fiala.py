"""The Fiala tire: brush model of a tire on a hard road, with relaxation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from drawbar.blocks import fabs, fmax, fmin, if_else, sign
from drawbar.blocks.tires.combined_slip import combined_forces, length
from drawbar.blocks.tires.relaxation import Relaxation
from drawbar.blocks.tires.tire_law import TireLaw

# of `approximate_slips`; after Newton's method forces are right to 1e-6 up to 0.6 of the grip, and to 1e-3 up to 0.97
ITERATIONS = 4
LIGHT_LOAD = 10.0  # N, load below which the stiffnesses fade out with the load


@dataclass(frozen=True)
class Fiala(TireLaw):
    """The law of a Fiala tire; the coefficients may be symbols.

    Forces of the ground on the tire in the contact frame (ISO 8855), with the longitudinal slip kappa (driving
    positive), the slip t = tan alpha = -v_y/v_x (positive where it moves to its right), and the load F_z. Alone, a slip
    gives::

        S = min(1, sqrt(kappa^2 + t^2))       mu = mu_road (1 - (1 - sliding_ratio) S)
        F_x = C_S kappa                                      for |kappa| < mu F_z/(2 C_S)
            = sgn(kappa) (mu F_z - (mu F_z)^2/(4 |kappa| C_S))    beyond
        H = 1 - C_a |t|/(3 mu F_z) >= 0       F_y = mu F_z (1 - H^3) sgn t       M_z = -mu F_z w (1 - H) H^3 sgn t

    with w the width of the tire and mu_road the friction of the ground: the coefficient at zero slip, of which the
    share `sliding_ratio` remains where the tire slides. Slips in both directions use up the grip together,
    ``H = 1 - sqrt((C_S kappa)^2 + (C_a t)^2)/(3 mu F_z)``, and as the contact slides, the force turns against the
    sliding (`combined_forces`): beyond H = 0, that of a locked wheel at 5 degrees has the direction of its motion.
    The forces are at most mu F_z together.

    With `published`, the law is that of the source: both forces as above, coupled by mu alone. Together they may exceed
    mu F_z, and a locked wheel keeps its lateral force.

    Source: 2015 HMMWV paper, equations 10 to 21; the signs of equations 18 to 20 are changed so that a driven wheel
    pushes forward and the lateral force opposes the lateral slip.

    The slips relax (`Relaxation`). S is at least the share of sliding in the present motion, so a locked wheel has the
    sliding friction at every speed, until it sticks. A wheel that stands has no M_z (`Relaxation.rolling`).
    """

    stiffness_x: Any  # C_S, N
    stiffness_y: Any  # C_a, N/rad
    sliding_ratio: Any
    width: Any  # m
    rolling: Any  # C_r
    published: Any = False

    @classmethod
    def of(cls, block: Any, tire: dict[str, Any], damping_time: Any) -> Fiala:
        """Return the law of a block that declares C_S, C_a, sliding_ratio, ..., with the width of its tire."""
        return cls(
            stiffness_x=block.C_S,
            stiffness_y=block.C_a,
            sliding_ratio=block.sliding_ratio,
            width=tire["width_m"],
            relaxation=Relaxation(block.relaxation[0], block.relaxation[1], damping_time, block.slow_speed),
            rolling=block.rolling_resistance,
            published=block.published_law,
        )

    def sliding_slips(self, kappa: Any, t: Any, load: Any, mu_road: Any, sliding: Any = 0.0) -> tuple[Any, Any]:
        """Return the longitudinal and the lateral slip beyond which the tire slides."""
        grip = 3.0 * self.friction(kappa, t, mu_road, sliding) * load
        return grip / self.stiffness_x, grip / self.stiffness_y

    def friction(self, kappa: Any, t: Any, mu_road: Any, sliding: Any = 0.0) -> Any:
        """Return the friction coefficient mu at a slip; `sliding` is the share of sliding in the present motion."""
        S = fmin(1.0, fmax(length(kappa, t), sliding))
        return mu_road * (1.0 - (1.0 - self.sliding_ratio) * S)

    def forces(self, load: Any, kappa: Any, t: Any, mu_road: Any, sliding: Any = 0.0) -> tuple[Any, Any, Any]:
        """Return F_x and F_y, in N, and M_z, in N m, at a load of zero or more; without load they are zero."""
        limit = fmax(self.friction(kappa, t, mu_road, sliding) * load, 1e-9)
        along, across = self._longitudinal(kappa, limit), self._lateral(t, limit)
        share = fmin(1.0, limit / length(along, across))
        utilization = length(self.stiffness_x * kappa, self.stiffness_y * t) / (3.0 * limit)
        F_x, F_y = combined_forces(
            (share * along, share * across),
            (kappa, t),
            (lambda slip: self._longitudinal(slip, limit), lambda slip: self._lateral(slip, limit)),
            utilization,
        )
        h = fmin(1.0, if_else(self.published, fabs(self.stiffness_y * t) / (3.0 * limit), utilization))
        M_z = -self.stiffness_y * t * self.width / 3.0 * (1.0 - h) ** 3
        load_share = fmin(1.0, load / LIGHT_LOAD)
        return (
            load_share * if_else(self.published, along, F_x),
            load_share * if_else(self.published, across, F_y),
            load_share * M_z,
        )

    def _longitudinal(self, kappa: Any, limit: Any) -> Any:
        """Return F_x of longitudinal slip alone, at the friction limit mu F_z."""
        magnitude = fabs(kappa)
        sliding = sign(kappa) * (limit - limit**2 / (4.0 * fmax(magnitude, 1e-12) * self.stiffness_x))
        return if_else(magnitude < limit / (2.0 * self.stiffness_x), self.stiffness_x * kappa, sliding)

    def _lateral(self, t: Any, limit: Any) -> Any:
        """Return F_y of lateral slip alone, at the friction limit mu F_z."""
        # with h = 1 - H and |t| limited to the end of H, 1 - H^3 = h (3 - 3 h + h^2): the same law without sgn t
        sliding_slip = 3.0 * limit / self.stiffness_y
        bounded = fmax(-sliding_slip, fmin(sliding_slip, t))
        h = fabs(bounded) / sliding_slip
        return self.stiffness_y * bounded * (1.0 - h + h**2 / 3.0)

    def grip(self, kappa: Any, t: Any, load: Any, mu_road: Any, sliding: Any = 0.0) -> Any:
        """Return mu F_z, in N."""
        return self.friction(kappa, t, mu_road, sliding) * load

    def approximate_slips(self, load: Any, F_x: Any, F_y: Any, mu_road: Any, sliding: Any) -> tuple[Any, Any]:
        """Return the slips of the two forces alone."""
        kappa, t = 0.0, 0.0
        for _ in range(ITERATIONS):
            limit = fmax(self.grip(kappa, t, load, mu_road, sliding), 1e-9)
            share = self.admissible_share(F_x, F_y, limit)
            along, across = share * F_x, share * F_y
            magnitude = fabs(along)
            beyond = limit**2 / (4.0 * self.stiffness_x * (limit - magnitude))
            kappa = if_else(magnitude < limit / 2.0, along / self.stiffness_x, sign(along) * beyond)
            h = 1.0 - (1.0 - fabs(across) / limit) ** (1.0 / 3.0)
            t = sign(across) * h * 3.0 * limit / self.stiffness_y
        return kappa, t

    def coefficients(self) -> list[Any]:
        """Return the coefficients on which the forces depend."""
        return [self.stiffness_x, self.stiffness_y, self.sliding_ratio, self.published]

    def with_coefficients(self, values: Sequence[Any]) -> Fiala:
        """Return the law with other coefficients."""
        names = ("stiffness_x", "stiffness_y", "sliding_ratio", "published")
        return replace(self, **dict(zip(names, values, strict=True)))

    def resistance(self, load: Any, radius: Any, F_x: Any = 0.0) -> Any:
        """Return the rolling resistance moment C_r F_z r, in N m."""
        return self.rolling * load * fmax(0.0, radius)
