from fractions import Fraction

import pytest

from drawbar.blocks import DiagramError
from drawbar.blocks.signals.first_order_lag import FirstOrderLag
from drawbar.diagrams import Diagram, End, scalar_connections
from drawbar.diagrams.model.scalar_connections import bus_connections


@pytest.mark.parametrize(
    ("step", "reason"),
    [
        (-0.1, "-0.1 s is not positive"),
        (0, "0 s is not positive"),
        (float("nan"), "no number of seconds"),
        (float("inf"), "no number of seconds"),
        ("soon", "no number of seconds"),
        ("1/0", "no number of seconds"),
        (1 / 3 + 1e-9, "write it as a string"),
        (None, "no number of seconds"),
    ],
)
def test_a_step_that_is_no_positive_exact_time_is_refused(step, reason):
    with pytest.raises(DiagramError) as caught:
        Diagram("d", step=step)
    assert reason in str(caught.value)
    assert "diagram d: step = " in str(caught.value)


def test_a_step_or_stop_given_later_is_made_exact_or_refused_as_well():
    d = Diagram("d", step=0.001)
    d.step, d.stop = "1/40", "1/3"
    assert (d.step, d.stop) == (Fraction(1, 40), 1 / 3)
    d.step /= 2
    assert d.step == Fraction(1, 80)
    with pytest.raises(DiagramError, match="diagram d: step = 0"):
        d.step = 0
    with pytest.raises(DiagramError, match="diagram d: stop = -1 s"):
        d.stop = -1
    assert (d.step, d.stop) == (Fraction(1, 80), 1 / 3)


def test_steps_are_exact():
    assert Diagram("d", step=0.001).step == Fraction(1, 1000)
    assert Diagram("d", step="1/30").step == Fraction(1, 30)
    assert Diagram("d", step=Fraction(1, 7)).step == Fraction(1, 7)


@pytest.mark.parametrize("stop", [0.0, -1.0, float("nan"), float("inf"), "soon", "1/0"])
def test_a_stop_time_is_positive(stop):
    with pytest.raises(DiagramError, match="must be positive"):
        Diagram("d", stop=stop)


def test_loops_is_one_of_two_words():
    with pytest.raises(DiagramError, match="did you mean 'delay'"):
        Diagram("d", loops="dealy")


@pytest.mark.parametrize("name", ["a-b", "1a", "a b", "", "ä", "a.b"])
def test_part_names_are_identifiers(block, name):
    with pytest.raises(DiagramError, match="use letters, digits and underscores"):
        Diagram("d").add(name, block("Gain"))


def test_names_are_unique(block):
    d = Diagram("d")
    d.add("a", block("Gain"))
    with pytest.raises(DiagramError, match="already a part 'a'"):
        d.add("a", block("Held"))


def test_what_is_no_block_and_no_file_is_refused(tmp_path):
    with pytest.raises(DiagramError, match="there is no FMU at"):
        Diagram("d").add("a", tmp_path / "none.fmu")
    with pytest.raises(DiagramError, match="a block class or the path of an FMU"):
        Diagram("d").add("a", 3)


@pytest.mark.parametrize("swapped", [False, True])
def test_a_bus_is_connected_by_one_call_in_either_order(block, swapped):
    d = Diagram("d")
    body, wheel = d.add("body", block("Body")), d.add("wheel", block("Wheel"))
    d.connect(*((wheel.hub, body.hub) if swapped else (body.hub, wheel.hub)))
    assert {str(c) for c in d.connections} == {
        "body.hub.velocity -> wheel.hub.velocity",
        "wheel.hub.spin -> body.hub.spin",
        "wheel.hub.force -> body.hub.force",
    }
    (bus,) = bus_connections(d)
    assert {bus.start, bus.end} == {End("body", "hub"), End("wheel", "hub")}
    del d.connections[1]
    assert bus_connections(d) == []


def test_buses_that_do_not_match_are_refused_whole(block):
    d = Diagram("d")
    body, wheel = d.add("body", block("Body")), d.add("wheel", block("Wheel"))
    second, stub = d.add("second", block("Body")), d.add("stub", block("Stub"))
    with pytest.raises(DiagramError, match="'spin' is input at both ends"):
        d.connect(body.hub, second.hub)
    with pytest.raises(DiagramError, match=r"stub\.hub has no member"):
        d.connect(stub.hub, wheel.hub)
    with pytest.raises(DiagramError, match=r"body\.hub is a bus of several ports"):
        d.connect(body.hub, wheel.hub.velocity)
    with pytest.raises(DiagramError, match="one port, not to a bus"):
        d.connect(body.hub, wheel.hub, factor=2.0)
    with pytest.raises(DiagramError, match=r"has no variable 'hub\.forc'; did you mean 'hub\.force'\?"):
        _ = body.hub.forc
    assert d.connections == []
    d.connect(wheel.hub.force, body.hub.force)
    with pytest.raises(DiagramError, match="connected already"):
        d.connect(body.hub, wheel.hub)
    assert len(d.connections) == 1


