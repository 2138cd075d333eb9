"""A wheel that rolls on its ground: its load, the forces of tire and brake, and the rates of their states."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from drawbar.blocks import dot, fabs, fmax, fmin, if_else, sign
from drawbar.blocks.authoring.stability_bounds import Oscillator
from drawbar.blocks.tires.contact import Contact, contact
from drawbar.blocks.tires.tire_law import TireLaw
from drawbar.blocks.vehicle.multibody.spatial import couple, force_at, velocity

REST_SPIN = 0.5  # rad/s or m/s, spin or speed below which the bristles of the rolling resistance are damped
DAMPING_TIME = 0.2  # s, of that damping: on a stiffness C/angle that stops a car or a small rover within one swing
LOCKED_SPIN = 5.0  # rad/s, spin below which the bristles of a brake are damped
BRAKE_DAMPING_TIME = 0.005  # s, of that damping
SLACK = (0.01, 1e-3)  # allowed excess of the bristle torque: fraction of the capacity, and N m
# At five times its load at rest the tire of the HMMWV is compressed by 0.10 m; its measured curve ends at 0.08 m.
OVERLOAD = (5.0, "an impact beyond what tires and springs are described for; check the ground, speed and payload")
AIRBORNE_STIFFNESS = 1e-3  # tire stiffness off the ground over that on it, for the initial equilibrium only


@dataclass(frozen=True)
class Tire:
    """A tire: a vertical spring and damper, and the law of the forces along the ground."""

    radius: Any  # m, unloaded
    stiffness: Any  # N/m
    damping: Any  # N s/m
    law: TireLaw


@dataclass(frozen=True)
class Brake:
    """A brake and the rolling resistance of a tire, which hold by bristles, so that the wheel can stand still.

    Against the spin w they give the torque T of the bristles, with their capacity C together::

        T' = (C w - |w| T)/(angle + lag |w|) - (excess of |T| over C)/lag

    In motion T reaches C with the sign of w within a rotation of `angle`, but not faster than within `lag`; at rest the
    brake is a spring of stiffness C/angle. A capacity that rises at standstill changes nothing by itself; one that
    falls releases the brake within `lag`. At constant capacity the brake returns no more work than it absorbed, except
    for the effect of the lag when the spin reverses. The excess over C counts only beyond one hundredth of C, and so
    does what exceeds the rolling resistance, so that the law has no corner where a wheel brakes or rolls steadily.

    The brake acts between wheel and upright, the rolling resistance between wheel and ground. Of T the brake gives what
    it can, the rolling resistance the rest, so a braked wheel that stands is held by its brake alone. A vehicle without
    brakes stands on slopes below its coefficient of rolling resistance. It would swing there on its bristles; near
    standstill those of the rolling resistance are damped, within its capacity. So are those of the brake: friction that
    falls with the slip would otherwise keep a locked wheel swinging, which raises its mean friction. With speed, length
    and force in place of spin, angle and torque it is the law of a resistance along the ground.
    """

    capacity: Any  # N m, of the brake itself
    bristle_torque: Any  # T, N m
    angle: Any  # rad
    resistance: Any = 0.0  # N m, rolling resistance of the tire
    lag: float = 0.005  # s, keeps explicit integration with steps of some milliseconds stable
    damped_spin: Any = None  # rad/s, of a wheel whose brake has damped bristles

    def torque(self) -> Any:
        """Return the torque of the brake on the wheel, in N m; at low spin its bristles are damped."""
        undamped = self.held_by_resistance - self.bristle_torque
        if self.damped_spin is None:
            return undamped
        slowness = fmax(0.0, 1.0 - fabs(self.damped_spin) / LOCKED_SPIN)
        damping = BRAKE_DAMPING_TIME * slowness * self.capacity * self.damped_spin / self.angle
        return _limited(undamped - damping, fmax(fabs(undamped), (1.0 + SLACK[0]) * self.capacity + SLACK[1]))

    def resistance_torque(self, spin: Any) -> Any:
        """Return the moment of the rolling resistance on the wheel, in N m; near standstill it is damped."""
        slowness = fmax(0.0, 1.0 - fabs(spin) / REST_SPIN)
        damping = DAMPING_TIME * slowness * self.resistance * spin / self.angle
        return -_limited(self.held_by_resistance + damping, self._most_resistance)

    @property
    def held_by_resistance(self) -> Any:
        """Return what of the bristle torque is beyond the brake, up to the rolling resistance, in N m."""
        beyond = self.bristle_torque - _limited(self.bristle_torque, self.capacity)
        return _limited(beyond, self._most_resistance)

    @property
    def _most_resistance(self) -> Any:
        """Return the largest moment of the rolling resistance, in N m: its capacity and the excess that is allowed."""
        return (1.0 + SLACK[0]) * self.resistance

    @property
    def total(self) -> Any:
        """Return C, the capacity of brake and rolling resistance together, in N m."""
        return self.capacity + self.resistance

    @property
    def excess_torque(self) -> Any:
        """Return the excess of the bristle torque over the capacity, with its sign, in N m."""
        limit = (1.0 + SLACK[0]) * self.total + SLACK[1]
        return self.bristle_torque - fmax(-limit, fmin(limit, self.bristle_torque))

    def rate(self, spin: Any) -> Any:
        """Return the rate of T, in N m/s."""
        speed = fabs(spin)
        return (self.total * spin - speed * self.bristle_torque) / (
            self.angle + self.lag * speed
        ) - self.excess_torque / self.lag

    def oscillator(self, spin: Any, inertia: Any) -> Oscillator:
        """Return the oscillator of the bristles with the `inertia` that they hold, in kg m2."""
        speed = fabs(spin)
        engaging = self.angle + self.lag * speed
        release = (fabs(self.excess_torque) > 0.0) / self.lag
        damping = DAMPING_TIME * (speed < REST_SPIN) * self.resistance
        if self.damped_spin is not None:
            damping += BRAKE_DAMPING_TIME * (speed < LOCKED_SPIN) * self.capacity
        return Oscillator(
            (self.total + fabs(self.bristle_torque)) / inertia / engaging,
            damping / self.angle / inertia,
            speed / engaging + release,
        )


@dataclass(frozen=True)
class RollingWheel:
    """A wheel on its ground in one state; forces are in the contact frame, in N."""

    contact: Contact
    load: Any
    brake: Brake | None  # with the rolling resistance; the soil has no such resistance
    F_x: Any
    F_y: Any
    slip: Any  # longitudinal, with its damping at low speed
    side_slip: Any  # lateral, likewise
    slip_angle: Any  # with its damping, rad
    slip_rate: Any
    side_slip_rate: Any
    speeds: tuple[Any, Any, Any]  # v_x, v_y and tread speed, m/s
    sliding_slips: tuple[Any, Any]  # slips beyond which it slides
    wrench: Any  # all loads on the wheel except those of its hinge


def rolling_wheel(
    tire: Tire,
    slips: tuple[Any, Any],
    spin: Any,
    brake: Brake,
    carrier: Any,
    centre: Any,
    axis: Any,
    plane: Any,
    friction: Any,
) -> RollingWheel:
    """Return a wheel that spins relative to its carrier, which has the motion `carrier`, with its brake.

    `plane` is a point and the normal of the ground. All of them are in the axes of the motion, about its origin.
    """
    c = contact(centre, axis, tire.radius, *plane)
    at_ground = velocity(carrier, c.point)
    load = c.load(tire.stiffness, tire.damping, at_ground)
    v_x, v_y = dot(velocity(carrier, centre), c.x), dot(at_ground, c.y)
    angular_velocity = spin + dot(carrier[:3], axis)
    tread = angular_velocity * c.radius
    law = tire.law.in_motion(c.camber(axis), v_x, tread)
    kappa, t = law.relaxation.damped_slips(v_x, v_y, tread, *slips)
    sliding = law.relaxation.sliding(v_x, v_y, tread)
    F_x, F_y, M_z = law.forces(load, kappa, t, friction, sliding)
    M_z *= law.relaxation.rolling(v_x, tread)
    brake = replace(brake, resistance=law.resistance(load, c.radius, F_x), damped_spin=spin)
    M_x = law.overturning(load, F_y)
    M_y = brake.resistance_torque(spin)
    wrench = force_at(c.point, F_x * c.x + F_y * c.y + load * c.z) + couple(M_z * c.z + M_y * c.y + M_x * c.x)
    rates = law.slip_rates(v_x, v_y, tread, *slips, load, friction)
    sliding_slips = law.sliding_slips(*slips, load, friction, sliding)
    slip_angle = law.relaxation.slip_angle(v_x, v_y, tread, t)
    return RollingWheel(
        c, load, brake, F_x, F_y, kappa, t, slip_angle, *rates, (v_x, v_y, tread), sliding_slips, wrench
    )


def static_contact(equivalent_spring: tuple[Any, Any], centre: Any, axis: Any, plane: Any) -> tuple[Contact, Any]:
    """Return the contact and the load of a wheel at rest with a free radius and a stiffness.

    Off the ground a small force draws the wheel to it, which leads a solver to contact.
    """
    radius, stiffness = equivalent_spring
    c = contact(centre, axis, radius, *plane)
    return c, stiffness * (fmax(0.0, c.deflection) + AIRBORNE_STIFFNESS * fmin(0.0, c.deflection))


def _limited(value: Any, limit: Any) -> Any:
    """Return a value between plus and minus a limit; where the limit is zero, its derivative is zero too.

    At a tie `fmax` and `fmin` would give one half of the slope.
    """
    return if_else(fabs(value) < limit, value, sign(value) * limit)
