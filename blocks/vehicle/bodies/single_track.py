"""A planar vehicle with one wheel per axle and quasi-static load transfer, by default the HMMWV."""

from typing import Any

from drawbar.blocks import (
    Continuous,
    Input,
    Output,
    Parameter,
    State,
    cos,
    fabs,
    fmax,
    fmin,
    if_else,
    sin,
    vertcat,
)
from drawbar.blocks.core.units import STANDARD_GRAVITY
from drawbar.blocks.data import read
from drawbar.blocks.tires.axle_tire import AxleTire, slip_angle

DATA = read("vehicles/hmmwv_planar.json")
TIRE, TRANSFER, ENVELOPE = DATA["axle_tire"], DATA["load_transfer"], DATA["acceleration_envelope"]
MAX_BACKWARD_SPEED = 0.1  # m/s; braking overshoots standstill by a micro-step
MAX_LOAD_ERROR = 0.05  # difference of the axle loads from the weight, over the weight
MIN_LOAD = 1.0  # N; at zero load the tire law would divide zero by zero


class SingleTrack(Continuous, method="rk4", step=1e-3):
    """A vehicle on a plane with one wheel per axle, a nonlinear tire and load transfer; a HMMWV by default.

    At the centre of gravity, with F_f and F_r the lateral forces of the axles (`AxleTire`) and a the acceleration::

        x' = u cos yaw - v sin yaw     u' = a                     a_y = (F_f + F_r)/m
        y' = u sin yaw + v cos yaw     v' = a_y - yaw_rate u      yaw_rate' = (l_a F_f - l_b F_r)/I_zz
        slip_f = atan((v + l_a yaw_rate)/u) - steer               slip_r = atan((v - l_b yaw_rate)/u)

    Axle loads follow ``K_ZX (a - v yaw_rate)``; wheel loads are quasi-static, half the axle load less (left) or plus
    (right) ``K_ZY a_y``, and stay within zero and the axle load. The tire law takes the load of the whole axle, so a
    lifted wheel costs no lateral force. Cornering does not slow the vehicle down.

    ISO 8855: x forward, y left, yaw and steer positive to the left. Valid from about 1 m/s to 29 m/s on a flat paved
    road. Below 1 m/s slip is formed with 1 m/s, which damps lateral motion but does not describe parking; braking ends
    at standstill. Driving backwards is not modelled: it ends the run, as do axle loads that differ from the weight by
    more than 5 %.

    Source: the planner model of Liu, Jayakumar, Stein and Ersal (IEEE Trans. Vehicular Technology 66(10), 2017) in its
    public code, whose position is that of the front axle; data in ``blocks/data/vehicles/hmmwv_planar.json``.
    """

    steer = Input("rad", "steering angle of the front road wheels, positive to the left")
    acceleration = Input("m/s2", "desired rate of change of the forward speed, limited by the envelope")

    mass = Parameter(DATA["mass"], "kg", "m, mass", min=1.0)
    yaw_inertia = Parameter(DATA["yaw_inertia"], "kg.m2", "I_zz, moment of inertia about the vertical", min=1.0)
    front_arm = Parameter(
        DATA["cg_to_front_axle"], "m", "l_a, distance of the front axle ahead of the centre of gravity", min=0.0
    )
    rear_arm = Parameter(
        DATA["cg_to_rear_axle"], "m", "l_b, distance of the rear axle behind the centre of gravity", min=0.0
    )
    front_load = Parameter(DATA["front_axle_load"], "N", "static load of the front axle", min=0.0)
    rear_load = Parameter(DATA["rear_axle_load"], "N", "static load of the rear axle", min=0.0)
    pitch_transfer = Parameter(
        TRANSFER["pitch"], "N.s2/m", "K_ZX, change of the axle load with the longitudinal acceleration", min=0.0
    )
    front_transfer = Parameter(
        TRANSFER["front_roll"], "N.s2/m", "K_ZYF, change of the front wheel load with a_y", min=0.0
    )
    rear_transfer = Parameter(TRANSFER["rear_roll"], "N.s2/m", "K_ZYR, change of the rear wheel load with a_y", min=0.0)
    FZ0 = Parameter(TIRE["FZ0"], "N", "FZ0, nominal load of the tire law", min=1.0)
    PCY1 = Parameter(TIRE["PCY1"], "1", "PCY1, shape factor")
    PDY1 = Parameter(TIRE["PDY1"], "1", "PDY1, lateral friction coefficient")
    PDY2 = Parameter(TIRE["PDY2"], "1", "PDY2, change of lateral friction with load")
    PEY1 = Parameter(TIRE["PEY1"], "1", "PEY1, curvature factor")
    PEY2 = Parameter(TIRE["PEY2"], "1", "PEY2, change of the curvature factor with load")
    PKY1 = Parameter(TIRE["PKY1"], "1/rad", "PKY1, largest cornering stiffness over FZ0, negative", max=0.0)
    PKY2 = Parameter(TIRE["PKY2"], "1", "PKY2, load over FZ0 at the largest cornering stiffness", min=1e-3)
    envelope_speed = Parameter(ENVELOPE["speed_limit"], "m/s", "highest speed of the acceleration envelope", min=0.0)
    max_acceleration = Parameter(
        ENVELOPE["most"], "1", "upper limit in m/s2 as a cubic polynomial of u in m/s, highest power first", size=4
    )
    min_acceleration = Parameter(
        ENVELOPE["least"], "1", "lower limit in m/s2 as a cubic polynomial of u in m/s, highest power first", size=4
    )

    x = State(0.0, "m", "x of the centre of gravity in the world", output=True)
    y = State(0.0, "m", "y of the centre of gravity in the world", output=True)
    yaw = State(0.0, "rad", "heading, from the world's x axis to the left", output=True)
    u = State(10.0, "m/s", "forward speed of the centre of gravity", output=True)
    v = State(0.0, "m/s", "lateral velocity of the centre of gravity, positive to the left", output=True)
    yaw_rate = State(0.0, "rad/s", "yaw rate, positive to the left", output=True)

    a_y = Output("m/s2", "lateral acceleration of the centre of gravity, positive to the left")
    wheel_load = Output("N", "wheel loads: front left, front right, rear left, rear right", size=4)

    def bounded_acceleration(self) -> Any:
        """Return the desired acceleration within the envelope, without braking at standstill."""
        u = fmin(fmax(self.u, 0.0), self.envelope_speed)
        powers = vertcat(u**3, u**2, u, 1.0)
        upper = self.max_acceleration.T @ powers
        lower = if_else(self.u > 0.0, self.min_acceleration.T @ powers, 0.0)
        return fmax(fmin(self.acceleration, upper), lower)

    def axle_loads(self) -> tuple[Any, Any]:
        """Return front and rear axle load, after the transfer by the longitudinal acceleration."""
        shift = self.pitch_transfer * (self.bounded_acceleration() - self.v * self.yaw_rate)
        total = self.front_load + self.rear_load
        front = fmin(fmax(self.front_load - shift, MIN_LOAD), total - MIN_LOAD)
        return front, total - front

    def lateral_forces(self) -> tuple[Any, Any]:
        """Return front and rear lateral force, along the vehicle's y axis (small steer)."""
        tire = AxleTire(self.FZ0, self.PCY1, self.PDY1, self.PDY2, self.PEY1, self.PEY2, self.PKY1, self.PKY2)
        front, rear = self.axle_loads()
        return (
            tire.lateral_force(slip_angle(self.u, self.v + self.front_arm * self.yaw_rate, self.steer), front),
            tire.lateral_force(slip_angle(self.u, self.v - self.rear_arm * self.yaw_rate, 0.0), rear),
        )

    def guards(self) -> dict[str, Any]:
        """Return the guards that the vehicle does not drive backwards, and that its axles carry its weight."""
        loads, weight = self.front_load + self.rear_load, self.mass * STANDARD_GRAVITY
        return {
            "the forward speed is not negative": (
                self.u > -MAX_BACKWARD_SPEED,
                "SingleTrack does not drive backwards: use HmmwvVehicle",
            ),
            "the axle loads differ from the weight by at most 5 %": (
                fabs(loads / weight - 1.0) <= MAX_LOAD_ERROR,
                "set `front_load` and `rear_load` with `mass`",
            ),
        }

    def derivatives(self) -> dict[str, Any]:
        front, rear = self.lateral_forces()
        return {
            "x": self.u * cos(self.yaw) - self.v * sin(self.yaw),
            "y": self.u * sin(self.yaw) + self.v * cos(self.yaw),
            "yaw": self.yaw_rate,
            "u": self.bounded_acceleration(),
            "v": (front + rear) / self.mass - self.yaw_rate * self.u,
            "yaw_rate": (self.front_arm * front - self.rear_arm * rear) / self.yaw_inertia,
        }

    def outputs(self) -> dict[str, Any]:
        a_y = sum(self.lateral_forces()) / self.mass
        loads = []
        for axle, transfer in zip(self.axle_loads(), (self.front_transfer, self.rear_transfer), strict=True):
            left = fmin(fmax(axle / 2.0 - transfer * a_y, 0.0), axle)
            loads += [left, axle - left]
        return {"a_y": a_y, "wheel_load": vertcat(*loads)}
