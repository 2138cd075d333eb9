"""report.json: what makes it unusable is said before a run."""

from fractions import Fraction

import numpy as np
import pytest

from drawbar.blocks.core.errors import UsageError
from drawbar.orchestrator.reports.report_file import check_report
from drawbar.orchestrator.reports.responses import evaluate, rows
from drawbar.orchestrator.runs.recorder import Column, Rate, Recorder
from drawbar.orchestrator.runs.run import Run

COLUMNS = (Column("car.load[1]", "N"), Column("car.load[2]", "N"), Column("car.a_y", "m/s2"), Column("car.bad", "1"))
VALUES = [
    [0.0, 2000.0, 4000.0, np.nan, 0.0],
    [0.1, 3000.0, 4400.0, 4.9, np.nan],
    [0.2, 1200.0, 3600.0, -2.5, np.nan],
    [0.3, 2000.0, np.inf, 0.0, 1.0],
]


@pytest.fixture
def run(tmp_path):
    recorder = Recorder(tmp_path / "run", {}, [Rate(Fraction(1, 10), COLUMNS)])
    recorder.write(0, np.array(VALUES))
    recorder.finish("ok")
    return Run(tmp_path / "run")


REPORT = {
    "judge": {"column": "adams", "tolerance": 0.2},
    "responses": {
        "load": {
            "signal": "car.load[1]",
            "relative_to": "start",
            "unit": "1",
            "label": "load over static",
            "published": {"adams": [1.5, 0.5], "roams": [1.6, 0.4]},
        },
        "a_y": {"signal": "car.a_y", "factor": 0.1, "unit": "g", "published": {"adams": [0.5, -0.5]}},
    },
}


def only(**entry):
    return {"responses": {"r": entry}}


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"identified": ["soft"]}, "'identified' must be an object"),
        ({"identified": {"soft": "a_y"}}, "'identified' must be an object"),
        ({"identified": {"soft": ["a_z"]}}, "'identified' names 'a_z'; did you mean 'a_y'"),
        ({"cases": [{"name": "a", "set": {}, "params": "soft"}]}, "case 1: 'params'"),
        ({"cases": [{"name": "a", "set": {}, "params": [1]}]}, "case 1: 'params'"),
    ],
)
def test_what_a_report_says_of_parameter_sets_is_checked(wrong, message):
    with pytest.raises(UsageError, match=message):
        check_report({**REPORT, **wrong})


@pytest.mark.parametrize(
    ("report", "message"),
    [
        ({"responses": []}, "'responses' must be an object"),
        (only(unit="1"), "'r' has no 'signal'"),
        (only(signal="a", relative_to="mean"), "'mean'"),
        (only(signal="a", factor="2"), "not a number"),
        (only(signal="a", per="b"), "'per' is 'b'"),
        (only(signal="a", per="r"), "'per' is 'r'"),
        (only(signal="a", per=["r"]), r"'per' is '\['r'\]'"),
        (only(signal="a", published={"adams": [1]}), r"'published' must be .*\[max, min\]"),
        (only(signal="a", published={"adams": [1, None]}), r"'published' must be .*\[max, min\]"),
        (only(signal="a", published=[1, 2]), r"'published' must be .*\[max, min\]"),
        (only(signal="a", window=12), r"the window 12 must be \[start, end\] in seconds"),
        (only(signal="a", window=[0, "12"]), r"the window \[0, '12'\] must be \[start, end\] in seconds"),
        (only(signal="a", window=[3, 3]), r"the window \[3, 3\]"),
        ({**only(signal="a"), "window": [-1, 3]}, r"the window \[-1, 3\]"),
        ({"judge": {"column": "adams"}, "responses": {}}, "needs a 'column' and a 'tolerance'"),
    ],
)
def test_a_malformed_report_is_refused_in_words(run, report, message):
    with pytest.raises(UsageError, match=message):
        rows(evaluate(run, report), report)
    with pytest.raises(UsageError, match=message):
        check_report(report)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"against": "car.a_y"}, "'at' a list of its values"),
        ({"at": [1.0]}, "'against' must be the name of a signal"),
        ({"against": "car.a_y", "at": []}, "'at' a list of its values"),
        ({"against": "car.a_y", "at": ["fast"]}, "'at' a list of its values"),
        ({"against": 3, "at": [1.0]}, "'against' must be the name of a signal"),
    ],
)
def test_what_a_response_is_against_is_checked(words, message):
    with pytest.raises(UsageError, match=message):
        check_report(only(signal="car.a_y", **words))
