"""Contact of a wheel with a plane, by hand."""

from typing import Any

import casadi as ca
import numpy as np
import pytest

from drawbar.blocks.tires.contact import Contact, contact


def touch(centre: Any, axis: Any, normal: Any, point: Any = (0.0, 0.0, 0.0), radius: float = 0.5) -> Contact:
    vectors = [ca.DM(np.asarray(v, float)) for v in (centre, axis)]
    return contact(*vectors, radius, ca.DM(np.asarray(point, float)), ca.DM(np.asarray(normal, float)))


def row(value: Any) -> Any:
    return pytest.approx(np.asarray(value, float).ravel().tolist(), abs=1e-12)


def of(matrix: Any) -> list[float]:
    return [float(v) for v in np.asarray(matrix).ravel()]


def test_an_upright_wheel_on_a_flat_ground() -> None:
    c = touch([3, 2, 0.48], [0, 1, 0], [0, 0, 1])
    assert of(c.x) == row([1, 0, 0])
    assert of(c.y) == row([0, 1, 0])
    assert of(c.point) == row([3, 2, 0])
    assert float(c.deflection) == pytest.approx(0.02)
    assert float(c.radius) == pytest.approx(0.48)
    assert float(c.camber_cosine) == pytest.approx(1.0)


def test_in_the_air_the_deflection_is_negative() -> None:
    assert float(touch([0, 0, 0.7], [0, 1, 0], [0, 0, 1]).deflection) == pytest.approx(-0.2)


def test_a_steered_wheel_heads_to_its_left() -> None:
    c = touch([0, 0, 0.5], [-np.sin(0.3), np.cos(0.3), 0], [0, 0, 1])
    assert of(c.x) == row([np.cos(0.3), np.sin(0.3), 0])


def test_a_cambered_wheel_touches_along_its_plane() -> None:
    """Its top leans to its left by 30 degrees, so it touches to the right of its centre, at height/cos 30."""
    lean = np.radians(30.0)
    axis = [0, np.cos(lean), -np.sin(lean)]
    c = touch([0, 0, 0.4], axis, [0, 0, 1])
    assert of(c.point) == row([0, -0.4 * np.tan(lean), 0])
    assert float(c.radius) == pytest.approx(0.4 / np.cos(lean))
    assert float(c.camber_cosine) == pytest.approx(np.cos(lean))
    assert float(c.camber(ca.DM(axis))) == pytest.approx(-lean), "ISO 8855: positive where its top leans right"


def test_a_slope_ahead() -> None:
    """Up by 3 in 4: the wheel heads along the slope, and touches at its foot on it."""
    normal = [-0.6, 0, 0.8]
    c = touch([-0.6 * 0.5, 0, 0.8 * 0.5], [0, 1, 0], normal)
    assert of(c.x) == row([0.8, 0, 0.6])
    assert of(c.point) == row([0, 0, 0])
    assert float(c.deflection) == pytest.approx(0.0, abs=1e-12)


def test_the_plane_may_be_given_by_any_of_its_points() -> None:
    a = touch([1, 2, 0.6], [0, 1, 0], [-0.6, 0, 0.8], point=[0, 0, 0])
    b = touch([1, 2, 0.6], [0, 1, 0], [-0.6, 0, 0.8], point=[0.8, 5, 0.6])
    assert float(a.deflection) == pytest.approx(float(b.deflection))


def test_right_handed_frame() -> None:
    rng = np.random.default_rng(3)
    for _ in range(20):
        axis = np.array([0.2, 1.0, 0.2]) + 0.2 * rng.normal(size=3)
        normal = np.array([0.0, 0.0, 1.0]) + 0.2 * rng.normal(size=3)
        c = touch(rng.normal(size=3), axis / np.linalg.norm(axis), normal / np.linalg.norm(normal))
        frame = np.column_stack([of(c.x), of(c.y), of(c.z)])
        np.testing.assert_allclose(frame.T @ frame, np.eye(3), rtol=0.0, atol=1e-12)
        assert np.linalg.det(frame) == pytest.approx(1.0)
        assert abs(np.dot(of(c.x), axis)) < 1e-12, "the wheel plane holds its heading"


