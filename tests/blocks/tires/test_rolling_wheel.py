"""A brake on a flywheel: what it holds, and that it makes no work."""

from collections.abc import Callable

import casadi as ca
import numpy as np
import pytest

from drawbar.blocks.tires.rolling_wheel import LOCKED_SPIN, SLACK, Brake

J, ANGLE, H = 10.0, 0.02, 1e-4


def turn(spin: float, capacity: Callable[[float], float], load: float = 0.0, seconds: float = 1.0) -> list[float]:
    """The spins of a flywheel of inertia J that `load` turns, at every step of `H`."""
    held, found = 0.0, []
    for k in range(round(seconds / H)):
        brake = Brake(capacity(k * H), held, ANGLE)
        held += H * float(brake.rate(spin))
        spin += H * (load + float(Brake(capacity(k * H), held, ANGLE).torque())) / J
        found.append(spin)
    return found


def test_it_stops_a_wheel_with_its_capacity() -> None:
    spins = turn(20.0, lambda t: 500.0)
    assert spins[2000] == pytest.approx(20.0 - 0.2 * 50.0, abs=0.4)
    assert abs(np.array(spins[-1000:])).max() < 0.5


def test_it_holds_a_load_at_rest_as_a_spring() -> None:
    spins = np.array(turn(0.0, lambda t: 500.0, load=100.0))
    assert 0.0 < spins.sum() * H < 2.0 * ANGLE
    assert abs(spins).max() < 0.3


def test_what_is_put_on_at_rest_after_rolling_out_turns_nothing() -> None:
    """Bristles that had come to lie without a capacity would throw the wheel back with all of it."""
    spins = np.array(turn(1.0, lambda t: 0.0, load=-2.0, seconds=5.0))  # rolls out without the brake
    last = float(spins[np.argmin(abs(spins))])
    after = np.array(turn(last, lambda t: 5000.0))
    assert abs(after).max() <= abs(last) + 1e-9


def test_a_capacity_that_rises_at_rest_adds_nothing_to_what_is_held() -> None:
    weak, strong = Brake(500.0, 100.0, ANGLE), Brake(5000.0, 100.0, ANGLE)
    assert float(weak.torque()) == float(strong.torque()) == -100.0


def test_a_capacity_that_falls_at_rest_lets_go() -> None:
    held = 1000.0
    for _ in range(round(0.05 / H)):
        held += H * float(Brake(50.0, held, ANGLE).rate(0.0))
    assert held == pytest.approx(50.0, rel=0.02)


def test_rolling_resistance_holds_beyond_the_brake_and_opposes_the_rolling() -> None:
    """Of a torque the brake gives what it can; what rolls is resisted fully, within a turn of the bristles."""
    at_rest = Brake(30.0, 50.0, ANGLE, resistance=40.0)
    assert (float(at_rest.torque()), float(at_rest.resistance_torque(0.0))) == (-30.0, -20.0)
    for spin in (5.0, -5.0):
        held = 0.0
        for _ in range(round(0.1 / H)):
            held += H * float(Brake(0.0, held, ANGLE, resistance=40.0).rate(spin))
        assert float(Brake(0.0, held, ANGLE, resistance=40.0).resistance_torque(spin)) == pytest.approx(
            -40.0 * np.sign(spin), rel=0.01
        )


def test_damping_of_the_bristles_stays_within_the_resistance() -> None:
    for spin in np.linspace(-1.0, 1.0, 41):
        moment = float(Brake(0.0, 0.0, ANGLE, resistance=40.0).resistance_torque(spin))
        assert abs(moment) <= (1.0 + SLACK[0]) * 40.0, "the excess of the bristles counts only beyond that"
        assert moment * spin <= 0.0


def test_a_locked_wheel_does_not_swing_where_friction_falls_with_the_slip() -> None:
    """By 80 N m per rad/s, as under 6 kN at 0.75 m/s on a sliding friction of 0.57 of the peak."""

    def swings(damped: bool) -> float:
        held, spin, largest = 0.0, 0.3, 0.0
        for k in range(round(0.5 / H)):
            brake = Brake(5000.0, held, ANGLE, damped_spin=spin if damped else None)
            held += H * float(brake.rate(spin))
            spin += H * (float(brake.torque()) + 80.0 * spin) / J
            largest = max(largest, abs(spin)) if k * H > 0.4 else 0.0
        return largest

    assert swings(True) < 1e-3
    assert swings(False) > 0.3, "negative control"


def test_damping_of_a_brake_stays_within_its_capacity_and_opposes_the_spin() -> None:
    for spin in np.linspace(-8.0, 8.0, 41):
        torque = float(Brake(500.0, 0.0, ANGLE, damped_spin=spin).torque())
        assert abs(torque) <= (1.0 + SLACK[0]) * 500.0 + SLACK[1]
        assert torque * spin <= 0.0
        assert (torque == 0.0) == (spin == 0.0 or abs(spin) >= LOCKED_SPIN)
    assert float(Brake(0.0, 0.0, ANGLE, damped_spin=1.0).torque()) == 0.0


@pytest.mark.parametrize(
    ("capacity", "resistance", "slopes"),
    [(0.0, 40.0, (0.0, -1.0)), (300.0, 40.0, (0.0, -1.0)), (300.0, 0.0, (-1.0, 0.0)), (0.0, 0.0, (-1.0, 0.0))],
)
def test_there_is_no_corner_where_a_wheel_brakes_or_rolls_steadily(
    capacity: float, resistance: float, slopes: tuple[float, float]
) -> None:
    """There the bristles are at the capacity: the slopes of both torques are those of the differences about it."""
    T, total = ca.SX.sym("T"), capacity + resistance
    brake = Brake(capacity, T, ANGLE, resistance=resistance)
    torques = ca.vertcat(brake.torque(), brake.resistance_torque(5.0))
    values, slope = (ca.Function("f", [T], [f]) for f in (torques, ca.jacobian(torques, T)))
    assert slope(total).full().ravel() == pytest.approx(slopes)
    h = 1e-6
    for ahead, behind in ((total + h, total), (total, total - h)):
        assert (values(ahead) - values(behind)).full().ravel() / h == pytest.approx(slopes, abs=1e-6)
