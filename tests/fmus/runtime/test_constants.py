"""The coefficients of RODASP satisfy the conditions of its order, of L-stability and of stiff accuracy."""

from __future__ import annotations

import numpy as np

from drawbar.fmus.runtime import constants


def lower(rows: tuple[tuple[float, ...], ...]) -> np.ndarray:
    found = np.zeros((len(rows), len(rows)))
    for i, row in enumerate(rows):
        found[i, : len(row)] = row
    return found


# as Hairer and Wanner write the method (Solving Ordinary Differential Equations II, section IV.7): the stages are
# u = Gamma k, so C = I/gamma - Gamma^-1, A = alpha Gamma^-1 and m = b Gamma^-1
GAMMA = np.linalg.inv(np.eye(constants.RODASP_STAGES) / constants.RODASP_GAMMA - lower(constants.RODASP_C))
ALPHA = lower(constants.RODASP_A) @ GAMMA
BETA = ALPHA + GAMMA
B = np.array(constants.RODASP_M) @ GAMMA
ONE = np.ones(constants.RODASP_STAGES)


def test_times_of_the_stages_are_sums_of_their_weights() -> None:
    np.testing.assert_allclose(ALPHA @ ONE, constants.RODASP_ALPHA, rtol=0.0, atol=1e-12)
    np.testing.assert_allclose(GAMMA @ ONE, constants.RODASP_GAMMAS, rtol=0.0, atol=1e-12)


def test_it_is_of_order_four() -> None:
    times, slopes = ALPHA @ ONE, BETA @ ONE
    conditions = {
        "1": (B @ ONE, 1.0),
        "2": (B @ slopes, 1 / 2),
        "3a": (B @ times**2, 1 / 3),
        "3b": (B @ BETA @ slopes, 1 / 6),
        "4a": (B @ times**3, 1 / 4),
        "4b": (B @ (times * (ALPHA @ slopes)), 1 / 8),
        "4c": (B @ BETA @ times**2, 1 / 12),
        "4d": (B @ BETA @ BETA @ slopes, 1 / 24),
    }
    assert {name: found - exact for name, (found, exact) in conditions.items() if abs(found - exact) > 1e-12} == {}


def test_it_is_stiffly_accurate_and_so_l_stable() -> None:
    # the result is the last stage, and the stage before is the result of a method of lower order, its last stage too
    np.testing.assert_allclose(B, BETA[-1], rtol=0.0, atol=1e-12)
    np.testing.assert_allclose(ALPHA[-1], BETA[-2], rtol=0.0, atol=1e-12)
    z = -1e9
    growth = 1.0 + z * B @ np.linalg.solve(np.eye(len(B)) - z * BETA, ONE)
    assert abs(growth) < 1e-6
