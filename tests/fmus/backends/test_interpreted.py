"""What the interpreted back end runs as the others do, and what it refuses."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from drawbar.blocks import (
    BuildError,
    Continuous,
    Input,
    Output,
    Parameter,
    State,
)
from drawbar.blocks.sensors.ray_march import RayMarch
from drawbar.fmus.backends.instance import open_fmu
from drawbar.fmus.backends.interpreted import InterpretedInstance
from drawbar.fmus.backends.native import native_instance
from drawbar.fmus.export.package import build, compile_block

compiler = pytest.mark.compiler


def test_the_interpreted_back_end_says_what_to_do(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from drawbar.fmus.toolchain import compilers

    monkeypatch.setattr(compilers.importlib.util, "find_spec", lambda name: None)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CC", raising=False)
    wanted = r"a C compiler, and there is none: install gcc or clang, or `pip install 'drawbar\[cross\]'`"
    with pytest.raises(BuildError, match=r"part 'a': RayMarch is a kernel, and its ray_march\.c.*" + wanted):
        InterpretedInstance(RayMarch, "a")
    for make in (build, compile_block):
        with pytest.raises(BuildError, match=r"RayMarch: a kernel needs " + wanted):
            make(RayMarch)


@compiler
def test_with_a_compiler_it_names_the_other_back_ends() -> None:
    with pytest.raises(BuildError, match="use the back end 'fmu' or 'native'"):
        InterpretedInstance(RayMarch, "a")


class Halves(Continuous):
    """Whole numbers and truth values that equations do not keep whole."""

    k = Input("1", "whole number", type=int)
    b = Input("1", "flag", type=bool)
    scale = Parameter(1.0, "1", "scale", tunable=True)
    y = Output("1", "half of k", type=int)
    z = Output("1", "flag times scale", type=bool)
    seen = Output("1", "k + 10 b as the equations see them")

    def outputs(self) -> dict[str, Any]:
        return {"y": self.scale * self.k / 2.0, "z": self.b * self.scale, "seen": self.k + 10.0 * self.b}


BACK_ENDS = [
    InterpretedInstance,
    pytest.param(native_instance, marks=pytest.mark.compiler),
    pytest.param(lambda block, name: open_fmu(build(block), name), marks=pytest.mark.compiler),
]


@pytest.mark.parametrize("make", BACK_ENDS)
def test_whole_numbers_are_rounded_alike(make: Any) -> None:
    """Halves upwards; any number but zero is true."""
    instance = make(Halves, "a")
    instance.initialize(0.0, {"k": 3, "b": True, "scale": 2.5})
    instance.start()
    assert instance.get(["y", "z", "seen"]) == [4.0, 1.0, 13.0]
    instance.set({"k": 1.5})
    assert instance.get(["y", "seen"]) == [3.0, 12.0]
    instance.set({"k": -0.5, "scale": -1.0})
    assert instance.get(["y", "z", "seen"]) == [0.0, 1.0, 10.0]
    values = np.array([-3.0, 2.0])
    instance.writer(["k", "b"], values)()
    out = np.zeros(2)
    assert instance.reader(["y", "z"], out)() == 0
    assert out.tolist() == [2.0, 1.0]
    for nothing in (float("nan"), float("inf"), 1e12):
        instance.set({"scale": nothing})
        assert instance.reader(["y", "z"], out)() == 3
        assert "not a whole number in range" in instance.messages()[-1]
    instance.close()


class Hidden(Continuous, method="euler", step=1e-2):
    """A state that no output shows becomes NaN after t = 0.5 s."""

    hidden = State(1.0, "1", "state")
    y = Output("1", "one")

    def derivatives(self) -> dict[str, Any]:
        return {"hidden": (0.505 - self.time) ** 0.5}

    def outputs(self) -> dict[str, Any]:
        return {"y": 1.0}


@pytest.mark.parametrize("make", BACK_ENDS)
def test_a_hidden_state_that_is_not_finite_fails_the_step(make: Any) -> None:
    instance = make(Hidden, "a")
    instance.initialize(0.0, {})
    instance.start()
    step = instance.stepper()
    status = [step(k * 0.01, 0.01) for k in range(60)]
    assert status[:50] == [0] * 50
    assert status[52] == 3
    assert instance.messages()[0] == (
        "Hidden 'a': 'hidden' is nan at t = 0.52 s; check parameters and inputs, or take a shorter step or another "
        "method"
    )
    instance.close()


class Guarded(Hidden):
    """The same, with a guard that what is no number does not pass."""

    def guards(self) -> dict[str, Any]:
        return {"it is small": (self.hidden < 1e9, "this advice is not for what has no value")}


@pytest.mark.parametrize("make", BACK_ENDS)
def test_a_state_that_is_not_finite_is_named_before_the_guard_that_it_breaks(make: Any) -> None:
    instance = make(Guarded, "a")
    instance.initialize(0.0, {})
    instance.start()
    step = instance.stepper()
    assert [step(k * 0.01, 0.01) for k in range(53)][-1] == 3
    (said, *_) = instance.messages()
    assert said.startswith("Guarded 'a': 'hidden' is nan at t = 0.5") and "guard" not in said
    instance.close()
