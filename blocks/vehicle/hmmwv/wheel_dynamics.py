"""The car of HMMWVs with wheels: these roll on their grounds by tires, and are driven and braked."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

from drawbar.blocks import dot, fmax
from drawbar.blocks.authoring.stability_bounds import Oscillator, spectral_bound
from drawbar.blocks.data.default_vehicle import TIRE
from drawbar.blocks.terrain.ground.ground import WHEELS
from drawbar.blocks.tires.fiala import Fiala
from drawbar.blocks.tires.rolling_wheel import Brake, Rolling, Tire, rolling
from drawbar.blocks.vehicle.drivetrain.driveline import Driveline
from drawbar.blocks.vehicle.hmmwv.hmmwv_dynamics import HmmwvDynamics
from drawbar.blocks.vehicle.multibody.spatial import couple


class WheelDynamics(HmmwvDynamics):
    """Spins are states, and forces are those of tires and brakes."""

    def spins(self) -> Any:
        """States."""
        return self.block.spin

    @cached_property
    def tire(self) -> Tire:
        """The tire of all wheels."""
        b = self.block
        law = Fiala.of(b, TIRE, b.tire_damping_time)
        return Tire(b.tire_radius, b.tire_stiffness, b.tire_damping, law)

    @cached_property
    def wheels(self) -> list[Rolling]:
        """The wheels on their grounds."""
        b = self.block
        return [
            rolling(
                self.tire,
                (b.slip[i], b.side_slip[i]),
                self.spin[i],
                self.V[f"upright_{w}"],
                self.centre(w),
                self.axis(w),
                self.plane(w),
                getattr(b, f"ground_{w}").friction,
            )
            for i, w in enumerate(WHEELS)
        ]

    def slips(self, i: int) -> tuple[Any, Any]:
        """At rest: the slips by which the tire of a wheel holds what it has to."""
        s, ground = self.supports[i], self.block.wheel_port(WHEELS[i])
        return self.tire.law.slips(s.borne, s.forward, s.aside, ground.friction)

    @cached_property
    def brakes(self) -> list[Brake]:
        """The brakes of the wheels."""
        b = self.block
        return [Brake(b.brake[i], b.brush[i], b.brush_angle) for i in range(4)]

    @cached_property
    def driveline(self) -> Driveline:
        """Differentials on the chassis; half shafts turn against it, with the hubs and with the uprights."""
        b = self.block
        turning = [dot(self.axis(w), self.V[f"upright_{w}"][:3] - self.base[:3]) for w in WHEELS]
        shafts = [b.hub_ratio * self.spin[i] + turning[i] for i in range(4)]
        return Driveline(b.propshaft_torque, shafts, b.lock, b.lock_torque, b.torque_bias, b.front_share, b.axle_ratio)

    @cached_property
    def shafts(self) -> list[Any]:
        """With those of the driveline, without what hubs add to them."""
        torques = self.driveline.torques
        return [
            shaft + torques[i] * self.axis(w) for i, (w, shaft) in enumerate(zip(WHEELS, super().shafts, strict=True))
        ]

    def applied_loads(self) -> tuple[dict[str, Any], dict[tuple[str, int], Any]]:
        """Grounds, shafts and the gears in the hubs act on the wheels, brakes at their hinges."""
        wrenches: dict[str, Any] = {}
        for i, w in enumerate(WHEELS):
            geared = (self.block.hub_ratio - 1.0) * self.driveline.torques[i] * self.axis(w)
            wrenches[f"wheel_{w}"] = self.wheels[i].wrench + couple(self.shafts[i] + geared)
            wrenches[f"upright_{w}"] = couple(-geared)
        return wrenches, {(f"wheel_{w}", 0): brake.torque() for w, brake in zip(WHEELS, self.brakes, strict=True)}

    def oscillators(self) -> list[Sequence[Oscillator]]:
        """How fast the tire of each wheel moves it."""
        b, aside = self.block, 4.0 / self.block.chassis_mass  # of the chassis, a quarter of it for each wheel
        stiffness = b.C_S * (b.tire_radius**2 / self.inertia + aside), b.C_a * aside
        slips = [(b.slip[i], b.side_slip[i]) for i in range(4)]
        return [
            self.tire.law.oscillators(r, s, stiffness, self.inertia) for r, s in zip(self.wheels, slips, strict=True)
        ]

    def wheel_hop_bounds(self) -> dict[str, Any]:
        """How fast a wheel hops."""
        b = self.block
        hop = Oscillator(b.tire_stiffness / b.wheel_mass, b.tire_damping / b.wheel_mass)
        return {"hop of a wheel on its tire": spectral_bound([hop])}

    @property
    def inertia(self) -> Any:
        """Of a wheel and its half shaft about the axle, kg m2."""
        return self.block.wheel_inertia[1] + self.block.shaft_inertia

    def stability_bounds(self) -> dict[str, Any]:
        """Bounds of how fast the wheels move, 1/s: spin against slip, brakes and locks, and hop on the tire."""
        found, locks = {}, self.driveline.oscillators(self.inertia, self.block.hub_ratio)
        for i, (w, slips) in enumerate(zip(WHEELS, self.oscillators(), strict=True)):
            held = [self.brakes[i].oscillator(self.spin[i], self.inertia), *locks[i]]
            found[f"spin of the wheel {w} against its slip, brake and differentials"] = spectral_bound([*slips, *held])
        return found | self.wheel_hop_bounds()

    def wheel_energy(self) -> Any:
        """The upright springs of the tires."""
        return 0.5 * self.block.tire_stiffness * sum(fmax(0.0, w.contact.deflection) ** 2 for w in self.wheels)
