from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from drawbar.blocks import Continuous, DiagramError, Input, Output, Parameter
from drawbar.blocks.signals.first_order_lag import FirstOrderLag
from drawbar.diagrams import Diagram, End, ScalarConnection, scalar_connections
from drawbar.diagrams.model.scalar_connections import bus_connections
from drawbar.diagrams.parameters.parameter_set import ParameterSet


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


@pytest.mark.parametrize(
    ("starts", "reason"),
    [
        ({"gian": 1.0}, "a (Gain) has no variable 'gian'; did you mean 'gain'?"),
        ({"gain": 11.0}, "a.gain = 11 lies outside its limits -10 to 10"),
        ({"gain": float("nan")}, "not a finite number"),
        ({"gain": [1.0, 2.0]}, "a.gain has shape (2,), but the variable takes one number"),
        ({"gain": "much"}, "is no number"),
        ({"y": 1.0}, "a.y is calculated by Gain"),
    ],
)
def test_start_values_are_checked_when_given(block, starts, reason):
    with pytest.raises(DiagramError) as caught:
        Diagram("d").add("a", block("Gain"), **starts)
    assert reason in str(caught.value)


def test_start_values_have_the_shape_and_type_of_their_variable(block):
    d = Diagram("d")
    sink = d.add("s", block("Sink"), offsets=np.array([4, 5, 6]), table=[[1, 2], [3, 4]], length=2)
    expected = {f"offsets[{i}]": 3.0 + i for i in (1, 2, 3)}
    expected |= {"table[1,1]": 1.0, "table[1,2]": 2.0, "table[2,1]": 3.0, "table[2,2]": 4.0, "length": 2.0}
    assert sink.start_values() == expected
    sink.set("offsets[2]", 9.0)
    assert sink.start_values()["offsets[2]"] == 9.0
    with pytest.raises(DiagramError, match="shape"):
        sink.set("offsets", [1.0, 2.0])
    with pytest.raises(DiagramError, match="limits"):
        sink.set("offsets", [1.0, -2.0, 3.0])
    flags = d.add("f", block("Flags"), limit=4, active=False)
    assert flags.start_values() == {"limit": 4, "active": False}
    with pytest.raises(DiagramError, match="of type Integer"):
        flags.set("limit", 2.5)
    with pytest.raises(DiagramError, match="of type Boolean"):
        flags.set("active", 2)


def test_ports_are_attributes_with_the_nearest_name(block):
    source = Diagram("d").add("s", block("Source"))
    assert source.metre == End("s", "metre")
    assert source["vector[1]"] == End("s", "vector[1]")
    assert "millimetre" in dir(source)
    with pytest.raises(DiagramError, match=r"s \(Source\) has no variable 'metr'; did you mean 'metre'\?"):
        _ = source.metr


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


def only_connection(d):
    (connection,) = scalar_connections(d)
    return connection


@pytest.mark.parametrize(
    ("start", "end", "gain", "offset"),
    [
        ("metre", "length", 1.0, 0.0),
        ("millimetre", "length", 1e-3, 0.0),
        ("degree", "angle", np.pi / 180, 0.0),
        ("celsius", "temperature", 1.0, 273.15),
    ],
)
def test_connections_convert_units(block, start, end, gain, offset):
    d = Diagram("d")
    source, sink = d.add("source", block("Source")), d.add("sink", block("Sink"))
    d.connect(source[start], sink[end])
    connection = only_connection(d)
    assert connection.gain == pytest.approx(gain, rel=1e-15)
    assert connection.offset == pytest.approx(offset, abs=1e-12)


def test_the_users_transformation_applies_after_the_conversion(block):
    d = Diagram("d")
    source, sink = d.add("source", block("Source")), d.add("sink", block("Sink"))
    d.connect(source.celsius, sink.temperature, factor=2.0, offset=1.0)
    connection = only_connection(d)
    assert connection.gain * 10.0 + connection.offset == pytest.approx(2.0 * 283.15 + 1.0)


def test_conversion_can_be_suppressed(block):
    d = Diagram("d")
    source, sink = d.add("source", block("Source")), d.add("sink", block("Sink"))
    d.connect(source.celsius, sink.temperature, factor=2.0, offset=1.0, suppress_unit_conversion=True)
    assert only_connection(d) == ScalarConnection("source", "celsius", "sink", "temperature", 2.0, 1.0)


def test_connections_are_scalar_and_sorted(block):
    d = Diagram("d")
    source, sink = d.add("source", block("Source")), d.add("sink", block("Sink"))
    d.connect(source.vector, sink.vector)
    d.connect(source.matrix, sink.matrix)
    assert [w.start for w in scalar_connections(d)] == [
        *("matrix[1,1]", "matrix[1,2]", "matrix[2,1]", "matrix[2,2]"),
        *("vector[1]", "vector[2]", "vector[3]"),
    ]
    assert all(w.start == w.end for w in scalar_connections(d))


