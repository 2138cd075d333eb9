"""Model exchange of blocks whose law is C."""

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import fmpy
import numpy as np
import pytest
from fmpy.fmi1 import FMICallException
from fmpy.fmi2 import FMU2Model
from lxml import etree

from drawbar.blocks import Continuous, FmuError, Input, Kernel, Output, Parameter, Resource, State
from drawbar.blocks.authoring.block import Block
from drawbar.fmus.backends.instance import FmuInstance, open_fmu
from drawbar.fmus.backends.native import native_instance
from drawbar.fmus.export.package import build
from drawbar.fmus.export.write_description import write_description
from drawbar.fmus.loading.description import read_description

pytestmark = pytest.mark.compiler

DISCARD = 2

LAW = """
#include "law.h"
int derivatives(const double **arg, double **res, long long *iw, double *w, int mem) {
    const States *s = states_of(arg);
    const Parameters *p = parameters_of(arg);
    if (s->x > 50.0) return 1;
    derivatives_of(res)->x = p->k*(inputs_of(arg)->u - s->x) + table_of(arg)->at[1];
    derivatives_of(res)->y = s->x;
    return 0;
}
int outputs(const double **arg, double **res, long long *iw, double *w, int mem) {
    outputs_of(res)->sum = states_of(arg)->x + states_of(arg)->y + table_of(arg)->at[0]*inputs_of(arg)->u;
    return 0;
}
"""


class AsEquations(Continuous, step=1e-3):
    """What the C text above says."""

    u = Input("1", "signal", start=1.0)
    k = Parameter(3.0, "1", "rate", tunable=True)
    x = State(0.5, "1", "first")
    y = State(0.0, "1", "second")
    sum = Output("1", "of all")

    def derivatives(self) -> dict[str, Any]:
        return {"x": self.k * (self.u - self.x) - 0.25, "y": self.x}

    def outputs(self) -> dict[str, Any]:
        return {"sum": self.x + self.y + 2.0 * self.u}


@pytest.fixture(scope="module")
def in_c(tmp_path_factory: pytest.TempPathFactory) -> type[Block]:
    folder: Path = tmp_path_factory.mktemp("law")
    (folder / "law.c").write_text(LAW)

    class InC(Kernel, source=folder / "law.c", step=1e-3):
        u, k, x, y, sum = AsEquations.u, AsEquations.k, AsEquations.x, AsEquations.y, AsEquations.sum
        table = Resource("table.npy", "numbers", make=lambda: np.array([2.0, -0.25]))

    return InC


def test_a_block_in_c_with_resources_is_integrated_as_its_equations_are(in_c: type[Block]) -> None:
    ends = []
    for block in (in_c, AsEquations):
        options = {"stop_time": 2.0, "output_interval": 0.1, "solver": "CVode", "relative_tolerance": 1e-9}
        found = fmpy.simulate_fmu(str(build(block)), fmi_type="ModelExchange", record_events=False, **options)
        ends.append(np.array([list(row) for row in found]))
    assert np.array_equal(*ends)
    assert np.ptp(ends[0][:, 1]) > 1.0


@contextmanager
def live(block: type[Block]) -> Iterator[tuple[FMU2Model, FmuInstance]]:
    """A fmu in event mode at 0 s, and the instance that hears what it logs."""
    host, description = open_fmu(build(block), "host"), read_description(build(block))
    fmu = FMU2Model(
        guid=description.guid,
        unzipDirectory=str(description.folder),
        modelIdentifier=description.identifier,
        instanceName="fmu",
    )
    fmu.instantiate(callbacks=host._callbacks)
    fmu.setupExperiment(startTime=0.0)
    fmu.enterInitializationMode()
    fmu.exitInitializationMode()
    yield fmu, host
    fmu.freeInstance()
    host.close()


def test_a_law_that_fails_lets_the_solver_try_a_smaller_step(in_c: type[Block]) -> None:
    with live(in_c) as (fmu, host):
        fmu.enterContinuousTimeMode()
        states, rates = (ctypes.c_double * 2)(49.0, 0.0), (ctypes.c_double * 2)()
        fmu.fmi2SetContinuousStates(fmu.component, states, 2)
        fmu.fmi2GetDerivatives(fmu.component, rates, 2)
        assert list(rates) == [3.0 * (1.0 - 49.0) - 0.25, 49.0]
        states[0] = 51.0
        fmu.fmi2SetContinuousStates(fmu.component, states, 2)
        with pytest.raises(FMICallException) as caught:
            fmu.fmi2GetDerivatives(fmu.component, rates, 2)
        assert caught.value.status == DISCARD
        assert host.messages() == ["InC: the equations failed at 0 s"]


COUNT = """
#include "count.h"
int update(const double **arg, double **res, long long *iw, double *w, int mem) {
    next_states_of(res)->n = states_of(arg)->n + inputs_of(arg)->u;
    return states_of(arg)->n > 2.5;
}
int outputs(const double **arg, double **res, long long *iw, double *w, int mem) {
    outputs_of(res)->seen = states_of(arg)->n;
    return 0;
}
"""


def test_a_sampled_block_in_c_acts_at_time_events(tmp_path: Path) -> None:
    (tmp_path / "count.c").write_text(COUNT)

    class CountInC(Kernel, source=tmp_path / "count.c", period="1/2"):
        u = Input("1", "signal", start=1.0)
        n = State(0.0, "1", "sum")
        seen = Output("1", "sum before the sample")

    with live(CountInC) as (fmu, host):
        seen = [v.valueReference for v in fmpy.read_model_description(str(build(CountInC))).modelVariables][-1:]
        for k in range(3):
            fmu.setTime(0.5 * k)
            assert fmu.newDiscreteStates()[4:] == (True, 0.5 * (k + 1))
            assert fmu.getReal(seen) == [float(k)]
        fmu.setTime(1.5)
        with pytest.raises(FMICallException):
            fmu.newDiscreteStates()
        assert host.messages() == ["CountInC: the equations failed at 1.5 s"]


def test_a_block_in_c_says_nothing_of_what_it_does_not_know(in_c: type[Block]) -> None:
    description = fmpy.read_model_description(str(build(in_c)))
    root = etree.fromstring(write_description(in_c.model(), "").encode())
    for kind in ("ModelExchange", "CoSimulation"):
        assert root.xpath(f"{kind}/SourceFiles/File/@name") == ["all.c", "law.c"]
        assert root.find(kind).get("providesDirectionalDerivative") == "false"
    assert [(u.variable.name, u.dependencies) for u in description.derivatives] == [("der(x)", None), ("der(y)", None)]
    assert {u.variable.name: {d.name for d in u.dependencies} for u in description.outputs} == {"sum": {"u", "x", "y"}}
    fmu = native_instance(in_c, "a")
    with pytest.raises(FmuError, match="it gives no directional derivatives"):
        fmu.directional(["sum"], ["u"], np.ones(1), np.zeros(1))
    fmu.close()
