"""The suspensions on the rig: rates and ride frequencies, energy, mirror images, and the end of travel."""

from typing import Any

import numpy as np
import pytest

from drawbar.blocks.vehicle.hmmwv.hmmwv_rig import LOADS, HmmwvRig
from drawbar.fmus.backends.interpreted import InterpretedInstance

H = 2.5e-3
G = 9.80665
FREE = {f"{axle}_damping_{way}": 0.0 for axle in ("front", "rear") for way in ("compression", "rebound")}
MORE = np.array([800.0, -500.0, 600.0, 0.0])  # N
NO_STOPS = {f"{axle}_stop_{end}": at for axle in ("front", "rear") for end, at in (("bump", 0.0), ("rebound", 1.0))}
UNSPRUNG = np.array([112.2, 121.3])  # kg that move with a wheel, front and rear, by the reference


class Rig:
    def __init__(self, push: Any = LOADS, **starts: float) -> None:
        self.instance = InterpretedInstance(HmmwvRig, "rig")
        self.now = 0.0
        self.instance.initialize(0.0, {**starts, **self.pushed(push)})
        self.instance.start()

    @staticmethod
    def pushed(push: Any) -> dict[str, float]:
        return {f"wheel_force[{i}]": float(v) for i, v in enumerate(push, start=1)}

    def __getitem__(self, name: str) -> Any:
        return np.array(self.instance.get([f"{name}[{i}]" for i in range(1, 5)]))

    def energy(self) -> float:
        return float(sum(self.instance.get(["kinetic_energy", "potential_energy"])))

    def run(self, steps: int, push: Any = LOADS) -> None:
        self.instance.set(self.pushed(push))
        step = self.instance.stepper()
        for _ in range(steps):
            assert step(self.now, H) == 0, self.instance.messages()
            self.now += H


def rates(**starts: float) -> np.ndarray:
    """Wheel rates at the static load, N/m: front and rear."""
    more, less = (Rig(np.array(LOADS) + d, **starts)["travel"] for d in (1.0, -1.0))
    return 2.0 / (more - less)[[0, 2]]


def test_it_stands_as_the_vehicle_does_and_stays() -> None:
    rig = Rig()
    assert rig["spring_length"] == pytest.approx([0.2578, 0.2578, 0.3171, 0.3171], abs=2e-4)
    before = rig["travel"]
    assert before == pytest.approx([-0.02505] * 4, abs=2e-4)
    rig.run(20)
    assert rig["travel"] == pytest.approx(before, abs=1e-9)
    assert rig["camber"][0] == pytest.approx(rig["camber"][1]), "left and right are mirror images"
    assert rig["toe"][2] == pytest.approx(rig["toe"][3])


def test_ride_frequencies_are_those_of_the_reference() -> None:
    """With its springs, 1.20 Hz and 1.94 Hz without stops; its rear touches the droop stop, which makes 2.2 Hz."""
    sprung = np.array(LOADS)[[0, 2]] / G - UNSPRUNG
    source = {"front_spring_free": 0.339, "rear_spring_free": 0.382, "rear_spring_rate": 369149.0}
    alone = rates(**source, **NO_STOPS)
    assert alone == pytest.approx([31600.0, 75700.0], rel=0.02)
    assert np.sqrt(alone / sprung) / (2 * np.pi) == pytest.approx([1.20, 1.94], abs=0.02)
    assert np.sqrt(rates(**source) / sprung) / (2 * np.pi) == pytest.approx([1.20, 2.21], abs=0.02)


def test_by_default_no_stop_is_touched_at_rest() -> None:
    """Softer rear springs, and a ride height at which their lever is shorter."""
    assert rates() == pytest.approx(rates(**NO_STOPS), rel=1e-9)
    sprung = np.array(LOADS)[[0, 2]] / G - UNSPRUNG
    assert np.sqrt(rates() / sprung) / (2 * np.pi) == pytest.approx([1.20, 1.69], abs=0.01)


def test_energy_is_kept_but_for_what_the_pushes_do() -> None:
    rig, push = Rig(**FREE), LOADS + MORE
    before, place = rig.energy(), rig["travel"]
    for _ in range(4):
        rig.run(50, push)
        assert rig.energy() - before == pytest.approx(push @ (rig["travel"] - place), abs=0.05)
    assert np.abs(rig["travel"] - place).max() > 0.01


