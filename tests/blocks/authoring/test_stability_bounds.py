"""The bound of rates beside eigenvalues: of springs on an inertia, of a tire on a wheel, of the whole HMMWV."""

from typing import Any

import casadi as ca
import numpy as np
import pytest

from drawbar.blocks.authoring.block import Block
from drawbar.blocks.authoring.stability_bounds import Oscillator, spectral_bound
from drawbar.blocks.tires.fiala_tire import FialaTire
from drawbar.blocks.tires.pac2002_tire import Pac2002Tire
from drawbar.blocks.vehicle.hmmwv.hmmwv_vehicle import HmmwvVehicle
from drawbar.fmus.backends.interpreted import InterpretedInstance


@pytest.mark.parametrize("seed", range(30))
def test_no_eigenvalue_of_springs_on_an_inertia_is_larger(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 6))
    omega_squared, damping, relaxation = (10.0 ** rng.uniform(-2, 3, n) for _ in range(3))
    ahead = 10.0 ** rng.uniform(-2, 2, n)
    A = np.diag([-damping.sum(), *-relaxation])
    A[0, 1:], A[1:, 0] = -ahead, omega_squared / ahead
    springs = zip(omega_squared, damping, relaxation, strict=True)
    bound = float(ca.DM(spectral_bound(Oscillator(*row) for row in springs)))
    largest = np.abs(np.linalg.eigvals(A)).max()
    assert largest <= bound * (1.0 + 1e-9)
    assert bound <= 2.0 * max(largest, np.sqrt(omega_squared.sum()))


def rates(block: type[Block], **starts: Any) -> tuple[float, float]:
    """The largest eigenvalue of the exact Jacobian at the start, and what the block says of it."""
    model = block.model()
    assert model.ode is not None
    assert model.stability_bounds is not None
    one = InterpretedInstance(block, "a")
    one.initialize(0.0, starts)
    one.start()
    at = [0.0, one._x, one._z, one._u, one._p]
    arguments = model.ode.sx_in()
    J = ca.Function("J_x", arguments, [ca.jacobian(model.ode(*arguments), arguments[1])])
    bounds = np.asarray(model.stability_bounds.bounds(*at))
    return float(np.abs(np.linalg.eigvals(np.asarray(J(*at)))).max()), float(bounds.max())


def relaxing(sigma: float) -> dict[str, float]:
    return {"relaxation[1]": sigma, "relaxation[2]": sigma}


@pytest.mark.parametrize("speed", [0.0, 0.3, 1.0, 5.0, 20.0])
@pytest.mark.parametrize("sigma", [2.0, 0.25, 0.05, 0.01])
def test_the_bound_of_the_hmmwv_is_that_of_its_exact_jacobian(speed: float, sigma: float) -> None:
    """It is tight where tires grip; where they slide it is that of tires that grip again."""
    largest, bound = rates(HmmwvVehicle, speed=speed, **relaxing(sigma))
    assert largest <= bound < 1.5 * largest
    held = {"drive[1]": 500.0, **{f"brake[{i}]": 5000.0 for i in range(1, 5)}, "lock_torque[1]": 2000.0}
    largest, bound = rates(HmmwvVehicle, speed=speed, **held, **relaxing(sigma))
    assert largest <= bound < 2.5 * largest


@pytest.mark.parametrize("sigma", [2.0, 0.05])
@pytest.mark.parametrize("speed", [0.0, 1.0, 20.0])
@pytest.mark.parametrize(("tire", "excess"), [(FialaTire, 2.0), (Pac2002Tire, 2.5)])
def test_the_bound_of_a_tire_at_a_hub_is_that_of_its_exact_jacobian(
    tire: type[Block], excess: float, speed: float, sigma: float
) -> None:
    placed = {"hub.position[3]": 0.45, "hub.velocity[1]": speed, "brake": 2000.0}
    largest, bound = rates(tire, **placed, **relaxing(sigma))
    assert largest <= bound < excess * largest


@pytest.mark.parametrize(("block", "at"), [(FialaTire, {"hub.position[3]": 0.45}), (HmmwvVehicle, {})])
def test_rolling_resistance_that_passes_through_standstill_counts(block: type[Block], at: dict[str, float]) -> None:
    """On a tire so soft in slip that the resistance moves the wheel faster than that does."""
    soft = {**at, "C_S": 1e4, **relaxing(2.0)}
    largest, bound = rates(block, rolling_resistance=1.0, **soft)
    assert largest <= bound < 1.5 * largest
    assert rates(block, rolling_resistance=0.0, **soft)[1] < 0.5 * largest, "negative control"


def test_a_block_that_says_less_is_seen() -> None:
    class Boasting(FialaTire, step=2.5e-3):
        """With half the bound."""

        def stability_bounds(self) -> dict[str, Any]:
            return {"spin": 0.5 * super().stability_bounds()["spin against slip and brake"]}

    largest, bound = rates(Boasting, **{"hub.position[3]": 0.45}, **relaxing(0.05))
    assert bound < largest
