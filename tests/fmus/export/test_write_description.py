"""The model description of a block: what it says is read back, and follows from the equations."""

import runpy
from pathlib import Path
from typing import Any

import fmpy
import pytest
from fmpy.validation import validate_fmu

from drawbar.blocks import Continuous, Input, Output
from drawbar.blocks.authoring.block import Block
from drawbar.blocks.signals.first_order_lag import FirstOrderLag
from drawbar.fmus.export.package import build
from drawbar.fmus.loading.description import read_description, read_interface

AllKinds = runpy.run_path(str(Path(__file__).parents[1] / "all_kinds.py"))["AllKinds"]


pytestmark = pytest.mark.compiler


def test_interface_survives_the_round_trip() -> None:
    ours, theirs = AllKinds.interface(), read_interface(build(AllKinds))
    assert [p.name for p in theirs.ports] == [p.name for p in ours.ports]
    for mine, read in zip(ours.ports, theirs.ports, strict=True):
        same = ("causality", "variability", "type", "shape", "start", "minimum", "maximum", "description")
        assert {k: getattr(mine, k) for k in same} == {k: getattr(read, k) for k in same}
        if mine.type == "Real":
            assert (mine.unit, mine.quantity) == (read.unit, read.quantity)
    for found, given in (
        (theirs.feedthrough, ours.feedthrough),
        (theirs.initial_feedthrough, ours.initial_feedthrough),
    ):
        assert {k: set(v) for k, v in found.items()} == {k: set(v) for k, v in given.items()}


class Doubled(Continuous):
    """Algebraic: no states."""

    u = Input("1", "in")
    y = Output("1", "out")

    def outputs(self) -> dict[str, Any]:
        return {"y": 2.0 * self.u}


@pytest.mark.parametrize(
    ("block", "said"),
    [
        (FirstOrderLag, {"sampled": False, "integrates": True, "fresh_read": True, "interpolates": True}),
        (Doubled, {"sampled": False, "integrates": False, "fresh_read": True, "interpolates": True}),
        (AllKinds, {"sampled": True, "integrates": False, "fresh_read": False, "interpolates": False}),
    ],
)
def test_a_master_learns_the_same_from_the_block_and_from_its_fmu(block: type[Block], said: dict[str, bool]) -> None:
    ours, theirs = block.interface(), read_interface(build(block))
    for interface in (ours, theirs):
        assert {k: getattr(interface, k) for k in said} == said
        assert interface.directional is not said["sampled"]
    assert ours.period == theirs.period == block.model().period


Plant = runpy.run_path(str(Path(__file__).parents[1] / "plant.py"))["Plant"]


@pytest.mark.compiler
def test_the_importer_of_ours_goes_on_to_co_simulate_and_shows_the_ports_of_the_block() -> None:
    description = read_description(build(Plant))
    assert [p.name for p in description.interface.ports] == [p.name for p in Plant.interface().ports]
    assert [n for n in description.scalars if n.startswith("der(")] == ["der(x[1])", "der(x[2])", "der(w)"]
    assert description.interface.feedthrough == {"x[1]": (), "x[2]": (), "y": ("u",)}


@pytest.mark.compiler
def test_the_model_structure_names_states_and_inputs() -> None:
    assert validate_fmu(str(build(Plant))) == []
    description = fmpy.read_model_description(str(build(Plant)))
    assert description.modelExchange.modelIdentifier == description.coSimulation.modelIdentifier == "Plant"
    structure = [
        {u.variable.name: {v.name for v in u.dependencies} for u in unknowns}
        for unknowns in (description.outputs, description.derivatives, description.initialUnknowns)
    ]
    rates = {"der(x[1])": {"u"}, "der(x[2])": {"x[1]", "gear"}, "der(w)": {"w"}}
    assert structure[0] == {"x[1]": {"x[1]"}, "x[2]": {"x[2]"}, "y": {"u", "x[1]", "w"}}
    assert structure[1] == rates
    assert structure[2] == {"y": {"u", "x[1]", "w"}, **rates, "der(x[1])": {"u", "k"}}
    derivatives = {v.name: v.derivative.name for v in description.modelVariables if v.derivative is not None}
    assert derivatives == {"der(x[1])": "x[1]", "der(x[2])": "x[2]", "der(w)": "w"}
    units = {v.name: v.unit for v in description.modelVariables if v.derivative is not None}
    assert units == {"der(x[1])": "m/s2", "der(x[2])": "m/s2", "der(w)": "N/(m.s)"}
