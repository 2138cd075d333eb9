"""The foreign FMUs do what they are for, seen by FMPy alone."""

import math
import runpy
from collections.abc import Callable
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import numpy as np
import pytest
from fmpy import read_model_description, simulate_fmu
from fmpy.fmi1 import FMICallException
from fmpy.validation import validate_fmu
from scipy.linalg import expm

build = runpy.run_path(str(Path(__file__).with_name("builder.py")))["build"]
pytestmark = pytest.mark.compiler
Open = Callable[..., Any]  # an FMU and its start values, opened by the fixture `live`


EVERYTHING = dict(
    canInterpolateInputs=True,
    providesDirectionalDerivative=True,
    canHandleVariableCommunicationStepSize=False,
    canBeInstantiatedOnlyOncePerProcess=True,
    stepSize=0.02,
    dependencies=False,
)
FMUS: list[dict[str, Any]] = [
    dict(source="misbehaving"),
    dict(source="spy"),
    dict(source="spy", minimum={"u": -1.0}, maximum={"u": 1.0}, starts={"u": 0.5}, **EVERYTHING),
    dict(source="oscillator", side=1),
    dict(source="oscillator", side=2, providesDirectionalDerivative=True),
]


@pytest.mark.parametrize("choices", FMUS, ids=lambda u: "-".join(map(str, u.values()))[:24])
def test_the_description_is_valid(choices: dict[str, Any], tmp_path: Path) -> None:
    assert validate_fmu(str(build(tmp_path, **choices))) == []


def test_an_invalid_description_is_seen(tmp_path: Path) -> None:
    """Negative control: the validator does read them."""
    with ZipFile(build(tmp_path, "spy")) as sound, ZipFile(tmp_path / "odd.fmu", "w") as odd:
        for entry in sound.namelist():
            odd.writestr(entry, sound.read(entry).replace(b'unit="s"', b'unit="fortnight"'))
    assert "fortnight" in str(validate_fmu(str(tmp_path / "odd.fmu")))


@pytest.mark.parametrize("source", ["misbehaving", "spy"])
def test_the_lag_is_exact(source: str, tmp_path: Path) -> None:
    result = simulate_fmu(
        str(build(tmp_path, source)), start_values={"u": 1.0, "T": 0.3}, stop_time=1.0, output_interval=0.05
    )
    assert result["y"] == pytest.approx(1.0 - np.exp(-result["time"] / 0.3), rel=1e-12)
    assert result["y"][-1] > 0.9
    assert result["steps"].tolist() == list(range(21))


def test_the_spy_takes_an_euler_step_when_its_enumeration_says_so(live: Open, tmp_path: Path) -> None:
    spy = live(build(tmp_path, "spy"), u=1.0, T=0.5, method=2).start()
    spy.step(0.0, 0.1)
    assert spy["y"] == pytest.approx(0.2, rel=1e-14)


def test_the_lag_follows_a_ramp_exactly(live: Open, tmp_path: Path) -> None:
    spy = live(build(tmp_path, "spy", canInterpolateInputs=True), T=0.5).start()
    for k in range(10):
        spy.set(u=0.2 * k)
        spy.derivative(u=2.0)
        spy.step(0.1 * k, 0.1)
    assert spy["y"] == pytest.approx(2.0 * (1.0 - 0.5 * (1.0 - math.exp(-2.0))), rel=1e-12)
    assert (spy["used"], spy["du"]) == (pytest.approx(1.8), 2.0)
    assert spy["y2"] - spy["y"] == pytest.approx(2.0), "the input has run to its value at the end of the step"
    spy.step(1.0, 0.1)
    assert spy["du"] == 0.0, "a derivative serves one step"


SIDES = {1: {"F": 3.0}, 2: {"x1": 0.2, "v1": -0.7}}
COEFFICIENTS = {"m": 2.0, "k": 12.0, "c": 0.4, "rest": 0.1}


def forcing(side: int, values: dict[str, float]) -> float:
    return values["F"] if side == 1 else 9.0 * values["x1"] + 0.6 * values["v1"]


