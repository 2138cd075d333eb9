"""The HMMWV as one FMU on soft soil: rigid wheels by the closed wheel-soil formula."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

from drawbar.blocks import Output, Parameter, fmax, vertcat
from drawbar.blocks.authoring.stability_bounds import Oscillator
from drawbar.blocks.data.default_vehicle import TIRE
from drawbar.blocks.terrain.ground.ground import WHEELS
from drawbar.blocks.terrain.soil.soil_stress import SoilStress
from drawbar.blocks.terrain.soil.tbf import TBF
from drawbar.blocks.tires.closed_form_wheel import tbf_law, tbf_spring
from drawbar.blocks.tires.relaxation import MAX_SIDE_SLIP, Relaxation
from drawbar.blocks.tires.rolling_wheel import RollingWheel
from drawbar.blocks.tires.soil_rolling import SoilRolling, soil_guards
from drawbar.blocks.tires.traction_slope import TractionSlope, rigid_contact
from drawbar.blocks.vehicle.bodies.initial_pose import InitialPose
from drawbar.blocks.vehicle.hmmwv.hmmwv_on_wheels import HmmwvOnWheels
from drawbar.blocks.vehicle.hmmwv.wheel_dynamics import WheelDynamics


class SoilWheelDynamics(WheelDynamics):
    """The vehicle whose wheels roll in soil."""

    @cached_property
    def wheels(self) -> list[RollingWheel]:
        """Return the wheels on their grounds."""
        b = self.block
        soil_rolling = SoilRolling(b.wheel_radius, b.law.shear_radius, b.slip_relaxation, b.sinking_damping)
        return [
            soil_rolling.wheel(
                tbf_law(b.law, b.soil(w)),
                (b.slip[i], b.side_slip[i]),
                self.spin[i],
                self.V[f"upright_{w}"],
                self.centre(w),
                self.axis(w),
                self.plane(w),
            )
            for i, w in enumerate(WHEELS)
        ]

    def slips(self, i: int) -> tuple[Any, Any]:
        """Return zero slips, because soil at rest exerts no tangential force."""
        return 0.0, 0.0

    def oscillators(self) -> list[Sequence[Oscillator]]:
        """Return the oscillators by which the soil moves each wheel along its slip, and the chassis laterally."""
        b = self.block
        found: list[Sequence[Oscillator]] = []
        for i, (w, r) in enumerate(zip(WHEELS, self.wheels, strict=True)):
            contact = rigid_contact(b.wheel_radius, r.contact.deflection, b.exit_ratio)
            slope = TractionSlope(b.soil(w), b.wheel_width, *contact, r, b.exit_ratio)
            chassis = 4.0 / b.chassis_mass
            inverse_mass = chassis + b.law.shear_radius**2 / self.inertia
            stiffness = slope.by_slip() * inverse_mass, slope.by_slip() * chassis
            slips = b.slip_relaxation.oscillators(
                r.speeds, (b.slip[i], b.side_slip[i]), r.sliding_slips, stiffness, sliding_stiffness=1.0
            )
            found.append([*slips, Oscillator(0.0, slope.by_speed() * inverse_mass)])
        return found

    def wheel_hop_bounds(self) -> dict[str, Any]:
        """Return no bound, because soil is softer than a tire."""
        return {}

    def wheel_energy(self) -> Any:
        """Return 0, because soil stores no energy."""
        return 0.0


class HmmwvOnSoil(HmmwvOnWheels, method="rk4", step=1e-3):
    """A HMMWV in soft soil: 15 degrees of freedom, with rigid wheels by the terramechanics-based formula.

    The equations are those of `HmmwvOnWheels`; the wheels sink into the soil of their grounds and slip in it, as
    `ClosedFormWheel` does as a separate FMU (`TBF`, `SoilRolling`). No stiff loop crosses the boundary of the FMU,
    which is the terrain. Parked on a slope it settles by about a centimetre, because soil resists only as wheels slip.

    ::

        steering_wheel, drive[4], brake[4] ----> |             | --> position, velocity, yaw, a, wheel_load[4], ...
        external_force[3], external_moment[3] -> | HmmwvOnSoil | --> sinkage[4], drawbar_pull, propshaft_speed
        propshaft_torque ----------------------> |             | --> ground_fl.at, ...: ground query points
        ground_fl, _fr, _rl, _rr --------------> |             |

    Valid where its wheels are rigid against the soil and sink by less than their height. Source: the HMMWV of the 2013
    paper; the formula of Peng and Ulsoy, Improved Safety and Mobility of Ground Robots (NDIA GVSETS 2011).
    """

    wheel_radius = Parameter(TIRE["unloaded_radius_m"], "m", "R, radius of the wheels", min=0.05)
    wheel_width = Parameter(TIRE["width_m"], "m", "b, width of the wheels", min=0.01)
    lug_height = Parameter(0.0, "m", "h_b, height of the lugs", min=0.0)
    lug_ratio = Parameter(0.0, "1", "mu, fraction of the rim covered by lug tips", min=0.0, max=1.0)
    a_0 = Parameter(0.5, "1", "a_0, angle of the largest pressure over the entry angle, without slip", min=0.1, max=0.9)
    a_1 = Parameter(0.0, "1", "a_1, change of that ratio with slip", min=-1.0, max=1.0)
    exit_ratio = Parameter(
        0.0, "1", "lambda, height of the exit above the lowest point over the sinkage", min=0.0, max=1.0
    )
    relaxation = Parameter([0.1, 0.1], "m", "sigma, longitudinal and lateral relaxation length", size=2, min=0.01)
    tire_damping_time = Parameter(0.05, "s", "tau, damping time of the slips at low speed", min=0.0)
    slow_speed = Parameter(0.5, "m/s", "speed below which the slips are damped", min=0.01)
    sinking_damping = Parameter(
        1.0, "s/m", "relative change of the load per sinking speed; rising reduces the load", min=0.0
    )
    rated_load = Parameter(
        6000.0, "N", "wheel load at which the soil is linearized for the initial equilibrium", min=1.0
    )

    sinkage = Output("m", "depth of the lowest point of each wheel below the ground", size=4)
    drawbar_pull = Output("N", "sum of the longitudinal forces of the ground on the wheels")

    @property
    def law(self) -> TBF:
        """Return the formula for its wheels."""
        R, b = self.wheel_radius, self.wheel_width
        return TBF(b, R, self.lug_height, self.lug_ratio, self.a_0, self.a_1, self.exit_ratio)

    @property
    def slip_relaxation(self) -> Relaxation:
        """Return the relaxation of the slips."""
        return Relaxation(
            self.relaxation[0], self.relaxation[1], self.tire_damping_time, self.slow_speed, MAX_SIDE_SLIP
        )

    def soil(self, wheel: str) -> SoilStress:
        """Return the soil under a wheel."""
        return SoilStress.of(getattr(self, f"ground_{wheel}"))

    def make_dynamics(self, initial_pose: InitialPose | None = None) -> SoilWheelDynamics:
        """Return the vehicle with wheels that roll in soil."""
        return SoilWheelDynamics(self, initial_pose)

    def equivalent_spring(self, wheel: str) -> tuple[Any, Any]:
        """Return the soil under the wheel at its rated load as a spring."""
        return tbf_spring(self.law, self.soil(wheel), self.rated_load)

    def rolling_radii(self) -> list[Any]:
        """Return the shear radius of each wheel, at which the rims slip."""
        return [self.law.shear_radius] * 4

    def guards(self) -> dict[str, Any]:
        """Return the guards of `HmmwvOnWheels`, and those that the soil carries the wheels."""
        found = super().guards()
        for w, wheel in zip(WHEELS, self.dynamics.wheels, strict=True):
            modulus = self.soil(w).modulus(self.wheel_width)
            found |= soil_guards(modulus, wheel.contact.deflection, self.wheel_radius, f"the wheel {w}")
        return found

    def outputs(self) -> dict[str, Any]:
        """Return the outputs of `HmmwvOnWheels`, sinkage and drawbar pull."""
        wheels = self.dynamics.wheels
        return super().outputs() | {
            "sinkage": vertcat(*(fmax(0.0, w.contact.deflection) for w in wheels)),
            "drawbar_pull": sum(w.F_x for w in wheels),
        }
