"""The Clearpath Warthog: four driven wheels on two drive units that articulate against each other."""

from __future__ import annotations

from typing import Any

import casadi as ca

from drawbar.blocks import Input, Output, Parameter, State, cos, fmax, fmin
from drawbar.blocks.data import read
from drawbar.blocks.vehicle.bodies.body_contact import contact_parameters
from drawbar.blocks.vehicle.bodies.body_dynamics import Knuckle
from drawbar.blocks.vehicle.bodies.chassis import with_payload
from drawbar.blocks.vehicle.bodies.hub_body import HubBody
from drawbar.blocks.vehicle.hub.hub import Hub
from drawbar.blocks.vehicle.multibody.embedded import Embedded
from drawbar.blocks.vehicle.multibody.mechanism import Body, Cut, Mechanism

DATA = read("vehicles/warthog.json")
UNIT, WHEEL = DATA["drive_unit"], DATA["wheel"]
X, Y, Z = ca.DM([1, 0, 0]), ca.DM([0, 1, 0]), ca.DM([0, 0, 1])
LEVER = 0.3  # m, lever arm of the bar, and of its joints behind the pivots; it does not affect the motion
STOP_STIFFNESS = 2e5  # N m/rad, of the stops of both pivots
MAX_CLOSURE_ERROR = 1e-6  # m, largest opening of the differential's loop


def _box(mass: float, size: list[float]) -> list[float]:
    x, y, z = (mass * s * s / 12.0 for s in size)
    return [y + z, x + z, x + y]


def _cylinder(mass: float, radius: float, width: float) -> list[float]:
    """Return the inertia of a cylinder across its axle and about it."""
    return [mass * (3.0 * radius**2 + width**2) / 12.0, mass * radius**2 / 2.0]


MASS = DATA["chassis"]["mass_kg"] + 2 * UNIT["mass_kg"] + 4 * WHEEL["mass_kg"]
BodyPoints: Any = type("BodyPoints", (), contact_parameters(DATA["body_points_m"], MASS))


