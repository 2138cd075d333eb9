"""The Magic Formula of Pacejka 2002 (MF-Tyre 5.2, PAC2002): forces and moments of a tire that depend on its load."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import pi
from typing import Any

from drawbar.blocks import atan, cos, exp, fabs, fmax, fmin, logic_and, logic_or, sign, sin, tan
from drawbar.blocks.tires.combined_slip import combined_forces, length, sliding_share
from drawbar.blocks.tires.magic_formula import Curve, Curves, bent
from drawbar.blocks.tires.relaxation import forward_share
from drawbar.blocks.tires.tir_file import TireProperties
from drawbar.blocks.tires.tire_law import TireLaw

# the coefficients that differ between left and right; all others are the same for a tire and its mirror image
ASYMMETRIC = (
    *("RHX1", "PEY3", "PHY1", "PHY2", "PVY1", "PVY2", "RBY3", "RVY1", "RVY2", "QSX1"),
    *("QBZ4", "QDZ3", "QDZ6", "QDZ7", "QEZ4", "QHZ1", "QHZ2", "SSZ1"),
)
TWO_OVER_PI = 2.0 / pi
MIN_LOAD = 10.0  # N, lower limit of FZMIN
MAX_ANGLE = 1.4  # rad, largest slip angle, whose tangent is finite
GRIP = 0.8  # share of the peaks that the initial state may use
MIN_FRICTION = 1e-3  # lower limit of scaled friction where it is a divisor
MIN_STIFFNESS = 0.01  # lower limit of stiffnesses, as a share of that at the nominal load or without camber
KEPT = 2.0  # slips over those at which the contact slides, up to which the published combined slip is kept


@dataclass(frozen=True)
class Pac2002(TireLaw):
    """The forces and moments of a tire by the Magic Formula 5.2; the scaling factors may be symbols.

    In the contact frame (ISO 8855), at the load F_z, the longitudinal slip kappa (driving positive), the slip angle
    alpha, positive where the tire moves to its left, and the camber angle gamma, positive where its top leans right::

        df_z = (F_z - F'_z0)/F'_z0        F'_z0 = lambda_Fz0 F_z0
        F_x0 = D_x sin(C_x atan(B_x k - E_x (B_x k - atan(B_x k)))) + S_Vx                k = kappa + S_Hx
          D_x = (p_Dx1 + p_Dx2 df_z)(1 - p_Dx3 gamma^2) lambda_mux F_z
          K_xkappa = F_z (p_Kx1 + p_Kx2 df_z) exp(p_Kx3 df_z) lambda_Kx = B_x C_x D_x
        F_y0 = D_y sin(C_y atan(B_y a - E_y (B_y a - atan(B_y a)))) + S_Vy                a = alpha + S_Hy
          D_y = (p_Dy1 + p_Dy2 df_z)(1 - p_Dy3 gamma^2) lambda_muy F_z
          K_yalpha = p_Ky1 F'_z0 sin(2 atan(F_z/(p_Ky2 F'_z0)))(1 - p_Ky3 |gamma|) lambda_Ky = B_y C_y D_y
          S_Hy = (p_Hy1 + p_Hy2 df_z) lambda_Hy + p_Hy3 gamma
          S_Vy = F_z ((p_Vy1 + p_Vy2 df_z) lambda_Vy + (p_Vy3 + p_Vy4 df_z) gamma) lambda_muy
        F_x = G_xalpha F_x0               F_y = G_ykappa F_y0 + S_Vykappa
          G = cos(C atan(B s - E (B s - atan(B s))))/(the same at S_H) >= 0
          s = alpha/lambda_muy + S_Hxalpha for G_xalpha, kappa/lambda_mux + S_Hykappa for G_ykappa
        M_z = -t (F_y - S_Vykappa) + M_zr + s F_x
        M_x = R_0 F_z (q_sx1 lambda_VMx - q_sx2 gamma + q_sx3 F_y/F_z0) lambda_Mx
        M_y = r F_z (q_sy1 + q_sy2 F_x/F_z0 + q_sy3 |v_x/V_0| + q_sy4 (v_x/V_0)^4) lambda_My

    The friction of the ground over `reference_friction` multiplies lambda_mux and lambda_muy. `asymmetry` is 1 for the
    tire as measured, -1 for its mirror image on the other side of the vehicle, and 0 without ply steer and conicity.

    Two things of combined slip are not as published. Everywhere in G and S_Vykappa the slips are those over the
    friction, as they are in F_x0 and F_y0, but friction below 1 enlarges none beyond that at which the contact slides
    at full friction: a brush slides at u = 1, with u the length of (kappa K_xkappa/(3 D_x), tan(alpha)
    K_yalpha/(3 D_y)). And beyond u = 2 the forces turn against the sliding (`combined_forces`, with F_x0 and F_y0, at
    the utilization u/2 - 1): from u = 4 on they are opposite to it, and as large as the curves of pure slip. At a
    friction of 1 the published forces thus hold up to u = 2, for the HMMWV up to kappa = 0.3 or alpha = 38 degrees.
    Where the motion slides they turn sooner, at the utilization sliding^3 u, so a locked wheel does not steer. A file
    without coefficients of combined slip has `combined_forces` at the utilization u.

    Beyond their ranges, the load counts as FZMAX, kappa, alpha and gamma as the ends of theirs; below FZMIN all forces
    are proportional to the load. Friction and stiffnesses keep their signs whatever the scaling factors. Where a wheel
    slides, D falls to the value at full slip, so a locked wheel has that also at low speed, where its slips recover. Of
    a wheel that rolls backward, trail and shifts of kappa are mirrored. M_y acts with the loaded radius r, as with the
    other laws, and holds at standstill.

    Source: Pacejka, Tyre and Vehicle Dynamics (2002), section 4.3.2, in the form of MF-Tyre 5.2, where D_t, s and M_x
    are related to F_z0 without its factor. Inflation pressure and turn slip are not considered.
    """

    tire: TireProperties
    factors: Mapping[str, Any]  # the scaling factors
    asymmetry: Any = 1.0
    reference_friction: Any = 1.0
    camber: Any = 0.0  # gamma, rad
    v_x: Any = 0.0  # m/s
    direction: Any = 1.0  # 1 rolling forward, -1 backward

    def c(self, name: str) -> Any:
        """Return a coefficient by its name."""
        return self.tire[name] * (self.asymmetry if name in ASYMMETRIC else 1.0)

    @property
    def gamma(self) -> Any:
        """Return the camber angle within its range."""
        return _within(self.camber, self.tire["CAMMIN"], self.tire["CAMMAX"])

    @property
    def lowest_load(self) -> float:
        """Return the load below which the forces are proportional to it, in N."""
        return max(self.tire["FZMIN"], MIN_LOAD)

    def slips(self, kappa: Any, t: Any) -> tuple[Any, Any]:
        """Return kappa and alpha from the slips of `Relaxation`.

        Those are related to the larger of the speeds of axle and tread; the Magic Formula relates both to the axle's.
        """
        driving = fmax(1.0 - fmax(0.0, self.direction * kappa), 1.0 / (1.0 + self.tire["KPUMAX"]))
        return kappa / driving, -atan(t / driving)

    @property
    def slip_range(self) -> tuple[tuple[float, float], tuple[float, float]]:
        """Return the ranges of kappa and alpha."""
        tire = self.tire
        return (tire["KPUMIN"], tire["KPUMAX"]), (max(tire["ALPMIN"], -MAX_ANGLE), min(tire["ALPMAX"], MAX_ANGLE))

    @property
    def full_slips(self) -> tuple[tuple[float, float], tuple[float, float]]:
        """Return kappa and alpha of a tire that slides, in either direction."""
        (low, high), angles = self.slip_range
        return (max(low, -1.0), min(high, 1.0)), angles

    def outside_range(self, load: Any, kappa: Any, t: Any) -> Any:
        """Return whether load, camber or slips are outside their ranges, or a friction or stiffness below its limit.

        A wheel in the air is not.
        """
        tire, (low_load, high_load) = self.tire, (self.tire["FZMIN"], self.tire["FZMAX"])
        found = logic_or(load > high_load, logic_and(load > 0.0, load < low_load))
        found = logic_or(found, logic_or(self.camber < tire["CAMMIN"], self.camber > tire["CAMMAX"]))
        for value, limit in self._limited_factors(self._loads(load)[1]):
            found = logic_or(found, value < limit)
        for slip, (low, high) in zip(self.slips(kappa, t), self.slip_range, strict=True):
            found = logic_or(found, logic_or(slip < low, slip > high))
        return found

    @property
    def _sign_y(self) -> float:
        return 1.0 if self.tire["PDY1"] > 0.0 else -1.0

    def _loads(self, load: Any) -> tuple[Any, Any, Any]:
        """Return F_z within its range, df_z and F'_z0."""
        F_z0 = self.tire["FNOMIN"] * self.factors["LFZO"]
        F_z = _within(load, self.lowest_load, self.tire["FZMAX"])
        return F_z, (F_z - F_z0) / F_z0, F_z0

    def _limited_factors(self, df_z: Any) -> tuple[tuple[Any, float], ...]:
        """Return what load and camber must not turn round, each with its lower limit.

        That is |D_x| and |D_y| over F_z on the ground of reference, K_xkappa over that by p_Kx1, and K_yalpha over that
        without camber.
        """
        c, gamma_x, gamma_y = self.c, self.gamma * self.factors["LGAX"], self.gamma * self.factors["LGAY"]
        return (
            ((c("PDX1") + c("PDX2") * df_z) * (1.0 - c("PDX3") * gamma_x**2), MIN_FRICTION),
            (self._sign_y * (c("PDY1") + c("PDY2") * df_z) * (1.0 - c("PDY3") * gamma_y**2), MIN_FRICTION),
            (1.0 + c("PKX2") / c("PKX1") * df_z, MIN_STIFFNESS),
            (1.0 - c("PKY3") * fabs(gamma_y), MIN_STIFFNESS),
        )

    def curves(self, load: Any, mu_road: Any) -> Curves:
        """Return the forces of each slip alone, at a load and on a ground."""
        c, f = self.c, self.factors
        F_z, df_z, F_z0 = self._loads(load)
        mu_x, mu_y, share_x, share_y = (fmax(value, limit) for value, limit in self._limited_factors(df_z))
        mu_share = mu_road / self.reference_friction
        friction_x, friction_y = (fmax(MIN_FRICTION, mu_share * f[name]) for name in ("LMUX", "LMUY"))
        gamma_y, direction = self.gamma * f["LGAY"], self.direction
        along = Curve(
            C=c("PCX1") * f["LCX"],
            D=mu_x * friction_x * F_z,
            E=((c("PEX1") + c("PEX2") * df_z + c("PEX3") * df_z**2) * f["LEX"], c("PEX4") * direction),
            K=F_z * c("PKX1") * share_x * exp(c("PKX3") * df_z) * f["LKX"],
            S_H=(c("PHX1") + c("PHX2") * df_z) * f["LHX"] * direction,
            S_V=F_z * (c("PVX1") + c("PVX2") * df_z) * f["LVX"] * friction_x * direction,
        )
        shift = (c("PVY1") + c("PVY2") * df_z) * f["LVY"]
        thrust = (c("PVY3") + c("PVY4") * df_z) * gamma_y * f["LKYG"]
        K_yalpha0 = c("PKY1") * F_z0 * sin(2.0 * atan(F_z / (c("PKY2") * F_z0))) * f["LKY"]
        across = Curve(
            C=c("PCY1") * f["LCY"],
            D=self._sign_y * mu_y * friction_y * F_z,
            E=((c("PEY1") + c("PEY2") * df_z) * f["LEY"], c("PEY3") + c("PEY4") * gamma_y),
            K=K_yalpha0 * share_y,
            S_H=(c("PHY1") + c("PHY2") * df_z) * f["LHY"] + c("PHY3") * gamma_y * f["LKYG"],
            S_V=F_z * (shift + thrust) * friction_y,
        )
        return Curves(F_z, df_z, (friction_x, friction_y), along, across)

    def forces(self, load: Any, kappa: Any, t: Any, mu_road: Any, sliding: Any = 0.0) -> tuple[Any, Any, Any]:
        """Return F_x and F_y, in N, and M_z, in N m; they are zero without load."""
        at, ranges = self.curves(load, mu_road), self.slip_range
        kappa_0, alpha_0 = (_within(s, *limits) for s, limits in zip(self.slips(kappa, t), ranges, strict=True))
        F_x0, F_y0 = self._pure(at, sliding)
        alone, u = (F_x0(kappa_0), F_y0(alpha_0)), at.utilization(kappa_0, tan(alpha_0))
        S_Vykappa: Any = 0.0
        if self.tire.has_combined_slip:
            at_full = at.at_full_friction(kappa_0, alpha_0)
            G_xalpha, G_ykappa = self.weights(at.df_z, *at_full)
            S_Vykappa = self.induced_force(at, *at_full)
            separate = G_xalpha * alone[0], G_ykappa * alone[1] + S_Vykappa
            u = fmax(sliding**3 * fmin(1.0, at.utilization(kappa, t)), u / KEPT - 1.0)
        else:
            share = 1.0 / fmax(1.0, length(alone[0] / at.along.D, alone[1] / at.across.D))
            separate = share * alone[0], share * alone[1]
        size = length(kappa_0, tan(alpha_0)) / length(kappa, t)  # those keep their direction beyond the ranges
        F_x, F_y = combined_forces(
            separate,
            (size * kappa, size * t),
            (lambda s: fabs(F_x0(s * sign(kappa))), lambda s: fabs(F_y0(-atan(s) * sign(t)))),
            u,
        )
        M_z = self.aligning_moment(at, (kappa_0, alpha_0), (F_x, F_y), (1.0 - sliding_share(u)) * S_Vykappa)
        light = self._light(load)
        return light * F_x, light * F_y, light * M_z

    def weights(self, df_z: Any, kappa: Any, alpha: Any) -> tuple[Any, Any]:
        """Return G_xalpha and G_ykappa."""
        c, f = self.c, self.factors
        B_x = c("RBX1") * cos(atan(c("RBX2") * kappa)) * f["LXAL"]
        B_y = c("RBY1") * cos(atan(c("RBY2") * (alpha - c("RBY3")))) * f["LYKA"]
        E_x, E_y = c("REX1") + c("REX2") * df_z, c("REY1") + c("REY2") * df_z
        S_Hykappa = (c("RHY1") + c("RHY2") * df_z) * self.direction
        G_xalpha = _weight(B_x, c("RCX1"), E_x, alpha, c("RHX1"))
        return G_xalpha, _weight(B_y, c("RCY1"), E_y, kappa, S_Hykappa)

    def induced_force(self, at: Curves, kappa: Any, alpha: Any) -> Any:
        """Return S_Vykappa, the F_y that longitudinal slip induces, in N."""
        c = self.c
        D = at.across.D * (c("RVY1") + c("RVY2") * at.df_z + c("RVY3") * self.gamma) * cos(atan(c("RVY4") * alpha))
        return D * sin(c("RVY5") * atan(c("RVY6") * kappa)) * self.factors["LVYKA"]

    def aligning_moment(self, at: Curves, slips: tuple[Any, Any], forces: tuple[Any, Any], S_Vykappa: Any) -> Any:
        """Return M_z, in N m."""
        c, f, R_0, F_z0 = self.c, self.factors, self.tire["UNLOADED_RADIUS"], self.tire["FNOMIN"]
        (kappa, alpha), (F_x, F_y), df_z, gamma_z = slips, forces, at.df_z, self.gamma * f["LGAZ"]
        stiffening = f["LKY"] / at.friction[1]

        def equivalent(angle: Any) -> Any:
            return atan(length(tan(angle), at.along.K / at.across.K * kappa)) * sign(angle)

        alpha_t = alpha + c("QHZ1") + c("QHZ2") * df_z + (c("QHZ3") + c("QHZ4") * df_z) * gamma_z
        B_t = (c("QBZ1") + c("QBZ2") * df_z + c("QBZ3") * df_z**2) * stiffening
        B_t *= 1.0 + c("QBZ4") * gamma_z + c("QBZ5") * fabs(gamma_z)
        D_t = at.F_z * (c("QDZ1") + c("QDZ2") * df_z) * (1.0 + c("QDZ3") * gamma_z + c("QDZ4") * gamma_z**2)
        E_t = (c("QEZ1") + c("QEZ2") * df_z + c("QEZ3") * df_z**2) * (
            1.0 + (c("QEZ4") + c("QEZ5") * gamma_z) * TWO_OVER_PI * atan(B_t * c("QCZ1") * alpha_t)
        )
        bent_slip = bent(B_t * equivalent(alpha_t), fmin(1.0, E_t))
        rolling = cos(alpha) * self.direction
        trail = D_t * R_0 / F_z0 * f["LTR"] * cos(c("QCZ1") * atan(bent_slip)) * rolling
        alpha_r = alpha + at.across.S_H + at.across.S_V / at.across.K
        B_r = c("QBZ9") * stiffening + c("QBZ10") * at.across.K / at.across.D
        D_r = (c("QDZ6") + c("QDZ7") * df_z) * f["LRES"] + (c("QDZ8") + c("QDZ9") * df_z) * gamma_z
        M_zr = at.F_z * D_r * R_0 * at.friction[1] * cos(atan(B_r * equivalent(alpha_r))) * rolling
        s = R_0 * (c("SSZ1") + c("SSZ2") * F_y / F_z0 + (c("SSZ3") + c("SSZ4") * df_z) * self.gamma) * f["LS"]
        return -trail * (F_y - S_Vykappa) + M_zr + s * F_x

    def _light(self, load: Any) -> Any:
        """Return the factor of all forces by which they are proportional to the load below its range."""
        return fmin(1.0, fmax(0.0, load) / self.lowest_load)

    def _pure(self, at: Curves, sliding: Any) -> tuple[Callable[[Any], Any], Callable[[Any], Any]]:
        """Return F_x0 as a function of kappa, and F_y0 of alpha; they fall by the share of sliding."""
        (low, high), angles = self.slip_range
        full_x, full_y = self.full_slips
        return (
            lambda kappa: at.along.value(_within(kappa, low, high), sliding, full_x),
            lambda alpha: at.across.value(_within(alpha, *angles), sliding, full_y),
        )

    def sliding_slips(self, kappa: Any, t: Any, load: Any, mu_road: Any, sliding: Any = 0.0) -> tuple[Any, Any]:
        """Return the longitudinal and the lateral slip beyond which the tire slides."""
        return self.curves(load, mu_road).sliding_slips

    def grip(self, kappa: Any, t: Any, load: Any, mu_road: Any, sliding: Any = 0.0) -> Any:
        """Return the force in the direction that these slips begin with, at which |F_x|/D_x + |F_y|/D_y = 0.8, in N.

        The weights hold more in all directions; beyond that, Newton's method could pass the peak.
        """
        at = self.curves(load, mu_road)
        D_x, D_y = at.along.D, fabs(at.across.D)
        F_x, F_y = at.along.K * kappa, at.across.K * t
        return GRIP * self._light(load) * length(F_x, F_y) / (fabs(F_x) / D_x + fabs(F_y) / D_y + 1e-9 / D_y)

    def approximate_slips(self, load: Any, F_x: Any, F_y: Any, mu_road: Any, sliding: Any) -> tuple[Any, Any]:
        """Return the slips at which straight lines of the slopes K have these forces."""
        at = self.curves(load, mu_road)
        grip = self.grip(F_x / at.along.K, F_y / at.across.K, load, mu_road)
        share = self.admissible_share(F_x, F_y, grip) / fmax(self._light(load), 1e-3)
        kappa = (share * F_x - at.along.S_V) / at.along.K - at.along.S_H
        return kappa, at.across.S_H - (share * F_y - at.across.S_V) / at.across.K

    def coefficients(self) -> list[Any]:
        """Return what may be symbols: scaling factors, asymmetry, friction of reference, camber and direction."""
        return [*self.factors.values(), self.asymmetry, self.reference_friction, self.camber, self.direction]

    def with_coefficients(self, values: Sequence[Any]) -> Pac2002:
        """Return the law with other scaling factors, asymmetry, friction of reference, camber and direction."""
        *factors, asymmetry, reference, camber, direction = values
        return replace(
            self,
            factors=dict(zip(self.factors, factors, strict=True)),
            asymmetry=asymmetry,
            reference_friction=reference,
            camber=camber,
            direction=direction,
        )

    def in_motion(self, camber: Any, v_x: Any, tread: Any) -> Pac2002:
        """Return the law at a camber angle and in a motion."""
        return replace(self, camber=camber, v_x=v_x, direction=2.0 * forward_share(v_x, tread) - 1.0)

    def overturning(self, load: Any, F_y: Any) -> Any:
        """Return M_x, in N m."""
        c, f, F_z = self.c, self.factors, _within(load, self.lowest_load, self.tire["FZMAX"])
        share = c("QSX1") * f["LVMX"] - c("QSX2") * self.gamma + c("QSX3") * F_y / self.tire["FNOMIN"]
        return self._light(load) * self.tire["UNLOADED_RADIUS"] * F_z * share * f["LMX"]

    def resistance(self, load: Any, radius: Any, F_x: Any = 0.0) -> Any:
        """Return the rolling resistance moment of a wheel that rolls, in N m."""
        c, speed = self.c, fabs(self.v_x) / self.tire["LONGVL"]
        share = c("QSY1") + c("QSY2") * F_x / self.tire["FNOMIN"] + c("QSY3") * speed + c("QSY4") * speed**4
        return fmax(0.0, share * self.factors["LMY"]) * load * fmax(0.0, radius)


def _within(value: Any, low: Any, high: Any) -> Any:
    return fmax(low, fmin(high, value))


def _weight(B: Any, C: Any, E: Any, slip: Any, S_H: Any) -> Any:
    """Return G of combined slip, at least 0."""

    def cosine(x: Any) -> Any:
        return cos(C * atan(bent(B * x, fmin(1.0, E))))

    return fmax(0.0, cosine(slip + S_H)) / cosine(S_H)
