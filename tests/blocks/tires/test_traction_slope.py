"""What wheels in soil say of how fast they move, beside eigenvalues of their exact Jacobians."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import casadi as ca
import numpy as np
import pytest

from drawbar.blocks.authoring.stability_bounds import Oscillator
from drawbar.blocks.terrain.soil.soils import soil, soil_names
from drawbar.blocks.tires.bekker_wheel import BekkerWheel
from drawbar.blocks.tires.closed_form_wheel import ClosedFormWheel
from drawbar.blocks.tires.relaxation import Relaxation
from drawbar.blocks.tires.soft_tire import SoftTire
from drawbar.blocks.tires.traction_slope import TractionSlope

MEMBERS = ("sinkage_exponent", "k_c", "k_phi", "cohesion", "friction_angle", "shear_modulus")
SOILS = [soil(name) for name in soil_names() if soil(name).k_c + soil(name).k_phi > 0.0]
LAWS: dict[str, tuple[Any, dict[str, Any]]] = {
    "closed form": (ClosedFormWheel, {}),
    "with rebound": (ClosedFormWheel, {"exit_ratio": 0.5}),
    "Bekker": (BekkerWheel, {}),
    "Bekker with rebound": (BekkerWheel, {"exit_ratio": 0.5}),
    "anisotropic": (BekkerWheel, {"anisotropic": True}),
    "soft": (SoftTire, {}),
}
HMMWV, ROVER = {"radius": 0.47, "width": 0.318}, {"radius": 0.1, "width": 0.068}
SPEEDS = 0.0, 0.3, 0.6, 5.0  # at the third the slips cease to be damped


def state(rng: np.random.Generator, speed: float, R: float) -> dict[str, Any]:
    """At rest, slow or fast, with small slips and large ones, from 1 % of the radius deep to 32 %."""
    ahead = speed * rng.uniform(-1.0, 1.0)
    turning = rng.uniform(-0.1, 0.1) if speed == 0.0 else (ahead + speed * rng.uniform(-0.3, 0.3)) / R
    flat, found = R * 10.0 ** rng.uniform(-2.0, -1.0), SOILS[rng.integers(len(SOILS))]
    return {
        "hub.position": [0.0, 0.0, R - R * 10.0 ** rng.uniform(-2.0, -0.5) - flat],
        "hub.velocity": [ahead, speed * rng.uniform(-0.1, 0.1), 0.0],
        "turning": turning,
        "s": rng.choice([-1.0, 1.0]) * 10.0 ** rng.uniform(-4.0, 0.0),
        "t": rng.choice([0.0, 0.05, -0.2]),
        "d": flat,
        **{f"ground.{member}": getattr(found, member) for member in MEMBERS},
    }


def over_bound(bench: Any, block: Any, values: dict[str, Any], speeds: Iterable[float], seeds: int = 3) -> list[float]:
    """The largest eigenvalue over its bound, of a hundred random states for each seed, at each of the speeds."""
    wheel = bench(block, inertia=0.3, **values)
    arguments, f = wheel.model.ode.sx_in(), wheel.model
    found = [ca.jacobian(f.ode(*arguments), arguments[1]), f.stability_bounds.bounds(*arguments)]
    both, names, most = ca.Function("J", arguments, found), {p.name for p in f.x}, []
    for speed in speeds:
        most.append(0.0)
        for seed in range(seeds):
            rng = np.random.default_rng(seed)
            for _ in range(100):
                at = state(rng, speed, values["radius"])
                if "d" not in names:
                    del at["d"]
                J, bounds = (v.full() for v in both(0.0, *(wheel.pack(group, at) for group in "xzu"), wheel.p))
                most[-1] = max(most[-1], float(np.abs(np.linalg.eigvals(J)).max() / bounds.max()))
    return most


@pytest.mark.parametrize("size", [HMMWV, ROVER], ids=["HMMWV", "rover"])
@pytest.mark.parametrize("law", LAWS)
def test_no_eigenvalue_is_beyond_the_bound(bench: Any, law: str, size: dict[str, float]) -> None:
    """But for 1 % where a tire that is flattened and its wheel move one another."""
    block, values = LAWS[law]
    most = over_bound(bench, block, values | size, SPEEDS)
    assert min(most) > 0.2
    assert max(most) <= (1.01 if block is SoftTire else 1.0 + 1e-9)


def test_without_the_turn_of_the_stress_the_bound_would_be_passed(bench: Any) -> None:
    class Smooth(BekkerWheel, step=1e-3):
        """As if stress followed the displacement."""

        @property
        def traction_slope(self) -> TractionSlope:
            return replace(super().traction_slope, reverses=0.0)

    assert over_bound(bench, Smooth, HMMWV, [0.0])[0] > 1.1


class Steady(Relaxation):
    """As if the damping of the slips did not change with the spin."""

    def _damping_slope(self, v_x: Any, v_y: Any, tread: Any) -> Any:
        return self._slowness(self.speed(v_x, v_y, tread))


class Straight(Relaxation):
    """As if the slips followed the spin by 1, whatever they are."""

    def oscillators(
        self, speeds: Any, slips: Any, held: Any, stiffness: Any, sliding_stiffness: float = 0.0
    ) -> tuple[Oscillator, Oscillator]:
        return super().oscillators(speeds, (0.0, 0.0), held, stiffness, sliding_stiffness)


@pytest.mark.parametrize(("relaxing", "size", "speed"), [(Steady, HMMWV, 0.6), (Straight, ROVER, 0.0)])
def test_without_what_follows_the_spin_the_bound_would_be_passed(
    bench: Any, relaxing: type[Relaxation], size: dict[str, float], speed: float
) -> None:
    class Blind(ClosedFormWheel, step=1e-3):
        """With less in its bound."""

        @property
        def slip_relaxation(self) -> Relaxation:
            return relaxing(**vars(super().slip_relaxation))

    assert over_bound(bench, Blind, size, [speed], 10)[0] > 1.02
