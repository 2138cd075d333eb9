"""Both ends of a bus, and its members."""

from typing import Any

import pytest

from drawbar.blocks import Bus, Continuous, Member


class Hub(Bus):
    velocity = Member("m/s", "velocity", size=3)
    force = Member("N", "force", size=3, back=True)


class BrakedHub(Hub):
    torque = Member("N.m", "brake torque")


class Body(Continuous):
    hub = Hub.source("front hub")

    def outputs(self) -> dict[str, Any]:
        return {"hub.velocity": 2.0 * self.hub.force}


class Wheel(Continuous):
    hub = Hub.sink("hub")

    def outputs(self) -> dict[str, Any]:
        return {"hub.force": -self.hub.velocity}


def test_two_ends_of_a_bus(bench: Any) -> None:
    assert {p.name: p.causality for p in Body.interface().ports} == {"hub.velocity": "output", "hub.force": "input"}
    assert {p.name: p.causality for p in Wheel.interface().ports} == {"hub.velocity": "input", "hub.force": "output"}
    port = Body.interface().port("hub.force")
    assert port is not None and port.scalar_names() == ["hub.force[1]", "hub.force[2]", "hub.force[3]"]
    assert port.description == "front hub: force"
    assert bench(Body).out(**{"hub.force": [1.0, 2.0, 3.0]})["hub.velocity"] == pytest.approx([2.0, 4.0, 6.0])
    assert Body.interface().feedthrough["hub.velocity[2]"] == ("hub.force[2]",)


def test_bus_members_are_inherited() -> None:
    assert list(BrakedHub.members()) == ["velocity", "force", "torque"]
