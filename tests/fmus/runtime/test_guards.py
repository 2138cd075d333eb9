"""Guards: a step outside the range of a law fails by name, with the same words in all back ends."""

import math
from typing import Any

import numpy as np
import pytest

from drawbar.blocks import (
    Continuous,
    Derived,
    FmuError,
    Input,
    Output,
    Parameter,
    Sampled,
    State,
    acos,
    atan2,
    cos,
    fabs,
    logic_and,
    logic_not,
    logic_or,
    sin,
    sqrt,
)
from drawbar.fmus.backends.instance import Instance, open_fmu
from drawbar.fmus.backends.interpreted import InterpretedInstance
from drawbar.fmus.backends.native import native_instance
from drawbar.fmus.export.package import build

BACK_ENDS = [
    InterpretedInstance,
    pytest.param(native_instance, marks=pytest.mark.compiler),
    pytest.param(lambda block, name: open_fmu(build(block), name), marks=pytest.mark.compiler),
]


class FourBar(Continuous, step=1e-3):
    """A four-bar linkage: the crank turns, coupler and rocker close the loop on one of two branches.

    The end of the coupler lies on a circle around the crank pin and on one around the pivot of the rocker; the two
    meet while the distance of their centres lies between the difference and the sum of the radii.
    """

    speed = Input("rad/s", "turning speed of the crank", start=1.0)
    ground = Parameter(0.4, "m", "distance of the two pivots", min=1e-3)
    crank = Parameter(0.3, "m", "length of the crank", min=1e-3)
    coupler = Parameter(0.25, "m", "length of the coupler", min=1e-3)
    rocker = Parameter(0.2, "m", "length of the rocker", min=1e-3)
    crossed = Parameter(False, "1", "whether coupler and ground cross", type=bool)
    outer = Derived("m", "largest distance that coupler and rocker span")
    inner = Derived("m", "smallest distance that they span")
    branch = Derived("1", "sign of the branch", type=int)
    angle = State(0.3, "rad", "angle of the crank", output=True)
    swing = Output("rad", "angle of the rocker")

    def derived(self) -> dict[str, Any]:
        return {
            "outer": self.coupler + self.rocker,
            "inner": fabs(self.coupler - self.rocker),
            "branch": 1 - 2 * self.crossed,
        }

    def pin(self) -> tuple[Any, Any]:
        """The crank pin as seen from the pivot of the rocker."""
        return self.crank * cos(self.angle) - self.ground, self.crank * sin(self.angle)

    def span(self) -> Any:
        x, y = self.pin()
        return sqrt(x**2 + y**2)

    def derivatives(self) -> dict[str, Any]:
        return {"angle": self.speed}

    def outputs(self) -> dict[str, Any]:
        x, y = self.pin()
        f, r = self.span(), self.rocker
        return {"swing": atan2(y, x) - self.branch * acos((r**2 + f**2 - self.coupler**2) / (2.0 * r * f))}

    def guards(self) -> dict[str, Any]:
        closes = logic_and(self.span() < self.outer, self.span() > self.inner)
        return {"the loop closes": (closes, "shorten the crank or turn it less")}


LAST_ANGLE = math.acos((0.4**2 + 0.3**2 - 0.45**2) / (2 * 0.4 * 0.3))  # coupler and rocker in one line


def started(make: Any, block: Any, starts: dict[str, float], name: str = "linkage") -> Instance:
    instance: Instance = make(block, name)
    instance.initialize(0.0, starts)
    instance.start()
    return instance


@pytest.mark.parametrize("make", BACK_ENDS)
@pytest.mark.parametrize("crossed", [False, True])
def test_the_loop_is_closed_on_the_branch_that_the_sign_says(make: Any, crossed: bool) -> None:
    linkage = started(make, FourBar, {"crossed": crossed})
    assert linkage.get(["outer", "inner", "branch"]) == pytest.approx([0.45, 0.05, -1.0 if crossed else 1.0])
    step = linkage.stepper()
    for k in range(100):
        angle, swing = linkage.get(["angle", "swing"])
        pin = np.array([0.3 * math.cos(angle), 0.3 * math.sin(angle)])
        end = np.array([0.4 + 0.2 * math.cos(swing), 0.2 * math.sin(swing)])
        assert np.linalg.norm(end - pin) == pytest.approx(0.25, rel=1e-12)
        across = (pin[0] - 0.4) * end[1] - pin[1] * (end[0] - 0.4)
        assert (across > 0) == crossed
        assert step(k * 0.01, 0.01) == 0
    linkage.close()


