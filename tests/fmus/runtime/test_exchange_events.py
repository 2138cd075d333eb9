"""Model exchange: integers and truth values of continuous blocks change at events, which a completed step asks for."""

import ctypes
from collections.abc import Iterator
from typing import Any

import fmpy
import numpy as np
import pytest
from fmpy.fmi2 import FMU2Model
from lxml import etree

from drawbar.blocks import Continuous, Input, Local, Output, State, if_else
from drawbar.fmus.export.package import build
from drawbar.fmus.export.write_description import write_description
from drawbar.fmus.loading.description import read_description

pytestmark = pytest.mark.compiler


class Passing(Continuous):
    """A way at constant speed, and what it has passed."""

    u = Input("1", "signal")
    x = State(0.0, "m", "way", output=True)
    beyond = Output("1", "whether it is beyond the half", type=bool)
    tenths = Output("1", "tenths that were passed", type=int)
    above = Local("1", "whether the signal is high", type=bool)
    twice = Output("m", "twice the way")

    def derivatives(self) -> dict[str, Any]:
        return {"x": 1.0 + 0.0 * self.x}

    def outputs(self) -> dict[str, Any]:
        return {
            "beyond": self.x > 0.5,
            "tenths": if_else(self.x < 0.95, 10.0 * self.x, 9.0),
            "above": self.u > 1.0,
            "twice": 2.0 * self.x,
        }


class Plain(Continuous):
    """The control: real numbers only."""

    x = State(0.0, "m", "way", output=True)

    def derivatives(self) -> dict[str, Any]:
        return {"x": 1.0 + 0.0 * self.x}


class FMU2Passing(FMU2Model):
    """An instance in continuous-time mode; FMPy goes by the name of the class."""

    def __init__(self) -> None:
        description = read_description(build(Passing))
        super().__init__(
            guid=description.guid,
            unzipDirectory=str(description.folder),
            modelIdentifier=description.identifier,
            instanceName="fmu",
        )
        self.references = {name: scalar.reference for name, scalar in description.scalars.items()}
        self.instantiate()
        self.setupExperiment(startTime=0.0)
        self.enterInitializationMode()
        self.exitInitializationMode()
        self.newDiscreteStates()
        self.enterContinuousTimeMode()

    def to(self, x: float) -> None:
        self.setTime(x)
        self.setContinuousStates((ctypes.c_double * 1)(x), 1)

    def event(self) -> None:
        self.enterEventMode()
        self.newDiscreteStates()

    def seen(self) -> list[float]:
        ref = self.references
        return [
            *self.getBoolean([ref["beyond"], ref["above"]]),
            *self.getInteger([ref["tenths"]]),
            *self.getReal([ref["twice"]]),
        ]


@pytest.fixture
def fmu() -> Iterator[FMU2Passing]:
    made = FMU2Passing()
    yield made
    made.freeInstance()


def test_it_changes_at_the_event_that_a_completed_step_asks_for(fmu: FMU2Passing) -> None:
    fmu.to(0.04)
    assert fmu.completedIntegratorStep() == (False, False), "it rounds to no tenth yet"
    fmu.to(0.8)
    assert fmu.seen() == [0, 0, 0, 1.6], "a trial of the solver: real numbers alone follow it"
    fmu.to(0.2)
    assert fmu.completedIntegratorStep() == (True, False)
    assert fmu.seen() == [0, 0, 0, 0.4]
    fmu.event()
    assert fmu.seen() == [0, 0, 2, 0.4]
    fmu.enterContinuousTimeMode()
    assert fmu.completedIntegratorStep() == (False, False)
    fmu.to(0.8)
    assert fmu.completedIntegratorStep() == (True, False)
    fmu.event()
    assert fmu.seen() == [1, 0, 8, 1.6]


def test_one_that_follows_from_an_input_is_held_too(fmu: FMU2Passing) -> None:
    fmu.setReal([fmu.references["u"]], [2.0])
    assert fmu.seen()[1] == 0
    assert fmu.completedIntegratorStep() == (True, False)
    fmu.event()
    assert fmu.seen()[1] == 1


def test_what_is_held_is_a_part_of_the_state(fmu: FMU2Passing) -> None:
    state = fmu.getFMUState()
    fmu.to(0.8)
    fmu.event()
    fmu.enterContinuousTimeMode()
    later = fmu.getFMUState()
    fmu.setFMUState(state)
    assert fmu.seen() == [0, 0, 0, 0.0]
    fmu.setFMUState(later)
    assert fmu.seen() == [1, 0, 8, 1.6]
    for one in (state, later):
        fmu.freeFMUState(one)


def test_the_importer_is_told_that_it_has_to_complete_its_steps() -> None:
    for block, needless in ((Passing, "false"), (Plain, "true")):
        root = etree.fromstring(write_description(block.model(), "").encode())
        assert root.find("ModelExchange").get("completedIntegratorStepNotNeeded") == needless


def test_fmpy_ends_with_the_values_of_co_simulation() -> None:
    rows = {}
    for kind in ("ModelExchange", "CoSimulation"):
        found = fmpy.simulate_fmu(
            str(build(Passing)),
            fmi_type=kind,
            stop_time=1.0,
            output_interval=1 / 32,
            record_events=False,
            output=["beyond", "tenths"],
        )
        rows[kind] = np.array([[float(v) for v in row] for row in found])
    assert rows["ModelExchange"].shape == rows["CoSimulation"].shape
    assert (rows["ModelExchange"] == rows["CoSimulation"]).all()
    assert sorted(np.ptp(rows["CoSimulation"], axis=0)) == [1.0, 1.0, 9.0]
