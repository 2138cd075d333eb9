"""Random diagrams in random scenarios: C and Python give the same rows and end alike, and no FMU sees FMI broken.

Parts of all kinds and rates, some of which fail, are connected at random. They meet an input file with jumps, timed
changes of parameters and inputs, conditions to stop at, and values out of range: some are refused before the run,
others stop it.
"""

import hashlib
import random
import runpy
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from drawbar.blocks import Continuous, Input, Output, Parameter, Sampled, Script, State, floor, if_else, sin
from drawbar.blocks.authoring.block import Block
from drawbar.blocks.core.errors import RunError, UsageError
from drawbar.diagrams.model.diagram import Diagram
from drawbar.diagrams.model.master_settings import ALGORITHMS
from drawbar.diagrams.model.part import Part
from drawbar.orchestrator.planning.plan import make_plan
from drawbar.orchestrator.runs.run import Run
from drawbar.orchestrator.simulate import simulate

BUILDER = runpy.run_path(str(Path(__file__).parents[2] / "foreign" / "builder.py"))
BUILD = BUILDER["build"]
# those that leave the process alive
FAULTS = [BUILDER["FAULTS"][n] for n in ("error", "discard", "warning", "not_a_number", "infinite", "error_in_set")]
DIAGRAMS = 64
STOP = 1.0  # s


class Lag(Continuous):
    u = Input("1", "signal", min=-3.0, max=3.0)
    rate = Parameter(3.0, "1/s", "inverse of the time constant", min=0.5, max=9.0, tunable=True)
    y = State(0.3, "1", "delayed", output=True)

    def derivatives(self) -> dict[str, Any]:
        return {"y": self.rate * (self.u - self.y)}


class Gain(Continuous):
    u = Input("1", "signal")
    k = Parameter(0.4, "1", "gain", min=-5.0, max=5.0, tunable=True)
    y = Output("1", "part of it, and a wave")

    def outputs(self) -> dict[str, Any]:
        return {"y": self.k * self.u + 0.1 * sin(9.0 * self.time)}


class LagThrough(Continuous):
    u = Input("1", "signal")
    x = State(0.1, "1", "delayed")
    y = Output("1", "delayed, and a part that feeds through")
    flag = Output("1", "whether it is high", type=bool)

    def derivatives(self) -> dict[str, Any]:
        return {"x": 2.0 * (self.u - self.x)}

    def outputs(self) -> dict[str, Any]:
        return {"y": self.x + 0.3 * self.u, "flag": if_else(self.x > 0.2, 1.0, 0.0)}


class Guarded(Continuous, method="heun", step="1/150"):
    """Its guard fails where the input passes a limit, in a micro-step of 1/150 s or of a part of the step."""

    u = Input("1", "signal")
    limit = Parameter(4.0, "1", "largest amount of the signal", min=0.5, max=50.0, tunable=True)
    y = State(0.0, "1", "delayed", output=True)

    def derivatives(self) -> dict[str, Any]:
        return {"y": 5.0 * (self.u - self.y)}

    def guards(self) -> dict[str, Any]:
        return {"not too high": self.u <= self.limit, "not too low": self.u >= -self.limit}


class Jumping(Continuous):
    """A ramp that jumps and raises a flag; from `last` on it is infinite."""

    u = Input("1", "height of the jump", start=2.0, min=-20.0, max=20.0)
    at = Parameter(0.37, "s", "when it jumps", min=0.0, tunable=True)
    last = Parameter(9.0, "s", "when it becomes infinite", min=0.0, tunable=True)
    y = Output("1", "ramp")
    flag = Output("1", "whether it has jumped", type=bool)

    def outputs(self) -> dict[str, Any]:
        late = if_else(self.time < self.at, 0.0, 1.0)
        return {"y": (self.time + late * self.u) / if_else(self.time < self.last, 1.0, 0.0), "flag": late}


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


class Whole(Sampled, period="1/40"):
    """Whole numbers, which FMI 2.0 holds in 32 bits: with a large `scale` they leave that range."""

    u = Input("1", "signal")
    n = Input("1", "a number", type=int, min=-50, max=50)
    on = Input("1", "whether it counts", type=bool)
    scale = Parameter(10.0, "1", "steps of the signal", min=0.0, max=1e12, tunable=True)
    y = Output("1", "signal, rounded down")
    k = Output("1", "the number of its steps", type=int)

    def outputs(self) -> dict[str, Any]:
        return {"y": 0.1 * floor(10.0 * self.u) + 0.01 * self.n * self.on, "k": floor(self.scale * self.u)}


