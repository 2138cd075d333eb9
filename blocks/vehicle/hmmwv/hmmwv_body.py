"""The HMMWV cut at its hubs: chassis, steering and suspension, without the wheels' turning."""

from __future__ import annotations

from typing import Any

from drawbar.blocks import vertcat
from drawbar.blocks.terrain.ground.ground import WHEELS
from drawbar.blocks.vehicle.bodies.initial_pose import InitialPose
from drawbar.blocks.vehicle.hmmwv.hmmwv import Hmmwv
from drawbar.blocks.vehicle.hmmwv.hmmwv_dynamics import HmmwvDynamics
from drawbar.blocks.vehicle.hub.hub import Hub
from drawbar.blocks.vehicle.hub.upright import Upright, hub_motion
from drawbar.blocks.vehicle.multibody.spatial import couple, force_at


class HubDynamics(HmmwvDynamics):
    """Spins and what acts on the uprights come through the hubs."""

    def hub(self, wheel: str) -> Any:
        """What comes from a wheel."""
        return getattr(self.block, f"hub_{wheel}")

    def upright(self, wheel: str) -> Upright:
        """Where a wheel hangs."""
        pose = self.poses[f"upright_{wheel}"]
        return Upright(self.centre(wheel), pose.R, self.V[f"upright_{wheel}"])

    def spins(self) -> Any:
        """Inputs; with them the wheels, which are massive but do not turn up by themselves, are gyroscopes."""
        return vertcat(*(self.hub(w).spin for w in WHEELS))

    def applied_loads(self) -> tuple[dict[str, Any], dict[tuple[str, int], Any]]:
        """Through bearings and brakes on the uprights; shafts pass them by."""
        wrenches = {
            f"upright_{w}": force_at(self.centre(w), self.R.T @ self.hub(w).force)
            + couple(self.R.T @ self.hub(w).moment)
            for w in WHEELS
        }
        return wrenches, {}

    def wheel_energy(self) -> Any:
        """What is stored in the tires is theirs."""
        return 0.0


class HmmwvBody(Hmmwv, method="rk4", step=2.5e-3):
    """A HMMWV with double wishbones and parallelogram steering, cut at the hubs: 11 degrees of freedom.

    What `Hmmwv` says. Wheel units (`Wheel`) hang at its hubs (`Hub`) and own spin, slip and tire law. Here they have
    mass, and inertia across the axle; their turning comes in as `spin` and gives the gyroscopic moment
    ``-J (spin + n.omega) omega x n``. What acts on them acts on the uprights, through bearing and brake. The torques of
    `drive` go to the wheels; the body takes their reaction, on the chassis.

    ::

        steering_wheel, drive[4] -------> |           | --> position, velocity, yaw, a, ...
        external_force[3], external_moment[3] --------------> | HmmwvBody | --> hub_fl, _fr, _rl, _rr (motion)
        hubs (force, moment, spin) -----> |           |

    The motion of a hub follows from the states alone, so there is no loop between body and wheels. Step the body first
    and the wheels along the motion it has shown (`interpolated`). Kinetic energy has that of the wheels, potential
    energy not that of the tires.

    No lock of an axle is here, as spins live in the wheel units: `TorqueSplit` divides the torque of a shaft among
    `drive` by open differentials; locks and limited slip are in `HmmwvVehicle`.

    Source: Jain and others, the ROAMS and HMMWV papers of 2013 and 2015; ``blocks/data/vehicles/hmmwv.json``.

    Valid as `HmmwvVehicle` is; what is left out there is left out here.
    """

    hub_fl = Hub.source("front left hub")
    hub_fr = Hub.source("front right hub")
    hub_rl = Hub.source("rear left hub")
    hub_rr = Hub.source("rear right hub")

    def make_dynamics(self, sought: InitialPose | None = None) -> HubDynamics:
        """With wheels that hang at its hubs."""
        return HubDynamics(self, sought)

    def wheel_port(self, wheel: str) -> Any:
        """The hub, by which a wheel tells its ground."""
        return getattr(self, f"hub_{wheel}")

    def equivalent_spring(self, wheel: str) -> tuple[Any, Any]:
        """Of the wheel at that hub."""
        hub = getattr(self, f"hub_{wheel}")
        return hub.radius, hub.stiffness

    def brake_capacity(self, wheel: str) -> Any:
        """As the wheel tells."""
        return getattr(self, f"hub_{wheel}").brake

    def initial_outputs(self) -> dict[str, Any]:
        """Where the ground is needed to stand on."""
        return {f"hub_{w}.at": self.ground_query_point(w) for w in WHEELS}

    def outputs(self) -> dict[str, Any]:
        """With the motion of the hubs, in the world."""
        car, found = self.dynamics, super().outputs()
        for w in WHEELS:
            found |= hub_motion(f"hub_{w}", car.upright(w), car.place, car.R)
        return found
