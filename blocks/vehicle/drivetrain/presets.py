"""The powertrain data that come with Drawbar, in the shape of the blocks' parameters."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from drawbar.blocks.data import read
from drawbar.blocks.vehicle.drivetrain.engine import limited
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


def at(points: list[list[float]], x: float) -> float:
    """Return the value of a table of points at a number."""
    for (x0, y0), (x1, y1) in pairwise(points):
        if x0 <= x <= x1:
            return y0 + (y1 - y0) * (x - x0) / (x1 - x0)
    raise ValueError(f"{x} lies outside the table, {points[0][0]} to {points[-1][0]}")


def _preset(full: list[list[float]], converter: dict[str, Any], estimated: dict[str, Any], **rest: Any) -> Preset:
    stalled = estimated["stall_rpm"] * RPM
    return Preset(
        full=full,
        speed_ratio=converter["speed_ratio"],
        capacity=capacities(converter["capacity_factor"], stalled, at(full, stalled)),
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
    d, engine = read("powertrains/hmmwv.json"), read("vehicles/hmmwv.json")["engine"]
    e, rated = d["estimated"], d["engine"]["rated_speed_rpm"] * RPM
    return _preset(
        limited(engine["max_torque_Nm"], engine["max_power_W"], rated, e["governor_droop"]),
        d["torque_converter"],
        e,
        motored=d["engine"]["motored_rad_per_s_Nm"],
        inertia=e["inertia_kgm2"],
        ratio=d["gearbox"]["ratio"],
        reverse=d["gearbox"]["reverse"],
        low_range=d["transfer_case"]["low"],
        up=[[n * RPM for n in e["upshift_rpm"][pedal]] for pedal in ("closed", "full")],
        down=[[n * RPM for n in e["downshift_rpm"][pedal]] for pedal in ("closed", "full")],
        latency=e["shift_latency_s"],
    )


def generic_diesel() -> Preset:
    """Return a heavier diesel with another three-speed automatic."""
    d = read("powertrains/generic_diesel.json")
    e, box, engine = d["estimated"], d["gearbox"], d["engine"]
    pairs, closed = len(box["ratio_out_over_in"]) - 1, 1.0 / (1.0 + e["kick_down"])

    def shifts(rpm: float) -> list[list[float]]:
        return [[share * rpm * RPM] * pairs for share in (closed, 1.0)]

    return _preset(
        [[n * RPM, torque] for n, torque in engine["full_throttle_rpm_Nm"]],
        d["torque_converter"],
        e,
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
    d, line = read("powertrains/hmmwv.json"), read("vehicles/hmmwv.json")["driveline"]
    bias = [1.0, line["front_diff_max_bias"], line["rear_diff_max_bias"]]
    return Axles(d["axle_ratio"], d["hub_ratio"], line["front_torque_fraction"], bias)


HMMWV_AXLES = hmmwv_axles()
HMMWV, GENERIC_DIESEL = hmmwv(), generic_diesel()
