"""report.json: what makes it unusable is said before a run."""

import json
import re
from pathlib import Path

import pytest

from drawbar.blocks.core.errors import UsageError
from drawbar.orchestrator.reports.report_file import check_report
from drawbar.orchestrator.reports.responses import evaluate, rows

REPORT = json.loads(Path(__file__).with_name("car_report.json").read_text(encoding="utf-8"))


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


def test_the_example_of_the_documentation_can_be_used(clone: Path) -> None:
    (example,) = re.findall(r"^```json\n(.*?)^```$", (clone / "docs" / "runs.md").read_text("utf-8"), re.M | re.S)
    report = json.loads(example)
    check_report(report)
    assert {"window", "judge", "responses", "cases", "plots"} == report.keys()