class WarthogBody(HubBody, BodyPoints, method="rk4", step=2.5e-3):  # type: ignore[misc]
    """A Clearpath Warthog cut at its hubs: chassis, and on either side a drive unit with two wheels.

    It has 7 degrees of freedom. The drive units pivot about one transverse axis of the chassis. A differential makes
    them pitch by opposite angles, so that the chassis has their mean pitch and all wheels stay on the ground::

        articulation = angle of the left unit = -angle of the right unit

    In this model the differential is a massless bar on the chassis, whose ends the drive units lift by equal lever
    arms; this closed loop is embedded. A damper and stops act on the articulation. There are no springs: only the tires
    are compliant. The motors are in the drive units, which take the reaction of `drive`; the vehicle steers by the
    difference of left and right wheels.

    ::

        drive[4] ------------------------------> |             | --> position, velocity, yaw, a, articulation, ...
        external_force[3], external_moment[3] -> | WarthogBody | --> hub_fl, _fr, _rl, _rr (motion)
        hubs (force, moment, spin) ------------> |             |

    The origin of the chassis is the centre of its box. Valid where all wheels reach the ground. The
    chassis touches it by the points of `BodyContact`, the drive units by those of their upper edges alone.

    Source: the robot's public description; data of ``blocks/data/vehicles/warthog.json``.
    """

    wheels = ("fl", "fr", "rl", "rr")
    height = WHEEL["radius_m"] - UNIT["pivot_m"][2] - WHEEL["from_pivot_m"][2]

    drive = Input("N.m", "drive torque at each wheel, by motors in the drive units", size=4)
    hub_fl = Hub.source("front left hub")
    hub_fr = Hub.source("front right hub")
    hub_rl = Hub.source("rear left hub")
    hub_rr = Hub.source("rear right hub")

    chassis_mass = Parameter(DATA["chassis"]["mass_kg"], "kg", "mass of the chassis", min=1.0)
    chassis_com = Parameter(0.0, "m", "centre of mass of the chassis, vehicle axes", size=3)
    chassis_inertia = Parameter(
        _box(DATA["chassis"]["mass_kg"], DATA["chassis"]["box_m"]),
        "kg.m2",
        "principal inertias of the chassis about its centre of mass",
        size=3,
        min=0.0,
    )
    payload_mass = Parameter(0.0, "kg", "mass of a payload fixed to the chassis, a point mass", min=0.0)
    payload_position = Parameter([0.0, 0.0, 0.2], "m", "position of the payload, vehicle axes", size=3)
    unit_mass = Parameter(UNIT["mass_kg"], "kg", "mass of a drive unit", min=1.0)
    unit_com = Parameter(UNIT["com_from_pivot_m"], "m", "centre of mass of the left drive unit from its pivot", size=3)
    unit_inertia = Parameter(
        _box(UNIT["mass_kg"], UNIT["box_m"]),
        "kg.m2",
        "principal inertias of a drive unit about its centre of mass",
        size=3,
        min=1e-3,
    )
    pivot = Parameter(UNIT["pivot_m"], "m", "pivot of the left drive unit, vehicle axes", size=3)
    hub_position = Parameter(
        WHEEL["from_pivot_m"], "m", "front left wheel centre from the pivot; rear wheels are as far behind it", size=3
    )
    wheel_mass = Parameter(WHEEL["mass_kg"], "kg", "mass of a wheel", min=0.1)
    wheel_inertia = Parameter(
        _cylinder(WHEEL["mass_kg"], WHEEL["radius_m"], WHEEL["width_m"]),
        "kg.m2",
        "inertia of a wheel across its axle and about it",
        size=2,
        min=1e-6,
    )
    pivot_damping = Parameter(UNIT["damping_Nms_per_rad"], "N.m.s/rad", "damping of a pivot", min=0.0)
    pivot_limit = Parameter(UNIT["limit_rad"], "rad", "largest angle of a drive unit", min=0.0)

    z = State(height, "m", "z of the chassis origin in the world", solve=True)
    swing = State(0.0, "rad", "angle of the left drive unit relative to the chassis, positive nose down", solve=True)
    swing_rate = State(0.0, "rad/s", "rate of the left drive unit's angle")

    articulation = Output("rad", "angle of the left drive unit relative to the chassis, positive nose down")
    margin = Output("1", "cosine of the articulation: margin against folding over, 1 at best")

    def tree(self) -> Embedded:
        """Return the chassis, the drive units with their wheels' mass, and the bar between them."""
        body = {
            "mass_kg": self.chassis_mass,
            "com_m": self.chassis_com,
            "inertia_com_kgm2": ca.diag(self.chassis_inertia),
        }
        loaded_chassis = with_payload(body, self.payload_mass, self.payload_position)
        bodies = [
            Body(
                "chassis",
                None,
                "free",
                loaded_chassis["mass_kg"],
                loaded_chassis["com_m"],
                loaded_chassis["inertia_com_kgm2"],
            )
        ]
        across = ca.diag(ca.vertcat(self.wheel_inertia[0], 0.0, self.wheel_inertia[0]))
        for side, mirror in (("l", 1), ("r", -1)):
            flip = ca.diag(ca.DM([1, mirror, 1]))
            pivot = flip @ self.pivot
            unit = Body(
                f"unit_{side}",
                "chassis",
                "rev",
                self.unit_mass,
                pivot + flip @ self.unit_com,
                ca.diag(self.unit_inertia),
                pivot,
                (Y,),
            )
            bodies.append(unit)
            for wheel in (f"f{side}", f"r{side}"):
                bodies.append(Body(f"wheel_{wheel}", unit.name, "fix", self.wheel_mass, self.centre(wheel), across))
        middle = ca.vertcat(self.pivot[0], 0.0, self.pivot[2])
        bodies.append(Body("bar", "chassis", "rev", 0.0, middle, ca.DM(3, 3), middle, (X,)))
        cuts = []
        for side, mirror in (("l", 1), ("r", -1)):
            joint = middle + LEVER * ca.DM([-1, 0, 0]) + ca.vertcat(0.0, mirror * self.pivot[1], 0.0)
            end = middle + LEVER * ca.DM([0, mirror, 0])
            cuts.append(Cut("inplane", f"unit_{side}", "bar", joint, end, (Z,), "chassis"))
        return Embedded(Mechanism(tuple(bodies), tuple(cuts), ("unit_l",)))

    def centre(self, wheel: str) -> Any:
        """Return the centre of a wheel in the design position."""
        flip = ca.diag(ca.DM([1, 1 if wheel[1] == "l" else -1, 1]))
        from_pivot = ca.diag(ca.DM([1 if wheel[0] == "f" else -1, 1, 1])) @ self.hub_position
        return flip @ (self.pivot + from_pivot)

    def knuckles(self) -> list[Knuckle]:
        """Return the mounts of the wheels, on the drive units, which contain the motors."""
        axes, still = ca.DM.eye(3), ca.DM.zeros(3)
        return [
            Knuckle(w, f"unit_{w[1]}", self.centre(w), axes, still, f"unit_{w[1]}", self.wheel_inertia[1])
            for w in self.wheels
        ]

    def joints(self) -> dict[str, tuple[Any, Any]]:
        """Return angle and rate of the left drive unit, which determines the right one."""
        return {"unit_l": (self.swing, self.swing_rate)}

    def _overtravel(self) -> Any:
        """Return the overtravel of the drive units beyond their stops, in rad."""
        return fmax(0.0, self.swing - self.pivot_limit) + fmin(0.0, self.swing + self.pivot_limit)

    def joint_forces(self, motion_factor: float) -> dict[str, Any]:
        """Return the moment of dampers and stops of both pivots."""
        return {
            "unit_l": -2.0 * self.pivot_damping * motion_factor * self.swing_rate - STOP_STIFFNESS * self._overtravel()
        }

    def elastic_energy(self) -> Any:
        """Return the energy of the stops."""
        return 0.5 * STOP_STIFFNESS * self._overtravel() ** 2

    def guards(self) -> dict[str, Any]:
        """Return the guards that the loop of the differential closes, in the configuration in which it is built."""
        advice = "a drive unit is far beyond its stop: soften the impact, or check masses, pivots and hubs"
        return {
            "the differential does not fold over": (cos(self.swing) > 0.0, advice),
            "the differential closes": (self.dynamics.configuration.closure_error < MAX_CLOSURE_ERROR, advice),
        } | super().guards()

    def derivatives(self) -> dict[str, Any]:
        """Return the derivatives of chassis and articulation."""
        return super().derivatives() | {"swing": self.swing_rate, "swing_rate": self.dynamics.rates()["unit_l"]}

    def outputs(self) -> dict[str, Any]:
        """Return the outputs of `HubBody`, and the articulation."""
        return super().outputs() | {"articulation": self.swing, "margin": cos(self.swing)}
