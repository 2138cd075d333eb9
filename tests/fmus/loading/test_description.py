"""Descriptions of FMUs of others, as an interface."""

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from drawbar.blocks import FmuError
from drawbar.fmus.loading.description import read_interface

VALID = Path(__file__).with_name("gain.xml").read_text("utf-8")


def unit(attributes: str, variable: str = "") -> str:
    """The sound description with a unit of its own for `u`."""
    definitions = f'<UnitDefinitions><Unit name="odd"><BaseUnit K="1" {attributes}/></Unit></UnitDefinitions>'
    text = VALID.replace('<Real start="1"/>', f'<Real start="1" unit="odd" {variable}/>')
    return text.replace("  <ModelVariables>", definitions + "<ModelVariables>")


def test_a_difference_has_no_offset(tmp_path: Path, write_fmu: Any) -> None:
    """A relative quantity in degC converts to K without 273.15 (FMI 2.0.4, section 2.2.3)."""
    for variable, offset in (("", 273.15), ('relativeQuantity="true"', 0.0)):
        path = write_fmu(tmp_path / f"t{offset}.fmu", {"modelDescription.xml": unit('offset="273.15"', variable)})
        port = read_interface(path).port("u")
        assert port is not None
        assert port.quantity is not None
        assert port.quantity.offset == offset


def test_elements_that_differ_are_not_folded(tmp_path: Path, write_fmu: Any) -> None:
    first = 'valueReference="1" causality="output"><Real/>'
    text = VALID.replace(first, first.replace("<Real/>", '<Real min="0"/>'))
    assert text != VALID
    interface = read_interface(write_fmu(tmp_path / "gain.fmu", {"modelDescription.xml": text}))
    assert [p.name for p in interface.ports] == ["u", "y[1]", "y[2]", "w[2]"]


ENTITIES = (
    '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]>'
    + VALID[VALID.index("<fmi") :]
)


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"readme.txt": "hello"}, "no modelDescription.xml"),
        ({"inner/modelDescription.xml": VALID}, "found it at inner/modelDescription.xml, it must lie at the top"),
        ({"modelDescription.xml": VALID[:200]}, "modelDescription.xml:.*not well-formed"),
        ({"modelDescription.xml": "<html/>"}, "holds <html>"),
        ({"modelDescription.xml": ENTITIES}, "declares a document type"),
        ({"modelDescription.xml": VALID.replace('"2.0"', '"3.0"')}, "FMI 3.0; Drawbar takes FMI 2.0"),
        ({"modelDescription.xml": VALID.replace("CoSimulation", "ModelExchange")}, "for model exchange only"),
        ({"modelDescription.xml": VALID.replace("CoSimulation", "Other")}, "neither for co-simulation nor for model"),
        (
            {"modelDescription.xml": VALID.replace('modelIdentifier="Gain"', 'modelIdentifier="../x"')},
            "cannot name a library",
        ),
        ({"modelDescription.xml": VALID.replace('"y[1]"', '"u"')}, "two variables are called 'u'"),
        ({"modelDescription.xml": VALID.replace('start="1"', 'start="one"')}, "cannot be read"),
        ({"modelDescription.xml": VALID.replace('valueReference="1"', 'valueReference="4294967296"')}, "reference 4"),
        ({"modelDescription.xml": VALID.replace('valueReference="1"', 'valueReference="-1"')}, "reference -1"),
        ({"modelDescription.xml": unit('factor="0"')}, "measures nothing"),
        ({"modelDescription.xml": unit('factor="NaN"')}, "measures nothing"),
    ],
)
def test_descriptions_that_cannot_be_used(
    tmp_path: Path, files: dict[str, str | bytes], message: str, write_fmu: Any
) -> None:
    with pytest.raises(FmuError, match=message):
        read_interface(write_fmu(tmp_path / "bad.fmu", files))


def fixed(attribute: str, experiment: str) -> str:
    text = VALID.replace('modelIdentifier="Gain"', f'modelIdentifier="Gain" {attribute}')
    return text.replace("  <ModelVariables>", f"<DefaultExperiment {experiment}/><ModelVariables>")


NO_OTHER_STEP = 'canHandleVariableCommunicationStepSize="false"'


