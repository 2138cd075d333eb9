"""Notes are given where there is something to note, and nowhere else."""

from itertools import pairwise

import pytest

from drawbar.blocks import Continuous, Input, Output, Parameter, State
from drawbar.blocks.core.interface import Port
from drawbar.blocks.core.units import parse_unit
from drawbar.blocks.signals.first_order_lag import FirstOrderLag
from drawbar.diagrams import Diagram, faults, read, write
from drawbar.diagrams.checks.notes import notes
from drawbar.diagrams.model.parameter_bindings import bind
from drawbar.diagrams.parameters import parameter_set


@pytest.fixture
def pair(block):
    d = Diagram("pair")
    source, sink = d.add("source", block("Source")), d.add("sink", block("Sink"))
    for a, b in (("metre", "length"), ("degree", "angle"), ("celsius", "temperature")):
        d.connect(source[a], sink[b])
    for name in ("vector", "matrix"):
        d.connect(source[name], sink[name])
    return d


def test_inputs_that_nothing_drives_are_named_by_port_or_element(pair):
    source, sink = pair.parts["source"], pair.parts["sink"]
    assert notes(pair) == ["1 input keeps its start value, nothing drives it: sink.pair"]
    pair.connect(source.metre, sink["pair[2]"])
    assert notes(pair) == ["1 input keeps its start value, nothing drives it: sink.pair[1]"]
    pair.connections.pop(0)
    wanted = "2 inputs keep their start values, nothing drives them: sink.length, sink.pair[1]"
    assert notes(pair) == [wanted]
    assert notes(pair, {("sink", "length"), ("sink", "pair[1]")}) == []
    pair.connect(source.metre, sink.length)
    pair.connect(source.metre, sink["pair[1]"])
    assert notes(pair) == []
    assert faults(pair) == []


def test_a_macro_step_that_passes_over_samples_or_micro_steps_is_noted(block):
    def noted(step, *blocks):
        d = Diagram("d", step=step)
        for name, kind in zip("abc", blocks, strict=False):
            d.add(name, kind)
        for part, other in pairwise(d.parts.values()):
            d.connect(part.y, other.u)
        return [note for note in notes(d) if "macro step" in note]

    gain, lag, held = block("Gain"), FirstOrderLag, block("Held")
    period, micro = held.model().period, lag.model().step
    assert noted(4 * period, gain, held) == noted(100 * micro, gain, lag) == []
    wanted = (
        "the macro step of 0.05 s is very long, and nothing is exchanged within it: b takes 5 samples; "
        "use a shorter one, such as 0.01 s (a run with --check measures the error)"
    )
    assert noted(5 * period, gain, held) == [wanted]
    assert noted(5 * period, held, gain) == [wanted.replace("b takes", "a takes")]
    assert "c takes 101 micro-steps; use a shorter one, such as" in noted(101 * micro, gain, gain, lag)[0]
    assert noted(1000 * period, held, held) == []  # they step, and exchange, at their own period
    assert noted(1000 * micro, lag) == []  # alone


class Balance(Continuous):
    """It stands where its spring of 1 N/m carries the load."""

    load = Input("N", "load")
    rest = Parameter(0.0, "m", "where the spring is without force")
    x = State(0.0, "m", "place", solve=True, output=True)

    def residuals(self):
        return {"force": self.x - self.rest - self.load}

    def derivatives(self):
        return {"x": 0.0}


def test_a_value_of_one_run_that_does_not_last_is_noted(block):
    d, inside = Diagram("d"), Diagram("inside")
    balance, gain = inside.add("balance", Balance), inside.add("gain", block("Gain"))
    inside.connect(gain.y, balance.load, suppress_unit_conversion=True)
    d.add("system", inside)
    d.add("free", Balance, x=1.0, load=2.0)  # of the file: where a search begins, what nothing drives
    plain = notes(d)
    d.parts["system"].overrides = {"balance.x": 3.0, "balance.load": 4.0, "balance.rest": 5.0}
    d.parts["free"].overrides = {"x": 6.0, "load": 7.0}
    assert [note for note in notes(d) if note not in plain] == [
        "system.balance.x = 3.0: it is only the initial guess; Balance solves for the start value",
        "system.balance.load = 4.0: it has no effect, because system.gain.y drives this input from the start",
        "free.x = 6.0: it is only the initial guess; Balance solves for the start value",
    ]


class Sum(Continuous):
    """The sum of two numbers."""

    u = Input("1", "what is added up", size=2)
    y = Output("1", "the sum")

    def outputs(self):
        return {"y": self.u[0] + self.u[1]}


def test_a_value_of_one_element_is_judged_by_what_drives_that_element(block):
    d = Diagram("d")
    summed, gain = d.add("sum", Sum), d.add("gain", block("Gain"))
    d.connect(gain.y, summed["u[1]"])
    d.parts["gain"].set("u", 3.0)
    plain = notes(d)
    for values, driven in (({"u[1]": 1.0, "u[2]": 2.0}, "u[1] = 1.0"), ({"u": [1.0, 2.0]}, "")):
        d.parts["sum"].overrides = values
        told = [note for note in notes(d) if note not in plain]
        lasts = "it has no effect, because gain.y drives this input from the start"
        assert told == ([f"sum.{driven}: {lasts}"] if driven else []), "the other element keeps its value"


def test_at_most_ten_are_named(block):
    d = Diagram("d")
    for count in range(1, 13):
        d.add(f"g{count}", block("Gain"))
        (note,) = notes(d)
        assert len(note.partition(": ")[2].split(", ")) == min(count, 11)
        assert note.endswith(f"g10.u, and {count - 10} more" if count > 10 else f"g{count}.u")
        assert note.startswith("1 input keeps" if count == 1 else f"{count} inputs keep")


