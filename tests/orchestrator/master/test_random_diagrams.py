"""Random diagrams of all kinds of parts, rates and algorithms: C and Python agree, and no unit sees FMI broken."""

import random
import runpy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from drawbar.blocks import Continuous, Input, Output, Sampled, State, if_else, sin
from drawbar.blocks.authoring.block import Block
from drawbar.diagrams.model.diagram import Diagram
from drawbar.diagrams.model.master_settings import ALGORITHMS
from drawbar.orchestrator.simulate import simulate

BUILD = runpy.run_path(str(Path(__file__).parents[2] / "foreign" / "builder.py"))["build"]
DIAGRAMS = 60


class Lag(Continuous):
    u = Input("1", "signal", min=-3.0, max=3.0)
    y = State(0.3, "1", "delayed", output=True)

    def derivatives(self) -> dict[str, Any]:
        return {"y": 3.0 * (self.u - self.y)}


class Gain(Continuous):
    u = Input("1", "signal")
    y = Output("1", "part of it, and a wave")

    def outputs(self) -> dict[str, Any]:
        return {"y": 0.4 * self.u + 0.1 * sin(9.0 * self.time)}


class LagThrough(Continuous):
    u = Input("1", "signal")
    x = State(0.1, "1", "delayed")
    y = Output("1", "delayed, and a part that feeds through")
    flag = Output("1", "whether it is high", type=bool)

    def derivatives(self) -> dict[str, Any]:
        return {"x": 2.0 * (self.u - self.x)}

    def outputs(self) -> dict[str, Any]:
        return {"y": self.x + 0.3 * self.u, "flag": if_else(self.x > 0.2, 1.0, 0.0)}


class Filter(Sampled, period="1/50"):
    u = Input("1", "signal")
    z = State(0.0, "1", "last sample")
    y = Output("1", "mean of two samples")

    def outputs(self) -> dict[str, Any]:
        return {"y": 0.5 * self.u + 0.2 * self.z}

    def update(self) -> dict[str, Any]:
        return {"z": self.u}


class Count(Sampled, period="1/30"):
    u = Input("1", "signal")
    n = State(0.0, "1", "samples")
    y = Output("1", "part of the last sample")
    k = Output("1", "samples before", type=int)

    def outputs(self) -> dict[str, Any]:
        return {"y": 0.6 * self.u, "k": self.n}

    def update(self) -> dict[str, Any]:
        return {"n": self.n + 1}


BLOCKS: list[type[Block]] = [Lag, Gain, LagThrough, Filter, Count]


@pytest.fixture(scope="module")
def spies(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Foreign units with every combination of what a unit may offer, and one that steps by 0.03 s only."""
    folder = tmp_path_factory.mktemp("spies")
    made = [
        BUILD(
            folder,
            "spy",
            name=f"spy{i}",
            canInterpolateInputs=bool(i & 1),
            providesDirectionalDerivative=bool(i & 2),
            dependencies=bool(i & 4),
        )
        for i in range(8)
    ]
    return [*made, BUILD(folder, "spy", name="slow", canHandleVariableCommunicationStepSize=False, stepSize=0.03)]


def diagram(seed: int, spies: list[Path]) -> Diagram:
    r = random.Random(seed)
    step = r.choice(["1/100", "1/64", "1/20"])
    d = Diagram("random", step=step, stop=1.0, algorithm=r.choice(ALGORITHMS), loops="delay")
    parts = []
    for i in range(r.randint(2, 8)):
        part = d.add(f"p{i}", r.choice([*BLOCKS, r.choice(spies[:-1]), spies[-1]]))
        part.algorithm = r.choice(ALGORITHMS) if r.random() < 0.3 else None
        part.fresh_read = True if part.block is None and r.random() < 0.2 else None
        parts.append(part)
    for part in parts:
        if r.random() < 0.85:
            source = r.choice(parts)
            name = "y2" if source.block is None and r.random() < 0.5 else "y"
            algorithm = r.choice(ALGORITHMS) if r.random() < 0.2 else None
            d.connect(source[name], part.u, factor=r.choice([1.0, 0.7]), algorithm=algorithm)
    return d


@pytest.mark.compiler
def test_c_and_python_agree_and_foreign_units_see_no_violation(
    spies: list[Path], tmp_path: Path, digests: Callable[[Path], dict[str, str]]
) -> None:
    seen: set[str] = set()
    for seed in range(DIAGRAMS):
        d = diagram(seed, spies)
        run = simulate(d, out=tmp_path / f"c{seed}", engine="c")
        other = simulate(diagram(seed, spies), out=tmp_path / f"python{seed}", engine="python")
        assert digests(run.folder) == digests(other.folder), f"seed {seed}"
        for part in d.parts.values():
            if part.block is None and part.fresh_read is None:
                assert run[f"{part.name}.violations"][-1] == 0, f"seed {seed}, {part.name}"
            elif part.block is None and run[f"{part.name}.violations"][-1] > 0:
                seen.add("a violation that was asked for")
        seen.add(d.algorithm)
    assert seen == {*ALGORITHMS, "a violation that was asked for"}, "the diagrams are diverse, and the spies can see"
