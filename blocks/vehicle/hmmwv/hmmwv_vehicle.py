"""The HMMWV as one FMU: chassis, steering, suspension, wheels and tires, with constraint embedding."""

from __future__ import annotations

from typing import Any

from drawbar.blocks import Parameter, fmax
from drawbar.blocks.data.default_vehicle import TIRE
from drawbar.blocks.vehicle.bodies.initial_pose import InitialPose
from drawbar.blocks.vehicle.hmmwv.hmmwv_on_wheels import HmmwvOnWheels
from drawbar.blocks.vehicle.hmmwv.wheel_dynamics import WheelDynamics


class HmmwvVehicle(HmmwvOnWheels, method="rk4", step=2.5e-3):
    """A HMMWV with double wishbones, parallelogram steering and Fiala tires: 15 degrees of freedom.

    The equations are those of `HmmwvOnWheels`; each wheel touches the ground in a point of a plane (`Contact`), with a
    linear vertical spring and damper and the forces of `Fiala`.

    ::

        steering_wheel, drive[4], brake[4] ----> |              | --> position, velocity, yaw, a, wheel_load[4], ...
        external_force[3], external_moment[3] -> | HmmwvVehicle | --> propshaft_speed
        propshaft_torque ----------------------> |              | --> ground_fl.at, ...: ground query points
        ground_fl, _fr, _rl, _rr --------------> |              |

    It is rolling at initialization. Valid on ground that is about plane under a wheel, from standstill on, for wheels
    on or off the ground. Bushings, bending and aerodynamic drag are left out. Where its body touches the ground
    (`BodyContact`), also after a rollover, the run goes on. Integration: the stiffest parts are spins against slips,
    brakes and locks, 300 to 900 1/s where tires relax over 2 m. RK4 divides its micro-steps where shorter relaxation
    lengths require it; beyond 20 divisions choose the `method` rosenbrock.

    Source: the constraint-embedded HMMWV of the 2013 paper and its tires, the 2015 paper's equations 10 to 21; data of
    ``blocks/data/vehicles/hmmwv.json``.
    """

    tire_radius = Parameter(TIRE["unloaded_radius_m"], "m", "R, unloaded radius", min=0.1)
    tire_stiffness = Parameter(TIRE["vertical_stiffness_N_per_m"], "N/m", "vertical stiffness", min=1.0)
    tire_damping = Parameter(TIRE["vertical_damping_Ns_per_m"], "N.s/m", "vertical damping", min=0.0)
    C_S = Parameter(TIRE["c_slip_N"], "N", "C_S, longitudinal slip stiffness", min=1.0)
    C_a = Parameter(TIRE["c_alpha_N_per_rad"], "N/rad", "C_a, cornering stiffness", min=1.0)
    sliding_ratio = Parameter(
        TIRE["mu_min"] / TIRE["mu_max"], "1", "sliding friction over the friction of the ground", min=0.0, max=1.0
    )
    relaxation = Parameter(
        [TIRE["relaxation_x_m"], TIRE["relaxation_y_m"]],
        "m",
        "sigma, longitudinal and lateral relaxation length",
        size=2,
        min=0.01,
    )
    rolling_resistance = Parameter(TIRE["rolling_resistance"], "1", "C_r, rolling resistance coefficient", min=0.0)
    published_law = Parameter(
        False, "1", "whether both tire forces follow equations 18 and 19 alone, also where a tire slides", type=bool
    )
    tire_damping_time = Parameter(0.1, "s", "tau, damping time of the slips at low speed", min=0.0)
    slow_speed = Parameter(2.5, "m/s", "speed below which the slips are damped", min=0.01)

    def make_dynamics(self, initial_pose: InitialPose | None = None) -> WheelDynamics:
        """Return the vehicle with wheels that roll on their grounds."""
        return WheelDynamics(self, initial_pose)

    def equivalent_spring(self, wheel: str) -> tuple[Any, Any]:
        """Return free radius and stiffness of the tire, equal at all wheels."""
        return self.tire_radius, self.tire_stiffness

    def resistance_capacity(self, wheel: str, load: Any, radius: Any) -> Any:
        """Return the rolling resistance of a tire, in N m."""
        return self.rolling_resistance * load * fmax(0.0, radius)

    def height_offset(self) -> Any:
        """Return the height that the radius of the tires adds, in m."""
        return self.tire_radius - TIRE["unloaded_radius_m"]