def test_a_stop_time_may_be_a_fraction():
    assert Diagram("d", step="1/30", stop="1/3").stop == 1 / 3


def test_what_is_no_port_is_not_connected():
    d = Diagram("d", step=0.1)
    lag = d.add("lag", FirstOrderLag)
    with pytest.raises(DiagramError, match=r"cannot connect 'lag\.u'; give ports, as in connect\(a\.y, b\.u\)"):
        d.connect(lag.y, "lag.u")


def test_a_port_that_is_called_like_an_attribute_of_a_part_is_told_how_to_reach():
    class Motors(Continuous):
        name = Input("1", "called like an attribute")
        given = Output("1", "called like a method")

        def outputs(self):
            return {"given": 2 * self.name}

    d = Diagram("d", step=0.1)
    motors, lag = d.add("motors", Motors), d.add("lag", FirstOrderLag)
    with pytest.raises(DiagramError, match=r"this is a method of every part, the port is motors\['given'\]"):
        d.connect(motors.given, lag.u)
    with pytest.raises(DiagramError, match=r"'motors'; give ports, .* or a\['name'\] where a part has an attribute"):
        d.connect(lag.y, motors.name)
    d.connect(motors["given"], lag.u)
    d.connect(lag.y, motors["name"])


def test_a_connection_of_whole_numbers_takes_no_factor():
    class Whole(Continuous):
        n = Input("1", "number", type=int)
        m = Output("1", "number", type=int)

        def outputs(self):
            return {"m": self.n}

    d = Diagram("d", step=0.1)
    a, b, lag = d.add("a", Whole), d.add("b", Whole), d.add("lag", FirstOrderLag)
    with pytest.raises(DiagramError, match=r"a factor or an offset is for real numbers, b\.n is of type Integer"):
        d.connect(a.m, b.n, factor=0.5)
    d.connect(a.m, lag.u, factor=0.5)
    d.connect(a.m, b.n)
    with pytest.raises(DiagramError, match="not both finite"):
        d.connect(lag.y, d.add("other", FirstOrderLag).u, factor=float("nan"))


def test_a_connection_that_does_not_convert_may_join_any_units():
    class Metres(Continuous):
        y = Output("m", "length")

        def outputs(self):
            return {"y": 1.0}

    d = Diagram("d", step=0.1)
    lag, metres = d.add("lag", FirstOrderLag), d.add("metres", Metres)
    with pytest.raises(DiagramError, match="units differ"):
        d.connect(metres.y, lag.u)
    d.connect(metres.y, lag.u, suppress_unit_conversion=True)
    assert scalar_connections(d) == [ScalarConnection("metres", "y", "lag", "u", 1.0, 0.0)]


def test_a_part_has_no_other_attributes(block) -> None:
    part = Diagram("d").add("gain", block("Gain"))
    part.algorithm = "jacobi"
    with pytest.raises(DiagramError, match=r"part 'gain' has no attribute 'algoritm'; did you mean 'algorithm'\?"):
        part.algoritm = "jacobi"
    with pytest.raises(DiagramError, match=r"part 'gain': write part.set\('u', 2.0\) for a start value"):
        part.u = 2.0


def test_one_number_for_a_point_is_refused_with_its_size_and_how_it_is_written() -> None:
    class Hinge(Continuous):
        """Has a point, whose elements differ, and rates, which are alike."""

        point = Parameter([0.5, 0.0, -0.25], "m", "point", size=3)
        rates = Parameter([2.0, 2.0], "N/m", "rates", size=2)
        y = Output("1", "none")

        def outputs(self) -> dict[str, Any]:
            return {"y": self.rates[0] * self.point[0] + self.rates[1] * self.point[1]}

    one = (
        r"point = 1\.0 is one number, but the variable takes shape \(3,\): write point = \[0\.5, 0\.0, -0\.25\], or "
        r"one element: point\[1\] = 1\.0"
    )
    d = Diagram("d")
    with pytest.raises(DiagramError, match=one):
        d.add("hinge", Hinge, point=1.0)
    with pytest.raises(DiagramError, match=r"shape \(4,\), but the variable takes shape \(3,\): write point = \["):
        d.add("hinge", Hinge, point=[1, 2, 3, 4])
    hinge = d.add("hinge", Hinge, rates=3.0)
    assert d.parts["hinge"].start_values() == {"rates[1]": 3.0, "rates[2]": 3.0}, "alike for all has a meaning"
    values = ParameterSet("winter")
    values.set("hinge.point", 1.0)
    with pytest.raises(DiagramError, match=one):
        d.bind(values)
    values = ParameterSet("winter")
    values.set("hinge.point[2]", 1.0)
    d.bind(values)
    assert hinge.start_values()["point[2]"] == 1.0
