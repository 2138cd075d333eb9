"""Drive torques and brake capacities of all wheels for a desired acceleration."""

from typing import Any

from drawbar.blocks import Continuous, Input, Output, Parameter, fmax, vertcat
from drawbar.blocks.core.units import STANDARD_GRAVITY
from drawbar.blocks.data.default_vehicle import SPIN_INERTIA, TIRE, TOTAL_MASS


class WheelTorque(Continuous):
    """Drive torques and brake capacities of four wheels for a desired acceleration of the whole vehicle.

    Demand above the rolling resistance is drive torque, equal at all wheels; demand below it is braking, of which the
    front axle has the share s, by default one half::

        T = (m_e a + C_r m g) R/4        drive = max(T, 0)        brake = 2 s max(-T, 0), 2 (1 - s) max(-T, 0)

    with m_e the mass with the inertia of the wheels, ``m + 4 J/R^2``. The block replaces engine, gearbox and brake
    system where these do not matter: no limit of power or grip, no lag. Valid in forward motion with all wheels on the
    ground, because the speed of a driven wheel in the air is not limited (`Powertrain` and differentials limit it). The
    brake output is a capacity, so it also holds a vehicle at standstill. Source: Newton's law; masses and C_r of
    ``blocks/data/vehicles/hmmwv.json``.

    ::

        acceleration --> | WheelTorque | --> drive[4], brake[4]
    """

    acceleration = Input("m/s2", "desired rate of change of the forward speed")

    mass = Parameter(TOTAL_MASS, "kg", "m, mass", min=1.0)
    inertia = Parameter(SPIN_INERTIA, "kg.m2", "J, spin inertia of a wheel and what turns with it", min=0.0)
    radius = Parameter(0.45, "m", "R, loaded radius of the wheels", min=0.01)
    rolling_resistance = Parameter(TIRE["rolling_resistance"], "1", "C_r, rolling resistance coefficient", min=0.0)

    front_brake_share = Parameter(0.5, "1", "s, fraction of the brake torque at the front axle", min=0.0, max=1.0)

    drive = Output("N.m", "drive torque at each wheel", size=4)
    brake = Output("N.m", "brake capacity of each wheel", size=4)

    def outputs(self) -> dict[str, Any]:
        R = self.radius
        force = (self.mass + 4.0 * self.inertia / R**2) * self.acceleration
        torque = (force + self.rolling_resistance * self.mass * STANDARD_GRAVITY) * R / 4.0
        mean = fmax(-torque, 0.0)
        front, rear = (2.0 * share * mean for share in (self.front_brake_share, 1.0 - self.front_brake_share))
        return {"drive": vertcat(*[fmax(torque, 0.0)] * 4), "brake": vertcat(front, front, rear, rear)}
