"""The texts that ``drawbar new`` writes: a small block of each kind, with a law to be replaced, and its test."""

BLOCKS = {
    "continuous": '''"""{title}."""

from typing import Any

from drawbar.blocks import Continuous, Input, Parameter, State


class {name}(Continuous):
    """A first-order lag, in place of your law: T dy/dt = u - y.

    State axes, the range in which the law holds (guards() watches over it), and where it comes from.
    """

    u = Input("1", "signal to follow")
    time_constant = Parameter(0.5, "s", "T, time to reach 63 % of a step", min=1e-3)
    y = State(0.0, "1", "delayed signal", output=True)

    def derivatives(self) -> dict[str, Any]:
        return {{"y": (self.u - self.y) / self.time_constant}}
''',
    "sampled": '''"""{title}."""

from typing import Any

from drawbar.blocks import Input, Output, Parameter, Sampled, State


class {name}(Sampled, period=0.1):
    """A smoothing filter, in place of your law: y_k = y_(k-1) + a (u_k - y_(k-1)), every 0.1 s.

    State units, the range in which the law holds (guards() watches over it), and where it comes from.
    """

    u = Input("1", "signal to smooth")
    weight = Parameter(0.5, "1", "a, part of the difference that one sample takes", min=0.0, max=1.0)
    last = State(0.0, "1", "y of the last sample")
    y = Output("1", "smoothed signal")

    def smoothed(self) -> Any:
        return self.last + self.weight * (self.u - self.last)

    def outputs(self) -> dict[str, Any]:
        return {{"y": self.smoothed()}}

    def update(self) -> dict[str, Any]:
        return {{"last": self.smoothed()}}
''',
    "kernel": '''"""{title}."""

from drawbar.blocks import Input, Kernel, Output, Parameter


class {name}(Kernel, source="{module}.c", period=0.1):
    """The first of several signals that is above a level, in place of your law; as a C function.

    State axes, the range in which the law holds, and where it comes from.
    """

    signals = Input("1", "signal to search", size=8)
    level = Parameter(1.0, "1", "what a signal must be above", tunable=True)
    found = Output("1", "place of the first signal above the level, counted from 1; 0 if there is none", type=int)
''',
    "script": '''"""{title}."""

import numpy as np

from drawbar.blocks import Input, Output, Parameter, Script


class {name}(Script, period=0.1):
    """The median of what was seen last, in place of your algorithm, every 0.1 s.

    Plain Python: for trials, and for what only a library of Python can do. State units, the range in which it
    holds, and where it comes from.
    """

    u = Input("1", "signal to smooth")
    length = Parameter(3, "1", "how many samples count", type=int, min=1)
    y = Output("1", "median")
    error = Output("1", "the newest sample against it")

    def start(self) -> None:
        self.samples: list[float] = []

    def step(self, t: float, dt: float) -> None:
        self.samples = [*self.samples, self.u][-self.length :]
        self.y = np.median(self.samples)
        self.error = self.u - self.y
''',
}

# further files of a block, by the end of their name
FILES = {
    "kernel": {
        ".c": """\
/* The law of {name}. Each build makes the header from the declaration, with its variables by name.
 * To see it: drawbar build {name} --header --workspace . */
#include "{module}.h"

int outputs(const double **arg, double **res, long long *iw, double *w, int mem) {{
    const Inputs *u = inputs_of(arg);
    const Parameters *p = parameters_of(arg);
    Outputs *y = outputs_of(res);

    y->found = 0;
    for (int i = 0; i < LENGTH(u->signals); i++) {{
        if (u->signals[i] > p->level) {{
            y->found = i + 1;
            break;
        }}
    }}
    (void) iw; (void) w; (void) mem; /* scratch memory, which this law does not need */
    return 0;
}}
"""
    }
}

# the block is found as a diagram finds it, so this passes wherever pytest is started and however it imports
TEST_HEAD = '''"""{title}, alone on a diagram."""

{imports}

from drawbar.blocks.authoring.registry import block_class, open_workspace
from drawbar.diagrams.model.diagram import Diagram
from drawbar.orchestrator.simulate import simulate

open_workspace(Path(__file__).parent)
{name} = block_class("{module}:{name}")

'''

IMPORTS = {
    "continuous": "import math\nfrom pathlib import Path\n\nimport pytest",
    "sampled": "from fractions import Fraction\nfrom pathlib import Path",
    "kernel": "from fractions import Fraction\nfrom pathlib import Path",
    "script": "from fractions import Fraction\nfrom pathlib import Path",
}

TESTS = {
    "continuous": """
def test_its_step_response(tmp_path: Path) -> None:
    diagram = Diagram("alone", step=0.01, stop=1.0)
    diagram.add("part", {name}, u=2.0, time_constant=0.25)
    run = simulate(diagram, out=tmp_path / "run")
    assert run["part.y"][-1] == pytest.approx(2.0 * (1.0 - math.exp(-4.0)), rel=1e-9)


def test_the_output_does_not_jump_with_the_input() -> None:
    assert {name}.interface().feedthrough == {{"y": ()}}
""",
    "sampled": """
def test_its_samples_by_hand(tmp_path: Path) -> None:
    diagram = Diagram("alone", step=0.1, stop=0.4)
    diagram.add("part", {name}, u=8.0, weight=0.5)
    run = simulate(diagram, out=tmp_path / "run")
    # the first sample runs at 0; what a later one makes of t is seen one period after t
    assert run["part.y"].tolist() == [4.0, 4.0, 6.0, 7.0, 7.5]


def test_it_acts_ten_times_a_second() -> None:
    assert {name}.interface().period == Fraction(1, 10)
""",
    "kernel": """
def test_it_finds_the_first(tmp_path: Path) -> None:
    diagram = Diagram("alone", step=0.1, stop=0.2)
    diagram.add("part", {name}, signals=[0.0, 0.0, 3.0, 0.0, 5.0, 0.0, 0.0, 0.0], level=2.0)
    diagram.add("none", {name}, level=2.0)
    run = simulate(diagram, out=tmp_path / "run")
    assert run["part.found"].tolist() == [3, 3, 3]
    assert run["none.found"].tolist() == [0, 0, 0]


def test_it_acts_ten_times_a_second() -> None:
    assert {name}.interface().period == Fraction(1, 10)
""",
    "script": """
def test_its_samples_by_hand(tmp_path: Path) -> None:
    diagram = Diagram("alone", step=0.1, stop=0.4)
    diagram.add("part", {name}, u=8.0)
    run = simulate(diagram, out=tmp_path / "run", changes=["0.2:part.u=2.0"])
    # the first sample runs at 0; what a later one makes of t is seen one period after t
    assert run["part.y"].tolist() == [8.0, 8.0, 8.0, 8.0, 2.0]
    assert run["part.error"].tolist() == [0.0, 0.0, 0.0, -6.0, 0.0]


def test_it_acts_ten_times_a_second() -> None:
    assert {name}.interface().period == Fraction(1, 10)
""",
}
