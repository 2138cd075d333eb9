"""The README of signals lists what is there, and its example holds."""

import re
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

import drawbar.blocks.signals
from drawbar.blocks import DiagramError
from drawbar.blocks.authoring.registry import block_classes
from drawbar.diagrams.model.diagram import Diagram
from drawbar.orchestrator.simulate import simulate

TEXT = (Path(str(files(drawbar.blocks.signals))) / "README.md").read_text(encoding="utf-8")
ROWS = dict(re.findall(r"^\| `(\w+)` \|.*\| ([a-z]+) \|$", TEXT, re.M))
BLOCKS = {n: b for n, b in block_classes().items() if b.__module__.startswith("drawbar.blocks.signals.")}


def test_its_table_has_every_block() -> None:
    assert set(ROWS) == set(BLOCKS)


@pytest.mark.parametrize("name", BLOCKS)
def test_the_kind_of_a_block_is_right(name: str) -> None:
    model = BLOCKS[name].model()
    kind = "sampled" if model.period else "states" if model.x else "algebraic" if model.u else "source"
    assert ROWS[name] == kind


@pytest.mark.parametrize("name", BLOCKS)
def test_it_says_which_blocks_feed_through(name: str) -> None:
    through = any(BLOCKS[name].interface().feedthrough.values())
    assert through == (ROWS[name] == "algebraic" or name in ("TransferFunction", "StateSpace"))


def test_a_block_lies_in_a_file_of_its_name() -> None:
    for name, block in BLOCKS.items():
        words = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()
        assert block.__module__ == f"drawbar.blocks.signals.{words}"


def test_its_example_gives_blocks_in_newtons(tmp_path: Path) -> None:
    (example,) = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
    names: dict[str, Any] = {}
    exec(example, names)
    diagram = Diagram("pull", step=0.05, stop=2.0)
    pull, limited = diagram.add("pull", names["Pull"]), diagram.add("limited", names["ForceRate"], rise=100.0)
    diagram.connect(pull.y, limited.u)
    run = simulate(diagram, out=tmp_path / "run", backend="interpreted")
    assert run["pull.y"][-1] == pytest.approx(800.0)
    assert run["limited.y"][-1] == pytest.approx(39 * 5.0), "one change of 5 N at each sample but the first, at rest"


def test_a_rate_limit_may_begin_at_its_first_input(tmp_path: Path) -> None:
    (line,) = re.findall(r"`(def initial\(self\): [^`]*)`", TEXT)
    names: dict[str, Any] = {"RateLimiter": BLOCKS["RateLimiter"]}
    exec(f"class Begun(RateLimiter, period=0.01):\n    'Begins at its input.'\n    {line}\n", names)
    diagram = Diagram("begun", step=0.01, stop=0.02)
    diagram.add("begun", names["Begun"], u=5.0)
    diagram.add("plain", BLOCKS["RateLimiter"], u=5.0)
    run = simulate(diagram, out=tmp_path / "run", backend="interpreted")
    assert run["begun.y"].tolist() == [5.0, 5.0, 5.0]
    assert run["plain.y"].max() < 0.1


def test_no_wire_joins_a_plain_number_to_newtons() -> None:
    (example,) = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
    names: dict[str, Any] = {}
    exec(example, names)
    diagram = Diagram("pull", step=0.05, stop=2.0)
    plain, limited = diagram.add("plain", BLOCKS["Constant"]), diagram.add("limited", names["ForceRate"])
    with pytest.raises(DiagramError, match="units differ"):
        diagram.connect(plain.y, limited.u)
