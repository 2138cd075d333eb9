import pytest

from drawbar.blocks import Continuous, DiagramError, Input, Output
from drawbar.blocks.signals.first_order_lag import FirstOrderLag
from drawbar.diagrams import Diagram, End, ScalarConnection, scalar_connections
from drawbar.diagrams.model.connection_rules import connection_fault


@pytest.fixture
def d(block):
    d = Diagram("bench")
    for name in ("Source", "Sink", "Gain", "Flags"):
        d.add(name.lower(), block(name))
    return d


GOOD = [
    ("source.metre", "sink.length"),
    ("source.millimetre", "sink.length"),
    ("source.degree", "sink.angle"),
    ("source.celsius", "sink.temperature"),
    ("source.vector", "sink.vector"),
    ("source.matrix", "sink.matrix"),
    ("source.vector[2]", "sink.length"),
    ("source.metre", "sink.vector[3]"),
    ("source.matrix[2,1]", "sink.matrix[1,2]"),
    ("flags.counted", "flags.count"),
    ("flags.is_on", "flags.on"),
    ("flags.counted", "sink.length"),
    ("gain.y", "gain.u"),
]

BAD = [
    ("nobody.x", "sink.length", "there is no part 'nobody'"),
    ("sorce.metre", "sink.length", "there is no part 'sorce'; did you mean 'source'?"),
    ("source.meter", "sink.length", "source (Source) has no variable 'meter'; did you mean 'metre'?"),
    ("source.vector[4]", "sink.length", "has no variable 'vector[4]'; it goes from vector[1] to vector[3]"),
    ("sink.length", "source.metre", "source.metre sends and sink.length receives; swap the two"),
    ("sink.length", "sink.angle", "sink.length is an input, and a connection starts at an output"),
    ("source.metre", "source.millimetre", "source.millimetre is an output, and a connection ends at an input"),
    ("source.metre", "gain.gain", "a parameter cannot be connected; set the start value of the part instead"),
    ("gain.y", "flags.count", "types differ, Real against Integer; connect ports of one type, or put a block"),
    ("flags.is_on", "sink.length", "with an input of type Boolean and an output of type Real between them"),
    ("flags.counted", "flags.on", "types differ, Integer against Boolean"),
    ("source.vector", "sink.length", "sizes differ, 3 against scalar"),
    ("source.metre", "sink.vector", "sizes differ, scalar against 3"),
    ("source.vector", "sink.matrix", "sizes differ, 3 against 2 × 2"),
    ("source.vector", "sink.pair", "sizes differ, 3 against 2"),
    ("source.metre", "sink.angle", "units differ, m against rad"),
    ("source.metre", "gain.u", "units differ, m against 1"),
    ("source.millimetre", "gain.u", "units differ, mm (m in base units) against 1"),
]


def end(text):
    part, _, name = text.partition(".")
    return End(part, name)


@pytest.mark.parametrize(("a", "b"), GOOD)
def test_what_fits_connects(d, a, b):
    assert connection_fault(d, end(a), end(b)) is None
    d.connect(end(a), end(b))


@pytest.mark.parametrize(("a", "b", "reason"), BAD)
def test_what_does_not_fit_is_refused_at_once_with_the_reason(d, a, b, reason):
    assert reason in connection_fault(d, end(a), end(b))
    with pytest.raises(DiagramError) as caught:
        d.connect(end(a), end(b))
    assert reason in str(caught.value)
    assert str(caught.value).startswith(f"cannot connect {a}")
    assert d.connections == []


def test_the_message_shows_both_ends_with_their_units(d):
    with pytest.raises(DiagramError) as caught:
        d.connect(d.parts["source"].metre, d.parts["sink"].angle)
    expected = "cannot connect source.metre [m] to sink.angle [rad]: units differ, m against rad"
    assert str(caught.value) == expected


def test_an_input_has_one_driver(d):
    source, sink = d.parts["source"], d.parts["sink"]
    d.connect(source.metre, sink.length)
    with pytest.raises(DiagramError, match=r"sink\.length is already driven by source\.metre; an input has one driver"):
        d.connect(source.millimetre, sink.length)
    with pytest.raises(DiagramError, match="connected already"):
        d.connect(source.metre, sink.length)
    d.connect(source.metre, sink["vector[1]"])  # one output may drive several inputs


def test_an_element_and_its_array_share_their_driver(d):
    source, sink = d.parts["source"], d.parts["sink"]
    d.connect(source.metre, sink["vector[2]"])
    with pytest.raises(DiagramError, match=r"sink\.vector\[2\] is already driven by source\.metre"):
        d.connect(source.vector, sink.vector)
    d.connect(source["vector[1]"], sink["vector[1]"])
    with pytest.raises(DiagramError, match="one driver"):
        d.connect(source["vector[2]"], sink["vector[1]"])


def test_a_removed_connection_drives_no_more(d):
    source, sink = d.parts["source"], d.parts["sink"]
    d.connect(source.metre, sink.length)
    (other,) = d.connect(source.degree, sink.angle)
    d.connections.pop(0)
    d.connect(source.millimetre, sink.length)
    d.connections.remove(other)
    d.connections.append(other)
    with pytest.raises(DiagramError, match=r"already driven by source\.millimetre"):
        d.connect(source.metre, sink.length)


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
