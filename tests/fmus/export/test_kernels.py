"""Blocks whose law is C: the same numbers as equations give, and every slip in the C text told in one sentence."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from drawbar.blocks import (
    Bus,
    Continuous,
    FmuError,
    Input,
    Kernel,
    Local,
    Member,
    Output,
    Parameter,
    Sampled,
    State,
)
from drawbar.blocks.authoring.block import Block
from drawbar.blocks.sensors.ray_march import RayMarch
from drawbar.fmus.backends.instance import Instance, open_fmu
from drawbar.fmus.backends.native import native_instance
from drawbar.fmus.export.package import build
from drawbar.fmus.loading.description import read_interface

SIGNATURE = "const double **arg, double **res, long long *iw, double *w, int mem"


compiler = pytest.mark.compiler


def written(folder: Path, text: str, name: str = "law.c") -> Path:
    path = folder / name
    path.write_text(text.replace("SIGNATURE", SIGNATURE))
    return path


def trajectory(instance: Instance, inputs: list[str], h: float) -> np.ndarray:
    try:
        instance.initialize(0.0, {})
        instance.start()
        names = [n for port in instance.interface.of("output", "local") for n in port.scalar_names()]
        values = np.zeros(len(inputs))
        write, step = instance.writer(inputs, values), instance.stepper()
        rows = [instance.get(names)]
        for k in range(50):
            values[:] = np.sin(0.7 * k * h + np.arange(len(inputs)))
            assert write() == 0
            assert step(k * h, h) == 0, instance.messages()
            rows.append(instance.get(names))
        return np.array(rows)
    finally:
        instance.close()


class Push(Bus):
    """What pushes."""

    force = Member("N", "forces", size=2)
    gain = Member("1", "gain")


class Variables:
    """A mass on a spring, for both of the blocks below."""

    push = Push.sink("pushes")
    rates = Parameter([[30.0, 0.5, 0.1], [0.2, 2.0, 0.3]], "1", "matrix", size=(2, 3))
    mass = Parameter(2.0, "kg", "mass")
    x = State([0.1, 0.0], "1", "position and velocity", size=2, output=True)
    pull = Output("N", "forces", size=2)
    right = Output("1", "right of the middle", type=bool)
    energy = Local("J", "energy, roughly")


class AsEquations(Continuous, step=1e-3):
    push, rates, mass, x = Variables.push, Variables.rates, Variables.mass, Variables.x
    pull, right, energy = Variables.pull, Variables.right, Variables.energy

    def derivatives(self) -> dict[str, Any]:
        f = self.push.gain * self.push.force[0] - self.rates[0, 0] * self.x[0] - self.rates[1, 2] * self.x[1]
        return {"x": [self.x[1], f / self.mass]}

    def outputs(self) -> dict[str, Any]:
        pull = [self.rates[0, 1] * self.x[0] + self.push.force[1], self.rates[1, 0] * self.time]
        return {"pull": pull, "right": self.x[0] > 0.095, "energy": 0.5 * self.mass * self.x[1] * self.x[1]}


LAW = """
#include "law.h"
int derivatives(SIGNATURE) {
    const Inputs *u = inputs_of(arg);
    const Parameters *p = parameters_of(arg);
    const States *s = states_of(arg);
    States *change = derivatives_of(res);
    change->x[0] = s->x[1];
    change->x[1] = (u->push.gain*u->push.force[0] - p->rates[0][0]*s->x[0] - p->rates[1][2]*s->x[1])/p->mass;
    return 0;
}
int outputs(SIGNATURE) {
    const Parameters *p = parameters_of(arg);
    const States *s = states_of(arg);
    Outputs *y = outputs_of(res);
    y->pull[0] = p->rates[0][1]*s->x[0] + inputs_of(arg)->push.force[1];
    y->pull[1] = p->rates[1][0]*time_of(arg);
    y->right = s->x[0] > 0.095;
    y->energy = 0.5*p->mass*s->x[1]*s->x[1];
    return 0;
}
"""


@compiler
@pytest.mark.parametrize("method", ["euler", "heun", "rk4"])
def test_a_law_in_c_is_integrated_as_the_same_law_in_equations(method: str, tmp_path: Path) -> None:
    class InC(Kernel, source=written(tmp_path, LAW), method=method, step=1e-3):
        push, rates, mass, x = Variables.push, Variables.rates, Variables.mass, Variables.x
        pull, right, energy = Variables.pull, Variables.right, Variables.energy

    class Equations(AsEquations, method=method):
        pass

    inputs = ["push.force[1]", "push.force[2]", "push.gain"]
    a = trajectory(native_instance(Equations, "a"), inputs, 2.5e-3)
    b = trajectory(native_instance(InC, "b"), inputs, 2.5e-3)
    c = trajectory(open_fmu(build(InC), "c"), inputs, 2.5e-3)
    assert np.ptp(a, axis=0).all(), "all of it must move for the comparison to mean anything"
    np.testing.assert_allclose(b, a, rtol=1e-12, atol=1e-15)
    np.testing.assert_array_equal(b, c)
    ours, theirs = InC.interface(), read_interface(build(InC))
    assert (ours.integrates, ours.fresh_read, ours.interpolates) == (True, True, True)
    assert (theirs.integrates, theirs.fresh_read, theirs.interpolates) == (True, True, True)


SAMPLED = """
#include "law.h"
static const double start = 1.0, model = 2.0; /* names of the runtime are the author's as well */
static double report(double x) { return model*x - start - start*x + 1.0; }
int outputs(SIGNATURE) {
    const Inputs *u = inputs_of(arg);
    for (int i = 0; i < LENGTH(u->u); i++) { w[i] = u->u[i]; iw[i] = i; }
    outputs_of(res)->y = report(w[LENGTH(u->u) - 1]) + states_of(arg)->total + 0.0*iw[2];
    outputs_of(res)->often = PERIOD;
    return states_of(arg)->total > inputs_of(arg)->limit;
}
int update(SIGNATURE) {
    next_states_of(res)->total = states_of(arg)->total + inputs_of(arg)->u[2];
    return 0;
}
"""


def accumulator(path: Path) -> type[Block]:
    class Accumulator(Kernel, source=path, period="1/30", work=3, integer_work=3):
        u = Input("1", "signals", size=3)
        limit = Input("1", "total at which it fails", start=1e9)
        total = State(0.0, "1", "sum")
        y = Output("1", "signal and sum before it")
        often = Output("s", "period")

    return Accumulator


class Summed(Sampled, period="1/30"):
    u = Input("1", "signals", size=3)
    total = State(0.0, "1", "sum")
    y = Output("1", "signal and sum before it")
    often = Output("s", "period")

    def outputs(self) -> dict[str, Any]:
        return {"y": self.u[2] + self.total, "often": self.period}

    def update(self) -> dict[str, Any]:
        return {"total": self.total + self.u[2]}


@compiler
@pytest.mark.parametrize("h", [1 / 300, 1 / 30, 0.07])
def test_a_sampled_law_in_c_samples_as_the_same_in_equations(h: float, tmp_path: Path) -> None:
    block = accumulator(written(tmp_path, SAMPLED))
    inputs = ["u[1]", "u[2]", "u[3]"]
    a, b = (trajectory(native_instance(k, "a"), inputs, h) for k in (Summed, block))
    np.testing.assert_allclose(a, b, rtol=1e-13)
    assert (block.interface().sampled, block.interface().fresh_read) == (True, False)


@compiler
def test_a_function_that_returns_another_number_than_0_fails_the_step(tmp_path: Path) -> None:
    instance = native_instance(accumulator(written(tmp_path, SAMPLED)), "a")
    instance.initialize(0.0, {"u[3]": 1.0, "limit": 1.5})
    instance.start()
    step = instance.stepper()
    assert [step(k / 30, 1 / 30) for k in range(3)] == [0, 0, 3]
    assert "Accumulator: the equations failed" in instance.messages()[-1]
    instance.close(3)


GOOD = '#include "law.h"\nint outputs(SIGNATURE) { outputs_of(res)->y = inputs_of(arg)->u; return 0; }\n'


@compiler
def test_a_file_that_it_includes_goes_with_it(tmp_path: Path) -> None:
    written(tmp_path, "static double twice(double x) { return 2.0*x; }\n", "twice.h")
    text = GOOD.replace('"law.h"', '"law.h"\n#include "twice.h"').replace("= inputs_of(arg)->u", "= twice(3.0)")

    class Including(Kernel, source=[written(tmp_path, text), tmp_path / "twice.h"]):
        u = Input("1", "in")
        y = Output("1", "out")

    instance = open_fmu(build(Including), "a")
    instance.initialize(0.0, {})
    instance.start()
    assert instance.get(["y"]) == [6.0]
    instance.close()
    with zipfile.ZipFile(build(Including)) as archive:
        assert {"sources/law.c", "sources/law.h", "sources/twice.h", "sources/all.c"} <= set(archive.namelist())


@compiler
def test_same_kernel_same_bytes_and_no_path_of_the_machine(tmp_path: Path) -> None:
    script = (
        "from drawbar.blocks.sensors.ray_march import RayMarch; from drawbar.fmus.export.package import build;"
        "from pathlib import Path; import sys; build(RayMarch, Path(sys.argv[1]))"
    )
    for name, seed in (("one", "1"), ("two", "2")):
        environment = {**os.environ, "DRAWBAR_CACHE": str(tmp_path / name), "PYTHONHASHSEED": seed}
        subprocess.run([sys.executable, "-c", script, str(tmp_path / name / "out")], env=environment, check=True)
    a, b = ((tmp_path / name / "out" / "RayMarch.fmu").read_bytes() for name in ("one", "two"))
    assert a == b
    with zipfile.ZipFile(tmp_path / "one" / "out" / "RayMarch.fmu") as archive:
        assert not [n for n in archive.namelist() if str(Path(__file__).parents[3]).encode() in archive.read(n)]


@compiler
def test_what_fails_while_the_block_runs_keeps_its_message() -> None:
    instance = native_instance(RayMarch, "a")
    instance.initialize(0.0, {"spacing": 0.0})
    with pytest.raises(FmuError, match="RayMarch: the equations failed at the start"):
        instance.start()
    instance.close()


def test_a_kernel_feeds_through_unless_it_says_otherwise(tmp_path: Path) -> None:
    path = written(tmp_path, GOOD)

    class All(Kernel, source=path):
        u = Input("1", "in", size=2)
        v = Input("1", "in")
        y = Output("1", "out")
        z = Output("1", "out")

    class Some(All, feedthrough={"y": ["v"], "z": []}):
        pass

    assert All.interface().feedthrough == {"y": ("u[1]", "u[2]", "v"), "z": ("u[1]", "u[2]", "v")}
    assert Some.interface().feedthrough == {"y": ("v",), "z": ()}
