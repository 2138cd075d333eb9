"""Start values: checked against shape, type and limits of their variable."""

from typing import Any

import numpy as np
import pytest

from drawbar.blocks import Continuous, DiagramError, Output, Parameter
from drawbar.diagrams import Diagram
from drawbar.diagrams.parameters.parameter_set import ParameterSet


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
    for wrong in ([1.0, 2.0, 3.0, 4.0], [[1.0], [2.0], [3.0], [4.0]], [[5.0]]):
        with pytest.raises(DiagramError, match=r"the variable takes shape \(2, 2\)"):
            sink.set("table", wrong)
    with pytest.raises(DiagramError, match="must be at least 0 m"):
        sink.set("offsets", [1.0, -2.0, 3.0])
    flags = d.add("f", block("Flags"), limit=4, active=False)
    assert flags.start_values() == {"limit": 4, "active": False}
    with pytest.raises(DiagramError, match="of type Integer"):
        flags.set("limit", 2.5)
    with pytest.raises(DiagramError, match="of type Boolean"):
        flags.set("active", 2)


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


class Numbered(Continuous):
    """Has a whole number."""

    n = Parameter(1, "1", "number", type=int)
    y = Output("1", "none")

    def outputs(self) -> dict[str, Any]:
        return {"y": 0.0 * self.n}


@pytest.mark.parametrize("value", [2**31, -(2**31) - 1, 3000000000, 3e9, 10**20])
def test_an_integer_beyond_32_bits_is_refused_however_it_is_given(value):
    """FMI 2.0 would send 3000000000 as -1294967296."""
    beyond = r"p\.n = .* is beyond the 32-bit integers of FMI 2\.0, -2147483648 to 2147483647"
    d = Diagram("d")
    p = d.add("p", Numbered)
    with pytest.raises(DiagramError, match=beyond):
        p.set("n", value)
    with pytest.raises(DiagramError, match=beyond):
        Diagram("e").add("p", Numbered, n=value)
    p.overrides["n"] = value
    with pytest.raises(DiagramError, match=beyond):
        p.start_values()
    p.overrides.clear()
    values = ParameterSet("set")
    values.set("p.n", value)
    assert values.parameters["p.n"].type == "Real"  # in a file too, it is no Integer
    with pytest.raises(DiagramError, match=beyond):
        d.bind(values)


@pytest.mark.parametrize("value", [-(2**31), 2**31 - 1])
def test_the_ends_of_the_range_of_integers_are_integers(value):
    assert Diagram("d").add("p", Numbered, n=value).start_values() == {"n": value}


def test_a_large_whole_number_is_a_number():
    class Spring(Continuous):
        """Stiff."""

        k = Parameter(1.0, "N/m", "stiffness")
        y = Output("1", "none")

        def outputs(self) -> dict[str, Any]:
            return {"y": 0.0 * self.k}

    assert Diagram("d").add("s", Spring, k=10**20).start_values() == {"k": 1e20}
    with pytest.raises(DiagramError, match="too large"):
        Diagram("d").add("s", Spring, k=10**400)
