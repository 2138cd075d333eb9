"""Bindings of parameter sets: whose unit of measure counts."""

from drawbar.diagrams import Diagram, faults, read, write


def test_a_unit_of_the_set_wins_over_one_of_the_same_name_in_the_diagram(tmp_path, block):
    """Each file defines its own 'span': what a set gives in it is a number of the set's."""
    d = Diagram("d")
    d.add("gain", block("Gain"))
    file = tmp_path / "SystemStructure.ssd"
    write(d, file)
    unit = '<ssc:Unit name="span"><ssc:BaseUnit factor="{}"/></ssc:Unit>'
    values = (
        '<ssd:ParameterBindings><ssd:ParameterBinding><ssd:ParameterValues><ssv:ParameterSet version="1.0" name="q" '
        'xmlns:ssv="http://ssp-standard.org/SSP1/SystemStructureParameterValues"><ssv:Parameters>'
        '<ssv:Parameter name="gain.gain"><ssv:Real value="4" unit="span"/></ssv:Parameter>'
        f"</ssv:Parameters><ssv:Units>{unit.format(2)}</ssv:Units></ssv:ParameterSet></ssd:ParameterValues>"
        "</ssd:ParameterBinding></ssd:ParameterBindings>"
    )
    text = file.read_text().replace("<ssd:Units>", f"<ssd:Units>{unit.format(3)}")
    begin, bracket, rest = text.partition('<ssd:System name="d">')
    file.write_text(begin + bracket + values + rest)
    diagram = read(file)
    assert faults(diagram) == []
    assert diagram.parts["gain"].start_values()["gain"] == 4 * 2
