"""The Warthog turns in place and drives an arc."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from drawbar.diagrams.library import find
from drawbar.diagrams.ssp.ssp import read
from drawbar.orchestrator.runs.run import Run
from drawbar.orchestrator.simulate import simulate

WHEELS = ("fl", "fr", "rl", "rr")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return simulate(read(find("warthog_skid_steer")), out=tmp_path_factory.mktemp("runs") / "run")


@pytest.fixture(scope="module")
def between(run: Run) -> Callable[[str, float, float], Any]:
    """A signal in a span of time."""

    def of(name: str, first: float, last: float) -> Any:
        t = run.time(name)
        return run[name][(t >= first) & (t <= last)]

    return of


def test_it_turns_in_place_less_than_asked(between: Callable[..., Any]) -> None:
    """The force of a wheel that slides sideways opposes that, so less of it is left to turn the vehicle."""
    rate = between("body.yaw_rate", 2.5, 5.0)
    assert 0.5 < rate.min() < rate.max() < 0.65
    assert np.abs(between("body.velocity[1]", 2.5, 5.0)).max() < 0.1
    place = [np.ptp(between(f"body.position[{k}]", 0.0, 6.0)) for k in (1, 2)]
    assert max(place) < 1.0, "it stays about where it is"


def test_it_drives_an_arc(between: Callable[..., Any]) -> None:
    rate, speed = between("body.yaw_rate", 9.0, 12.0), between("body.velocity[1]", 9.0, 12.0)
    assert 0.25 < rate.min() < rate.max() < 0.5
    assert speed.mean() == pytest.approx(2.0, rel=0.1)
    assert between("body.a[2]", 9.0, 12.0).mean() == pytest.approx(rate.mean() * speed.mean(), rel=0.05)


def test_left_and_right_push_against_each_other_and_torques_keep_their_limit(between: Callable[..., Any]) -> None:
    left, right = between("control.drive[1]", 2.5, 5.0), between("control.drive[4]", 2.5, 5.0)
    assert left.max() < -50.0 and right.min() > 50.0
    assert max(np.abs(between(f"control.drive[{i}]", 0.0, 14.0)).max() for i in (1, 2, 3, 4)) <= 200.0


def test_it_stands_before_and_after(between: Callable[..., Any]) -> None:
    assert np.abs(between("body.velocity[1]", 0.0, 1.0)).max() < 1e-3
    assert np.abs(between("body.velocity[1]", 13.9, 14.0)).max() < 0.02
    total = sum(between(f"wheel_{w}.load", 0.0, 0.0)[0] for w in WHEELS)
    assert total == pytest.approx(280.0 * 9.80665, rel=1e-4)