@pytest.mark.parametrize(
    ("attribute", "experiment", "period"),
    [
        (NO_OTHER_STEP, 'stepSize="0.01"', Fraction(1, 100)),
        ("", 'stepSize="2e-3"', Fraction(1, 500)),
        (NO_OTHER_STEP, 'stepSize="0.3333333333333333"', Fraction(1, 3)),
        (NO_OTHER_STEP, 'stepSize="0.0333333333"', Fraction(333333333, 10**10)),
        ('canHandleVariableCommunicationStepSize="true"', 'stepSize="0.01"', None),
        (NO_OTHER_STEP, 'startTime="0"', None),
        (NO_OTHER_STEP, 'stepSize="0"', None),
    ],
)
def test_an_fmu_that_takes_one_step_only_has_it_as_its_period(
    tmp_path: Path, attribute: str, experiment: str, period: Fraction | None, write_fmu: Any
) -> None:
    """Not being able to vary the step is the default of the standard."""
    interface = read_interface(write_fmu(tmp_path / "g.fmu", {"modelDescription.xml": fixed(attribute, experiment)}))
    assert interface.period == period
    assert not interface.sampled, "it may read its inputs whenever it likes"


def test_what_an_fmu_of_others_says_to_a_master(tmp_path: Path, write_fmu: Any) -> None:
    """Nothing is taken for granted: it may have states, and no outputs may be read afresh."""
    for said in (False, True):
        word = str(said).lower()
        attributes = f'canInterpolateInputs="{word}" providesDirectionalDerivative="{word}"'
        text = VALID.replace('modelIdentifier="Gain"', f'modelIdentifier="Gain" {attributes}')
        found = read_interface(write_fmu(tmp_path / f"{word}.fmu", {"modelDescription.xml": text}))
        assert (found.interpolates, found.directional) == (said, said)
        assert (found.sampled, found.integrates, found.fresh_read) == (False, True, False)


def test_limits_of_all_numbers_are_kept(tmp_path: Path, write_fmu: Any) -> None:
    """Also those of an enumeration, and those that only the type gives."""
    items = '<Item name="low" value="1"/><Item name="high" value="2"/>'
    gear, narrow = f"<Enumeration>{items}</Enumeration>", '<Real min="-0.5" max="0.5"/>'
    types = f'<SimpleType name="Gear">{gear}</SimpleType><SimpleType name="Narrow">{narrow}</SimpleType>'
    kinds = {
        "count": '<Integer start="3" min="2" max="5"/>',
        "gear": '<Enumeration declaredType="Gear" start="1" min="1" max="2"/>',
        "angle": '<Real declaredType="Narrow" start="0" max="0.25"/>',
        "flag": '<Boolean start="true"/>',
        "free": '<Integer start="3"/>',
    }
    attributes = 'causality="parameter" variability="fixed"'
    variables = "".join(
        f'<ScalarVariable name="{name}" valueReference="{i}" {attributes}>{kind}</ScalarVariable>'
        for i, (name, kind) in enumerate(kinds.items())
    )
    head, tail = VALID[: VALID.index("  <ModelVariables>")], "</fmiModelDescription>"
    body = f"<TypeDefinitions>{types}</TypeDefinitions><ModelVariables>{variables}</ModelVariables><ModelStructure/>"
    ports = read_interface(write_fmu(tmp_path / "limits.fmu", {"modelDescription.xml": head + body + tail})).ports
    limits = {p.name: (p.minimum, p.maximum) for p in ports}
    free = (None, None)
    assert limits == {"count": (2.0, 5.0), "gear": (1.0, 2.0), "angle": (-0.5, 0.25), "flag": free, "free": free}


@pytest.mark.parametrize("start", [2147483647, 2147483648])
def test_the_start_value_of_an_integer_has_32_bits(start: int, tmp_path: Path, write_fmu: Any) -> None:
    text = VALID.replace('<Real start="1"/>', f'<Integer start="{start}"/>')
    path = write_fmu(tmp_path / "gain.fmu", {"modelDescription.xml": text})
    if start < 2**31:
        port = read_interface(path).port("u")
        assert port is not None
        assert port.start == (start,)
    else:
        with pytest.raises(FmuError, match="'u' starts at 2147483648, beyond the 32-bit integers"):
            read_interface(path)
