"""The curves of the Magic Formula: the force of one slip alone, and both curves of a tire at a load."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from drawbar.blocks import atan, fabs, fmax, fmin, if_else, sign, sin
from drawbar.blocks.tires.combined_slip import length

STEEPENING = (0.06, 0.045)  # growth of the steepest slope over K with -E; the second with 1 - C
TINY_SLIP = 1e-12


@dataclass(frozen=True)
class Curve:
    """A curve ``D sin(C atan(B x - E (B x - atan(B x)))) + S_V`` with ``x = slip + S_H`` and ``B = K/(C D)``."""

    C: Any
    D: Any  # the peak, in N
    E: tuple[Any, Any]  # (E_0, E_1): E = E_0 (1 - E_1 sgn x), at most 1
    K: Any  # the slope at x = 0
    S_H: Any
    S_V: Any

    @property
    def steepest(self) -> Any:
        """Return an upper bound of the slope for every C and E; with E below -1 the slope exceeds K."""
        E_0, E_1 = self.E
        lowest = fmin(E_0 * (1.0 - fabs(E_1)), E_0 * (1.0 + fabs(E_1)))
        growth = STEEPENING[0] + STEEPENING[1] * fmax(0.0, 1.0 - self.C)
        return self.K * (1.0 + growth * fmax(0.0, -1.0 - lowest))

    def without_shift(self, x: Any) -> Any:
        """Return the value at x, without S_V."""
        E = fmin(1.0, self.E[0] * (1.0 - self.E[1] * sign(x)))
        return self.D * sin(self.C * atan(bent(self.K / (self.C * self.D) * x, E)))

    def value(self, slip: Any, sliding: Any, full_slips: tuple[float, float]) -> Any:
        """Return the value at a slip; with the share of `sliding`, the peak falls to the value at full slip."""
        x, peak = slip + self.S_H, fabs(self.D)
        full = fabs(self.without_shift(if_else(x < 0.0, *full_slips)))
        limit = peak - sliding**3 * fmax(0.0, peak - full)
        return fmax(-limit, fmin(limit, self.without_shift(x))) + self.S_V


@dataclass(frozen=True)
class Curves:
    """The forces of each slip alone, at a load and on a ground."""

    F_z: Any  # within its range, N
    df_z: Any
    friction: tuple[Any, Any]  # lambda_mux and lambda_muy
    along: Curve  # F_x0 over kappa
    across: Curve  # F_y0 over alpha

    @property
    def sliding_slips(self) -> tuple[Any, Any]:
        """Return 3 D/K of either force, where a brush of the same stiffness and friction slides."""
        return 3.0 * self.along.D / self.along.K, 3.0 * fabs(self.across.D / self.across.K)

    def utilization(self, kappa: Any, t: Any) -> Any:
        """Return u, the slips over those at which the contact slides."""
        limit_x, limit_y = self.sliding_slips
        return length(kappa / limit_x, t / limit_y)

    def at_full_friction(self, kappa: Any, alpha: Any) -> tuple[Any, Any]:
        """Return the slips over the friction; that makes none of them larger than where the contact slides."""

        def scaled(slip: Any, friction: Any, limit: Any) -> Any:
            inverse = 1.0 / friction
            return slip * fmax(fmin(1.0, inverse), inverse * fmin(1.0, limit / fmax(fabs(slip), TINY_SLIP)))

        (friction_x, friction_y), (limit_x, limit_y) = self.friction, self.sliding_slips
        return scaled(kappa, friction_x, limit_x), scaled(alpha, friction_y, limit_y)


def bent(Bx: Any, E: Any) -> Any:
    """Return B x - E (B x - atan(B x))."""
    return Bx - E * (Bx - atan(Bx))