@pytest.mark.parametrize("make", BACK_ENDS)
@pytest.mark.parametrize("h", [1e-3, 0.01, 0.25])
def test_the_step_in_which_the_loop_opens_fails_at_its_micro_step(make: Any, h: float) -> None:
    linkage = started(make, FourBar, {})
    step = linkage.stepper()
    opens = LAST_ANGLE - 0.3
    k = 0
    while (status := step(k * h, h)) == 0:
        k += 1
    assert status == 3
    assert k == math.floor(opens / h)
    micro = math.ceil(opens * 1000) / 1000
    span = math.sqrt(0.25 - 0.24 * math.cos(0.3 + micro))
    assert linkage.messages()[-1] == (
        f"FourBar 'linkage': guard 'the loop closes' failed at t = {micro:g} s: the value {span:g} must be below 0.45; "
        "shorten the crank or turn it less"
    )
    assert linkage.last_successful_time() == pytest.approx(k * h)
    linkage.close()


@pytest.mark.parametrize("make", BACK_ENDS)
def test_a_linkage_that_never_closes_does_not_leave_initialization(make: Any) -> None:
    linkage = make(FourBar, "linkage")
    linkage.initialize(0.0, {"coupler": 0.02, "rocker": 0.9})
    words = "guard 'the loop closes' failed at t = 0 s: the value 0.143942 must be above 0.88; shorten the crank"
    with pytest.raises(
        FmuError, match=rf"part 'linkage': fmi2ExitInitializationMode failed: FourBar 'linkage': {words}"
    ):
        linkage.start()
    linkage.close()


class Range(Continuous, step=0.5):
    """Every kind of comparison, on an input that runs along its slope."""

    u = Input("1", "what is compared")
    v = Input("1", "another one", size=2)
    limit = Parameter(10.0, "1", "limit", tunable=True)

    def guards(self) -> dict[str, Any]:
        return {
            "below a parameter": self.u < self.limit,
            "at most": self.u <= 8,
            "at least": self.u >= -8,
            "above": self.u > -9,
            "other": self.u != 5,
            "equal": self.v[0] == 0,
            '100 % "of" either, \\n or ü??/': logic_or(self.v[1] == 0, self.v[1] > 5),
            "not": logic_not(self.u == 6),
            "each": self.v > -2,
        }


CASES = {
    "guard 'below a parameter' failed at t = 1 s: the value 10 must be below 10": {"u": 10.0},
    "guard 'at most' failed at t = 1 s: the value 8.5 must be at most 8": {"u": 8.5},
    "guard 'at least' failed at t = 1 s: the value -8.5 must be at least -8": {"u": -8.5},
    "guard 'below a parameter' failed at t = 1 s: the value nan must be below 10": {"u": math.nan},
    "guard 'below a parameter' failed at t = 1 s: the value inf must be below 10": {"u": math.inf},
    "guard 'other' failed at t = 1 s: the value 5 must be other than 5": {"u": 5.0},
    "guard 'equal' failed at t = 1 s: the value nan must be equal to 0": {"v[1]": math.nan},
    "guard '100 % \"of\" either, \\n or ü??/' failed at t = 1 s: the condition is false": {"v[2]": 1.0},
    "guard 'not' failed at t = 1 s: the condition is false": {"u": 6.0},
    "guard 'each[2]' failed at t = 1 s: the value -3 must be above -2": {"v[2]": -3.0},
}


@pytest.mark.parametrize("make", BACK_ENDS)
def test_each_comparison_says_its_value_and_its_limit(make: Any) -> None:
    for message, values in CASES.items():
        instance = started(make, Range, {}, "r")
        step = instance.stepper()
        assert step(0.0, 0.5) == 0
        instance.set(values)
        if "each" in message:  # a condition before it fails as well
            assert "either" in said(instance, step)
            instance.set({"v[2]": 0.0})
            assert step(0.5, 0.5) == 0
        else:
            assert said(instance, step) == f"Range 'r': {message}"
        instance.close()


def said(instance: Instance, step: Any) -> str:
    assert step(0.5, 0.5) == 3
    return instance.messages()[-1]