def test_exposed_ports_become_connectors_and_no_connections(block):
    d = Diagram("d")
    gain, other = d.add("a", block("Gain")), d.add("b", block("Gain"))
    d.expose(gain.u, "command")
    d.expose(gain.y)
    d.connect(d["command"], other.u)
    assert {n: p.causality for n, p in d.connectors.items()} == {"command": "input", "y": "output"}
    assert {str(c) for c in d.connections} == {"command -> a.u", "a.y -> y", "command -> b.u"}
    assert scalar_connections(d) == []
    with pytest.raises(DiagramError, match="already a connector 'y'"):
        d.expose(other.y)
    with pytest.raises(DiagramError, match="neither input nor output"):
        d.expose(gain.gain)
    with pytest.raises(DiagramError, match="did you mean 'command'"):
        _ = d["comand"]
    with pytest.raises(DiagramError, match="already driven"):
        d.expose(other.u, "another")
    assert "another" not in d.connectors


def test_a_whole_bus_is_exposed(block):
    d = Diagram("d")
    d.expose(d.add("body", block("Body")).hub)
    assert {n: p.causality for n, p in d.connectors.items()} == {
        "hub.velocity": "output",
        "hub.spin": "input",
        "hub.force": "input",
    }


def test_a_stop_time_may_be_a_fraction():
    assert Diagram("d", step="1/30", stop="1/3").stop == 1 / 3


def test_what_is_no_port_is_not_connected():
    d = Diagram("d", step=0.1)
    lag = d.add("lag", FirstOrderLag)
    with pytest.raises(DiagramError, match=r"cannot connect 'lag\.u'; give ports, as in connect\(a\.y, b\.u\)"):
        d.connect(lag.y, "lag.u")


def test_ports_of_another_diagram_are_refused_though_a_part_has_the_same_name(block):
    """They connected the part of that name without a word."""
    mine, theirs = Diagram("mine"), Diagram("theirs")
    gain = mine.add("gain", block("Gain"))
    mine.add("part", block("Gain"))
    part, body = theirs.add("part", block("Gain")), theirs.add("body", block("Body"))
    wheel = mine.add("wheel", block("Wheel"))
    mine.add("body", block("Body"))
    theirs.expose(part.u, "command")
    mine.expose(gain.u, "command")
    reason = r"part 'part' belongs to another diagram than mine, or was replaced; take the port from parts\['part'\]"
    with pytest.raises(DiagramError, match=f"cannot connect part.y to gain.u.*: {reason} of mine"):
        mine.connect(part.y, gain.u)
    with pytest.raises(DiagramError, match=reason):
        mine.connect(gain.y, part["u"])
    with pytest.raises(DiagramError, match="'body' belongs to another diagram than mine"):
        mine.connect(body.hub, wheel.hub)
    with pytest.raises(DiagramError, match="'body' belongs to another diagram than mine"):
        mine.connect(body.hub.velocity, wheel.hub.velocity)
    with pytest.raises(DiagramError, match=f"cannot expose part.y: {reason}"):
        mine.expose(part.y)
    with pytest.raises(DiagramError, match="'body' belongs to another diagram than mine"):
        mine.expose(body.hub)
    with pytest.raises(DiagramError, match="'command' is a connector of diagram theirs, not of mine"):
        mine.connect(theirs["command"], mine.parts["part"].u)
    assert mine.port(part.y) is None
    assert {str(c) for c in mine.connections} == {"command -> gain.u"}
    assert set(mine.connectors) == {"command"}
    mine.connect(gain.y, mine.parts["part"].u)


def test_a_part_in_a_system_and_one_that_was_replaced_are_not_connected_by_their_names(block):
    inner, outer = Diagram("inner"), Diagram("outer")
    inside = inner.add("gain", block("Gain"))
    outer.add("system", inner)
    gain, other = outer.add("gain", block("Gain")), outer.add("other", block("Gain"))
    with pytest.raises(DiagramError, match="'gain' belongs to another diagram than outer"):
        outer.connect(inside.y, other.u)
    outer.connect(gain.y, other.u)
    new = outer.use("gain", block("Gain"))
    with pytest.raises(DiagramError, match="or was replaced; take the port from"):
        outer.connect(other.y, gain.u)
    outer.connect(other.y, new.u)


@pytest.mark.parametrize(
    ("name", "proposal"),
    [
        ("Räder", "Rader"),
        ("é", "e"),
        ("Straße 1", "Strasse_1"),
        ("1ä", "_1a"),
        ("車輪", "part"),
        ("-", "part"),
        ("", "part"),
    ],
)
def test_the_proposal_for_a_part_name_is_one_that_can_be_read(name, proposal):
    with pytest.raises(DiagramError) as caught:
        Diagram("d").add(name, FirstOrderLag)
    assert str(caught.value) == (
        f"diagram d: part name '{name}': use letters, digits and underscores, as in '{proposal}'"
    )
    Diagram("d").add(proposal, FirstOrderLag)
