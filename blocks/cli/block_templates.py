"""The files that ``drawbar new block`` writes: an example of each kind of block, and its test."""

BLOCKS = {
    "continuous": '''"""{title}."""

from typing import Any

from drawbar.blocks import Continuous, Input, Parameter, State


class {name}(Continuous):
    """A first-order lag, T dy/dt = u - y, as an example of a law.

    State the axes, the range of validity (which guards() can check), and the source of your law.
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
    """A smoothing filter every 0.1 s, y_k = y_(k-1) + a (u_k - y_(k-1)), as an example of a law.

    State the units, the range of validity (which guards() can check), and the source of your law.
    """

    u = Input("1", "signal to smooth")
    weight = Parameter(0.5, "1", "a, weight of the newest sample", min=0.0, max=1.0)
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
    """The first of several signals above a level, as an example of a law in C.

    State the axes, the range of validity, and the source of your law.
    """

    signals = Input("1", "signal to search", size=8)
    level = Parameter(1.0, "1", "level that a signal must exceed", tunable=True)
    found = Output("1", "number of the first signal above the level, from 1; 0 if there is none", type=int)
''',
    "script": '''"""{title}."""

import numpy as np

from drawbar.blocks import Input, Output, Parameter, Script


class {name}(Script, period=0.1):
    """The median of the last samples every 0.1 s, as an example of an algorithm in Python.

    A script serves for trials, and for algorithms that need a Python library. State the units, the range of
    validity, and the source of your algorithm.
    """

    u = Input("1", "signal to smooth")
    length = Parameter(3, "1", "number of samples", type=int, min=1)
    y = Output("1", "median of the samples")
    error = Output("1", "newest sample minus the median")

    def start(self) -> None:
        self.samples: list[float] = []

    def step(self, t: float, dt: float) -> None:
        self.samples = [*self.samples, self.u][-self.length :]
        self.y = np.median(self.samples)
        self.error = self.u - self.y
''',
}

# further files of a block, by the ending of their name
FILES = {
    "kernel": {
        ".c": """\
/* The law of {name}. Each build generates the header from the declaration.
 * To see the header: drawbar build {name} --header --workspace . */
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

# the block is looked up as on a diagram, so this passes wherever pytest is started and however it imports modules
TEST_HEAD = '''"""{title} alone on a diagram."""

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


def test_it_has_no_direct_feedthrough() -> None:
    assert {name}.interface().feedthrough == {{"y": ()}}
""",
    "sampled": """
def test_its_samples_by_hand(tmp_path: Path) -> None:
    diagram = Diagram("alone", step=0.1, stop=0.4)
    diagram.add("part", {name}, u=8.0, weight=0.5)
    run = simulate(diagram, out=tmp_path / "run")
    # the first sample runs at t = 0; the output of a later one is recorded one period after its time
    assert run["part.y"].tolist() == [4.0, 4.0, 6.0, 7.0, 7.5]


def test_its_sample_time() -> None:
    assert {name}.interface().period == Fraction(1, 10)
""",
    "kernel": """
def test_the_first_signal_above_the_level(tmp_path: Path) -> None:
    diagram = Diagram("alone", step=0.1, stop=0.2)
    diagram.add("part", {name}, signals=[0.0, 0.0, 3.0, 0.0, 5.0, 0.0, 0.0, 0.0], level=2.0)
    diagram.add("none", {name}, level=2.0)
    run = simulate(diagram, out=tmp_path / "run")
    assert run["part.found"].tolist() == [3, 3, 3]
    assert run["none.found"].tolist() == [0, 0, 0]


def test_its_sample_time() -> None:
    assert {name}.interface().period == Fraction(1, 10)
""",
    "script": """
def test_its_samples_by_hand(tmp_path: Path) -> None:
    diagram = Diagram("alone", step=0.1, stop=0.4)
    diagram.add("part", {name}, u=8.0)
    run = simulate(diagram, out=tmp_path / "run", changes=["0.2:part.u=2.0"])
    # the first sample runs at t = 0; the output of a later one is recorded one period after its time
    assert run["part.y"].tolist() == [8.0, 8.0, 8.0, 8.0, 2.0]
    assert run["part.error"].tolist() == [0.0, 0.0, 0.0, -6.0, 0.0]


def test_its_sample_time() -> None:
    assert {name}.interface().period == Fraction(1, 10)
""",
}
