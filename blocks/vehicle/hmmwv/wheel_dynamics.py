"""The HMMWV with wheels that roll on their grounds by tires, and are driven and braked."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

from drawbar.blocks import dot, fmax
from drawbar.blocks.authoring.stability_bounds import Oscillator, spectral_bound
from drawbar.blocks.data.default_vehicle import TIRE
from drawbar.blocks.terrain.ground.ground import WHEELS
from drawbar.blocks.tires.fiala import Fiala
from drawbar.blocks.tires.rolling_wheel import Brake, RollingWheel, Tire, rolling_wheel
from drawbar.blocks.vehicle.drivetrain.driveline import Driveline
from drawbar.blocks.vehicle.hmmwv.hmmwv_dynamics import HmmwvDynamics
from drawbar.blocks.vehicle.multibody.spatial import couple


class WheelDynamics(HmmwvDynamics):
    """The vehicle whose spins are states, and whose wheel loads are those of tires and brakes."""

    def spins(self) -> Any:
        """Return the spins, which are states."""
        return self.block.spin

    @cached_property
    def tire(self) -> Tire:
        """Return the tire, equal at all wheels."""
        b = self.block
        law = Fiala.of(b, TIRE, b.tire_damping_time)
        return Tire(b.tire_radius, b.tire_stiffness, b.tire_damping, law)

    @cached_property
    def wheels(self) -> list[RollingWheel]:
        """Return the wheels on their grounds."""
        b = self.block
        return [
            rolling_wheel(
                self.tire,
                (b.slip[i], b.side_slip[i]),
                self.spin[i],
                self.plain_brake(i),
                self.V[f"upright_{w}"],
                self.centre(w),
                self.axis(w),
                self.plane(w),
                getattr(b, f"ground_{w}").friction,
            )
            for i, w in enumerate(WHEELS)
        ]

    def slips(self, i: int) -> tuple[Any, Any]:
        """Return the slips at rest by which the tire of a wheel holds its share of the vehicle."""
        s, ground = self.supports[i], self.block.wheel_port(WHEELS[i])
        return self.tire.law.slips_at_forces(
            s.contact_load, s.longitudinal_force, s.lateral_force, ground.friction, self.block.speed
        )

    def plain_brake(self, i: int) -> Brake:
        """Return the brake of a wheel without rolling resistance."""
        b = self.block
        return Brake(b.brake[i], b.bristle_torque[i], b.bristle_angle)

    @cached_property
    def brakes(self) -> list[Brake]:
        """Return the brakes of the wheels, with their rolling resistance."""
        return [wheel.brake or self.plain_brake(i) for i, wheel in enumerate(self.wheels)]

    @cached_property
    def driveline(self) -> Driveline:
        """Return the differentials on the chassis; half shafts turn relative to it, with the hubs and the uprights."""
        b = self.block
        upright_speeds = [dot(self.axis(w), self.V[f"upright_{w}"][:3] - self.base[:3]) for w in WHEELS]
        shafts = [b.hub_ratio * self.spin[i] + upright_speeds[i] for i in range(4)]
        return Driveline(b.propshaft_torque, shafts, b.lock, b.lock_torque, b.torque_bias, b.front_share, b.axle_ratio)

    @cached_property
    def shafts(self) -> list[Any]:
        """Return the moments of the shafts including those of the driveline, without what the hub gears add."""
        torques = self.driveline.torques
        return [
            shaft + torques[i] * self.axis(w) for i, (w, shaft) in enumerate(zip(WHEELS, super().shafts, strict=True))
        ]

    def applied_loads(self) -> tuple[dict[str, Any], dict[tuple[str, int], Any]]:
        """Return the loads of grounds, shafts and hub gears on the wheels, and those of brakes at their hinges."""
        wrenches: dict[str, Any] = {}
        for i, w in enumerate(WHEELS):
            gear_torque = (self.block.hub_ratio - 1.0) * self.driveline.torques[i] * self.axis(w)
            wrenches[f"wheel_{w}"] = self.wheels[i].wrench + couple(self.shafts[i] + gear_torque)
            wrenches[f"upright_{w}"] = couple(-gear_torque)
        return wrenches, {(f"wheel_{w}", 0): brake.torque() for w, brake in zip(WHEELS, self.brakes, strict=True)}

    def oscillators(self) -> list[Sequence[Oscillator]]:
        """Return the oscillators by which the tire of each wheel moves it."""
        b, inverse_mass = (
            self.block,
            4.0 / self.block.chassis_mass,
        )  # inverse of a quarter of the chassis mass, for each wheel
        stiffness = b.C_S * (b.tire_radius**2 / self.inertia + inverse_mass), b.C_a * inverse_mass
        slips = [(b.slip[i], b.side_slip[i]) for i in range(4)]
        return [self.tire.law.oscillators(r, s, stiffness) for r, s in zip(self.wheels, slips, strict=True)]

    def wheel_hop_bounds(self) -> dict[str, Any]:
        """Return the bound on the wheel hop, in 1/s."""
        b = self.block
        hop = Oscillator(b.tire_stiffness / b.wheel_mass, b.tire_damping / b.wheel_mass)
        return {"hop of a wheel on its tire": spectral_bound([hop])}

    @property
    def inertia(self) -> Any:
        """Return the inertia of a wheel and its half shaft about the axle, in kg m2."""
        return self.block.wheel_inertia[1] + self.block.shaft_inertia

    def stability_bounds(self) -> dict[str, Any]:
        """Return the bounds on the rates of the wheels, in 1/s.

        They cover spin against slip, brakes and locks, and the hop on the tire.
        """
        found, locks = {}, self.driveline.oscillators(self.inertia, self.block.hub_ratio)
        for i, (w, slips) in enumerate(zip(WHEELS, self.oscillators(), strict=True)):
            bristles = [self.brakes[i].oscillator(self.spin[i], self.inertia), *locks[i]]
            found[f"spin of the wheel {w} against its slip, brake and differentials"] = spectral_bound(
                [*slips, *bristles]
            )
        return found | self.wheel_hop_bounds()

    def wheel_energy(self) -> Any:
        """Return the energy of the vertical springs of the tires, in J."""
        return 0.5 * self.block.tire_stiffness * sum(fmax(0.0, w.contact.deflection) ** 2 for w in self.wheels)
