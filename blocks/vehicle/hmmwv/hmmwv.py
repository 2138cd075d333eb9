"""The base of the HMMWVs with suspensions: chassis, steering and arms, their initialization, and their outputs."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from drawbar.blocks import Input, Output, Parameter, State, atan2, vertcat
from drawbar.blocks.terrain.ground.ground import WHEELS
from drawbar.blocks.vehicle.bodies.chassis import Chassis
from drawbar.blocks.vehicle.bodies.initial_pose import InitialPose
from drawbar.blocks.vehicle.hmmwv.hmmwv_dynamics import NEARLY_OPEN, HmmwvDynamics
from drawbar.blocks.vehicle.hmmwv.hmmwv_mechanism import axle, mechanism, mirrored, rotors
from drawbar.blocks.vehicle.hmmwv.hmmwv_parameters import BodyPoints, Hardpoints, mechanism_values
from drawbar.blocks.vehicle.multibody.embedded import Embedded

START_HEIGHT = 0.50  # m, approximate height of the chassis origin above the ground


class Hmmwv(Chassis, Hardpoints, BodyPoints, abstract=True):  # type: ignore[misc]
    """Chassis (6 coordinates), Pitman arm (1) and lower arms (4) of a HMMWV; all other bodies follow them.

    The loops of steering and suspensions are embedded: the articulated-body recursion runs over them as compound
    bodies, so that no constraint and no drift remains. With the rates u of the free joints::

        M(q) u' = tau(q, u) - C(q, u)

    Springs ``F = k x (1 + p x^2)`` have rubber stops, dampers have two slopes. An anti-roll bar joins the lower arms of
    an axle. With their angles q, positive in bump, its moment on each is ``-k_a (q - q_other)``; k_a, in N m/rad, is 0
    by default, because the data have no bars. The steering wheel turns the Pitman arm through a compliant column. Drive
    torque comes by half shafts from differentials on the chassis, which takes its reaction. Axes and initialization are
    those of a `Chassis`; its origin lies midway between the suspensions at the height of the lower pivots. Wheels:
    front left, front right, rear left, rear right.
    """

    wheels = WHEELS
    warn_if_below = Chassis.warn_if_below | {"margin": NEARLY_OPEN}

    steering_wheel = Input("rad", "angle of the steering wheel, positive to the left")
    drive = Input("N.m", "drive torque at each wheel, by shafts from the chassis", size=4)
    sensor = Parameter([0.04833, 0.0, 0.4205], "m", "position of the sensor point, vehicle axes", size=3)
    z = State(START_HEIGHT, "m", "z of the chassis origin in the world", solve=True)
    pitman = State(0.0, "rad", "angle of the Pitman arm, positive to the right", solve=True)
    pitman_rate = State(0.0, "rad/s", "rate of the Pitman arm's angle")
    # The limits apply to the initialization alone; during a run end stops hold the arms, and `margin` shows how near
    # the loops are to opening. They suit the hardpoints of the HMMWV, whose arms travel from -0.40 to 0.47 rad and
    # whose loops open at -0.46 in front and -0.50 at the rear. Other hardpoints may need a subclass.
    arm = State(
        [-0.0503, -0.0503, -0.0489, -0.0489],
        "rad",
        "angles of the lower arms, positive in bump",
        size=4,
        solve=True,
        min=-0.45,
        max=0.5,
    )
    arm_rate = State(0.0, "rad/s", "rates of the lower arms' angles", size=4)
    wheel_steer = Output(
        "rad", "steering angles of the road wheels relative to the chassis, positive to the left", size=4
    )
    spring_length = Output("m", "lengths of the springs", size=4)
    spring_force = Output("N", "forces of springs and stops, positive in extension", size=4)
    damper_force = Output("N", "forces of dampers and end stops, positive in extension", size=4)
    potential_energy = Output(
        "J",
        "potential energy of height above z = 0, springs, stops, bars, column, vertical tire springs and body contact",
    )
    margin = Output("1", "smallest closure margin of the suspension loops, 1 at best, 0 where a loop opens")

    def make_dynamics(self, initial_pose: InitialPose | None = None) -> HmmwvDynamics:
        """Return the vehicle in this state, or at rest in a pose that is to be solved for."""
        raise TypeError(f"{type(self).__name__} has no wheels: define make_dynamics()")

    def equivalent_spring(self, wheel: str) -> tuple[Any, Any]:
        """Return the free radius, in m, and the stiffness, in N/m, of a wheel in the initial equilibrium."""
        raise TypeError(f"{type(self).__name__} has no equivalent spring: define equivalent_spring()")

    def height_offset(self) -> Any:
        """Return the height, in m, by which other wheels raise the initial pose above that of the HMMWV."""
        return 0.0

    def brake_capacity(self, wheel: str) -> Any:
        """Return the brake capacity of a wheel, in N m."""
        raise TypeError(f"{type(self).__name__} has no brakes: define brake_capacity()")

    def resistance_capacity(self, wheel: str, load: Any, radius: Any) -> Any:
        """Return the rolling resistance, in N m, of a wheel that stands, for the initial equilibrium."""
        return 0.0

    @cached_property
    def tree(self) -> tuple[Embedded, Any]:
        """Return the compound tree, and the values from which it is made."""
        values = mechanism_values(self)
        return Embedded(mechanism(values), rotors()), values

    @cached_property
    def dynamics(self) -> Any:
        """Return the vehicle in motion."""
        return self.make_dynamics()

    @cached_property
    def equilibrium(self) -> tuple[InitialPose, Any]:
        """Return the initial pose, and the vehicle at rest in this pose."""
        initial_pose = InitialPose(self, WHEELS, START_HEIGHT, height_offset=self.height_offset())
        return initial_pose, self.make_dynamics(initial_pose)

    def residuals(self) -> dict[str, Any]:
        """Return the residuals of static equilibrium on the ground, and of the initial speed."""
        initial_pose, at_rest = self.equilibrium
        total_wrench, joint_forces = at_rest.imbalance
        return {
            **self.chassis_residuals(initial_pose, total_wrench, at_rest.R),
            "moment on the Pitman arm": joint_forces[("pitman", 0)],
            **{f"moment on the lower arm {w}": joint_forces[(f"lower_arm_{w}", 0)] for w in WHEELS},
        }

    def design_centre(self, wheel: str) -> Any:
        """Return the centre of a wheel in the design position, by its hardpoint."""
        return mirrored(getattr(self, f"{axle(wheel)}_wheel_center"), wheel)

    def guards(self) -> dict[str, Any]:
        """Return the guards of the chassis and those of the suspension loops."""
        advice = "an arm is beyond its travel: soften the impact, stiffen the stops"
        guards: dict[str, Any] = self.dynamics.loop_guards(advice)
        return guards | super().guards()

    def stability_bounds(self) -> dict[str, Any]:
        """Return the bounds on the steps of explicit methods by end stops and steering column."""
        car = self.dynamics
        return {**car.end_stop_bounds(), **car.steering_bounds(), **super().stability_bounds()}

    def derivatives(self) -> dict[str, Any]:
        """Return the derivatives of all states but those of the wheels."""
        car = self.dynamics
        return {
            **super().derivatives(),
            "pitman": self.pitman_rate,
            "pitman_rate": car.rates["pitman"],
            "arm": self.arm_rate,
            "arm_rate": vertcat(*(car.rates[f"lower_arm_{w}"] for w in WHEELS)),
        }

    def outputs(self) -> dict[str, Any]:
        """Return the outputs of chassis and suspensions."""
        car, corners = self.dynamics, self.dynamics.corners
        axes = [car.axis(w) for w in WHEELS]
        return {
            **super().outputs(),
            "wheel_steer": vertcat(*(atan2(-a[0], a[1]) for a in axes)),
            "spring_length": vertcat(*(c.spring.length for c in corners)),
            "spring_force": vertcat(*(c.spring.force + c.spring.stops for c in corners)),
            "damper_force": vertcat(*(c.damper for c in corners)),
            "margin": car.configuration.margin,
        }
