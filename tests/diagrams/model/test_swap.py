"""Another block in the place of a part: what stays, what is refused, what is left out."""

import pytest

from drawbar.blocks import Continuous, DiagramError, Input, Output, Parameter
from drawbar.diagrams.checks.check import faults
from drawbar.diagrams.checks.notes import notes
from drawbar.diagrams.model.diagram import Diagram
from drawbar.diagrams.parameters.parameter_set import ParameterSet
from drawbar.diagrams.ssp.ssp import read, write


class Halved(Continuous):
    """A gain that has another parameter too, and none of the old."""

    u = Input("1", "in")
    share = Parameter(0.5, "1", "share")
    y = Output("1", "out")

    def outputs(self):
        return {"y": self.share * self.u}


class InMetres(Continuous):
    """Its input is a length."""

    u = Input("m", "in")
    gain = Parameter(1.0, "1", "gain", max=2.0)
    y = Output("1", "out")

    def outputs(self):
        return {"y": self.gain * self.u}


class Mute(Continuous):
    """It has neither port."""

    v = Input("1", "in")
    z = Output("1", "out")

    def outputs(self):
        return {"z": self.v}


@pytest.fixture
def chain(block):
    """Three gains in a row."""
    d = Diagram("chain")
    for name in ("a", "b", "c"):
        d.add(name, block("Gain"), gain=3.0)
    d.connect(d.parts["a"].y, d.parts["b"].u)
    d.connect(d.parts["b"].y, d.parts["c"].u, factor=2.0)
    d.parts["b"].geometry = (0.0, 0.0, 10.0, 10.0)
    d.parts["b"].algorithm = "jacobi"
    return d


def test_connections_values_place_and_coupling_stay(chain, block):
    chain.use("b", block("Held"))
    assert [str(c) for c in chain.connections] == ["a.y -> b.u", "b.y -> c.u"]
    assert chain.parts["b"].kind == "Held" and chain.parts["b"].geometry == (0.0, 0.0, 10.0, 10.0)
    assert chain.parts["b"].algorithm == "jacobi" and list(chain.parts) == ["a", "b", "c"]
    assert faults(chain) == []


def test_values_that_it_does_not_take_are_told(chain):
    chain.use("b", Halved)
    assert chain.parts["b"].start_values() == {}
    told = "part 'b' is now Halved, in place of Gain; Halved has no gain, so these values are left out"
    assert told in notes(chain)


def test_a_value_beyond_its_limits_is_a_fault_as_everywhere(chain):
    d = Diagram("one")
    d.add("b", type(chain.parts["b"].block.__name__, (chain.parts["b"].block,), {}), gain=3.0)
    d.use("b", InMetres)
    assert any("b.gain = 3" in fault for fault in faults(d))


def test_connections_that_do_not_fit_are_refused_and_nothing_changes(chain):
    before = chain.parts["b"]
    with pytest.raises(DiagramError) as refused:
        chain.use("b", InMetres)
    assert str(refused.value) == (
        "InMetres does not fit 1 of the 2 connections of part 'b': u does not fit (units differ, 1 against m); "
        "take a block with the ports of Gain, or change the connections (drawbar info InMetres lists its ports)"
    )
    with pytest.raises(
        DiagramError, match="Mute does not fit 2 of the 2 connections of part 'b': it has no u, y; take a"
    ):
        chain.use("b", Mute)
    assert chain.parts["b"] is before and faults(chain) == [] and chain.file.remarks == []


def test_three_ports_that_do_not_fit_are_named_and_how_many_more(block):
    """A bus and an array count as one."""
    d = Diagram("d")
    source, sink = d.add("source", block("Source")), d.add("sink", block("Sink"))
    body, wheel = d.add("body", block("Body")), d.add("wheel", block("Wheel"))
    d.connect(body.hub, wheel.hub)
    for a, b in (("metre", "length"), ("degree", "angle"), ("vector", "vector"), ("matrix", "matrix")):
        d.connect(source[a], sink[b])
    d.connect(source["metre"], sink["pair[1]"])
    for part, new, told in [
        ("wheel", Mute, "it has no hub; take a block with the ports of Wheel"),
        ("sink", Mute, "it has no length, angle, vector, and 2 more; take a block with the ports of Sink"),
        ("source", InMetres, "it has no metre, degree, vector, and 1 more; take"),
    ]:
        with pytest.raises(DiagramError) as refused:
            d.use(part, new)
        assert told in str(refused.value) and len(refused.value.faults) == 1


def test_a_part_that_is_not_there_is_named(chain, block):
    with pytest.raises(DiagramError, match="there is no part 'bb'; did you mean 'b'"):
        chain.use("bb", block("Gain"))
    with pytest.raises(DiagramError, match="give a block class or the path of an FMU"):
        chain.use("b", 3)
    with pytest.raises(DiagramError, match=r"part 'b': there is no FMU at b.fmu"):
        chain.use("b", "b.fmu")


def test_an_fmu_of_others_takes_the_place_too(chain, fmu_file):
    chain.use("b", fmu_file("Other"))
    assert chain.parts["b"].kind == "Other" and faults(chain) == []


def test_a_part_in_a_system_is_named_by_it(chain, block):
    outer = Diagram("outer")
    outer.add("inner", chain)
    outer.use("inner.b", Halved)
    assert chain.parts["b"].kind == "Halved"
    with pytest.raises(DiagramError, match=r"'inner' is a system; name a part in it, such as inner\.a"):
        outer.use("inner", block("Gain"))


def test_a_file_of_the_old_block_and_its_sets_go_over(chain, block, tmp_path):
    """What a file declares of the old block does not bind the new one; values of sets do."""
    values = ParameterSet("set")
    values.set("b.gain", 4.0)
    chain.bind(values)
    write(chain, tmp_path)
    path = tmp_path / "SystemStructure.ssd"
    again = read(path)
    again.use("b", Halved)
    assert faults(again) == [] and "has no gain" in again.file.remarks[-1]
    other = read(path)
    other.use("b", block("Gain"))
    assert other.parts["b"].start_values() == {"gain": 4.0}
    assert other.file.remarks == ["part 'b' is now Gain, in place of Gain"]