@pytest.mark.parametrize("ramp", [0.0, 1.5])
@pytest.mark.parametrize("side", [1, 2])
def test_a_side_of_the_oscillator_is_exact(side: int, ramp: float, live: Open, tmp_path: Path) -> None:
    """Against SciPy's exponential, over one long step; the inputs are held, or all rise by `ramp` per second."""
    inputs, more = SIDES[side], {"k2": 9.0, "c2": 0.6} if side == 2 else {}
    fmu = build(tmp_path, "oscillator", side=side, canInterpolateInputs=True)
    instance = live(fmu, x=0.5, v=-1.0, **COEFFICIENTS, **more, **inputs).start()
    if ramp:
        instance.derivative(**dict.fromkeys(inputs, ramp))
    instance.step(0.0, 0.8)
    m, k, c = 2.0, 12.0 + more.get("k2", 0.0), 0.4 + more.get("c2", 0.0)
    w = (forcing(side, inputs) + 12.0 * 0.1) / m
    dw = forcing(side, dict.fromkeys(inputs, ramp)) / m
    M = np.array([[0, 1, 0, 0], [-k / m, -c / m, 1, 0], [0, 0, 0, 1], [0, 0, 0, 0]])
    x, v, *_ = expm(0.8 * M) @ [0.5, -1.0, w, dw]
    assert (instance["x"], instance["v"]) == (pytest.approx(x, rel=1e-13), pytest.approx(v, rel=1e-13))


def hold(h: float, fresh: bool, live: Open, folder: Path) -> float:
    """The error at t = 5 s of the two sides, damped set, each held over the step of the other."""
    one = live(build(folder, "oscillator", side=1), m=1.0, k=10.0, c=0.2)
    two = live(build(folder, "oscillator", side=2), m=1.0, k=20.0, c=0.3, k2=10.0, c2=0.5, x=0.5).start()
    one.set(F=two["F"])
    one.start()
    for i in range(round(5.0 / h)):
        F = two["F"]
        two.set(x1=one["x"], v1=one["v"])
        one.set(F=two["F"] if fresh else F)
        one.step(i * h, h)
        two.step(i * h, h)
    return max(abs(one["x"] - 0.111124716462), abs(two["x"] - 0.068616550608))


def test_the_oscillator_converges_to_its_closed_solution(live: Open, tmp_path: Path) -> None:
    """First order with hold, the error that all masters have which read outputs before they set inputs."""
    coarse, fine = (hold(h, False, live, tmp_path) for h in (1 / 128, 1 / 256))
    assert coarse == pytest.approx(1.3e-2, rel=0.05)
    assert fine == pytest.approx(6.3e-3, rel=0.05)
    assert hold(1 / 256, True, live, tmp_path) < 0.7 * fine, "the force feeds through"


def test_directional_derivatives_are_those_of_the_outputs(live: Open, tmp_path: Path) -> None:
    two = live(build(tmp_path, "oscillator", side=2, providesDirectionalDerivative=True), k2=7.0, c2=0.3, x=0.4).start()
    before = two["F"]
    assert (two.partial("F", "x1"), two.partial("F", "v1"), two.partial("x", "x1")) == (-7.0, -0.3, 0.0)
    two.set(x1=1.0)
    assert two["F"] - before == pytest.approx(-7.0)
    spy = live(build(tmp_path, "spy", providesDirectionalDerivative=True), d=3.0).start()
    assert (spy.partial("y2", "u"), spy.partial("y", "u")) == (3.0, 0.0)


def test_what_is_not_offered_is_an_error(live: Open, tmp_path: Path) -> None:
    spy = live(build(tmp_path, "spy")).start()
    with pytest.raises(FMICallException, match="status 3"):
        spy.derivative(u=1.0)
    with pytest.raises(FMICallException, match="status 3"):
        spy.partial("y2", "u")


def test_a_legal_importer_is_no_offender(live: Open, tmp_path: Path) -> None:
    spy = live(build(tmp_path, "spy"), u=0.3)
    spy.set(u=1.0)
    assert spy["y2"] == 1.0, "in initialization mode outputs follow at once"
    spy.start()
    for k in range(10_000):
        spy["y"], spy["y2"]
        spy.set(u=float(k), d=2.0)
        spy["violations"], spy["used"]  # its own records may be read at any time
        spy.step(k * 0.001, 0.001)  # where it stands has been summed, and rounded
    assert spy["violations"] == 0
    assert (spy["gets"], spy["sets"], spy["steps"]) == (20_000, 20_000, 10_000)
    assert spy.said == []


def early_read(spy: Any) -> None:
    spy.set(u=1.0)
    spy["y2"]


def early_read_of_the_other(spy: Any) -> None:
    spy.set(d=1.0)
    spy["y"]


def wrong_time(spy: Any) -> None:
    spy.step(0.1 + 1e-6, 0.1)


def same_time_again(spy: Any) -> None:
    spy.step(0.0, 0.1)


def no_step(spy: Any) -> None:
    spy.step(0.1, 0.0)


def fixed_parameter(spy: Any) -> None:
    with pytest.raises(FMICallException):
        spy.set(T=1.0)


