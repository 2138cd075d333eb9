"""What a description says of the derivatives of the states."""

import runpy
from pathlib import Path

import fmpy
import pytest
from fmpy.validation import validate_fmu

from drawbar.blocks.core.units import parse_unit
from drawbar.fmus.export.derivatives import per_second
from drawbar.fmus.export.package import build
from drawbar.fmus.loading.description import read_description

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


@pytest.mark.parametrize(
    ("unit_of_state", "rate"),
    [
        ("m", "m/s"),
        ("1", "1/s"),
        ("1/s", "1/s2"),
        ("m/s", "m/s2"),
        ("m/s2", "m/s3"),
        ("N/m", "N/(m.s)"),
        ("W/(m2.K)", "W/(m2.K.s)"),
        ("J/(kg.s2)", "J/(kg.s3)"),
        ("degC", "degC/s"),
        ("N.s", "N.s/s"),
    ],
)
def test_the_unit_of_a_rate(unit_of_state: str, rate: str) -> None:
    assert per_second(unit_of_state) == rate
    state, found, second = parse_unit(unit_of_state), parse_unit(rate), parse_unit("s")
    assert found.exponents == tuple(a - b for a, b in zip(state.exponents, second.exponents, strict=True))
    assert (found.factor, found.offset) == (state.factor, 0.0)
