"""Of two parameter bindings of a part or a system the later one wins, in a run as in what is written."""

import pytest

from drawbar.diagrams import Diagram, faults, read, to_text, write
from drawbar.diagrams.model.flatten import flatten


def binding(name, value):
    return (
        '<ssd:ParameterBinding><ssd:ParameterValues><ssv:ParameterSet version="1.0" name="q"><ssv:Parameters>'
        f'<ssv:Parameter name="{name}"><ssv:Real value="{value}"/></ssv:Parameter>'
        "</ssv:Parameters></ssv:ParameterSet></ssd:ParameterValues></ssd:ParameterBinding>"
    )


def in_file(folder, block, bindings, *, of_system):
    """A file with a gain inside a system, and bindings of one of the two as another tool may write them."""
    inner = Diagram("inner")
    inner.add("gain", block("Gain"))
    whole = Diagram("whole")
    whole.add("box", inner)
    file = folder / "SystemStructure.ssd"
    write(whole, file)
    container = f"<ssd:ParameterBindings>{''.join(bindings)}</ssd:ParameterBindings>"
    text = file.read_text().replace("ssd:SystemStructureDescription ", "ssd:SystemStructureDescription " + SSV, 1)
    if of_system:
        text = text.replace('<ssd:System name="box">', f'<ssd:System name="box">{container}')
    else:
        text = text.replace("</ssd:Connectors>", "</ssd:Connectors>" + container, 1)
    assert container in text
    file.write_text(text)
    return file


SSV = 'xmlns:ssv="http://ssp-standard.org/SSP1/SystemStructureParameterValues" '


def gain_of(diagram):
    return flatten(diagram).parts["box.gain"].start_values()["gain"]


@pytest.mark.parametrize("of_system", [False, True])
@pytest.mark.parametrize(
    ("given", "wins"),
    [
        ([("gain", 4), ("gain", 5)], 5.0),
        ([("gain", 5), ("gain", 4)], 4.0),
        ([("gain", 4), ("gain", 5), ("u", 1)], 5.0),
        ([("u", 1), ("gain", 4), ("gain", 5)], 5.0),
        ([("gain", 4), ("u", 1)], 4.0),
    ],
)
def test_the_later_inline_set_wins_and_is_written_last(tmp_path, block, given, wins, of_system):
    prefix = "gain." if of_system else ""
    file = in_file(tmp_path, block, [binding(prefix + n, v) for n, v in given], of_system=of_system)
    diagram = read(file)
    assert faults(diagram) == []
    assert gain_of(diagram) == wins
    write(diagram, file)
    first = file.read_text()
    assert first.count("<ssd:ParameterBinding>") == len(given)
    assert gain_of(read(file)) == wins
    assert to_text(read(file), tmp_path) == first
    # what Python sets wins over them all, here and for whoever reads the file
    part = diagram.parts["box"] if of_system else diagram.parts["box"].diagram.parts["gain"]
    part.set(prefix + "gain", 6.0)
    assert gain_of(diagram) == 6.0
    write(diagram, file)
    text = file.read_text()
    assert text.rindex('value="6"') > max(text.rfind(f'value="{v}"') for n, v in given if n == "gain")
    assert gain_of(read(file)) == 6.0
    assert to_text(read(file), tmp_path) == text


def test_a_last_binding_of_another_form_is_kept_and_wins(tmp_path, block):
    mapped = binding("k", 2).replace(
        "</ssd:ParameterBinding>",
        '<ssd:ParameterMapping><ssm:ParameterMapping version="1.0" xmlns:ssm="http://ssp-standard.org/SSP1/'
        'SystemStructureParameterMapping"><ssm:MappingEntry source="k" target="gain"/></ssm:ParameterMapping>'
        "</ssd:ParameterMapping></ssd:ParameterBinding>",
    )
    file = in_file(tmp_path, block, [binding("gain", 4), mapped], of_system=False)
    diagram = read(file)
    gain = diagram.parts["box"].diagram.parts["gain"]
    assert (faults(diagram), gain_of(diagram), gain.starts) == ([], 2.0, {})
    gain.set("u", 1.0)
    write(diagram, file)
    again = read(file)
    assert (gain_of(again), again.parts["box"].diagram.parts["gain"].starts) == (2.0, {"u": 1.0})
    assert file.read_text().count("<ssd:ParameterBinding>") == 3