class Late(Script, period="1/20"):
    """A part in Python, which the master in C has to call."""

    u = Input("1", "signal")
    weight = Parameter(0.5, "1", "weight of the newest sample", min=0.0, max=1.0, tunable=True)
    y = Output("1", "smoothed signal")

    def step(self, t: float, dt: float) -> None:
        self.y = self.y + self.weight * (self.u - self.y)


BLOCKS: list[type[Block]] = [Lag, Gain, LagThrough, Guarded, Jumping, Filter, Count, Whole, Late]
# tunable parameters and inputs: values that are allowed, and values out of range
VALUES: dict[str, tuple[list[float], list[float]]] = {
    "rate": ([0.5, 4.0, 9.0], [0.4, 9.1]),
    "k": ([-1.5, 0.7, 5.0], [-5.1, 1e300]),
    "limit": ([0.5, 1.0, 4.0], [0.0, 51.0]),
    "at": ([0.0, 0.21, 0.5], [-0.1]),
    "last": ([0.6, 0.8, 7.0], [-1.0]),
    "scale": ([0.0, 33.0, 1e12], [-1.0, 2e12]),
    "weight": ([0.0, 0.3, 1.0], [1.5]),
    "d": ([0.0, -0.4], []),
    "method": ([1, 2], [3, 0.5]),
    "fault": (FAULTS, [0.5]),
    "n": ([-7, 50], [51, 2**31, 0.5]),
    "on": ([0, 1], [2]),
    "u": ([-1.0, 0.3, 2.5], []),
}
NARROW = {Lag: ([-3.0, 1.0, 3.0], [3.1, -4.0]), Jumping: ([-20.0, 3.0], [21.0])}  # inputs with limits


