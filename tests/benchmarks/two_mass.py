"""The two-mass oscillator in force/displacement coupling, and its exact motion.

    m1 x1'' = -k1 (x1 - rest1) - c1 x1' + F        first:  input F, outputs x, v
    m2 x2'' = -k3 (x2 - rest2) - c3 x2' - F        second: inputs x1, v1, outputs F (feeds through), x, v
    F = k2 (x2 - x1) + c2 (x2' - x1')

The sides as blocks of ours have the names of those in tests/foreign/oscillator.c, so that each can stand for the other.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from scipy.linalg import expm

from drawbar.blocks import Block, Continuous, Input, Output, Parameter, State
from drawbar.diagrams.model.diagram import Diagram

MICRO = Fraction(1, 4096)  # s, RK4 micro-steps so short that what is left of the error is the coupling

Side = type[Block] | Path


class First(Continuous, step=MICRO):
    """The mass that is pushed by the coupling force."""

    F = Input("N", "coupling force")
    m = Parameter(1.0, "kg", "mass")
    k = Parameter(0.0, "N/m", "spring to the ground")
    c = Parameter(0.0, "N.s/m", "damper to the ground")
    rest = Parameter(0.0, "m", "where the spring to the ground is at rest")
    x = State(0.0, "m", "position", output=True)
    v = State(0.0, "m/s", "velocity", output=True)

    def derivatives(self) -> dict[str, Any]:
        return {"x": self.v, "v": (-self.k * (self.x - self.rest) - self.c * self.v + self.F) / self.m}


class Second(Continuous, step=MICRO):
    """The mass that carries the coupling spring and damper."""

    x1 = Input("m", "position of the other mass")
    v1 = Input("m/s", "velocity of the other mass")
    m = Parameter(1.0, "kg", "mass")
    k = Parameter(0.0, "N/m", "spring to the ground")
    c = Parameter(0.0, "N.s/m", "damper to the ground")
    rest = Parameter(0.0, "m", "where the spring to the ground is at rest")
    k2 = Parameter(0.0, "N/m", "spring to the other mass")
    c2 = Parameter(0.0, "N.s/m", "damper to the other mass")
    x = State(0.0, "m", "position", output=True)
    v = State(0.0, "m/s", "velocity", output=True)
    F = Output("N", "coupling force on the other mass")

    def force(self) -> Any:
        return self.k2 * (self.x - self.x1) + self.c2 * (self.v - self.v1)

    def derivatives(self) -> dict[str, Any]:
        pull = -self.k * (self.x - self.rest) - self.c * self.v
        return {"x": self.v, "v": (pull - self.force()) / self.m}

    def outputs(self) -> dict[str, Any]:
        return {"F": self.force()}


OURS: tuple[Side, Side] = (First, Second)


@dataclass(frozen=True)
class Numbers:
    """Parameters and start values of the two sides, and the time at which the error is taken."""

    first: Mapping[str, float]
    second: Mapping[str, float]
    t: float

    def exact(self) -> np.ndarray:
        """The two positions at `t`, from the exponential of the matrix of the whole system."""
        a, b = ({"k": 0.0, "c": 0.0, "rest": 0.0, "x": 0.0, **side} for side in (self.first, self.second))
        k2, c2 = b["k2"], b["c2"]
        matrix = np.zeros((5, 5))  # of x1, v1, x2, v2, 1
        matrix[0, 1] = matrix[2, 3] = 1.0
        matrix[1] = np.array([-a["k"] - k2, -a["c"] - c2, k2, c2, a["k"] * a["rest"]]) / a["m"]
        matrix[3] = np.array([k2, c2, -b["k"] - k2, -b["c"] - c2, b["k"] * b["rest"]]) / b["m"]
        end: np.ndarray = expm(matrix * self.t) @ np.array([a["x"], 0.0, b["x"], 0.0, 1.0])
        return end[[0, 2]]


# the numbers of OMSimulator's DualMassOscillator test
SET_A = Numbers(
    {"m": 1.0, "k": 10.0, "c": 0.2},
    {"m": 1.0, "k": 20.0, "c": 0.3, "k2": 10.0, "c2": 0.5, "x": 0.5},
    t=5.0,
)
# a quarter car on a road that steps up by 0.1 m (libcosim's quarter_truck): body, then wheel on its tyre
QUARTER_CAR = Numbers(
    {"m": 400.0},
    {"m": 40.0, "k": 150e3, "rest": 0.1, "k2": 15e3, "c2": 1e3},
    t=1.0,
)


def oscillator(step: Fraction, algorithm: str, sides: tuple[Side, Side] = OURS, numbers: Numbers = SET_A) -> Diagram:
    """The two masses on a diagram; each side is a block of ours or an FMU."""
    made = Diagram("two_mass", step=step, stop=numbers.t, algorithm=algorithm)
    first = made.add("first", sides[0], **numbers.first)
    second = made.add("second", sides[1], **numbers.second)
    made.connect(first.x, second.x1)
    made.connect(first.v, second.v1)
    made.connect(second.F, first.F)
    return made
