"""What wheels in soil say of how fast they move, beside eigenvalues of their exact Jacobians."""

from dataclasses import replace
from typing import Any

import casadi as ca
import numpy as np
import pytest

from drawbar.blocks.terrain.bekker_wheel import BekkerWheel
from drawbar.blocks.terrain.closed_form_wheel import ClosedFormWheel
from drawbar.blocks.terrain.soft_tire import SoftTire
from drawbar.blocks.terrain.soil_grip import SoilGrip
from drawbar.blocks.terrain.soils import soil, soil_names

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
R = 0.47


def state(rng: np.random.Generator, speed: float) -> dict[str, Any]:
    """At rest, slow or fast, with small slips and large ones, 5 mm to 15 cm deep."""
    ahead = speed * rng.uniform(-1.0, 1.0)
    turning = rng.uniform(-0.1, 0.1) if speed == 0.0 else (ahead + speed * rng.uniform(-0.3, 0.3)) / R
    flat, found = R * 10.0 ** rng.uniform(-2.0, -1.0), SOILS[rng.integers(len(SOILS))]
    return {
        "hub.position": [0.0, 0.0, R - R * 10.0 ** rng.uniform(-2.0, -0.5) - flat],
        "hub.velocity": [ahead, speed * rng.uniform(-0.1, 0.1), 0.0],
        "turning": turning,
        "s": rng.choice([-1.0, 1.0]) * 10.0 ** rng.uniform(-4.0, -0.3),
        "t": rng.choice([0.0, 0.05, -0.2]),
        "d": flat,
        **{f"ground.{member}": getattr(found, member) for member in MEMBERS},
    }


def over_bound(bench: Any, block: Any, values: dict[str, Any], speed: float, states: int) -> float:
    """The largest eigenvalue over its bound, of random states."""
    wheel = bench(block, inertia=0.3, **values)
    arguments = wheel.model.ode.sx_in()
    J = ca.Function("J", arguments, [ca.jacobian(wheel.model.ode(*arguments), arguments[1])])
    names, rng, found = {p.name for p in wheel.model.x}, np.random.default_rng(5), 0.0
    for _ in range(states):
        at = state(rng, speed)
        if "d" not in names:
            del at["d"]
        given = [0.0, *(wheel.pack(group, at) for group in "xzu"), wheel.p]
        largest = np.abs(np.linalg.eigvals(np.asarray(J(*given).full()))).max()
        found = max(found, float(largest / np.max(wheel.model.fastest.bounds(*given).full())))
    return found


@pytest.mark.parametrize("speed", [0.0, 0.3, 5.0])
@pytest.mark.parametrize("law", LAWS)
def test_no_eigenvalue_is_beyond_the_bound(bench: Any, law: str, speed: float) -> None:
    found = over_bound(bench, *LAWS[law], speed, 100)
    assert 0.2 < found <= 1.0 + 1e-9


def test_without_the_turn_of_the_stress_the_bound_would_be_passed(bench: Any) -> None:
    class Smooth(BekkerWheel, step=1e-3):
        """As if stress followed the displacement."""

        @property
        def grip(self) -> SoilGrip:
            return replace(super().grip, turns=0.0)

    assert over_bound(bench, Smooth, {}, 0.0, 100) > 1.1
