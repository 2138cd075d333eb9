"""Each fault of a file: its message and its line, and the same file without it has none."""

import sys

import pytest

from drawbar.blocks import Continuous, DiagramError, Output
from drawbar.blocks.core.interface import Interface, Port
from drawbar.blocks.signals.saturation import Saturation
from drawbar.diagrams import Connection, Diagram, End, faults, read, to_text
from drawbar.diagrams.checks.check import check
from drawbar.diagrams.checks.notes import notes


@pytest.fixture
def good(block, tmp_path):
    d = Diagram("bench", step=0.001)
    source = d.add("source", block("Source"))
    sink = d.add("sink", block("Sink"), offsets=[1, 2, 3])
    gain = d.add("gain", block("Gain"), gain=2)
    held = d.add("held", block("Held"))
    d.connect(source.metre, sink.length)
    d.connect(source.vector, sink.vector)
    d.connect(gain.y, held.u)
    d.connect(held.y, gain.u)
    d.expose(held.y, "out")
    return to_text(d, tmp_path)


# what is replaced in the good file, by what, the message, and a piece of the line that is named
CASES = {
    "unknown block": (
        "bench_blocks:Gain", "bench_blocks:Gian", "part 'gain': block 'bench_blocks:Gian' is unknown; "
        "did you mean 'bench_blocks:Gain'?", '<ssd:Component name="gain"'),
    "unknown module": (
        "bench_blocks:Gain", "bench_blogs:Gain",
        "part 'gain': block 'bench_blogs:Gain' is unknown; did you mean 'bench_blocks:Gain'?",
        '<ssd:Component name="gain"'),
    "block that was renamed": (
        "bench_blocks:Gain", "drawbar.blocks.signals.limit:Limit",
        "it is now 'drawbar.blocks.signals.saturation:Saturation'",
        '<ssd:Component name="gain"'),
    "path for a block": (
        "bench_blocks:Gain", "/tmp/evil.py:Gain", "write it as 'package.module:Class'", '<ssd:Component name="gain"'),
    "missing FMU": (
        '<drawbar:Component block="bench_blocks:Gain"/>', "", "part 'gain' has no FMU at resources/Gain.fmu; "
        "put the file there, or name its block in an org.drawbar annotation so that it is built",
        '<ssd:Component name="gain"'),
    "unknown part": (
        'endElement="held"', 'endElement="hold"',
        "cannot connect gain.y [1] to hold.u: there is no part 'hold'; did you mean 'held'?", 'endElement="hold"'),
    "unknown connector": (
        'endConnector="length"', 'endConnector="lenght"',
        "cannot connect source.metre [m] to sink.lenght: sink (Sink) has no variable 'lenght'; did you mean 'length'?",
        'endConnector="lenght"'),
    "declared connector": (
        '<ssd:Connector name="length"', '<ssd:Connector name="lenght"',
        "sink (Sink) has no variable 'lenght'; did you mean 'length'?", 'Connector name="lenght"'),
    "declared kind": (
        'name="length" kind="input"', 'name="length" kind="output"',
        "connector sink.length is declared as output, but the variable is input", 'name="length" kind'),
    "declared unit": (
        'name="length" kind="input"><ssc:Real unit="m"/>', 'name="length" kind="input"><ssc:Real unit="rad"/>',
        "connector sink.length is in [rad], but the variable is in [m]", 'name="length" kind'),
    "unknown outside": (
        'endConnector="out"', 'endConnector="uot"', "the diagram has no connector 'uot'; did you mean 'out'?",
        'endConnector="uot"'),
    "size": (
        'startConnector="metre" endElement="sink"', 'startConnector="vector" endElement="sink"',
        "cannot connect source.vector [m] to sink.length [m]: sizes differ, 3 against scalar", '"length"/>'),
    "unit": (
        'endConnector="length"', 'endConnector="angle"', "cannot connect source.metre [m] to sink.angle [rad]: units "
        "differ, m against rad", 'endConnector="angle"/>'),
    "direction": (
        'endElement="sink" endConnector="length"', 'endElement="source" endConnector="degree"',
        "source.degree is an output, and a connection ends at an input", 'endConnector="degree"/>'),
    "second driver": (
        'endConnector="length"', 'endConnector="vector[2]"',
        "cannot connect source.vector [m] to sink.vector [m]: sink.vector[2] is already driven by source.metre",
        'startConnector="vector[1]" endElement'),
    "unknown start": (
        '<ssv:Parameter name="gain">', '<ssv:Parameter name="gian">',
        "gain (Gain) has no variable 'gian'; did you mean 'gain'?", 'Parameter name="gian"'),
    "start beyond limits": (
        'value="2" unit="1"', 'value="20" unit="1"', "gain.gain = 20 lies outside its limits -10 to 10",
        'Parameter name="gain"'),
    "element beyond limits": (
        'value="2" unit="m"', 'value="-2" unit="m"', "sink.offsets = -2 is too small; it must be at least 0 m",
        'Parameter name="offsets[1]"'),
    "unit of a start": (
        'value="2" unit="1"', 'value="2" unit="m"', "gain.gain is given in [m], but the variable is in [1]",
        'Parameter name="gain"'),
    "start of an output": (
        '<ssv:Parameter name="gain">', '<ssv:Parameter name="y">', "gain.y is calculated by Gain",
        'Parameter name="y"'),
    "negative step": (
        'step="0.001"', 'step="-0.001"', "step = -0.001: -0.001 s is not positive", "drawbar:Master"),
    "step of nothing": ('step="0.001"', 'step="soon"', "step = soon: 'soon' is no number of seconds", "drawbar:Master"),
    "stop": ('stopTime="1"', 'stopTime="-1"', "stop = -1 s; it must be positive", "stopTime"),
    "late start": ('stopTime="1"', 'startTime="5" stopTime="9"', "startTime is 5; a run of Drawbar begins at 0",
                   "stopTime"),
    "word for loops": ('step="0.001"', 'step="0.001" loops="dealy"', "did you mean 'delay'?", "drawbar:Master"),
    "algorithm": ('step="0.001"', 'step="0.001" algorithm="jacoby"',
                  "diagram bench: algorithm = 'jacoby'; did you mean 'jacobi'?", "drawbar:Master"),
    "algorithm of a part": (
        'block="bench_blocks:Gain"', 'block="bench_blocks:Gain" algorithm="gauss-siedel"',
        "part 'gain': algorithm = 'gauss-siedel'; did you mean 'gauss-seidel'?", 'algorithm="gauss-siedel"'),
    "algorithm of a connection": (
        'endConnector="length"/>', 'endConnector="length"><ssd:Annotations><ssc:Annotation type="org.drawbar">'
        '<drawbar:Connection algorithm="second"/></ssc:Annotation></ssd:Annotations></ssd:Connection>',
        "connection source.metre -> sink.length: algorithm = 'second'; did you mean 'second-order'?",
        'algorithm="second"'),
    "algorithm of a connection, on a line of its own": (
        'endConnector="length"/>', 'endConnector="length">\n<ssd:Annotations><ssc:Annotation type="org.drawbar">\n'
        '<drawbar:Connection algorithm="second"/></ssc:Annotation></ssd:Annotations></ssd:Connection>',
        "connection source.metre -> sink.length: algorithm = 'second'", 'algorithm="second"'),
    "word for a fresh read": (
        'block="bench_blocks:Gain"', 'block="bench_blocks:Gain" freshRead="yes"',
        "part 'gain': freshRead = 'yes'; write true or false, or leave it out", 'freshRead="yes"'),
    "fresh read of a sampled part": (
        'block="bench_blocks:Held"', 'block="bench_blocks:Held" freshRead="true"',
        "part 'held' asks for a fresh read, but Held is sampled",
        'freshRead="true"'),
    "two parts of one name": (
        '<ssd:Component name="held"', '<ssd:Component name="gain"', "there is already a part 'gain'; names are unique",
        'source="resources/Held.fmu"'),
    "name of a part": (
        '<ssd:Component name="gain"', '<ssd:Component name="my-gain"',
        "part name 'my-gain': use letters, digits and underscores, as in 'my_gain'", '<ssd:Component name="my-gain"'),
    "schema": ('kind="input"><ssc:Real unit="m"/>', 'kind="inward"><ssc:Real unit="m"/>', "not valid SSP 1.0: ",
               'kind="inward"'),
    "schema of a parameter set": ('<ssv:Real value="2" unit="1"/>', "<ssv:Real/>", "'value' is required but missing",
                                  "<ssv:Real/>"),
    "algebraic loop": (
        "bench_blocks:Held", "bench_blocks:Gain",
        "algebraic loop: gain.y -> held.u -> held.y -> gain.u -> gain.y; put a Sampled block into it",
        'startElement="gain"'),
    "connector without a kind": (
        '<ssd:Connector name="out" kind="output">', '<ssd:Connector name="out">',
        "cannot connect held.y [1] to out [1]: connector out has no kind; write kind=", 'endConnector="out"'),
    "model exchange": (
        'source="resources/Gain.fmu"', 'source="resources/Gain.fmu" implementation="ModelExchange"',
        "part 'gain' asks for model exchange", "ModelExchange"),
    "mapping": (
        'endConnector="length"/>', 'endConnector="length"><ssc:BooleanMappingTransformation>'
        '<ssc:MapEntry source="true" target="false"/></ssc:BooleanMappingTransformation></ssd:Connection>',
        "BooleanMappingTransformation is not supported yet", "BooleanMapping"),
    "points": (
        'endConnector="length"/>',
        'endConnector="length"><ssd:ConnectionGeometry pointsX="1 2" pointsY="3"/></ssd:Connection>',
        "pointsX and pointsY are not lists of equal length", "pointsX"),
    "the same connector twice": (
        '<ssd:Connector name="length" kind="input"><ssc:Real unit="m"/></ssd:Connector>',
        '<ssd:Connector name="length" kind="input"/><ssd:Connector name="length" kind="input"/>',
        "connector 'length' is there twice", 'name="length" kind'),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_each_fault_has_its_message_and_line(good, tmp_path, case):
    file = tmp_path / "SystemStructure.ssd"
    file.write_text(good)
    assert faults(read(file)) == []

    old, new, message, piece = CASES[case]
    assert old in good
    bad = good.replace(old, new, 1)
    file.write_text(bad)
    found = faults(read(file))
    named = [fault for fault in found if message in fault]
    assert named, found
    line = next(i for i, text in enumerate(bad.splitlines(), 1) if piece in text)
    assert named[0].startswith(f"{file}:{line}: ")


def test_all_faults_come_at_once_in_the_order_of_the_file(good, tmp_path):
    bad = good
    for case in ("unknown connector", "start beyond limits", "negative step", "unknown block", "algorithm of a part"):
        old, new, *_ = CASES[case]
        bad = bad.replace(old, new, 1)
    file = tmp_path / "SystemStructure.ssd"
    file.write_text(bad)
    with pytest.raises(DiagramError) as caught:
        check(read(file))
    messages = caught.value.faults
    lines = [int(fault.removeprefix(f"{file}:").partition(":")[0]) for fault in messages]
    assert lines == sorted(lines)
    for piece in ("lenght", "Gian", "-0.001 s is not positive"):
        assert any(piece in message for message in messages)


def test_a_connection_that_is_there_twice(good, tmp_path):
    connection = next(line for line in good.splitlines() if 'endConnector="length"' in line)
    file = tmp_path / "SystemStructure.ssd"
    file.write_text(good.replace(connection, f"{connection}\n{connection}"))
    (fault,) = faults(read(file))
    assert fault.endswith("cannot connect source.metre to sink.length: they are connected already")


def test_unconnected_inputs_are_no_fault(block):
    d = Diagram("d")
    d.add("sink", block("Sink"))
    assert faults(d) == []
    check(d)


def test_what_was_spoilt_after_building_is_found_without_a_file(block):
    d = Diagram("d")
    gain = d.add("gain", block("Gain"))
    gain.starts["gain"] = 99.0
    assert faults(d) == ["gain.gain = 99 lies outside its limits -10 to 10"]


def test_a_block_with_a_fault_in_its_equations_does_not_hide_other_faults(good, block, tmp_path, monkeypatch):
    """Its equations are traced when the file is read, not when it is imported."""

    class Bad(Continuous):
        y = Output("1", "value")

        def outputs(self):
            return {"yy": 1.0}

    monkeypatch.setattr(sys.modules[block("Gain").__module__], "Bad", Bad, raising=False)
    bad = good.replace("bench_blocks:Gain", "bench_blocks:Bad", 1).replace(
        "bench_blocks:Source", "bench_blocks:Sauce", 1
    )
    file = tmp_path / "SystemStructure.ssd"
    file.write_text(bad)
    found = faults(read(file))
    for piece, message in (
        ("bench_blocks:Bad", "part 'gain': Bad.outputs() sets 'yy'"),
        ("bench_blocks:Sauce", "Sauce"),
    ):
        line = next(i for i, text in enumerate(bad.splitlines(), 1) if piece in text)
        first = bad.splitlines()[:line]
        line = max(i for i, text in enumerate(first, 1) if "<ssd:Component " in text)
        assert any(fault.startswith(f"{file}:{line}: ") and message in fault for fault in found), found


def test_a_part_without_its_fmu_does_not_hide_other_faults(good, tmp_path):
    bad = good.replace('<drawbar:Component block="bench_blocks:Source"/>', "", 1)
    bad = bad.replace('endConnector="length"', 'endConnector="angle"', 1)
    file = tmp_path / "SystemStructure.ssd"
    file.write_text(bad)
    found = "\n".join(faults(read(file)))
    assert "part 'source' has no FMU at resources/Source.fmu" in found
    assert "units differ, m against rad" in found
    assert "no variable" not in found


def test_the_old_name_of_a_parameter_is_told_the_new_one():
    diagram = Diagram("renamed")
    part = diagram.add("limiter", Saturation)
    part.starts["least"] = -1.0
    assert faults(diagram) == ["limiter (Saturation) has no variable 'least'; it is now 'lower_limit'"]


class Counted(str):
    """A name that counts how often it is compared."""

    __slots__ = ()
    comparisons = 0

    def __eq__(self, other):
        Counted.comparisons += 1
        return str.__eq__(self, other)

    __hash__ = str.__hash__


def test_the_check_of_many_connections_searches_no_list(block):
    """Each connection was found by comparing its names with those of all ports, again and again."""
    n = 400
    diagram = Diagram("wide")
    for part, kind in (("a", "output"), ("b", "input")):
        made = diagram.add(part, block("Gain"))
        ports = tuple(Port(Counted(f"{kind}_{i}_x"), kind, "continuous") for i in range(n))
        made._interface = Interface("Wide", ports)
    diagram.connections += [Connection(End("a", f"output_{i}_x"), End("b", f"input_{i}_x")) for i in range(n)]
    Counted.comparisons = 0
    assert faults(diagram) == []
    notes(diagram)
    assert 0 < Counted.comparisons < 100 * n  # about 14 * n * n / 2 before
