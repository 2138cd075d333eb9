"""The HMMWV cut at its hubs: chassis, steering and suspension, without the spin of the wheels."""

from __future__ import annotations

from typing import Any

from drawbar.blocks import fmax, vertcat
from drawbar.blocks.terrain.ground.ground import WHEELS
from drawbar.blocks.vehicle.bodies.initial_pose import InitialPose
from drawbar.blocks.vehicle.hmmwv.hmmwv import Hmmwv
from drawbar.blocks.vehicle.hmmwv.hmmwv_dynamics import HmmwvDynamics
from drawbar.blocks.vehicle.hub.hub import Hub
from drawbar.blocks.vehicle.hub.upright import Upright, hub_motion
from drawbar.blocks.vehicle.multibody.spatial import couple, force_at


class HubDynamics(HmmwvDynamics):
    """The vehicle whose spins and loads on the uprights come through the hubs."""

    def hub(self, wheel: str) -> Any:
        """Return the hub of a wheel."""
        return getattr(self.block, f"hub_{wheel}")

    def upright(self, wheel: str) -> Upright:
        """Return the upright of a wheel."""
        pose = self.poses[f"upright_{wheel}"]
        return Upright(self.centre(wheel), pose.R, self.V[f"upright_{wheel}"])

    def spins(self) -> Any:
        """Return the spins, which are inputs for the gyroscopic moments."""
        return vertcat(*(self.hub(w).spin for w in WHEELS))

    def applied_loads(self) -> tuple[dict[str, Any], dict[tuple[str, int], Any]]:
        """Return the loads through bearings and brakes on the uprights; the shafts do not load them."""
        wrenches = {
            f"upright_{w}": force_at(self.centre(w), self.R.T @ self.hub(w).force)
            + couple(self.R.T @ self.hub(w).moment)
            for w in WHEELS
        }
        return wrenches, {}

    def wheel_energy(self) -> Any:
        """Return 0: the energy in the tires belongs to the wheel FMUs."""
        return 0.0


class HmmwvBody(Hmmwv, method="rk4", step=2.5e-3):
    """A HMMWV with double wishbones and parallelogram steering, cut at the hubs: 11 degrees of freedom.

    The equations are those of `Hmmwv`. Wheel FMUs (`Wheel`) connect to its hubs (`Hub`) and own spin, slip and tire
    law. In this body the wheels have mass, and inertia across the axle; their rotation is the input `spin` and gives
    the gyroscopic moment ``-J (spin + n.omega) omega x n``. What acts on them acts on the uprights, through bearing and
    brake. The torques of `drive` act on the wheels; the body takes their reaction, on the chassis.

    ::

        steering_wheel, drive[4] --------------> |           | --> position, velocity, yaw, a, ...
        external_force[3], external_moment[3] -> | HmmwvBody | --> hub_fl, _fr, _rl, _rr (motion)
        hubs (force, moment, spin) ------------> |           |

    The motion of a hub follows from the states alone, so there is no loop between body and wheels. Step the body first
    and the wheels along the hub motion of that step (`interpolated`). The kinetic energy includes that of the wheels,
    the potential energy does not include that of the tires.

    The body has no axle locks, because spins live in the wheel FMUs: `TorqueSplit` divides the torque of a shaft among
    `drive` by open differentials; locks and limited slip are in `HmmwvVehicle`.

    Source: Jain and others, the ROAMS and HMMWV papers of 2013 and 2015; ``blocks/data/vehicles/hmmwv.json``.

    Validity and omissions are those of `HmmwvVehicle`.
    """

    hub_fl = Hub.source("front left hub")
    hub_fr = Hub.source("front right hub")
    hub_rl = Hub.source("rear left hub")
    hub_rr = Hub.source("rear right hub")

    def make_dynamics(self, initial_pose: InitialPose | None = None) -> HubDynamics:
        """Return the vehicle with wheels at its hubs."""
        return HubDynamics(self, initial_pose)

    def wheel_port(self, wheel: str) -> Any:
        """Return the hub, through which a wheel returns its ground."""
        return getattr(self, f"hub_{wheel}")

    def equivalent_spring(self, wheel: str) -> tuple[Any, Any]:
        """Return free radius and stiffness of the wheel at that hub."""
        hub = getattr(self, f"hub_{wheel}")
        return hub.radius, hub.stiffness

    def resistance_capacity(self, wheel: str, load: Any, radius: Any) -> Any:
        """Return the rolling resistance of the wheel at that hub, in N m."""
        return self.wheel_port(wheel).rolling_resistance * load * fmax(0.0, radius)

    def brake_capacity(self, wheel: str) -> Any:
        """Return the brake capacity that the wheel sends."""
        return getattr(self, f"hub_{wheel}").brake

    def initial_outputs(self) -> dict[str, Any]:
        """Return the ground query points of initialization."""
        return {f"hub_{w}.at": self.ground_query_point(w) for w in WHEELS}

    def outputs(self) -> dict[str, Any]:
        """Return the outputs of `Hmmwv` and the motion of the hubs, in the world."""
        car, found = self.dynamics, super().outputs()
        for w in WHEELS:
            found |= hub_motion(f"hub_{w}", car.upright(w), car.origin, car.R)
        return found
