"""The base of the HMMWVs with wheels: spins, brakes and differentials, the grounds, and the outputs of the wheels."""

from __future__ import annotations

from typing import Any

from drawbar.blocks import Input, Output, Parameter, State, horzcat, vertcat
from drawbar.blocks.terrain.ground.ground import WHEELS, Ground
from drawbar.blocks.tires.rolling_wheel import OVERLOAD
from drawbar.blocks.vehicle.drivetrain.presets import HMMWV_AXLES as AXLES
from drawbar.blocks.vehicle.hmmwv.hmmwv import Hmmwv


class HmmwvOnWheels(Hmmwv, abstract=True):
    """A `Hmmwv` with wheels (4 coordinates) whose brakes hold by bristles (`Brake`); a subclass adds the tire.

    `propshaft_torque` is the torque of the shaft behind the transfer case. A centre differential, one in each axle and
    gears in the hubs divide and multiply it (`Driveline`). A differential is open (no `lock_torque`, `torque_bias` 1),
    geared (a bias), limited by a clutch (a lock torque), or locked (a lock torque above what wheels can transmit: 2
    kN.m in the centre, 5 kN.m in an axle); `lock_torque` may change during a run. Half shafts react on the chassis, the
    gears of the hubs on the uprights. Engine, gearbox and differentials are mounted on the chassis, so the moment of
    the propeller shaft about its own axis stays within it. `drive` is added to it, without those gears.
    """

    warn_if_multiple = {"wheel_load": OVERLOAD}

    brake = Input("N.m", "brake capacity of each wheel", size=4, min=0.0)
    propshaft_torque = Input("N.m", "torque of the propeller shaft behind the transfer case")
    ground_fl = Ground.sink("ground under the front left wheel")
    ground_fr = Ground.sink("ground under the front right wheel")
    ground_rl = Ground.sink("ground under the rear left wheel")
    ground_rr = Ground.sink("ground under the rear right wheel")

    bristle_angle = Parameter(0.02, "rad", "angle within which a brake engages", min=1e-4)

    lock_torque = Parameter(
        0.0,
        "N.m",
        "lock torques of the centre, front and rear differential, at the shafts that each drives",
        size=3,
        min=0.0,
        tunable=True,
    )
    torque_bias = Parameter(
        AXLES.bias,
        "1",
        "torque bias of the centre, front and rear differential: slower over faster shaft",
        size=3,
        min=1.0,
    )
    front_share = Parameter(
        AXLES.front_share, "1", "fraction of the propeller shaft torque at the front axle", min=0.0, max=1.0
    )
    axle_ratio = Parameter(AXLES.axle_ratio, "1", "propeller shaft speed over mean half-shaft speed", min=0.1)
    hub_ratio = Parameter(AXLES.hub_ratio, "1", "half-shaft speed over wheel speed", min=0.1)

    spin = State(0.0, "rad/s", "speed of each wheel relative to its upright", size=4, solve=True, nominal=10.0)
    slip = State(0.0, "1", "kappa, relaxed longitudinal slip of the tires", size=4, solve=True)
    side_slip = State(0.0, "1", "t, relaxed lateral slip of the tires", size=4, solve=True)
    bristle_torque = State(0.0, "N.m", "torques of the brakes' bristles", size=4, nominal=1000.0, solve=True)
    lock = State(0.0, "N.m", "locking torques of the centre, front and rear differential", size=3, nominal=1000.0)

    wheel_load = Output("N", "wheel loads", size=4)
    force_x = Output("N", "longitudinal forces of the ground on the tires", size=4)
    force_y = Output("N", "lateral forces of the ground on the tires, to their left", size=4)
    wheel_speed = Output("rad/s", "speed of each wheel relative to its upright", size=4)
    propshaft_speed = Output("rad/s", "speed of the propeller shaft behind the transfer case")
    wheel_slip = Output("1", "longitudinal slips with their damping, driving positive", size=4)
    slip_angle = Output("rad", "slip angles with their damping, positive where a tire moves to its right", size=4)
    hub = Output("m", "wheel centres in the world", size=(4, 3))

    def wheel_port(self, wheel: str) -> Any:
        """Return the ground under a wheel."""
        return getattr(self, f"ground_{wheel}")

    def brake_capacity(self, wheel: str) -> Any:
        """Return the brake capacity that is an input."""
        return self.brake[WHEELS.index(wheel)]

    def rolling_radii(self) -> list[Any]:
        """Return the distance per radian of each wheel at initialization, in m: the loaded radius."""
        return [s.contact.radius for s in self.equilibrium[1].supports]

    def residuals(self) -> dict[str, Any]:
        """Return the residuals of `Hmmwv`, and those of wheels that roll at the initial speed."""
        radii = self.rolling_radii()
        rolling = {f"slip of the wheel {w}": self.spin[i] * radii[i] - self.speed for i, w in enumerate(WHEELS)}
        at_rest, found = self.equilibrium[1], super().residuals() | rolling
        for i, w in enumerate(WHEELS):
            kappa, t = at_rest.slips(i)
            found[f"hold of the wheel {w} along"] = self.slip[i] - kappa
            found[f"hold of the wheel {w} across"] = self.side_slip[i] - t
            found[f"hold of the brake {w}"] = self.bristle_torque[i] - at_rest.supports[i].initial_bristle_torque(
                self.drive[i]
            )
        return found

    def stability_bounds(self) -> dict[str, Any]:
        """Return the bounds of `Hmmwv` and those of the wheels."""
        return {**self.dynamics.stability_bounds(), **super().stability_bounds()}

    def derivatives(self) -> dict[str, Any]:
        """Return the derivatives of `Hmmwv` and those of wheels, tires, brakes and differentials."""
        car = self.dynamics
        return super().derivatives() | {
            "spin": vertcat(*(car.rates[f"wheel_{w}"] for w in WHEELS)),
            "slip": vertcat(*(w.slip_rate for w in car.wheels)),
            "side_slip": vertcat(*(w.side_slip_rate for w in car.wheels)),
            "lock": vertcat(*car.driveline.rates),
            "bristle_torque": vertcat(*(brake.rate(self.spin[i]) for i, brake in enumerate(car.brakes))),
        }

    def initial_outputs(self) -> dict[str, Any]:
        """Return the ground query points of initialization."""
        return {f"ground_{w}.at": self.ground_query_point(w) for w in WHEELS}

    def outputs(self) -> dict[str, Any]:
        """Return the outputs of `Hmmwv` and those of the wheels."""
        car, wheels = self.dynamics, self.dynamics.wheels
        hubs = [car.origin + car.R @ car.centre(w) for w in WHEELS]
        return super().outputs() | {
            "wheel_load": vertcat(*(w.load for w in wheels)),
            "force_x": vertcat(*(w.F_x for w in wheels)),
            "force_y": vertcat(*(w.F_y for w in wheels)),
            "wheel_speed": self.spin,
            "propshaft_speed": car.driveline.speed,
            "wheel_slip": vertcat(*(w.slip for w in wheels)),
            "slip_angle": vertcat(*(w.slip_angle for w in wheels)),
            "hub": horzcat(*hubs).T,
            **{f"ground_{w}.at": centre[:2] for w, centre in zip(WHEELS, hubs, strict=True)},
        }