@pytest.fixture(scope="module")
def spies(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Foreign FMUs with every combination of capabilities, one that steps by 0.03 s only, and one that fails."""
    folder = tmp_path_factory.mktemp("spies")
    slow = BUILD(folder, "spy", name="slow", canHandleVariableCommunicationStepSize=False, stepSize=0.03)
    return [*BUILDER["variants"](folder, "spy"), slow, BUILD(folder, "misbehaving")]


@dataclass(frozen=True)
class Case:
    """A diagram, and what it is run with; each of `refused` is a reason not to run it."""

    diagram: Diagram
    options: dict[str, Any]
    refused: Sequence[dict[str, Any]]


def tunable(part: Part) -> list[str]:
    return [p.name for p in part.interface.of("parameter") if p.variability == "tunable"]


def diagram(r: random.Random, spies: list[Path]) -> Diagram:
    step = r.choice(["1/100", "1/64", "1/20"])
    d = Diagram("random", step=step, stop=STOP, algorithm=r.choice(ALGORITHMS), loops="delay")
    parts = []
    for i in range(r.randint(2, 8)):
        part = d.add(f"p{i}", r.choice([*BLOCKS, *BLOCKS, *r.sample(spies[:-2], 6), *spies[-2:], spies[-1]]))
        part.algorithm = r.choice(ALGORITHMS) if r.random() < 0.3 else None
        part.fresh_read = True if part.block is None and r.random() < 0.2 else None
        for name in tunable(part):
            if r.random() < 0.2:
                part.set(name, r.choice(VALUES[name][0]))
        parts.append(part)
    for part in parts:
        if r.random() < 0.75:
            source = r.choice(parts)
            name = "y2" if source.port("y2") is not None and r.random() < 0.5 else "y"
            algorithm = r.choice(ALGORITHMS) if r.random() < 0.2 else None
            d.connect(source[name], part.u, factor=r.choice([1.0, 0.7, -4.0]), algorithm=algorithm)
        for name, output in (("n", "k"), ("on", "flag")) if part.block is Whole else ():
            sources = [p for p in parts if output in [port.name for port in p.interface.of("output")]]
            if sources and r.random() < 0.6:
                d.connect(r.choice(sources)[output], part[name])
    return d


def case(seed: int, spies: list[Path], folder: Path) -> Case:
    r = random.Random(seed)
    d = diagram(r, spies)
    options: dict[str, Any] = {"decimation": r.choice([1, 1, 3])}
    inputs = [(p, port.name) for p in d.parts.values() for port in p.interface.of("input")]
    free = [(p, n) for p, n in inputs if not d.driver(p.name, n)]
    table = [(p, n) for p, n in free if r.random() < 0.4]
    if table:
        options["inputs"] = input_file(r, folder / f"{seed}.csv", table)
    targets = [x for x in free if x not in table]
    targets += [(p, name) for p in d.parts.values() for name in tunable(p)]
    step = {part.name: part.period_ticks * plan.tick for plan in [make_plan(d)] for part in plan.parts}
    changes, refused = [], []
    for part, name in r.sample(targets, min(len(targets), r.choice([0, 2, 4]))):
        fine, wrong = NARROW[part.block] if name == "u" and part.block in NARROW else VALUES[name]
        time = r.randrange(int(STOP / step[part.name])) * step[part.name]
        changes.append(f"{time}:{part.name}.{name}={r.choice(fine)}")
        refused += [f"{time}:{part.name}.{name}={value}" for value in wrong[:1] + r.sample(wrong, len(wrong))[:1]]
        refused.append(f"{time + step[part.name] / 3}:{part.name}.{name}={fine[0]}")
    if r.random() < 0.25:
        one, other = (f"{r.choice(list(d.parts))}.y" for _ in range(2))
        level = r.choice([-0.2, 0.05, 0.4, 1.0])
        options["until"] = r.choice(
            [f"{one} > {level}", f"abs({one}) < {abs(level)} and time > 0.25", f"{one} >= {other} or time > 0.8"]
        )
    return Case(d, options | {"changes": changes}, [options | {"changes": [*changes, c]} for c in refused])


def input_file(r: random.Random, path: Path, targets: Sequence[tuple[Part, str]]) -> Path:
    """Rows at random times, two of them at one time: a jump."""
    times = sorted({0.0, *(r.choice([r.random(), r.randrange(20) / 20]) for _ in range(4)), 2.0})
    times.insert(2, times[1])

    def cell(name: str) -> str:
        return str(r.choice([0, 1]) if name == "on" else r.randrange(-50, 51) if name == "n" else r.uniform(-3.0, 3.0))

    rows = [["time", *(f"{p.name}.{name}" for p, name in targets)]]
    rows += [[str(t), *(cell(name) for _, name in targets)] for t in times]
    path.write_text("".join(",".join(row) + "\n" for row in rows))
    return path


def ending(d: Diagram, folder: Path, engine: str, options: dict[str, Any]) -> tuple[str, str | None, dict[str, str]]:
    """How a run ended, in which words, and a digest of each recorded file; or why it was refused."""
    try:
        simulate(d, out=folder, engine=engine, **options)
    except UsageError as error:
        assert not folder.exists()
        return "refused", str(error), {}
    except RunError:
        pass  # the run reports it
    info = Run(folder).info
    files = sorted((folder / "signals").rglob("*.parquet"))
    rows = {str(f.relative_to(folder)): hashlib.sha256(f.read_bytes()).hexdigest() for f in files}
    return info["outcome"], info.get("message"), rows


# what must have happened to some diagram, known by the words of its run
ENDS = {
    "a guard that failed": "guard 'not too",
    "a part that failed at its start": "fmi2ExitInitializationMode failed",
    "an infinite output": " is inf at",
    "an output that is no number": " is nan at",
    "a number beyond 32 bits": "not a whole number in range",
    "a foreign step that failed": "the lag broke",
    "a foreign part that takes no inputs": "it takes nothing any more",
    "a condition that held": "held at",
    "a condition that never held": "never held",
}


@pytest.mark.compiler
def test_c_and_python_agree_and_foreign_fmus_see_no_violation(spies: list[Path], tmp_path: Path) -> None:
    seen: set[str] = set()
    for seed in range(DIAGRAMS):
        one, other = (case(seed, spies, tmp_path) for _ in range(2))
        for i, options in enumerate(one.refused):
            ends = [ending(one.diagram, tmp_path / f"{e}{seed}-{i}", e, options) for e in ("c", "python")]
            assert ends[0] == ends[1], f"seed {seed}"
            assert ends[0][0] == "refused", f"seed {seed}: {options['changes'][-1]}"
            seen.add("refused")
        found = ending(one.diagram, tmp_path / f"c{seed}", "c", one.options)
        assert found == ending(other.diagram, tmp_path / f"python{seed}", "python", other.options), f"seed {seed}"
        assert found[0] != "refused", f"seed {seed}: {found[1]}"
        message = found[1] or ""
        seen |= {end for end, words in ENDS.items() if words in message}
        seen |= {f"{what} to the end" for what in ("changes", "inputs") if one.options.get(what) and found[0] == "ok"}
        seen.add(one.diagram.algorithm)
        run = Run(tmp_path / f"c{seed}")
        for part in one.diagram.parts.values():
            if part.port("violations") is None or not found[2]:
                continue
            if part.fresh_read is None:
                assert run[f"{part.name}.violations"][-1] == 0, f"seed {seed}, {part.name}"
            elif run[f"{part.name}.violations"][-1] > 0:
                seen.add("a violation that was asked for")
    wanted = {
        *ALGORITHMS,
        *ENDS,
        "refused",
        "changes to the end",
        "inputs to the end",
        "a violation that was asked for",
    }
    assert seen == wanted, f"the diagrams are diverse, and the spies can see; absent: {wanted - seen}"
