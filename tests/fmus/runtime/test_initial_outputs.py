"""Outputs that others need before a block has found its start: what they are until initialization ends, and after."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from drawbar.blocks import Continuous, DefinitionError, Input, Output, Parameter, Sampled, State
from drawbar.diagrams import Diagram
from drawbar.fmus.backends.instance import open_fmu
from drawbar.fmus.backends.interpreted import InterpretedInstance
from drawbar.fmus.backends.native import native_instance
from drawbar.fmus.export.package import build
from drawbar.orchestrator.simulate import simulate

BACK_ENDS = [
    InterpretedInstance,
    pytest.param(native_instance, marks=pytest.mark.compiler),
    pytest.param(lambda block, name: open_fmu(build(block), name), marks=pytest.mark.compiler),
]
SLOPE, LEAN = 0.2, 0.5


class Hill(Continuous):
    """Rises evenly; what it says depends on where it is asked."""

    at = Input("m", "place")
    height = Output("m", "height there")

    def outputs(self) -> dict[str, Any]:
        return {"height": SLOPE * self.at}


class Post(Continuous):
    """Stands on a hill; its foot lies the further back the higher it stands."""

    start = Parameter(3.0, "m", "given place")
    ground = Input("m", "height of the ground")
    height = State(0.0, "m", "height of the foot", solve=True, output=True)
    place = State(0.0, "m", "place of the top")
    at = Output("m", "place of the foot")
    seen = Output("m", "height, and the place of the foot")

    def foot(self) -> Any:
        return self.place - LEAN * self.height

    def initial(self) -> dict[str, Any]:
        return {"place": self.start}

    def residuals(self) -> dict[str, Any]:
        return {"gap": self.height - self.ground}

    def derivatives(self) -> dict[str, Any]:
        return {"height": 0.0, "place": 1.0}

    def initial_outputs(self) -> dict[str, Any]:
        return {"at": self.place}

    def outputs(self) -> dict[str, Any]:
        return {"at": self.foot(), "seen": self.height + self.foot()}


@pytest.mark.parametrize("make", BACK_ENDS)
def test_until_initialization_ends_it_is_what_others_can_start_from(make: Any) -> None:
    post = make(Post, "post")
    post.initialize(0.0, {"start": 5.0})
    assert post.get(["at"]) == [5.0]
    post.set({"ground": 1.0})
    assert post.get(["height", "at", "seen"]) == pytest.approx([1.0, 5.0, 5.5]), "others are found as ever"
    assert post.get(["at"]) == [5.0], "the same after the solution"
    post.start()
    assert post.get(["at"]) == pytest.approx([4.5])
    step = post.stepper()
    assert step(0.0, 0.1) == 0
    assert post.get(["at"]) == pytest.approx([4.6])
    post.close()


@pytest.mark.parametrize("make", BACK_ENDS)
def test_slopes_are_those_of_the_running_block_so_they_wait_for_it(make: Any) -> None:
    class Early(Continuous):
        u = Input("1", "input")
        y = Output("1", "output")

        def initial_outputs(self) -> dict[str, Any]:
            return {"y": 0.0}

        def outputs(self) -> dict[str, Any]:
            return {"y": 2.0 * self.u}

    early = make(Early, "early")
    early.initialize(0.0, {"u": 3.0})
    seed, slope = np.ones(1), np.zeros(1)
    call = early.directional(["y"], ["u"], seed, slope)
    assert call() != 0
    assert "not in initialization mode" in early.messages()[-1]
    assert early.get(["y"]) == [0.0]
    early.start()
    assert call() == 0
    assert [*slope, *early.get(["y"])] == [2.0, 6.0]
    early.close()


@pytest.mark.compiler
def test_the_fmu_says_what_it_follows_from_at_the_start(tmp_path: Path) -> None:
    import fmpy

    description = fmpy.read_model_description(str(build(Post, tmp_path)))
    initially = {u.variable.name: {d.name for d in u.dependencies} for u in description.initialUnknowns}
    assert initially["at"] == {"start"}
    assert initially["seen"] == {"start", "ground"}
    running = {u.variable.name: {d.name for d in u.dependencies} for u in description.outputs}
    assert running["at"] == {"height", "place"}


def test_one_ordered_exchange_starts_what_asks_and_what_answers(tmp_path: Path) -> None:
    d = Diagram("post_on_hill", step=0.01, stop=0.05)
    post, hill = d.add("post", Post), d.add("hill", Hill)
    d.connect(hill.height, post.ground)
    d.connect(post.at, hill.at)
    run = simulate(d, out=tmp_path / "run", backend="interpreted")
    assert run["post.height"] == pytest.approx(3.0 * SLOPE), "the height at the given place"
    assert run["post.at"][0] == pytest.approx(3.0 - LEAN * 3.0 * SLOPE), "the foot itself, once it runs"
    assert run["hill.height"][0] == pytest.approx(SLOPE * run["post.at"][0])


def define(base: type = Continuous, **methods: Any) -> None:
    words = {
        "x": State(0.0, "1", "state", solve=base is Continuous),
        "y": Output("1", "output"),
        "outputs": lambda self: {"y": self.x},
        "update" if base is Sampled else "derivatives": lambda self: {"x": 0.0},
    }
    if base is Continuous:
        words["residuals"] = lambda self: {"r": self.x - 1.0}
    options = {"period": 0.1} if base is Sampled else {}
    type("Block", (base,), words | methods, **options).model()


@pytest.mark.parametrize(
    ("base", "method", "message"),
    [
        (Continuous, lambda self: {"y": self.x}, r"'x' cannot be read here.*before residuals\(\) has determined it"),
        (Continuous, lambda self: {"z": 1.0}, r"initial_outputs\(\).*'z'"),
        (Sampled, lambda self: {"y": 1.0}, r"a sampled block has its first sample instead"),
    ],
)
def test_a_mistake_is_named(base: type, method: Any, message: str) -> None:
    define(base)
    with pytest.raises(DefinitionError, match=message):
        define(base, initial_outputs=method)
