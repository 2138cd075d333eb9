"""The entry of each block in the reference, read from its class: docstring, ports, timing and picture."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from drawbar.blocks.authoring.block import Block, kind_of
from drawbar.blocks.authoring.model import Model
from drawbar.blocks.authoring.registry import packages, reference_of
from drawbar.blocks.core.errors import DrawbarError
from drawbar.blocks.core.interface import Port
from drawbar.diagrams.drawing.picture import svg
from drawbar.diagrams.model.diagram import Diagram

# titles of the tables of ports, in the order of the page
INPUTS, OUTPUTS, PARAMETERS = "inputs", "outputs", "parameters"
CALCULATED, STATES, LOCALS = "calculated parameters", "states", "locals"
TABLES = (INPUTS, OUTPUTS, PARAMETERS, CALCULATED, STATES, LOCALS)

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True)
class BlockReference:
    """One block: `reference` is its import reference ``module:Class``, `folder` the group that it is listed in.

    `sample_time` is in seconds, None for a block that is not sampled. `feedthrough` maps an output to the inputs that
    it depends on directly, both without indices. `picture` is an SVG of the block with its pins, without its style.
    """

    name: str
    reference: str
    folder: str
    kind: str
    text: str
    timing: str
    sample_time: str | None
    tables: Mapping[str, tuple[Port, ...]]
    states: frozenset[str]
    feedthrough: Mapping[str, tuple[str, ...]]
    picture: str


def collect(
    blocks: Mapping[str, type[Block]], progress: Progress = lambda name, number, total: None
) -> tuple[list[BlockReference], dict[str, str]]:
    """Return the entries of all blocks by folder and name, and for each block that is faulty, why.

    `progress` is called before each block with its name, its number from 1 and their total.
    """
    entries: list[BlockReference] = []
    faults: dict[str, str] = {}
    for number, (name, block) in enumerate(sorted(blocks.items()), start=1):
        progress(name, number, len(blocks))
        try:
            entries.append(describe(block))
        except DrawbarError as error:
            faults[reference_of(block)] = str(error)
    return sorted(entries, key=lambda entry: (entry.folder, entry.name, entry.reference)), faults


def describe(block: type[Block]) -> BlockReference:
    """Return the entry of one block."""
    model = block.model()
    interface = model.interface
    return BlockReference(
        name=block.__name__,
        reference=reference_of(block),
        folder=_folder(block),
        kind=kind_of(block),
        text=inspect.getdoc(block) or "",
        timing=_timing(model),
        sample_time=str(interface.period) if interface.sampled and interface.period is not None else None,
        tables=_tables(model),
        states=frozenset(port.name for port in model.x + model.z),
        feedthrough=_feedthrough(interface.feedthrough),
        picture=_picture(block),
    )


def as_json(entry: BlockReference) -> dict[str, Any]:
    """Return an entry as JSON values; the picture is left out."""
    return {
        "name": entry.name,
        "block": entry.reference,
        "folder": entry.folder,
        "kind": entry.kind,
        "text": entry.text,
        "timing": entry.timing,
        "sample_time": entry.sample_time,
        **{title.replace(" ", "_"): [_port(port, entry) for port in entry.tables[title]] for title in TABLES},
        "feedthrough": {output: list(inputs) for output, inputs in entry.feedthrough.items()},
    }


def _port(port: Port, entry: BlockReference) -> dict[str, Any]:
    return {
        "name": port.name,
        "type": port.type,
        "unit": port.unit,
        "shape": list(port.shape),
        "start": list(port.start),
        "min": port.minimum,
        "max": port.maximum,
        "variability": port.variability,
        "state": port.name in entry.states,
        "description": port.description,
    }


def _folder(block: type[Block]) -> str:
    """Return the folder of a block below its package, as in ``vehicle/hmmwv``; of a workspace, its module."""
    module = block.__module__
    for package in packages():
        if module.startswith(package + "."):
            folders = module.removeprefix(package + ".").split(".")[:-1]
            below = "/".join(folders)
            return below if package == "drawbar.blocks" else "/".join([package, *folders])
    return f"workspace: {module}"


def _timing(model: Model) -> str:
    if model.period is not None:
        return f"sampled every {model.period} s"
    if model.interface.period is not None:
        return f"sampled every {model.interface.period} s"
    return f"{model.method}, micro-step {float(model.step):g} s" if model.x else "no states"


def _tables(model: Model) -> dict[str, tuple[Port, ...]]:
    states = {port.name for port in model.x + model.z}
    local = model.interface.of("local")
    return {
        INPUTS: tuple(model.interface.of("input")),
        OUTPUTS: tuple(model.interface.of("output")),
        PARAMETERS: tuple(model.interface.of("parameter")),
        CALCULATED: tuple(model.interface.of("calculatedParameter")),
        STATES: tuple(port for port in local if port.name in states),
        LOCALS: tuple(port for port in local if port.name not in states),
    }


def _feedthrough(scalars: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    """Return the dependencies of scalars as those of whole arrays; outputs without direct feedthrough are left out."""
    found: dict[str, dict[str, None]] = {}
    for output, inputs in scalars.items():
        if inputs:
            found.setdefault(_whole(output), {}).update(dict.fromkeys(_whole(name) for name in inputs))
    return {output: tuple(inputs) for output, inputs in found.items()}


def _whole(scalar: str) -> str:
    return scalar.partition("[")[0] if scalar.endswith("]") else scalar


def _picture(block: type[Block]) -> str:
    """Return the picture of a diagram that holds the block alone."""
    name = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", block.__name__).lower()
    diagram = Diagram(name)
    diagram.add(name, block)
    text = re.sub(r"<style>.*?</style>\n?", "", svg(diagram), count=1, flags=re.S)
    return re.sub(r"<title>.*?</title>", f"<title>{block.__name__} with its pins</title>", text, count=1, flags=re.S)
