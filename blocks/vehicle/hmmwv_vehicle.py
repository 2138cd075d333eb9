"""The HMMWV as one unit: chassis, steering, suspension, wheels and tires, with constraint embedding."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import casadi as ca

from drawbar.blocks import (
    Continuous,
    Input,
    Output,
    Parameter,
    State,
    asin,
    atan,
    atan2,
    cos,
    cross,
    dot,
    horzcat,
    norm_2,
    sin,
    vertcat,
)
from drawbar.blocks.terrain.ground import Ground
from drawbar.blocks.vehicle.drivetrain.presets import HMMWV_AXLES as AXLES
from drawbar.blocks.vehicle.hmmwv_car import Car, Sought, yawed
from drawbar.blocks.vehicle.hmmwv_parameters import DATA, Hardpoints, car_values
from drawbar.blocks.vehicle.multibody.embedded import Embedded
from drawbar.blocks.vehicle.multibody.spatial import quaternion_rate
from drawbar.blocks.vehicle.wishbone_car import WHEELS, mechanism, rotors

TIRE = DATA["tire_fiala"]
LEAN = 0.3  # cosine of the largest angle between the chassis and the ground


class HmmwvVehicle(Continuous, Hardpoints, method="rk4", step=2.5e-3):  # type: ignore[misc]
    """A HMMWV with double wishbones, parallelogram steering and Fiala tires: 15 degrees of freedom.

    Chassis (6), Pitman arm (1), lower arms (4) and wheels (4) are what moves freely; all other bodies follow them
    through the loops of steering and suspensions, which are embedded: the articulated-body recursion runs over the
    loops as compound bodies, so that no constraint and no drift is left. With the rates u of these joints::

        M(q) u' = tau(q, u) - C(q, u)

    Springs ``F = k x (1 + p x^2)`` with rubber stops, dampers with two slopes; the steering wheel turns the Pitman arm
    through a column that twists. Wheels touch the ground in a point of a plane each (`Contact`), with a linear
    upright spring and damper and the forces of `Fiala`; brakes hold by bristles (`Brake`), so that it can park.
    Drive torque comes by half shafts from differentials on the chassis: the chassis takes its reaction.

    `propeller` is the torque of the shaft behind the transfer case. A centre differential, one in each axle and gears
    in the hubs divide and multiply it (`Driveline`). A differential is open (no `lock_torque`, a `torque_bias` of 1),
    geared (a bias), limited by a clutch (a lock torque), or locked (a lock torque above what wheels can ask for: 2 kN.m
    in the centre, 5 kN.m in an axle); `lock_torque` may change in a run. Half shafts react on the chassis, the gears of
    the hubs on the uprights. Engine, gearbox and differentials hang on the chassis, so the couple of the propeller
    shaft about its own axis stays within it. `drive` comes on top, without those gears.

    ::

        steering_wheel, drive[4], brake[4] --> |              | --> position, velocity, yaw, a, wheel_load[4], ...
        push[3], twist[3], propeller --------> | HmmwvVehicle | --> propeller_speed
        ground_fl, _fr, _rl, _rr ------------> |              | --> ground_fl.at, ...: where each wheel asks for it

    It starts in static equilibrium on the grounds, rolling at `speed` along its `heading`. Axes are ISO 8855: x
    forward, y left, z up, roll positive to the right, pitch positive nose down, yaw to the left; the world's z is up.
    The origin of the chassis lies midway between the suspensions at the height of the lower pivots. Wheels: front left,
    front right, rear left, rear right.

    Valid on ground that is about plane under a wheel, from standstill on, for wheels on or off the ground. Bushings,
    bending, aerodynamic drag and the body's touching the ground are left out; past 72 degrees of lean it ends the run.
    Integration: the stiffest are braked wheels (200 1/s) and wheel hop, so RK4 is good for 5 ms.

    Source: the constraint-embedded HMMWV of the 2013 paper and its tires, the 2015 paper's equations 10 to 21; numbers
    of ``blocks/data/vehicles/hmmwv.json``.
    """

    steering_wheel = Input("rad", "angle of the steering wheel, positive to the left")
    drive = Input("N.m", "drive torque at each wheel, by shafts from the chassis", size=4)
    brake = Input("N.m", "brake capacity of each wheel", size=4, min=0.0)
    propeller = Input("N.m", "torque of the propeller shaft behind the transfer case")
    push = Input("N", "force on the chassis at its origin, chassis axes", size=3)
    twist = Input("N.m", "moment on the chassis, chassis axes", size=3)
    ground_fl = Ground.sink("ground under the front left wheel")
    ground_fr = Ground.sink("ground under the front right wheel")
    ground_rl = Ground.sink("ground under the rear left wheel")
    ground_rr = Ground.sink("ground under the rear right wheel")

    tire_radius = Parameter(TIRE["unloaded_radius_m"], "m", "R, unloaded radius", min=0.1)
    tire_stiffness = Parameter(TIRE["vertical_stiffness_N_per_m"], "N/m", "vertical stiffness", min=1.0)
    tire_damping = Parameter(TIRE["vertical_damping_Ns_per_m"], "N.s/m", "vertical damping", min=0.0)
    C_S = Parameter(TIRE["c_slip_N"], "N", "longitudinal slip stiffness", min=1.0)
    C_a = Parameter(TIRE["c_alpha_N_per_rad"], "N/rad", "cornering stiffness", min=1.0)
    mu_min = Parameter(TIRE["mu_min"], "1", "friction in full slide", min=0.0)
    mu_max = Parameter(TIRE["mu_max"], "1", "friction without slip", min=0.0)
    relaxation = Parameter(
        [TIRE["relaxation_x_m"], TIRE["relaxation_y_m"]], "m", "sigma, along and across", size=2, min=0.01
    )
    rolling_resistance = Parameter(TIRE["rolling_resistance"], "1", "C_r", min=0.0)
    tire_damping_time = Parameter(0.1, "s", "tau, damping of the slips at low speed", min=0.0)
    slow_speed = Parameter(2.5, "m/s", "below which that damping sets in", min=0.01)
    brush_angle = Parameter(0.02, "rad", "turn in which a brake takes hold", min=1e-4)
    lock_torque = Parameter(
        0.0,
        "N.m",
        "of the differentials: centre, front, rear, at the shafts that each drives",
        size=3,
        min=0.0,
        tunable=True,
    )
    torque_bias = Parameter(
        AXLES.bias,
        "1",
        "centre, front, rear: torque of the slower shaft over that of the faster",
        size=3,
        min=1.0,
    )
    front_share = Parameter(AXLES.front_share, "1", "of the propeller torque, that goes to the front", min=0.0, max=1.0)
    axle_ratio = Parameter(AXLES.axle_ratio, "1", "propeller over mean half shaft speed", min=0.1)
    hub_ratio = Parameter(AXLES.hub_ratio, "1", "half shaft over wheel speed", min=0.1)
    sensor = Parameter([0.04833, 0.0, 0.1687], "m", "where accelerations are measured, vehicle axes", size=3)
    speed = Parameter(0.0, "m/s", "forward speed at the start")
    heading = Parameter(0.0, "rad", "yaw angle at the start")

    x = State(0.0, "m", "x of the chassis origin in the world")
    y = State(0.0, "m", "y of the chassis origin in the world")
    z = State(0.52, "m", "z of the chassis origin in the world", solve=True)
    q_w = State(1.0, "1", "rotation of the chassis: scalar part of its quaternion")
    q_x = State(0.0, "1", "its x part", solve=True)
    q_y = State(0.0, "1", "its y part", solve=True)
    q_z = State(0.0, "1", "its z part")
    omega = State(0.0, "rad/s", "angular velocity in chassis axes", size=3)
    v = State(0.0, "m/s", "velocity of the chassis origin in chassis axes", size=3, solve=True)
    pitman = State(0.0, "rad", "angle of the Pitman arm, to the right", solve=True)
    pitman_rate = State(0.0, "rad/s", "its rate")
    arm = State(
        [-0.0948, -0.0948, -0.2108, -0.2108], "rad", "angles of the lower arms, bump positive", size=4, solve=True
    )
    arm_rate = State(0.0, "rad/s", "their rates", size=4)
    spin = State(0.0, "rad/s", "speeds of the wheels against their uprights", size=4, solve=True, nominal=10.0)
    slip = State(0.0, "1", "kappa, relaxed longitudinal slip of the tires", size=4)
    side_slip = State(0.0, "1", "t, relaxed side slip of the tires", size=4)
    brush = State(0.0, "1", "hold of the brakes, -1 to 1", size=4)
    lock = State(0.0, "1", "hold of the differentials, -1 to 1: centre, front, rear", size=3)

    position = Output("m", "position of the sensor point in the world", size=3)
    velocity = Output("m/s", "velocity of the sensor point along the yawed axes", size=3)
    a = Output("m/s2", "acceleration of the sensor point along the yawed axes, zero at rest", size=3)
    yaw = Output("rad", "yaw angle, from the world's x to the left")
    pitch = Output("rad", "pitch angle, positive nose down")
    roll = Output("rad", "roll angle, positive to the right")
    yaw_rate = Output("rad/s", "rate of turning about the vertical")
    pitch_rate = Output("rad/s", "rate of turning about the left axis of the chassis")
    roll_rate = Output("rad/s", "rate of turning about the forward axis of the chassis")
    wheel_load = Output("N", "loads of the wheels", size=4)
    force_x = Output("N", "forces of the ground on the tires, where the wheels head", size=4)
    force_y = Output("N", "forces of the ground on the tires, to their left", size=4)
    wheel_speed = Output("rad/s", "speeds of the wheels against their uprights", size=4)
    propeller_speed = Output("rad/s", "speed of the propeller shaft behind the transfer case")
    wheel_slip = Output("1", "longitudinal slips that act, driving positive", size=4)
    slip_angle = Output("rad", "slip angles that act, positive where a tire moves to its right", size=4)
    wheel_steer = Output("rad", "angles of the road wheels to the chassis, positive to the left", size=4)
    hub = Output("m", "wheel centres in the world", size=(4, 3))
    spring_length = Output("m", "lengths of the springs", size=4)
    spring_force = Output("N", "forces of springs and stops, positive pushing apart", size=4)
    damper_force = Output("N", "forces of the dampers, positive pushing apart", size=4)
    kinetic_energy = Output("J", "kinetic energy")
    potential_energy = Output("J", "potential energy of height over z = 0, springs, stops, column and upright tires")
    margin = Output("1", "how far the loops are from opening, 1 at best")

    @cached_property
    def tree(self) -> tuple[Embedded, Any]:
        """The compound tree, and the values it is made of."""
        values = car_values(self)
        return Embedded(mechanism(values), rotors()), values

    @cached_property
    def car(self) -> Car:
        """The car in motion."""
        return Car(self, *self.tree)

    def initial(self) -> dict[str, Any]:
        """Heading as asked for."""
        return {"q_w": cos(0.5 * self.heading), "q_z": sin(0.5 * self.heading)}

    def residuals(self) -> dict[str, Any]:
        """Static equilibrium on the ground, and wheels that roll at the speed of the start."""
        sought = Sought(self)
        still = Car(self, *self.tree, sought)
        whole, along, radii = still.imbalance()
        normal = sum(getattr(self, f"ground_{w}").normal for w in WHEELS)
        ahead = vertcat(cos(self.heading), sin(self.heading), 0.0)
        ahead = ahead - normal * dot(normal, ahead) / dot(normal, normal)
        return {
            "force on the chassis": sought.residual(0, whole[5]),
            "roll moment on the chassis": sought.residual(1, whole[0]),
            "pitch moment on the chassis": sought.residual(2, whole[1]),
            "moment on the Pitman arm": along[("pitman", 0)],
            **{f"moment on the lower arm {w}": along[(f"lower_arm_{w}", 0)] for w in WHEELS},
            "velocity against the heading": still.R @ self.v - self.speed * ahead / norm_2(ahead),
            **{f"slip of the wheel {w}": self.spin[i] * radii[i] - self.speed for i, w in enumerate(WHEELS)},
        }

    def guards(self) -> dict[str, Any]:
        """Loops that close, and wheels that do not lie on their sides."""
        normal = sum(getattr(self, f"ground_{w}").normal for w in WHEELS) / 4.0
        return {
            "the suspension loops close": (
                self.car.configuration.margin > 0.0,
                "an arm is beyond its travel: soften the impact, stiffen the stops, or check the hardpoints",
            ),
            "the vehicle stands on its wheels": (
                dot(normal, self.car.R[:, 2]) > LEAN,
                "it has rolled over, and its body touches no ground",
            ),
        }

    def derivatives(self) -> dict[str, Any]:
        """The state equations."""
        car = self.car
        rates: dict[str, Any] = {}
        for node, rate in zip(car.tree.nodes, car.motion.rates, strict=True):
            rates |= {joint: rate[k] for k, (joint, _) in enumerate(node.independent)}
        q = vertcat(self.q_w, self.q_x, self.q_y, self.q_z)
        turned = quaternion_rate(q, self.omega) + (1.0 - dot(q, q)) * q
        place = car.R @ self.v
        return {
            **dict(zip(("x", "y", "z"), ca.vertsplit(place), strict=True)),
            **dict(zip(("q_w", "q_x", "q_y", "q_z"), ca.vertsplit(turned), strict=True)),
            "omega": car.motion.A["chassis"][:3],
            "v": car.motion.A["chassis"][3:] + car.gravity,
            "pitman": self.pitman_rate,
            "pitman_rate": rates["pitman"],
            "arm": self.arm_rate,
            "arm_rate": vertcat(*(rates[f"lower_arm_{w}"] for w in WHEELS)),
            "spin": vertcat(*(rates[f"wheel_{w}"] for w in WHEELS)),
            "slip": vertcat(*(w.slip_rate for w in car.wheels)),
            "side_slip": vertcat(*(w.side_slip_rate for w in car.wheels)),
            "lock": vertcat(*car.driveline.rates),
            "brush": vertcat(*(brake.rate(self.spin[i]) for i, brake in enumerate(car.brakes))),
        }

    def outputs(self) -> dict[str, Any]:
        """What is seen."""
        car, s = self.car, self.sensor
        R, wheels, corners = car.R, car.wheels, car.corners
        yaw = atan2(R[1, 0], R[0, 0])
        axes = [car.axis(w) for w in WHEELS]
        hubs = [car.place + R @ car.centre(w) for w in WHEELS]
        kinetic, potential = car.energies()
        return {
            "position": car.place + R @ s,
            "velocity": yawed(yaw, R @ (self.v + cross(self.omega, s))),
            "a": yawed(yaw, R @ car.acceleration(s)),
            "yaw": yaw,
            "pitch": -asin(R[2, 0]),
            "roll": atan2(R[2, 1], R[2, 2]),
            "yaw_rate": dot(R[2, :].T, self.omega),
            "pitch_rate": self.omega[1],
            "roll_rate": self.omega[0],
            "wheel_load": vertcat(*(w.load for w in wheels)),
            "force_x": vertcat(*(w.F_x for w in wheels)),
            "force_y": vertcat(*(w.F_y for w in wheels)),
            "wheel_speed": self.spin,
            "propeller_speed": car.driveline.speed,
            "wheel_slip": vertcat(*(w.slip for w in wheels)),
            "slip_angle": vertcat(*(atan(w.side_slip) for w in wheels)),
            "wheel_steer": vertcat(*(atan2(-a[0], a[1]) for a in axes)),
            "hub": horzcat(*hubs).T,
            "spring_length": vertcat(*(c.spring.length for c in corners)),
            "spring_force": vertcat(*(c.spring.force + c.spring.stops for c in corners)),
            "damper_force": vertcat(*(c.damper for c in corners)),
            "kinetic_energy": kinetic,
            "potential_energy": potential,
            "margin": car.configuration.margin,
            **{f"ground_{w}.at": centre[:2] for w, centre in zip(WHEELS, hubs, strict=True)},
        }
