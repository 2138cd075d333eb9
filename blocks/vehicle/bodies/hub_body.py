"""The base of bodies without wheels, to whose hubs wheel FMUs connect."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from drawbar.blocks.vehicle.bodies.body_dynamics import BodyDynamics, Knuckle
from drawbar.blocks.vehicle.bodies.chassis import Chassis
from drawbar.blocks.vehicle.bodies.initial_pose import InitialPose
from drawbar.blocks.vehicle.hub.upright import hub_motion
from drawbar.blocks.vehicle.multibody.embedded import Embedded


class HubBody(Chassis, abstract=True):
    """A chassis whose wheels are separate FMUs, connected at a hub ``hub_W`` (`Hub`) for each wheel W.

    A subclass declares the hubs and the input `drive`, and defines its parts: a tree, its joints, the mounts of the
    wheels, and the forces along the joints. The motion of a hub follows from the states alone, so there is no loop
    between body and wheels.
    """

    height = 0.5  # m, approximate height of the chassis origin above the ground, where its solution starts

    def wheel_port(self, wheel: str) -> Any:
        """Return the hub, through which a wheel returns its ground."""
        return getattr(self, f"hub_{wheel}")

    def tree(self) -> Embedded:
        """Return the compound tree; its base is the body ``chassis``."""
        raise TypeError(f"{type(self).__name__} has no bodies: define tree()")

    def knuckles(self) -> list[Knuckle]:
        """Return the mounts of the wheels, in the order of `wheels`."""
        raise TypeError(f"{type(self).__name__} has no wheel mounts: define knuckles()")

    def joints(self) -> dict[str, tuple[Any, Any]]:
        """Return coordinates and rates of the independent joints."""
        raise TypeError(f"{type(self).__name__} has no joint coordinates: define joints()")

    def joint_forces(self, motion_factor: float) -> dict[str, Any]:
        """Return the generalized forces along the joints; `motion_factor` is 1 in motion and 0 at rest."""
        raise TypeError(f"{type(self).__name__} has no joint forces: define joint_forces()")

    def elastic_energy(self) -> Any:
        """Return the elastic energy of the joints, in J."""
        raise TypeError(f"{type(self).__name__} has no elastic energy: define elastic_energy()")

    @cached_property
    def dynamics(self) -> BodyDynamics:
        """Return the vehicle in this state."""
        return BodyDynamics(self, self.tree(), self.knuckles(), self.joints())

    def design_centre(self, wheel: str) -> Any:
        """Return the centre of a wheel while all joints are at zero."""
        return next(k.centre for k in self.knuckles() if k.wheel == wheel)

    def initial_outputs(self) -> dict[str, Any]:
        """Return the ground query points of initialization."""
        return {f"hub_{w}.at": self.ground_query_point(w) for w in self.wheels}

    def residuals(self) -> dict[str, Any]:
        """Return the residuals of static equilibrium on the ground, and of the initial velocity."""
        initial_pose = InitialPose(self, self.wheels, self.height)
        at_rest = BodyDynamics(self, self.tree(), self.knuckles(), self.joints(), initial_pose)
        total_wrench, joint_residuals = at_rest.imbalance()
        balance = {f"balance of the joint {name}": force for name, force in joint_residuals.items()}
        return self.chassis_residuals(initial_pose, total_wrench, at_rest.R) | balance

    def outputs(self) -> dict[str, Any]:
        """Return the outputs of the chassis and the motion of the hubs, in the world."""
        car, found = self.dynamics, super().outputs()
        for w, upright in zip(self.wheels, car.uprights, strict=True):
            found |= hub_motion(f"hub_{w}", upright, car.origin, car.R)
        return found
