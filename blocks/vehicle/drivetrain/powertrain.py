"""Engine, torque converter, gear train and transfer case."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from drawbar.blocks import Continuous, Input, Output, Parameter, State, fmax, fmin, if_else
from drawbar.blocks.vehicle.drivetrain.engine import Engine
from drawbar.blocks.vehicle.drivetrain.presets import HMMWV
from drawbar.blocks.vehicle.drivetrain.torque_converter import TorqueConverter


class Powertrain(Continuous, step=5e-4):
    """Throttle to propeller shaft, torque out and speed in; by default the 6.2 L diesel of the HMMWV.

    States are the speed w of the engine, the speed w_s at which the transfer case turns the propeller shaft, and the
    twist q of all shafts behind it. With the speed w_p of the propeller shaft at the vehicle::

        J w' = T_engine(throttle, w) - g T_i(w, w_t)        w_t = i w_s
        J_s w_s' = i e g T_t(w, w_t) - T_p                  q' = w_s - w_p
        T_p = k q + c (w_s - w_p)                           i = ratio of the gear times that of the transfer case

    The laws are those of `Engine` and `TorqueConverter`. e is the efficiency of gears and axles while the engine
    drives, and is replaced by 1/e while it is driven. The engagement g and the ratio come from a `Gearbox`: g is 1 in
    gear, 0 in neutral, and less than 1 during a shift; it disengages both sides of the converter at once. Engine mount,
    gearbox and differentials are on one chassis, so the torque of the propeller shaft about its own axis stays within
    it.

    The compliance of the shafts keeps the coupling stable: a converter without slip in low range is as stiff as a lock,
    and spinning wheels would make a macro step of 5 ms unstable. With k and c the exchanged torque follows from the
    twist, which is a state.

    Positive is forwards; in reverse i is negative. Power is conserved, with loss >= 0::

        engine_power = d(J w^2 + J_s w_s^2 + k q^2)/dt/2 + power + loss

    The engine starts at idle, or at the turbine's speed where that is higher. Valid for a running engine.

    ::

        throttle, ratio, engagement (Gearbox) --> |            | --> propshaft_torque
        propshaft_speed ------------------------> | Powertrain | --> gearbox_speed, engine_speed, engine_torque, ...

    Source: data of ``blocks/data/powertrains/hmmwv.json``; the 2020 paper names the components without equations.
    """

    throttle = Input("1", "throttle opening, 0 to 1", min=0.0, max=1.0)
    ratio = Input("1", "gear ratio: turbine speed over output speed of the gearbox; negative in reverse")
    engagement = Input("1", "g, transmitted fraction of the converter torque, 0 to 1", start=1.0, min=0.0, max=1.0)
    propshaft_speed = Input("rad/s", "w_p, speed of the propeller shaft at the vehicle")

    full_speed = Parameter(
        [p[0] for p in HMMWV.full], "rad/s", "speeds of the full-throttle curve", size=len(HMMWV.full)
    )
    full_torque = Parameter(
        [p[1] for p in HMMWV.full], "N.m", "torques of the full-throttle curve", size=len(HMMWV.full)
    )
    motored_speed = Parameter(
        [p[0] for p in HMMWV.motored], "rad/s", "speeds of the motored curve, without fuel", size=len(HMMWV.motored)
    )
    motored_torque = Parameter(
        [p[1] for p in HMMWV.motored], "N.m", "torques of the motored curve, without fuel", size=len(HMMWV.motored)
    )
    inertia = Parameter(HMMWV.inertia, "kg.m2", "J, inertia of engine and impeller", min=1e-3)
    idle = Parameter(HMMWV.idle, "rad/s", "idle speed, below which the governor opens the throttle", min=1.0)
    idle_span = Parameter(30.0, "rad/s", "speed below idle at which the governor is fully open", min=0.1)
    speed_ratio = Parameter(HMMWV.speed_ratio, "1", "nu, speed ratios of the converter map, from 0 to 1", size=6)
    capacity = Parameter(
        HMMWV.capacity, "N.m.s2", "c, impeller torque over its speed squared at each speed ratio", size=6, min=0.0
    )
    torque_ratio = Parameter(
        HMMWV.torque_ratio, "1", "m, turbine over impeller torque at each speed ratio", size=6, min=0.0
    )
    low_ratio = Parameter(
        HMMWV.low_range, "1", "ratio of the transfer case in low range; that of high range is 1", min=1.0
    )
    low_range = Parameter(False, "1", "low range of the transfer case engaged", type=bool)
    efficiency = Parameter(HMMWV.efficiency, "1", "e, efficiency of gears and axles", min=0.1, max=1.0)
    shaft_inertia = Parameter(
        HMMWV.shaft_inertia, "kg.m2", "J_s, inertia of gears and shaft behind the converter", min=0.05
    )
    shaft_stiffness = Parameter(
        HMMWV.shaft_stiffness, "N.m/rad", "k, stiffness of all shafts, at the propeller shaft", min=0.0
    )
    shaft_damping = Parameter(
        HMMWV.shaft_damping, "N.m.s/rad", "c, damping of all shafts, at the propeller shaft", min=0.0
    )

    engine_speed = State(0.0, "rad/s", "w, speed of engine and impeller", output=True, nominal=100.0)
    shaft_speed = State(0.0, "rad/s", "w_s, speed of the propeller shaft at the transfer case", nominal=100.0)
    twist = State(0.0, "rad", "q, twist of all shafts")

    propshaft_torque = Output("N.m", "T_p, torque of the propeller shaft")
    gearbox_speed = Output("rad/s", "output speed of the gearbox, in front of the transfer case")
    turbine_speed = Output("rad/s", "w_t, speed of the turbine")
    engine_torque = Output("N.m", "torque of the engine at its crankshaft")
    impeller_torque = Output("N.m", "g T_i, torque of the impeller on the engine")
    turbine_torque = Output("N.m", "g T_t, torque of the turbine on the gearbox")
    driven_torque = Output("N.m", "i e g T_t, torque of the transfer case on the propeller shaft")
    engine_power = Output("W", "power of the engine, at its crankshaft")
    power = Output("W", "power of the propeller shaft, to the vehicle")
    loss = Output("W", "power lost in converter, gears and shafts")

    @cached_property
    def engine(self) -> Any:
        """Return the torque of the engine, in N m."""
        law = Engine(
            (self.full_speed, self.full_torque), (self.motored_speed, self.motored_torque), self.idle, self.idle_span
        )
        return law.torque(self.throttle, self.engine_speed)

    @property
    def total_ratio(self) -> Any:
        """Return the ratio of gear and transfer case."""
        return self.ratio * if_else(self.low_range, self.low_ratio, 1.0)

    @cached_property
    def converter(self) -> tuple[Any, Any]:
        """Return the torques of impeller and turbine, in N m."""
        law = TorqueConverter(self.speed_ratio, self.capacity, self.torque_ratio)
        impeller, turbine = law.torques(self.engine_speed, self.total_ratio * self.shaft_speed)
        return self.engagement * impeller, self.engagement * turbine

    @property
    def driven(self) -> Any:
        """Return the torque of the transfer case, in N m."""
        turbine = self.converter[1]
        return self.total_ratio * (self.efficiency * fmax(turbine, 0.0) + fmin(turbine, 0.0) / self.efficiency)

    @property
    def twist_rate(self) -> Any:
        """Return the rate of twist of the shafts, in rad/s."""
        return self.shaft_speed - self.propshaft_speed

    @property
    def output_torque(self) -> Any:
        """Return the torque of the propeller shaft, in N m."""
        return self.shaft_stiffness * self.twist + self.shaft_damping * self.twist_rate

    def initial(self) -> dict[str, Any]:
        """Return the speeds at idle, or those at which the vehicle drives the engine."""
        return {
            "engine_speed": fmax(self.idle, self.total_ratio * self.propshaft_speed),
            "shaft_speed": self.propshaft_speed,
        }

    def derivatives(self) -> dict[str, Any]:
        return {
            "engine_speed": (self.engine - self.converter[0]) / self.inertia,
            "shaft_speed": (self.driven - self.output_torque) / self.shaft_inertia,
            "twist": self.twist_rate,
        }

    def outputs(self) -> dict[str, Any]:
        impeller, turbine = self.converter
        gear_loss = impeller * self.engine_speed - self.driven * self.shaft_speed
        return {
            "propshaft_torque": self.output_torque,
            "gearbox_speed": self.shaft_speed * if_else(self.low_range, self.low_ratio, 1.0),
            "turbine_speed": self.total_ratio * self.shaft_speed,
            "engine_torque": self.engine,
            "impeller_torque": impeller,
            "turbine_torque": turbine,
            "driven_torque": self.driven,
            "engine_power": self.engine * self.engine_speed,
            "power": self.output_torque * self.propshaft_speed,
            "loss": gear_loss + self.shaft_damping * self.twist_rate**2,
        }