@pytest.mark.parametrize("make", BACK_ENDS)
def test_a_block_without_states_is_judged_where_its_inputs_end(make: Any) -> None:
    instance = started(make, Range, {"u": 7.0}, "r")
    instance.derivative_writer(["u"], np.array([2.0]))()
    assert instance.stepper()(0.0, 1.0) == 3
    assert "'at most' failed at t = 1 s: the value 9 must be" in instance.messages()[-1]
    instance.close()


class Driven(Continuous, step=0.25):
    """A state that follows an input; the guard is about the input."""

    u = Input("1", "input")
    x = State(0.0, "1", "its integral", output=True)

    def derivatives(self) -> dict[str, Any]:
        return {"x": self.u}

    def guards(self) -> dict[str, Any]:
        return {"small": self.u <= 1.5, "finite": self.x < 1e6}


@pytest.mark.parametrize("make", BACK_ENDS)
def test_inputs_stand_at_the_end_of_the_micro_step_that_is_judged(make: Any) -> None:
    instance = started(make, Driven, {})
    instance.derivative_writer(["u"], np.array([2.0]))()
    assert instance.stepper()(0.0, 1.0) == 3
    assert instance.messages()[-1].endswith("guard 'small' failed at t = 1 s: the value 2 must be at most 1.5")
    instance.close()


class DrivenByEuler(Driven, method="euler", step=0.25):
    """Its law is evaluated at the beginning of a micro-step only, so no stage leaves the input at its end."""


@pytest.mark.parametrize("make", BACK_ENDS)
def test_inputs_move_to_the_end_of_the_micro_step_for_the_guards(make: Any) -> None:
    instance = started(make, DrivenByEuler, {})
    instance.derivative_writer(["u"], np.array([2.0]))()
    assert instance.stepper()(0.0, 1.0) == 3
    assert instance.messages()[-1].endswith("guard 'small' failed at t = 1 s: the value 2 must be at most 1.5")
    instance.close()


@pytest.mark.parametrize("make", BACK_ENDS)
def test_a_state_that_is_no_number_passes_no_guard(make: Any) -> None:
    instance = started(make, Driven, {})
    instance.set({"u": -math.inf})
    assert instance.stepper()(0.0, 1.0) == 3
    advice = "check parameters and inputs, or take a shorter step or another method"
    assert instance.messages()[-1] == f"Driven 'linkage': 'x' is -inf at t = 1 s; {advice}"
    instance.set({"u": math.nan})
    assert instance.stepper()(0.0, 1.0) == 3
    assert instance.messages()[-1] == f"Driven 'linkage': 'x' is nan at t = 0.25 s; {advice}", "not the guard it breaks"
    instance.close()


class Watch(Sampled, period=0.1):
    """A sampled block judges the inputs of its samples, before it acts on them."""

    u = Input("1", "input")
    count = State(0.0, "1", "samples")
    seen = Output("1", "count")

    def outputs(self) -> dict[str, Any]:
        return {"seen": self.count}

    def update(self) -> dict[str, Any]:
        return {"count": self.count + 1}

    def guards(self) -> dict[str, Any]:
        return {"few": self.count + self.u < 3}


@pytest.mark.parametrize("make", BACK_ENDS)
def test_a_sampled_block_is_judged_before_each_sample(make: Any) -> None:
    watch = started(make, Watch, {}, "w")
    step = watch.stepper()
    assert [step(k * 0.1, 0.1) for k in range(3)] == [0, 0, 0]
    assert watch.get(["seen"]) == [2.0]
    assert step(0.3, 0.1) == 3
    assert watch.messages()[-1] == "Watch 'w': guard 'few' failed at t = 0.3 s: the value 3 must be below 3"
    assert watch.get(["seen"]) == [2.0], "the sample has not run"
    watch.close()
    first = make(Watch, "w")
    first.initialize(0.0, {"u": 5.0})
    with pytest.raises(FmuError, match="guard 'few' failed at t = 0 s: the value 5 must be below 3"):
        first.start()
    first.close()


@pytest.mark.parametrize("make", BACK_ENDS)
def test_a_block_without_guards_runs_where_one_with_guards_ends(make: Any) -> None:
    class Unguarded(FourBar):
        def guards(self) -> dict[str, Any]:
            return {}

    linkage = started(make, Unguarded, {})
    assert linkage.stepper()(0.0, 2.0) == 0
    assert math.isnan(linkage.get(["swing"])[0])
    linkage.close()
