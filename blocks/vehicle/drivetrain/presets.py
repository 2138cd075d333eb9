"""The powertrain data that come with Drawbar, in the shape of the blocks' parameters."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from drawbar.blocks.data import read
from drawbar.blocks.vehicle.drivetrain.engine import full_throttle_curve
from drawbar.blocks.vehicle.drivetrain.lookup_table import value_at
from drawbar.blocks.vehicle.drivetrain.torque_converter import capacities

RPM = math.pi / 30.0  # rad/s


@dataclass(frozen=True)
class Preset:
    """Data of one powertrain; speeds in rad/s, torques in N m, ratios input over output."""

    full: list[list[float]]
    motored: list[list[float]]
    inertia: float
    idle: float
    speed_ratio: list[float]
    capacity: list[float]
    torque_ratio: list[float]
    ratio: list[float]
    reverse: float
    low_range: float
    efficiency: float
    up: list[list[float]]  # at closed and at full throttle, for each pair of gears
    down: list[list[float]]
    duration: float
    latency: float
    shaft_inertia: float
    shaft_stiffness: float
    shaft_damping: float


@dataclass(frozen=True)
class Axles:
    """Data behind the transfer case: ratios, fraction of the front, and biases of centre, front and rear."""

    axle_ratio: float
    hub_ratio: float
    front_share: float
    bias: list[float]


def _preset(full: list[list[float]], converter: dict[str, Any], estimated: dict[str, Any], **rest: Any) -> Preset:
    stall_speed = estimated["stall_rpm"] * RPM
    return Preset(
        full=full,
        speed_ratio=converter["speed_ratio"],
        capacity=capacities(converter["capacity_factor"], stall_speed, value_at(full, stall_speed)),
        torque_ratio=converter["torque_ratio"],
        idle=estimated["idle_rpm"] * RPM,
        efficiency=estimated["efficiency"],
        duration=estimated["shift_duration_s"],
        shaft_inertia=estimated["shaft_inertia_kgm2"],
        shaft_stiffness=estimated["shaft_stiffness_Nm_per_rad"],
        shaft_damping=estimated["shaft_damping_Nms_per_rad"],
        **rest,
    )


def hmmwv() -> Preset:
    """Return the 6.2 L diesel with its three-speed automatic."""
    data, engine = read("powertrains/hmmwv.json"), read("vehicles/hmmwv.json")["engine"]
    estimated, rated = data["estimated"], data["engine"]["rated_speed_rpm"] * RPM
    return _preset(
        full_throttle_curve(engine["max_torque_Nm"], engine["max_power_W"], rated, estimated["governor_droop"]),
        data["torque_converter"],
        estimated,
        motored=data["engine"]["motored_rad_per_s_Nm"],
        inertia=estimated["inertia_kgm2"],
        ratio=data["gearbox"]["ratio"],
        reverse=data["gearbox"]["reverse"],
        low_range=data["transfer_case"]["low"],
        up=[[n * RPM for n in estimated["upshift_rpm"][pedal]] for pedal in ("closed", "full")],
        down=[[n * RPM for n in estimated["downshift_rpm"][pedal]] for pedal in ("closed", "full")],
        latency=estimated["shift_latency_s"],
    )


def generic_diesel() -> Preset:
    """Return a heavier diesel with another three-speed automatic."""
    data = read("powertrains/generic_diesel.json")
    estimated, box, engine = data["estimated"], data["gearbox"], data["engine"]
    pairs, closed = len(box["ratio_out_over_in"]) - 1, 1.0 / (1.0 + estimated["kick_down"])

    def shifts(rpm: float) -> list[list[float]]:
        return [[share * rpm * RPM] * pairs for share in (closed, 1.0)]

    return _preset(
        [[n * RPM, torque] for n, torque in engine["full_throttle_rpm_Nm"]],
        data["torque_converter"],
        estimated,
        motored=[[n * RPM, torque] for n, torque in engine["motored_rpm_Nm"]],
        inertia=engine["shaft_inertia_kgm2"],
        ratio=[1.0 / g for g in box["ratio_out_over_in"]],
        reverse=1.0 / box["reverse_out_over_in"],
        low_range=1.0,
        up=shifts(box["upshift_rpm"]),
        down=shifts(box["downshift_rpm"]),
        latency=box["latency_s"],
    )


def hmmwv_axles() -> Axles:
    """Return an open centre, geared differentials in the axles, and gears in the hubs."""
    data, line = read("powertrains/hmmwv.json"), read("vehicles/hmmwv.json")["driveline"]
    bias = [1.0, line["front_diff_max_bias"], line["rear_diff_max_bias"]]
    return Axles(data["axle_ratio"], data["hub_ratio"], line["front_torque_fraction"], bias)


HMMWV_AXLES = hmmwv_axles()
HMMWV, GENERIC_DIESEL = hmmwv(), generic_diesel()
