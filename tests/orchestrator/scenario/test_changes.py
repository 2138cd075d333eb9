"""Timed changes: which variables may change, exact times, and the message for each wrong text."""

from fractions import Fraction
from typing import Any

import pytest

from drawbar.blocks import Continuous, Input, Output, Parameter, State, UsageError
from drawbar.diagrams.model.diagram import Diagram
from drawbar.orchestrator.scenario.changes import Change, read_change, read_changes


class Tire(Continuous):
    """Something that changes on the way."""

    load = Input("N", "load", min=0.0)
    wind = Input("N", "wind", size=2)
    on_ice = Input("1", "surface", type=bool)
    friction = Parameter(0.8, "1", "friction", min=0.0, max=2.0, tunable=True)
    curve = Parameter([1.0, 2.0, 3.0], "1", "coefficients", size=3, tunable=True)
    gear = Parameter(1, "1", "gear", type=int, tunable=True)
    radius = Parameter(0.4, "m", "radius")
    slip = State(0.0, "1", "slip")
    force = Output("N", "force")

    def derivatives(self) -> dict[str, Any]:
        return {"slip": self.curve[0] * self.gear * self.radius + 0.0 * self.on_ice}

    def outputs(self) -> dict[str, Any]:
        return {"force": self.friction * self.load + self.wind[0]}


@pytest.fixture
def diagram() -> Diagram:
    """`tire` with nothing connected but a connector; `rear` loaded by it."""
    d = Diagram("tires")
    tire, rear = d.add("tire", Tire), d.add("rear", Tire)
    d.connect(tire.force, rear.load)
    d.expose(tire.load)
    return d