@pytest.mark.parametrize("lean", [90.0, 89.9, 86.0])
def test_a_wheel_that_lies_flat_has_a_contact_that_fades(lean: float) -> None:
    """Directions along the ground shrink, and the contact point comes to the centre; before, nothing was finite."""
    angle = np.radians(lean)
    c = touch([0, 0, 0.3], [0, np.cos(angle), -np.sin(angle)], [0, 0, 1])
    length = np.cos(angle) / 0.1
    assert np.linalg.norm(of(c.x)) == pytest.approx(length, abs=1e-12) == np.linalg.norm(of(c.y))
    assert float(c.deflection) <= 0.0 and float(c.radius) == pytest.approx(2.0)
    assert np.linalg.norm(of(c.point) - np.array([0, 0, 0.3])) == pytest.approx(2.0 * length, abs=1e-12)


@pytest.mark.parametrize("lean", [87.2, 90.0])
@pytest.mark.parametrize("height", [0.04, 0.02, 0.0, -0.02])
def test_a_wheel_that_lies_flat_bears_nothing(height: float, lean: float) -> None:
    """As a spring along its plane it would bear 23, 88, 153 and 218 kN: the ground is there at ten times the height."""
    angle = np.radians(lean)
    c = touch([0, 0, height], [0, np.cos(angle), -np.sin(angle)], [0, 0, 1], radius=0.47)
    assert float(c.load(326e3, 5e3, ca.DM([0.0, 0.0, -2.0]))) == 0.0 == float(c.deflection)


def test_from_84_degrees_of_camber_on_the_load_fades() -> None:
    """At a cosine of 0.075: fade 0.5^2 (3 - 2 0.5), loaded radius 0.02/0.1, sinking at 1 m/s."""
    angle = np.arccos(0.075)
    c = touch([0, 0, 0.02], [0, np.cos(angle), -np.sin(angle)], [0, 0, 1])
    assert float(c.fade) == pytest.approx(0.5)
    assert float(c.load(1e5, 2e3, ca.DM([0.0, 0.0, -1.0]))) == pytest.approx(0.5 * (0.3e5 + 2e3))
    assert float(c.load(1e5, 2e3, ca.DM([0.0, 0.0, 99.0]))) == 0.0, "it never pulls"


@pytest.mark.parametrize("lean", [0.0, 30.0, 60.0, 84.0])
def test_up_to_84_degrees_of_camber_no_bit_of_the_load_changes(lean: float) -> None:
    c_lean, s_lean = np.cos(np.radians(lean)), np.sin(np.radians(lean))
    c = touch([0, 0, 0.47 * c_lean], [0, c_lean, -s_lean], [0, 0, 1])
    deflection = 0.5 - 0.47 * c_lean / c_lean
    assert float(c.fade) == 1.0 and float(c.deflection) == deflection
    assert float(c.load(3e5, 2e3, ca.DM([0.3, 0.2, -0.1]))) == 3e5 * deflection - 2e3 * -0.1


def test_it_begins_and_ends_to_fade_without_a_corner() -> None:
    def fade(degrees: float) -> float:
        angle = np.radians(degrees)
        return float(touch([0, 0, 0.02], [0, np.cos(angle), -np.sin(angle)], [0, 0, 1]).fade)

    edge, h = np.degrees(np.arccos(0.1)), 1e-3
    assert fade(edge) == pytest.approx(1.0) and fade(edge + 1.0) < 0.95
    assert abs(fade(edge + h) - fade(edge - h)) / (2 * h) < 1e-3
    end = np.degrees(np.arccos(0.05))
    assert 0.0 < fade(end - h) < 1e-5


def test_a_wheel_high_above_the_ground_has_no_larger_radius() -> None:
    assert float(touch([0, 0, 1.9], [0, 1, 0], [0, 0, 1]).radius) == pytest.approx(1.9)
    assert float(touch([0, 0, 9.0], [0, 1, 0], [0, 0, 1]).radius) == pytest.approx(2.0)