def test_inputs_of_the_diagram_itself_are_told_apart(block):
    d = Diagram("d")
    a, b = d.add("a", block("Gain")), d.add("b", block("Cross"))
    d.expose(a.u, "speed")
    assert notes(d)[1:] == [
        "nothing drives 1 input of the diagram itself, and the inputs connected to it keep their start values: speed"
    ]
    d.expose(b.u, "pair")
    d.expose(b.y, "out")  # an output needs nothing
    assert notes(d) == [
        "nothing drives 2 inputs of the diagram itself, and "
        "the inputs connected to them keep their start values: speed, pair"
    ]
    assert notes(d, [("a", "u"), ("b", "u[1]")]) == [
        "nothing drives 1 input of the diagram itself, and the inputs connected to it keep their start values: pair"
    ]
    assert notes(d, [("a", "u"), ("b", "u[1]"), ("b", "u[2]")]) == []


def test_connections_with_a_unit_on_one_side_only(block, fmu_file):
    d = Diagram("d")
    foreign = d.add("foreign", fmu_file("bare"))
    source, sink = d.add("source", block("Source")), d.add("sink", block("Sink"))
    d.connect(source.degree, foreign.u)
    assert notes(d)[1:] == [
        "1 connection has a known unit on one side only, and values are not converted: source.degree [deg] -> foreign.u"
    ]
    d.connect(foreign.y, sink.length)
    assert notes(d)[1:] == [
        "2 connections have a known unit on one side only, and values are not converted: "
        "source.degree [deg] -> foreign.u, foreign.y -> sink.length [m]"
    ]


def test_connections_whose_units_are_both_known_or_both_unknown_are_not_noted(block, fmu_file):
    d = Diagram("d")
    bare, metres = d.add("bare", fmu_file("bare")), d.add("metres", fmu_file("metres", unit="m"))
    source, sink = d.add("source", block("Source")), d.add("sink", block("Sink"))
    d.connect(bare.y, bare.u)
    d.connect(source.metre, metres.u)
    d.connect(metres.y, sink.length)
    assert not any("connection" in note for note in notes(d))


def test_a_connection_to_the_outside_is_not_noted(fmu_file):
    d = Diagram("d")
    bare = d.add("bare", fmu_file("bare"))
    d.connect(bare.y, bare.u)
    d.connectors["out"] = Port("out", "output", "continuous", unit="m", quantity=parse_unit("m"))
    d.connect(bare.y, d["out"])
    assert faults(d) == notes(d) == []


def test_a_connection_that_is_not_to_convert_is_not_noted(block, fmu_file):
    d = Diagram("d")
    bare, source = d.add("bare", fmu_file("bare")), d.add("source", block("Source"))
    d.connect(source.degree, bare.u, suppress_unit_conversion=True)
    assert notes(d) == []


def test_an_fmu_in_place_of_a_block_is_noted(block, fmu_file, tmp_path):
    d = Diagram("d")
    d.connect(d.add("a", fmu_file("bare")).y, d.parts["a"].u)
    d.add("b", fmu_file("other"))
    file = tmp_path / "SystemStructure.ssd"
    write(d, file)
    free = "1 input keeps its start value, nothing drives it: b.u"
    assert notes(read(file)) == [free]
    annotation = '<ssc:Annotation type="org.drawbar"><drawbar:Component block="bench_blocks:Gian"/></ssc:Annotation>'
    text = file.read_text()
    file.write_text(text.replace("</ssd:Comp", f"<ssd:Annotations>{annotation}</ssd:Annotations></ssd:Comp", 1))
    assert faults(read(file)) == []
    note, rest = notes(read(file))
    assert rest == free
    wanted = "part 'a' runs as its FMU resources/bare.fmu: block 'bench_blocks:Gian' is unknown; did you mean "
    assert note.startswith(f"{wanted}'bench_blocks:Gain'?")
    for name in ("bare", "other"):
        (tmp_path / "resources" / f"{name}.fmu").unlink()
    again = read(file)
    assert len(faults(again)) == 2  # without its FMU each is a fault and no note
    assert notes(again) == []


def test_a_broken_diagram_has_notes_too(pair):
    pair.parts["sink"].starts["offsets"] = -1.0
    pair.connections[0].algorithm = "none"
    assert len(faults(pair)) == 2
    assert len(notes(pair)) == 1


def test_an_input_that_the_diagram_gives_a_value_is_meant_to_be_free(pair: Diagram) -> None:
    pair.parts["sink"].set("pair[1]", 1.0)
    assert notes(pair) == ["1 input keeps its start value, nothing drives it: sink.pair[2]"]
    pair.parts["sink"].set("pair", [1.0, 2.0])
    assert notes(pair) == []


def test_an_input_of_the_diagram_that_a_parameter_set_gives_is_not_noted():
    def noted(*values):
        d = Diagram("d")
        d.expose(d.add("a", FirstOrderLag).u, "force")
        parameters = {name: parameter_set.Parameter(name, "Real", 1.0) for name in values}
        bind(d, parameter_set.ParameterSet("s", parameters))
        return notes(d)

    assert noted() == [
        "nothing drives 1 input of the diagram itself, and the inputs connected to it keep their start values: force"
    ]
    assert noted("force") == noted("a.u") == []
    assert noted("a.gain") == noted(), "another value changes nothing"