def after_the_end(spy: Any) -> None:
    spy.slave.terminate()
    with pytest.raises(FMICallException):
        spy.step(0.1, 0.1)


VIOLATIONS = [
    (early_read, "without a step between"),
    (early_read_of_the_other, "without a step between"),
    (wrong_time, "another time than it stands at"),
    (same_time_again, "another time than it stands at"),
    (no_step, "not positive"),
    (fixed_parameter, "a fixed parameter was set"),
    (after_the_end, "after fmi2Terminate"),
]


@pytest.mark.parametrize(("offend", "words"), VIOLATIONS, ids=[v[0].__name__ for v in VIOLATIONS])
def test_a_violation_is_counted_and_told(offend: Callable[[Any], None], words: str, live: Open, tmp_path: Path) -> None:
    spy = live(build(tmp_path, "spy")).start()
    spy.step(0.0, 0.1)
    assert spy["violations"] == 0
    assert spy.said == []
    offend(spy)
    assert spy["violations"] == 1
    assert words in spy.said[0], "beside it what refuses it may speak"


def test_choices_reach_the_description(tmp_path: Path) -> None:
    text = read_model_description(str(build(tmp_path, **FMUS[2])))
    assert text.coSimulation.canInterpolateInputs
    assert text.coSimulation.providesDirectionalDerivative
    assert text.coSimulation.canBeInstantiatedOnlyOncePerProcess
    assert not text.coSimulation.canHandleVariableCommunicationStepSize
    assert float(text.defaultExperiment.stepSize) == 0.02
    assert [u.dependencies for u in text.outputs] == [None] * len(text.outputs)
    u = text.modelVariables[0]
    assert (u.start, u.min, u.max) == ("0.5", "-1.0", "1.0")
    plain = read_model_description(str(build(tmp_path, "spy")))
    assert {o.variable.name: [v.name for v in o.dependencies] for o in plain.outputs if o.dependencies} == {"y2": ["u"]}


def test_an_announced_start_value_is_in_the_description_only(live: Open, tmp_path: Path) -> None:
    fmu = build(tmp_path, "spy", announced={"y": 5.0}, starts={"d": 4.0})
    assert {v.name: v.start for v in read_model_description(str(fmu)).modelVariables}["y"] == "5.0"
    assert [live(fmu)[name] for name in ("y", "d")] == [0.0, 4.0]


def test_one_instance_at_a_time_where_so_declared(live: Open, tmp_path: Path) -> None:
    fmu = build(tmp_path, "spy", canBeInstantiatedOnlyOncePerProcess=True)
    first = live(fmu)
    with pytest.raises(Exception, match="instantiate"):
        live(fmu)
    first.close()
    assert live(fmu)["y"] == 0.0


@pytest.mark.parametrize(("stepSize", "right", "wrong"), [(0.02, 0.02, 0.01), (None, 0.05, 0.02)])
def test_a_fixed_step_is_insisted_on(
    stepSize: float | None, right: float, wrong: float, live: Open, tmp_path: Path
) -> None:
    fmu = build(tmp_path, "spy", canHandleVariableCommunicationStepSize=False, stepSize=stepSize)
    spy = live(fmu).start()
    spy.step(0.0, right)
    spy.step(right, right * (1.0 + 1e-12))
    with pytest.raises(FMICallException, match="status 3"):
        spy.step(2 * right, wrong)
    assert (spy["steps"], spy["h"]) == (2, pytest.approx(right))


def test_a_needed_library_is_missing(live: Open, tmp_path: Path) -> None:
    with pytest.raises(Exception, match=r"libabsent\.so\.7: cannot open"):
        live(build(tmp_path, "spy", needs="libabsent.so.7"))


def test_equal_choices_give_equal_bytes(tmp_path: Path) -> None:
    one, two, other = (build(tmp_path / name, "spy", starts={"d": d}) for name, d in (("a", 1.0), ("b", 1), ("c", 2.0)))
    assert one.read_bytes() == two.read_bytes() != other.read_bytes()


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        (dict(source="spi"), "did you mean 'spy'"),
        (dict(source="oscillator", side=3), "oscillator3"),
        (dict(source="spy", canInterpolateInput=True), "did you mean 'canInterpolateInputs'"),
        (dict(source="spy", starts={"yy": 1.0}), "did you mean 'y'"),
        (dict(source="spy", minimum={"w": 1.0}), "no variable 'w'"),
    ],
)
def test_a_choice_that_does_not_exist_is_refused(choices: dict[str, Any], message: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=message):
        build(tmp_path, **choices)