@pytest.mark.parametrize("hard", [[12e3, 0.0, 14e3, 0.0], [20e3, -2e3, 23e3, -2e3]])
def test_energy_is_kept_through_end_stops(hard: list[float]) -> None:
    """Wheels are thrown against the ends of both travels, some times in a fifth of a second."""
    rig, push = Rig(**FREE), np.array(hard)
    before, place, forces = rig.energy(), rig["travel"], []
    kinetic = 0.0
    for _ in range(80):
        rig.run(1, push)
        kinetic = max(kinetic, rig.instance.get(["kinetic_energy"])[0])
        forces.append(rig["damper_force"])
        assert rig.energy() - before == pytest.approx(push @ (rig["travel"] - place), abs=2e-3 * max(kinetic, 1.0))
    # without damping these are forces of the stops
    assert np.max(forces, axis=0)[0] > 5e4
    assert np.min(forces, axis=0)[[1, 3]].max() < -5e4


BARS = {"front_anti_roll": 20e3, "rear_anti_roll": 8e3}
SIGNS = np.array([1.0, -1.0, 1.0, -1.0])


def test_an_anti_roll_bar_takes_its_stiffness_times_the_difference_of_the_arms() -> None:
    """The forces that hold arms against the bars do the work of the moment k_a (q - q_other)."""
    push, d = LOADS + 900.0 * SIGNS, 1.0
    plain, more, less = (Rig(push + shift) for shift in (0.0, d, -d))
    arm = plain["arm"]
    travel_per_angle = (more["travel"] - less["travel"]) / (more["arm"] - less["arm"])
    moment = np.array([20e3, 20e3, 8e3, 8e3]) * (arm - arm[[1, 0, 3, 2]])
    assert np.abs(moment).min() > 500.0
    barred = Rig(push + moment / travel_per_angle, **BARS)
    assert barred["arm"] == pytest.approx(arm, abs=1e-7)
    assert np.abs(Rig(push, **BARS)["arm"] - arm).min() > 0.01, "negative control: without the forces"
    stored = sum(barred.instance.get(["potential_energy"])) - sum(plain.instance.get(["potential_energy"]))
    assert stored == pytest.approx(0.5 * (20e3 * np.diff(arm[:2]) ** 2 + 8e3 * np.diff(arm[2:]) ** 2).sum(), rel=1e-5)


def test_an_anti_roll_bar_resists_no_heave(bench: Any) -> None:
    heave, roll = [0.05, 0.05, -0.03, -0.03], [0.05, 0.04, -0.03, -0.03]
    plain, barred = bench(HmmwvRig), bench(HmmwvRig, **BARS)
    assert (barred.ode(arm=heave)["arm_rate"] == plain.ode(arm=heave)["arm_rate"]).all()
    more = barred.ode(arm=roll)["arm_rate"] - plain.ode(arm=roll)["arm_rate"]
    assert more[0] < -1.0 < 1.0 < more[1] and (more[2:] == 0.0).all()


def test_energy_is_kept_with_anti_roll_bars() -> None:
    rig, push = Rig(**FREE, **BARS), LOADS + MORE
    before, place = rig.energy(), rig["travel"]
    rig.run(200, push)
    assert rig.energy() - before == pytest.approx(push @ (rig["travel"] - place), abs=0.05)


def test_dampers_take_energy() -> None:
    rig, push = Rig(), LOADS + MORE
    before, place = rig.energy(), rig["travel"]
    rig.run(200, push)
    assert rig.energy() - before < push @ (rig["travel"] - place) - 5.0


def test_a_steering_that_is_held_turned_steers_both_wheels() -> None:
    straight, turned = Rig(), Rig(pitman=0.2)
    left, right = (turned["toe"] - straight["toe"])[:2]
    assert left > 0.1 and right < -0.1, "both to the right"
    assert turned["toe"][2:] == pytest.approx(straight["toe"][2:])


def test_a_wheel_that_is_pushed_too_far_says_so() -> None:
    """Where its damper has no end stop; with it the wheel stays."""
    held = Rig()
    held.run(100, [1e5, *LOADS[1:]])
    assert held["damper_force"][0] > 1e5
    rig = Rig(end_stop_stiffness=0.0)
    rig.instance.set(Rig.pushed([1e5, *LOADS[1:]]))
    step = rig.instance.stepper()
    assert any(step(k * H, H) != 0 for k in range(100))
    assert "an arm is beyond its travel" in " ".join(map(str, rig.instance.messages()))
