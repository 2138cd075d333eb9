"""The control of an automatic gearbox: gear selection, and the torque cut of a shift."""

from __future__ import annotations

from typing import Any

from drawbar.blocks import Input, Output, Parameter, Sampled, State, fabs, fmax, if_else, logic_and, logic_or
from drawbar.blocks.vehicle.drivetrain.presets import HMMWV

GEARS = len(HMMWV.ratio)


class Gearbox(Sampled, period=0.01):
    """Gear selection of an automatic gearbox and the torque cut of its shifts; by default the HMMWV's three speeds.

    In drive, with the speed w_t of the turbine in the present gear and the throttle a::

        up     where w_t > up_closed + a (up_full - up_closed)
        down   where w_t < down_closed + a (down_full - down_closed)

    It shifts one gear at a time, and not before `latency` has passed since the last shift. A guard checks that an
    upshift does not lead below the point of the downshift, so that it does not hunt. A shift takes `duration`: the
    transmitted torque falls to 0, the gear changes, and the torque rises again; the throttle is cut likewise. Neutral
    transmits no torque. Between drive and reverse the gearbox waits in neutral until the output is slower than
    `engage`.

    Positive is forwards. Valid for a gearbox that follows its control; clutches and their heat are not modelled.

    ::

        selector, throttle --> |         | --> fuel (to Powertrain.throttle), ratio, engagement
        gearbox_speed -------> | Gearbox | --> gear

    Source: ratios of ``blocks/data/powertrains/hmmwv.json``; shift points are estimated there.
    """

    selector = Input("1", "selector position: 1 drive, 0 neutral, -1 reverse", type=int, start=1, min=-1, max=1)
    throttle = Input("1", "throttle demand, 0 to 1", min=0.0, max=1.0)
    gearbox_speed = Input("rad/s", "output speed of the gearbox")

    ratios = Parameter(HMMWV.ratio, "1", "input over output speed of each forward gear", size=GEARS, min=1e-3)
    reverse = Parameter(HMMWV.reverse, "1", "input over output speed of the reverse gear", max=-1e-3)
    up_closed = Parameter(
        HMMWV.up[0], "rad/s", "turbine speed of the upshift from each gear, throttle closed", size=GEARS - 1
    )
    up_full = Parameter(
        HMMWV.up[1], "rad/s", "turbine speed of the upshift from each gear, full throttle", size=GEARS - 1
    )
    down_closed = Parameter(
        HMMWV.down[0], "rad/s", "turbine speed of the downshift to each gear, throttle closed", size=GEARS - 1
    )
    down_full = Parameter(
        HMMWV.down[1], "rad/s", "turbine speed of the downshift to each gear, full throttle", size=GEARS - 1
    )
    duration = Parameter(HMMWV.duration, "s", "duration of a shift", min=0.02)
    latency = Parameter(HMMWV.latency, "s", "shortest time from one shift to the next", min=0.0)
    engage = Parameter(20.0, "rad/s", "largest output speed at which drive and reverse are exchanged")
    first = Parameter(1, "1", "initial gear: -1, 0, 1, ...", type=int, min=-1, max=GEARS)

    current_gear = State(1.0, "1", "present gear: -1, 0, 1, ...")
    next_gear = State(1.0, "1", "target gear of the shift")
    shift_timer = State(0.0, "s", "remaining time of the shift")
    latency_timer = State(0.0, "s", "remaining time of the latency")

    gear = Output("1", "present gear: -1 reverse, 0 neutral, 1, ...", type=int)
    ratio = Output("1", "input over output speed of the present gear, 0 in neutral")
    engagement = Output("1", "transmitted fraction of the torque, 0 to 1")
    fuel = Output("1", "throttle of the engine, cut during a shift")

    def gear_value(self, gear: Any, values: Any) -> Any:
        """Return the value that belongs to a forward gear, 0 for others."""
        return sum(if_else(fabs(gear - 1.0 - i) < 0.5, values[i], 0.0) for i in range(values.shape[0]))

    def ratio_of(self, gear: Any) -> Any:
        """Return the ratio of a gear."""
        return self.gear_value(gear, self.ratios) + if_else(gear < -0.5, self.reverse, 0.0)

    def target_gear(self) -> Any:
        """Return the gear for the present speeds, throttle and selector."""
        gear, turbine = self.current_gear, self.gearbox_speed * self.ratio_of(self.current_gear)
        a, last = self.throttle, self.ratios.shape[0] - 0.5
        up = self.gear_value(gear, self.up_closed + a * (self.up_full - self.up_closed))
        down = self.gear_value(gear - 1.0, self.down_closed + a * (self.down_full - self.down_closed))
        faster = logic_and(gear < last, turbine > up)
        slower = logic_and(gear > 1.5, turbine < down)
        ready = self.latency_timer < 0.5 * self.period
        driving = gear + if_else(logic_and(ready, faster), 1.0, 0.0) - if_else(logic_and(ready, slower), 1.0, 0.0)
        forward_gear = if_else(gear > 0.5, driving, if_else(self.gearbox_speed > -self.engage, 1.0, 0.0))
        reverse_gear = if_else(logic_or(gear < -0.5, self.gearbox_speed < self.engage), -1.0, 0.0)
        return if_else(self.selector > 0, forward_gear, if_else(self.selector < 0, reverse_gear, 0.0))

    def initial(self) -> dict[str, Any]:
        """Return the initial gear."""
        return {"current_gear": self.first, "next_gear": self.first}

    def guards(self) -> dict[str, Any]:
        """Return the guards that the shift points do not cause hunting."""
        step = self.ratios[1:] / self.ratios[:-1]
        closed, full = step * self.up_closed > self.down_closed, step * self.up_full > self.down_full
        advice = "it would hunt: move the shift points of the two gears apart"
        return {
            "a shift up leads above the point to shift down, closed": (closed, advice),
            "a shift up leads above the point to shift down, full": (full, advice),
        }

    def outputs(self) -> dict[str, Any]:
        progress = 2.0 * self.shift_timer / self.duration - 1.0  # from 1 to -1; 0 at the change of gear
        before = if_else(fabs(self.current_gear) > 0.5, progress, 0.0)
        after = if_else(fabs(self.next_gear) > 0.5, -progress, 0.0)
        engagement = fmax(0.0, if_else(progress > 0.0, before, after))
        return {
            "gear": self.current_gear,
            "ratio": self.ratio_of(self.current_gear),
            "engagement": engagement,
            "fuel": self.throttle * if_else(fabs(self.current_gear) + fabs(self.next_gear) > 0.5, engagement, 1.0),
        }

    def update(self) -> dict[str, Any]:
        target_gear, T = self.target_gear(), self.period
        idle = self.shift_timer < 0.5 * T
        # a new selector position does not wait for the end of a shift
        selector_changed = logic_and(
            fabs(target_gear - self.next_gear) > 0.5, logic_or(target_gear < 0.5, self.next_gear < 0.5)
        )
        begin = logic_and(fabs(target_gear - self.current_gear) > 0.5, logic_or(idle, selector_changed))
        shift_timer = if_else(begin, self.duration, fmax(0.0, self.shift_timer - T))
        return {
            "next_gear": if_else(begin, target_gear, self.next_gear),
            "shift_timer": shift_timer,
            "current_gear": if_else(shift_timer < 0.5 * self.duration, self.next_gear, self.current_gear),
            "latency_timer": if_else(begin, self.latency, fmax(0.0, self.latency_timer - T)),
        }