@pytest.mark.parametrize(
    ("text", "change"),
    [
        ("2.5:tire.friction=0.3", Change(Fraction(5, 2), "tire", "friction", {"friction": 0.3})),
        ("0:tire.gear=2", Change(Fraction(0), "tire", "gear", {"gear": 2})),
        ("1/3:tire.on_ice=true", Change(Fraction(1, 3), "tire", "on_ice", {"on_ice": True})),
        (" 1e-3 : tire.curve[2] = 7", Change(Fraction(1, 1000), "tire", "curve[2]", {"curve[2]": 7.0})),
        ("0.1:tire.wind=[1, -2]", Change(Fraction(1, 10), "tire", "wind", {"wind[1]": 1.0, "wind[2]": -2.0})),
        (".5:tire.wind=0", Change(Fraction(1, 2), "tire", "wind", {f"wind[{i}]": 0.0 for i in (1, 2)})),
        ("1:tire.load=3kN", Change(Fraction(1), "tire", "load", {"load": 3000.0})),
        ("1:tire.load= 2e3 kg.m/s2 ", Change(Fraction(1), "tire", "load", {"load": 2000.0})),
        ("1:tire.wind=[1, -2] kN", Change(Fraction(1), "tire", "wind", {"wind[1]": 1000.0, "wind[2]": -2000.0})),
        ("1:tire.friction=30%", Change(Fraction(1), "tire", "friction", {"friction": 0.3})),
        ("5.:tire.load=3", Change(Fraction(5), "tire", "load", {"load": 3.0})),
    ],
)
def test_a_change_has_an_exact_time_and_typed_values(diagram: Diagram, text: str, change: Change) -> None:
    found = read_change(text, diagram)
    assert found == change
    assert [type(v) for v in found.values.values()] == [type(v) for v in change.values.values()]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("tire.friction=0.3", "write it as time:part.name=value, for instance 2.5:tire.friction=0.3"),
        ("2.5:tire.friction", "write it as time:part.name=value"),
        ("2.5:friction=1", "write it as time:part.name=value"),
        ("-1:tire.friction=1", "the time -1 s is before the start of the run at 0 s"),
        ("soon:tire.friction=1", "'soon' is not a number of seconds; write it as 2.5 or 1/30"),
        ("nan:tire.friction=1", "'nan' is not a number of seconds"),
        ("1/0:tire.friction=1", "'1/0' is not a number of seconds"),
        ("1e999999999:tire.friction=1", "'1e999999999' is not a number of seconds"),
        ("1" * 50 + ":tire.friction=1", "is not a number of seconds"),
        ("1:tyre.friction=1", "there is no part 'tyre'; did you mean 'tire'?"),
        ("1:tire.frictoin=1", "tire (Tire) has no variable 'frictoin'; did you mean 'friction'?"),
        ("1:tire.curve[4]=1", "it goes from curve[1] to curve[3]"),
        ("1:tire.radius=1", "tire.radius is a fixed parameter; only tunable parameters and inputs that nothing drives"),
        ("1:tire.force=1", "tire.force is an output; only tunable parameters"),
        ("1:tire.slip=1", "tire.slip is a local variable; only tunable parameters"),
        ("1:rear.load=1", "rear.load is an input that tire.force drives; a change there would not last"),
        ("1:tire.friction=3", "tire.friction = 3 lies outside its limits 0 to 2"),
        ("1:tire.friction=ice", "tire.friction = 'ice' is no number"),
        ("1:tire.friction=NaN", "not a finite number"),
        ("1:tire.friction=null", "tire.friction = None is no number"),
        ("1:tire.friction=", "tire.friction = '' is no number"),
        ("1:tire.friction=1" + "0" * 400, "the number is too large"),
        ("1:tire.friction=" + "[" * 100_000, "is no number"),
        ("1:tire.gear=1.5", "tire.gear = 1.5, but it is of type Integer"),
        (
            "1:tire.wind=[1, 2, 3]",
            "tire.wind has shape (3,), but the variable takes shape (2,): write wind = [0.0, 0.0]",
        ),
        ("1:tire.load=[1, 2]", "tire.load has shape (2,), but the variable takes one number"),
        (
            "1:tire.curve=4",
            "tire.curve = 4 is one number, but the variable takes shape (3,): write curve = [1.0, 2.0, 3.0], or one "
            "element: curve[1] = 4",
        ),
        ("1:tire.load=3 m", "tire.load is given in [m], but the variable is in [N]"),
        ("1:tire.load=3 kNm", "unit 'kNm': 'kNm' is unknown"),
        ("1:tire.load=3 kNm", "; tire.load is in [N]"),
        ("1:tire.load=much", "tire.load = 'much' is no number; it is in [N]"),
        ("1:tire.load=1..2N", "tire.load = '1..2N' is no number"),
        ("1:tire.gear=2 m", "tire.gear = 2 m has the unit 'm', but tire.gear is of type Integer; give a number"),
        ("1:tire.on_ice=1s", "tire.on_ice = 1s has the unit 's', but tire.on_ice is of type Boolean; give a number"),
    ],
)
def test_the_message_names_what_is_wrong_with_a_change(diagram: Diagram, text: str, message: str) -> None:
    with pytest.raises(UsageError) as error:
        read_change(text, diagram)
    assert str(error.value).startswith(f"change {text[:80]}")
    assert message in str(error.value)


def test_set_is_named_where_it_is_the_way(diagram: Diagram) -> None:
    for name, named in (("radius", True), ("force", False)):
        with pytest.raises(UsageError) as error:
            read_change(f"1:tire.{name}=1", diagram)
        assert ("--set changes it before the run" in str(error.value)) is named


def test_reading_a_change_leaves_the_diagram_as_it_is(diagram: Diagram) -> None:
    read_change("1:tire.friction=0.3", diagram)
    assert diagram.parts["tire"].starts == {}


def test_two_values_at_one_time_are_refused(diagram: Diagram) -> None:
    with pytest.raises(UsageError, match=r"two changes at 1 s set tire.friction to 0.3 and to 0.4; leave one out"):
        read_changes(["1:tire.friction=0.3", "2/2:tire.friction=0.4"], diagram)
    assert len(read_changes(["1:tire.friction=0.3", "2:tire.friction=0.4"], diagram)) == 2
