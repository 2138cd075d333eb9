"""The HMMWV with its chassis clamped: a rig that pushes its wheels up and down."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import casadi as ca

from drawbar.blocks import Continuous, Input, Output, Parameter, State, asin, atan2, horzcat, vertcat
from drawbar.blocks.core.units import STANDARD_GRAVITY
from drawbar.blocks.terrain.ground.ground import WHEELS
from drawbar.blocks.vehicle.hmmwv.hmmwv_dynamics import HmmwvDynamics
from drawbar.blocks.vehicle.hmmwv.hmmwv_mechanism import mechanism, mirrored, rotors, side
from drawbar.blocks.vehicle.hmmwv.hmmwv_parameters import Hardpoints, mechanism_values
from drawbar.blocks.vehicle.multibody.embedded import Embedded, first_moment, independent_forces, kinetic_energy
from drawbar.blocks.vehicle.multibody.embedding import projected
from drawbar.blocks.vehicle.multibody.spatial import force_at

LOADS = [6499.0, 6499.0, 6118.0, 6118.0]  # N, wheel loads of the vehicle at rest


class RigDynamics(HmmwvDynamics):
    """The vehicle with fixed chassis and Pitman arm, and wheels that do not turn relative to their uprights."""

    def spins(self) -> Any:
        return ca.SX(4, 1)

    def applied_loads(self) -> tuple[dict[str, Any], dict[tuple[str, int], Any]]:
        """Return the forces at the wheel centres, and the weights."""
        wrenches = {
            f"wheel_{w}": force_at(self.centre(w), vertcat(0.0, 0.0, self.block.wheel_force[i]))
            for i, w in enumerate(WHEELS)
        }
        for body in self.tree.mechanism.bodies:
            weight = force_at(self.poses[body.name].at(body.com), body.mass * self.gravity)
            wrenches[body.name] = wrenches.get(body.name, 0) + weight
        return wrenches, {}

    def wheel_energy(self) -> Any:
        return 0.0

    @cached_property
    def balance(self) -> tuple[list[Any], list[Any]]:
        """Return, for each lower arm, the inertia of its corner in kg m2 and the moment on it in N m.

        With the other joints fixed, the arms are independent of each other.
        """
        wrenches, torques = self.applied_loads()
        forces = independent_forces(self.tree, self.generalized_forces | torques)
        M, f = projected(self.tree.mechanism, self.configuration.compounds, ca.SX(6, 1), forces, wrenches)
        at = [6 + self.tree.rates.index((f"lower_arm_{w}", 0)) for w in WHEELS]
        return [M[k, k] for k in at], [f[k] for k in at]


class ClampedChassis:
    """A view of the rig as a vehicle: quantities of the clamped chassis are zero, all others come from the rig."""

    x = y = z = q_x = q_y = q_z = pitman_rate = steering_wheel = 0.0
    q_w = 1.0
    omega = v = ca.DM.zeros(3)
    drive = ca.DM.zeros(4)

    def __init__(self, rig: Any, still: bool = False) -> None:
        self._rig = rig
        self.arm_rate = ca.SX(4, 1) if still else rig.arm_rate

    def __getattr__(self, name: str) -> Any:
        return getattr(self._rig, name)


class HmmwvRig(Continuous, Hardpoints, method="rk4", step=2.5e-3):  # type: ignore[misc]
    """The suspensions of a HMMWV on a rig: the chassis is clamped, and a force pushes each wheel up at its centre.

    Each corner has one degree of freedom, the angle of its lower arm; upper arm, upright and wheel follow through the
    loop, the front ones with the tie rod of a steering that is held at the angle `pitman`. With the inertia M of all
    moving parts, and the moment Q of spring, stops, damper, anti-roll bar, weight and wheel force::

        M(q) q'' = Q(q, q') - C(q, q')

    It is the quarter car of the 2013 paper, four times: a known force on a wheel, and its motion. Pushed slowly, it
    gives the curves of camber and toe over travel. It starts in equilibrium with the initial forces.

    ::

        wheel_force[4] --> | HmmwvRig | --> travel[4], camber[4], toe[4], ...

    Axes are ISO 8855: x forward, y left, z up. Wheels: front left, front right, rear left, rear right. Camber is
    positive where the top of a wheel leans outwards, toe where its front points inwards, travel upwards from the
    design position.

    Valid within the travel of the dampers, about -0.1 m to 0.12 m. Wheels do not turn.
    Source: the quarter car of the 2013 paper; data of ``blocks/data/vehicles/hmmwv.json``.
    """

    wheel_force = Input("N", "upward force at each wheel centre", size=4, start=LOADS)

    pitman = Parameter(0.0, "rad", "fixed angle of the Pitman arm, positive to the right")

    arm = State(
        [-0.0503, -0.0503, -0.0489, -0.0489], "rad", "angles of the lower arms, positive in bump", size=4, solve=True
    )
    arm_rate = State(0.0, "rad/s", "rates of the lower arms' angles", size=4)

    travel = Output("m", "heights of the wheel centres above the design position", size=4)
    speed = Output("m/s", "vertical velocities of the wheel centres", size=4)
    camber = Output("rad", "camber angles, positive where the top leans outwards", size=4)
    toe = Output("rad", "toe angles, positive where the front points inwards", size=4)
    centre = Output("m", "wheel centres, vehicle axes", size=(4, 3))
    spring_length = Output("m", "lengths of the springs", size=4)
    spring_force = Output("N", "forces of springs and stops, positive in extension", size=4)
    damper_force = Output("N", "forces of dampers and end stops, positive in extension", size=4)
    kinetic_energy = Output("J", "kinetic energy")
    potential_energy = Output("J", "potential energy of height, springs, stops and anti-roll bars")

    @cached_property
    def tree(self) -> tuple[Embedded, Any]:
        """Return the compound tree, and the values from which it is made."""
        values = mechanism_values(self)
        return Embedded(mechanism(values), rotors()), values

    @cached_property
    def dynamics(self) -> RigDynamics:
        """Return the vehicle on the rig."""
        return RigDynamics(ClampedChassis(self))

    def residuals(self) -> dict[str, Any]:
        """Return the residuals of the equilibrium of each arm."""
        _, moments = RigDynamics(ClampedChassis(self, still=True)).balance
        return {f"moment on the lower arm {w}": moments[i] for i, w in enumerate(WHEELS)}

    def guards(self) -> dict[str, Any]:
        """Return the guards of the suspension loops."""
        return self.dynamics.loop_guards("an arm is beyond its travel: push less, stiffen the stops")

    def stability_bounds(self) -> dict[str, Any]:
        """Return the bounds on the steps of explicit methods by dampers and end stops."""
        return self.dynamics.end_stop_bounds()

    def derivatives(self) -> dict[str, Any]:
        inertias, moments = self.dynamics.balance
        return {"arm": self.arm_rate, "arm_rate": vertcat(*(Q / M for M, Q in zip(inertias, moments, strict=True)))}

    def outputs(self) -> dict[str, Any]:
        car, m = self.dynamics, self.dynamics.tree.mechanism
        centres = [car.centre(w) for w in WHEELS]
        axes = [car.axis(w) for w in WHEELS]
        rates = [car.V[f"upright_{w}"] for w in WHEELS]
        elastic_energy = sum(c.energy for c in car.corners) + car.bar_energy
        velocities = [v[3:] + ca.cross(v[:3], c) for v, c in zip(rates, centres, strict=True)]
        design = [mirrored(getattr(self, f"{'front' if w[0] == 'f' else 'rear'}_wheel_center"), w) for w in WHEELS]
        return {
            "travel": vertcat(*(c[2] - d[2] for c, d in zip(centres, design, strict=True))),
            "speed": vertcat(*(v[2] for v in velocities)),
            "camber": vertcat(*(-side(w) * asin(a[2]) for w, a in zip(WHEELS, axes, strict=True))),
            "toe": vertcat(*(side(w) * atan2(a[0], a[1]) for w, a in zip(WHEELS, axes, strict=True))),
            "centre": horzcat(*centres).T,
            "spring_length": vertcat(*(c.spring.length for c in car.corners)),
            "spring_force": vertcat(*(c.spring.force + c.spring.stops for c in car.corners)),
            "damper_force": vertcat(*(c.damper for c in car.corners)),
            "kinetic_energy": kinetic_energy(m, car.poses, car.V),
            "potential_energy": STANDARD_GRAVITY * first_moment(m, car.poses)[2] + elastic_energy,
        }
