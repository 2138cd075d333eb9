"""Zigzag of exchanged values: where the coupling of a mass and a damper rings or is unstable, and nowhere else."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from drawbar.blocks import Continuous, Input, Output, Sampled, State
from drawbar.diagrams.model.diagram import Diagram
from drawbar.orchestrator.reports.run_report import warnings_of
from drawbar.orchestrator.reports.step_oscillation import (
    least_turns,
    longest_zigzag,
    oscillation_warning,
    outputs_in_loops,
)
from drawbar.orchestrator.simulate import simulate

RATE = 40.0  # 1/s, damping coefficient over mass


class Mass(Continuous, step=1e-3):
    F = Input("N", "force")
    v = State(1.0, "m/s", "velocity", output=True)

    def derivatives(self) -> dict[str, Any]:
        return {"v": self.F + self.F}  # of 0.5 kg


class Damper(Continuous):
    v = Input("m/s", "velocity")
    F = Output("N", "force on the mass")

    def outputs(self) -> dict[str, Any]:
        return {"F": -0.5 * RATE * self.v}


class SampledDamper(Sampled, period=0.025):
    v = Input("m/s", "velocity")
    F = Output("N", "force on the mass")

    def outputs(self) -> dict[str, Any]:
        return {"F": -0.5 * RATE * self.v}


def loop(step: float, damper: type[Damper] | type[SampledDamper] = Damper, algorithm: str = "second-order") -> Diagram:
    d = Diagram("loop", step=step, algorithm=algorithm)
    mass, other = d.add("mass", Mass), d.add("damper", damper)
    d.connect(mass.v, other.v)
    d.connect(other.F, mass.F)
    return d


# With a = RATE h the default scheme gives v' = v - a (1.5 v - 0.5 v_before), with a root of -0.39 at a = 0.5, of -0.93
# at a = 0.95 and of -1 at a = 1. The newest values give v' = (1 - a) v: at a = 1.5 the velocity turns at each step, and
# is below 1 % after seven.
@pytest.mark.parametrize(
    ("algorithm", "a", "warns", "grows"),
    [
        ("second-order", 0.5, False, False),
        ("second-order", 0.95, True, False),
        *(("second-order", a, True, True) for a in (1.03, 1.3, 1.6, 2.0, 3.0)),
        ("gauss-seidel", 1.5, False, False),
        ("gauss-seidel", 2.03, True, True),
    ],
)
def test_a_loop_is_told_from_the_step_on_at_which_its_coupling_rings(
    algorithm: str, a: float, warns: bool, grows: bool, tmp_path: Path
) -> None:
    diagram = loop(round(a / RATE, 6), algorithm=algorithm)
    run = simulate(diagram, stop=200 * diagram.step, backend="interpreted", engine="python", out=tmp_path / "run")
    assert (abs(run["mass.v"][-1]) > 1.0) == grows
    warning = oscillation_warning(run)
    assert (warning is not None) == warns
    assert (warning in warnings_of(run)) == warns
    if warning:
        assert warning.startswith(("mass.v turns at each of ", "damper.F turns at each of "))
        assert ("growing to" in warning) == grows
        assert f"the macro step of {float(diagram.step):g} s is too long" in warning
        assert "and 1 more signal does likewise" in warning


def test_only_outputs_through_which_the_parts_of_a_loop_act_on_each_other_count() -> None:
    assert outputs_in_loops(loop(0.025)) == ["mass.v", "damper.F"]
    assert outputs_in_loops(loop(0.025, SampledDamper)) == []
    opened = Diagram("open", step=0.025)
    mass, damper, other = opened.add("mass", Mass), opened.add("damper", Damper), opened.add("other", Damper)
    opened.connect(mass.v, damper.v)
    opened.connect(mass.v, other.v)
    assert outputs_in_loops(opened) == []
    opened.connect(damper.F, mass.F)
    assert outputs_in_loops(opened) == ["mass.v", "damper.F"]


def test_the_longest_zigzag_by_hand() -> None:
    steps = np.arange(40.0)
    assert longest_zigzag(np.array([0.0, 1.0, 0.0, 1.0, 2.0, 3.0, 2.0, 3.0, 2.0, 3.0])) == (4, 4)
    assert longest_zigzag(np.cos(2 * np.pi * steps / 4.5))[0] < 3, "four and a half rows per period are resolved"
    assert longest_zigzag((-1.0) ** steps)[0] == 38
    assert longest_zigzag(100.0 + 1e-9 * (-1.0) ** steps) == (0, 0), "the rounding of a value at rest"
    assert longest_zigzag(steps + 0.02 * (-1.0) ** steps) == (0, 0), "it never turns"
    assert longest_zigzag(np.where(steps < 20, steps, 20 + 0.1 * (-1.0) ** steps)) == (0, 0), "below 1 % of the range"
    early = np.where(steps < 20, 1e-3 * (-1.0) ** steps, steps)
    assert longest_zigzag(early) == (0, 0), "below 1 % of the range that follows"
    assert longest_zigzag((-3.0) ** steps)[0] == 38, "every turn of an error that grows three times per step"
    for short in ([], [1.0], [1.0, 2.0]):
        assert longest_zigzag(np.array(short)) == (0, 0)


@pytest.mark.parametrize("rows", [100, 2_000, 100_000])
def test_noise_is_no_zigzag(rows: int) -> None:
    """Neither white noise nor its sum, the velocity of a mass that it pushes; a zigzag among the noise is."""
    noise = np.random.default_rng(7).standard_normal((20, rows))
    for row in noise:
        assert longest_zigzag(row)[0] < least_turns(rows)
        assert longest_zigzag(np.cumsum(row))[0] < least_turns(rows)
    begin = int(least_turns(rows)) + 2
    noise[0, -begin:] = 3.0 * (-1.0) ** np.arange(begin)
    assert longest_zigzag(noise[0])[0] >= least_turns(rows)
