"""Responses are in the unit that they name: converted from that of the signal, or refused."""

import re
from fractions import Fraction

import numpy as np
import pytest

from drawbar.blocks.core.errors import UsageError
from drawbar.blocks.signals.sine import Sine
from drawbar.diagrams.model.diagram import Diagram
from drawbar.orchestrator.reports.report_file import check_report
from drawbar.orchestrator.reports.response_units import check_units
from drawbar.orchestrator.reports.responses import evaluate, rows, table
from drawbar.orchestrator.runs.recorder import Column, Rate, Recorder
from drawbar.orchestrator.runs.run import Run
from drawbar.web.report.run_folder import main_responses

UNITS = {
    "load": "N",
    "roll": "rad",
    "a_y": "m/s2",
    "temperature": "K",
    "speed": "m/s",
    "slip": "1",
    "odd": "furlong",
    "bare": "",
    "swing": "",
}
FIRST = [4000.0, 0.1, 4.903325, 300.0, 10.0, 0.2, 7.0, 3.0, 1.0]
LAST = [5240.0, -0.1, -4.903325, 310.0, 20.0, 0.4, 8.0, 6.0, -1.0]


@pytest.fixture
def make(tmp_path):
    """Return a run with one signal of each unit, whose report has the given responses."""

    def made(**responses):
        report = {"responses": responses}
        check_report(report)
        columns = tuple(Column(f"car.{name}", unit) for name, unit in UNITS.items())
        recorder = Recorder(tmp_path / "run", {"report": report}, [Rate(Fraction(1), columns)])
        recorder.write(0, np.array([[0.0, *FIRST], [1.0, *LAST]]))
        recorder.finish("ok")
        return Run(tmp_path / "run"), report

    return made


A_Y = {"signal": "car.a_y", "unit": "g_n"}


@pytest.mark.parametrize(
    ("entry", "upper", "lower", "unit"),
    [
        ({"signal": "car.load", "unit": "kN"}, 5.24, 4.0, "kN"),
        ({"signal": "car.load", "unit": "N"}, 5240.0, 4000.0, "N"),
        ({"signal": "car.load"}, 5240.0, 4000.0, "N"),
        ({"signal": "car.load", "unit": "kN", "factor": 1}, 5240.0, 4000.0, "kN"),  # as the user states it
        ({"signal": "car.roll", "unit": "deg"}, 5.729578, -5.729578, "deg"),
        ({"signal": "car.temperature", "unit": "degC"}, 36.85, 26.85, "degC"),
        ({"signal": "car.load", "unit": "1", "relative_to": "start"}, 1.31, 1.0, "1"),
        ({"signal": "car.load", "unit": "%", "relative_to": "start"}, 131.0, 100.0, "%"),
        ({"signal": "car.load", "relative_to": "start"}, 1.31, 1.0, "1"),
        ({"signal": "car.odd", "unit": "furlong"}, 8.0, 7.0, "furlong"),
        ({"signal": "car.bare", "unit": "kN"}, 6.0, 3.0, "kN"),
        ({"signal": "car.bare"}, 6.0, 3.0, "1"),
        ({"signal": "car.roll", "unit": "deg/g_n", "per": "a"}, 11.459156, 11.459156, "deg/g_n"),
        ({"signal": "car.roll", "per": "a"}, 0.2, 0.2, "rad/g_n"),
        ({"signal": "car.a_y", "per": "a"}, 9.80665, 9.80665, "m/s2/g_n"),
        ({"signal": "car.roll", "per": "bare", "unit": "rad/N"}, 0.1, 0.1, "rad/N"),
        ({"signal": "car.roll", "per": "bare", "unit": "deg/N"}, 5.729578, 5.729578, "deg/N"),
        ({"signal": "car.swing", "per": "same", "unit": "N/deg"}, 0.174533, 0.174533, "N/deg"),
        ({"signal": "car.swing", "per": "same"}, 10.0, 10.0, "1"),
        ({"signal": "car.roll", "per": "plain", "unit": "rad/(m/s2)"}, 0.02039432, 0.02039432, "rad/(m/s2)"),
        ({"signal": "car.roll", "per": "plain", "unit": "deg/(m/s2)"}, 1.168508, 1.168508, "deg/(m/s2)"),
        ({"signal": "car.roll", "per": "plain", "unit": "deg.s2/m"}, 1.168508, 1.168508, "deg.s2/m"),
        ({"signal": "car.roll", "per": "same"}, 1.0, 1.0, "1"),
    ],
)
def test_a_response_is_in_the_unit_that_it_names(make, entry, upper, lower, unit):
    run, report = make(
        r=entry, a=A_Y, same={"signal": "car.roll"}, bare={"signal": "car.swing"}, plain={"signal": "car.a_y"}
    )
    found = evaluate(run, report)["r"]
    assert "reason" not in found
    assert (found["max"], found["min"]) == (pytest.approx(upper), pytest.approx(lower))
    assert found["unit"] == unit
    assert {row.unit for row in rows({"r": found}, report) if row.response == "r"} == {unit}


def test_the_table_and_the_view_show_kilonewtons(make):
    run, report = make(tire={"signal": "car.load", "unit": "kN", "label": "tire load"})
    assert re.search(r"tire load +kN +max +5\.24", table(evaluate(run, report), report))
    assert [(one.unit, one.value) for one in main_responses(run)] == [("kN", 5.24), ("kN", 4.0)]


def test_values_at_another_signal_are_converted_as_well(make):
    run, report = make(r={"signal": "car.load", "unit": "kN", "against": "car.slip", "at": [0.3]})
    assert evaluate(run, report)["r"]["against"]["values"] == [pytest.approx(4.62)]


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ({"signal": "car.load", "unit": "kg"}, "car.load is in N, and its 'unit' is kg, which measures something else"),
        ({"signal": "car.load", "unit": "N", "relative_to": "start"}, "car.load relative to its start is in 1"),
        ({"signal": "car.a_y", "unit": "g"}, "car.a_y is in m/s2, and its 'unit' is g, .*gravity is 'g_n'"),
        (
            {"signal": "car.speed", "unit": "knots"},
            "car.speed is in m/s, and its 'unit' is knots: .*'knots' is unknown",
        ),
        ({"signal": "car.odd", "unit": "m"}, "car.odd is in furlong, and its 'unit' is m: .*'furlong' is unknown"),
        ({"signal": "car.roll", "unit": "deg", "per": "a"}, "car.roll per 'a' is in rad/g_n, and its 'unit' is deg"),
    ],
)
def test_a_unit_that_does_not_fit_is_not_judged_and_both_units_are_told(make, entry, message):
    run, report = make(r=entry, a=A_Y)
    found = evaluate(run, report)
    assert (found["r"]["max"], "reason" in found["a"]) == (None, False)
    assert re.search(f"^response 'r': {message}", found["r"]["reason"])
    assert "'factor'" in found["r"]["reason"]
    assert "not judged: response 'r'" in table(found, report)


def test_the_ports_of_a_diagram_are_checked_before_it_is_run():
    diagram = Diagram("d", step="0.1")
    diagram.add("source", Sine)
    for unit, signal, faulty in (("kN", "source.y", True), ("%", "source.y", False), ("kN", "source.z", False)):
        report = {"responses": {"r": {"signal": signal, "unit": unit}}}
        if faulty:
            with pytest.raises(UsageError, match=r"source\.y is in 1, and its 'unit' is kN"):
                check_units(report, diagram)
        else:
            check_units(report, diagram)
