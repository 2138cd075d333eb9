import json
import re
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from drawbar.orchestrator.reports.report_file import check_report
from drawbar.orchestrator.reports.responses import evaluate, rows, table
from drawbar.orchestrator.runs.recorder import Column, Rate, Recorder
from drawbar.orchestrator.runs.run import Run

REPORT = json.loads(Path(__file__).with_name("car_report.json").read_text(encoding="utf-8"))


def only(**entry):
    return {"responses": {"r": entry}}


def judged(run, report, case=None):
    return [row for row in rows(evaluate(run, report), report, case) if row.within is not None]


def test_extremes_are_relative_scaled_and_beside_the_published_ones(run):
    assert evaluate(run, REPORT) == {
        "load": {"max": 1.5, "min": 0.6, "unit": "1", "published": {"adams": [1.5, 0.5], "roams": [1.6, 0.4]}},
        "a_y": {
            "max": pytest.approx(0.49),
            "min": pytest.approx(-0.25),
            "unit": "g",
            "published": {"adams": [0.5, -0.5]},
        },
    }


def test_a_response_per_another_divides_max_by_max_and_min_by_min(run):
    ratio = {"signal": "car.a_y", "factor": 2.0, "per": "a_y", "unit": "m/s2/g", "published": {"adams": [20.0, 16.0]}}
    found = evaluate(run, {**REPORT, "responses": {"ratio": ratio, **REPORT["responses"]}})["ratio"]
    assert (found["max"], found["min"]) == (pytest.approx(20.0), pytest.approx(20.0))
    beside = {"signal": "car.a_y", "per": "load"}
    found = evaluate(run, {**REPORT, "responses": {"ratio": beside, **REPORT["responses"]}})["ratio"]
    assert found["max"] is None
    assert re.fullmatch("response 'ratio': 'load' must .* 0.6 to 1.5", found["reason"])


def test_a_relative_response_is_judged_by_its_peak_to_peak_value_and_others_by_both_ends(run):
    verdicts = judged(run, REPORT)
    assert [(v.response, v.quantity, v.within) for v in verdicts] == [
        ("load", "peak-to-peak", True),
        ("a_y", "max", True),
        ("a_y", "min", False),
    ]
    peak_to_peak = verdicts[0]
    assert (peak_to_peak.ours, peak_to_peak.published["adams"]) == (pytest.approx(0.9), 1.0)
    assert peak_to_peak.deviations["adams"] == pytest.approx(-10.0)
    assert verdicts[2].deviations["adams"] == pytest.approx(-50.0)


def test_what_a_parameter_set_of_the_run_was_fitted_to_is_identified_and_not_judged(tmp_path):
    report = {
        **only(signal="car.load", published={"adams": [1.5, 0.5]}),
        "judge": {"column": "adams", "tolerance": 0.2},
    }
    report["identified"] = {"soft": ["r"]}
    check_report(report)

    def shown(name, **info):
        recorder = Recorder(tmp_path / name, info, [Rate(Fraction(1), (Column("car.load", "N"),))])
        recorder.write(0, np.array([[0.0, 1.0], [1.0, 1.5]]))
        recorder.finish("ok")
        run = Run(tmp_path / name)
        (line, _) = rows(evaluate(run, report), report)
        return (
            evaluate(run, report)["r"].get("identified"),
            line.identified,
            line.within,
            table(evaluate(run, report), report),
        )

    told = shown("soft", parameter_sets=[{"file": "soft.ssv", "part": "car"}])
    assert told[:3] == (True, True, None)
    assert "identified" in told[3]
    for name, sets in (("hard", [{"file": "hard.ssv"}]), ("none", [])):
        told = shown(name, parameter_sets=sets)
        assert told[:3] == (None, False, True)
        assert "identified" not in told[3]


@pytest.mark.parametrize(("tolerance", "within"), [(0.11, True), (0.09, False)])
def test_the_tolerance_decides(run, tolerance, within):
    report = {**REPORT, "judge": {"column": "adams", "tolerance": tolerance}}
    assert judged(run, report)[0].within is within


def test_a_case_may_judge_by_another_column_and_fewer_responses(run):
    case = {"name": "0.60 g", "judge": {"column": "roams", "tolerance": 0.2}}
    assert [(v.response, v.published["roams"], v.within) for v in judged(run, REPORT, case)] == [
        ("load", pytest.approx(1.2), False)
    ]
    few = {"judge": {"column": "adams", "tolerance": 0.2, "responses": ["a_y"]}}
    assert {v.response for v in judged(run, REPORT, few)} == {"a_y"}
    assert judged(run, {"responses": REPORT["responses"]}) == []


def test_samples_that_are_no_numbers_are_left_out(run):
    result = evaluate(run, only(signal="car.load[2]", published={}))["r"]
    assert (result["max"], result["min"]) == (4400.0, 3600.0)
    result = evaluate(run, only(signal="car.load"))["r"]
    assert (result["max"], result["min"]) == (4400.0, 1200.0)


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ({"signal": "car.lod"}, r"the signal car.lod was not recorded; did you mean 'car.load'"),
        ({"signal": "car.bad", "relative_to": "start"}, r"starts at \[0.0\]"),
        ({"signal": "car.a_y", "relative_to": "start"}, r"starts at \[nan\]"),
    ],
)
def test_what_cannot_be_judged_says_why_in_its_row_and_the_others_still_come(run, entry, message):
    report = {**REPORT, "responses": {"broken": {"published": {"adams": [1, 0]}, **entry}, **REPORT["responses"]}}
    results = evaluate(run, report)
    assert (results["broken"]["max"], results["broken"]["min"]) == (None, None)
    assert re.search(message, results["broken"]["reason"])
    assert (results["load"]["max"], "reason" in results["load"]) == (1.5, False)
    assert [row.within for row in rows(results, report) if row.response == "broken"] == [None]
    text = table(results, report).splitlines()
    assert re.fullmatch(rf"broken            1     not judged: .*{message}.*", text[2])
    plain = table(evaluate(run, REPORT), REPORT).splitlines()
    assert [len(line) for line in text[:2]] == [len(line) for line in plain[:2]], "the sentence makes no column wider"
    assert text[3].startswith("load over static  1     max ")


def test_a_signal_without_a_finite_sample_says_so(tmp_path):
    recorder = Recorder(tmp_path, {}, [Rate(Fraction(1), (Column("a", "1"),))])
    recorder.write(0, np.array([[0.0, np.nan]]))
    assert "no finite sample" in evaluate(Run(tmp_path), only(signal="a"))["r"]["reason"]


@pytest.fixture
def record(tmp_path):
    """Records ``a`` = t every `period` up to `last`, in a run that was to reach 12 s."""

    made = []

    def make(last, period=Fraction(1, 10), outcome="ok", stop=12.0):
        times = np.arange(round(last / period) + 1) * float(period)
        made.append(last)
        recorder = Recorder(tmp_path / f"run{len(made)}", {"stop": stop}, [Rate(period, (Column("a", "1"),))])
        recorder.write(0, np.column_stack([times, times]))
        if outcome is not None:
            recorder.finish(outcome)
        return Run(recorder.folder)

    return make


SHORT = "the run ends at t = 3 s, and the response needs it up to 12 s"


@pytest.mark.parametrize("period", [Fraction(1, 10), Fraction(1), Fraction(3)])
def test_a_run_that_ends_before_the_window_is_not_judged(record, period):
    rule = {"judge": {"column": "adams", "tolerance": 0.2}}
    for report in (
        {**only(signal="a", published={"adams": [12, 0.1]}, window=[0, 12]), **rule},
        {**only(signal="a", published={"adams": [12, 0.1]}), **rule, "window": [0, 12]},
    ):
        result = evaluate(record(3, period, stop=3.0), report)
        assert (result["r"]["max"], result["r"]["min"], result["r"]["reason"]) == (None, None, SHORT)
        assert table(result, report).splitlines()[2:] == [f"r         1     not judged: {SHORT}"]
        (row,) = rows(result, report)
        assert (row.within, row.deviations, row.reason) == (None, {}, f"not judged: {SHORT}")
        whole = judged(record(12, period), report)  # the control
        assert [(w.quantity, w.within) for w in whole] == [("max", True), ("min", False)]


def test_rows_that_were_left_out_do_not_make_a_run_short(record):
    report = only(signal="a", window=[0, 12])
    assert evaluate(record(10, Fraction(5)), report)["r"]["max"] == 10.0  # the next row would come at 15 s
    assert "ends at t = 6 s" in evaluate(record(6, Fraction(3)), report)["r"]["reason"]


def test_only_samples_in_the_window_count_and_that_of_the_response_comes_first(record):
    report = {**only(signal="a", window=[2, 4]), "window": [0, 1000]}
    result = evaluate(record(12), report)["r"]
    assert (result["max"], result["min"]) == (pytest.approx(4.0), pytest.approx(2.0))


@pytest.mark.parametrize("outcome", ["failed", "interrupted", None])
def test_a_run_that_failed_is_not_judged_by_what_there_is(record, outcome):
    assert evaluate(record(3, outcome=outcome), only(signal="a"))["r"]["reason"] == SHORT
    assert evaluate(record(12, outcome=outcome), only(signal="a"))["r"]["max"] == pytest.approx(12.0)


def test_a_run_that_a_stop_condition_ended_is_judged(record):
    assert evaluate(record(3), only(signal="a"))["r"]["max"] == pytest.approx(3.0)


def test_the_table_is_aligned_with_ours_beside_each_column(run):
    assert table(evaluate(run, REPORT), REPORT).splitlines() == [
        "response          unit                 ours  ADAMS  deviation  ROAMS  deviation  within 20 % of ADAMS",
        "----------------  ----  ------------  -----  -----  ---------  -----  ---------  --------------------",
        "load over static  1     max            1.50   1.50              1.60",
        "                        min            0.60   0.50              0.40",
        "                        peak-to-peak   0.90   1.00    -10.0 %   1.20    -25.0 %                   yes",
        "a_y               g     max            0.49   0.50     -2.0 %      -                              yes",
        "                        min           -0.25  -0.50    -50.0 %      -                               NO",
    ]


def test_a_published_zero_has_no_deviation_and_only_zero_is_within(run):
    report = {**only(signal="car.a_y", published={"adams": [0, -2.5]}), "judge": {"column": "adams", "tolerance": 0.2}}
    upper, lower = rows(evaluate(run, report), report)
    assert (upper.deviations["adams"], upper.within) == (None, False)
    assert (lower.deviations["adams"], lower.within) == (0.0, True)


def test_a_response_against_another_signal_has_its_values_there(run):
    entry = {"signal": "car.load[1]", "factor": 0.001, "against": "car.a_y", "at": [-1.25, 0.0, 6.0, -2.5]}
    report = only(**entry)
    check_report(report)
    found = evaluate(run, report)["r"]["against"]
    assert found == {"signal": "car.a_y", "at": entry["at"], "values": [1.6, 2.0, None, 1.2]}
    assert "against" not in evaluate(run, only(signal="car.load[1]"))["r"]


@pytest.mark.parametrize(
    ("held", "values"), [([], [12.5, 20.0]), (["y"], [10.0, 20.0]), (["x"], [20.0, 20.0]), (["x", "y"], [20.0, 20.0])]
)
def test_a_response_against_another_signal_has_no_value_between_two_samples_of_a_held_one(tmp_path, held, values):
    columns = [Column(n, "1", variability="discrete" if n in held else "continuous") for n in ("x", "y")]
    recorder = Recorder(tmp_path, {}, [Rate(Fraction(1), tuple(columns))])
    recorder.write(0, np.array([[0.0, 0.0, 10.0], [1.0, 4.0, 20.0]]))
    recorder.finish("ok")
    found = evaluate(Run(tmp_path), only(signal="y", against="x", at=[1.0, 4.0]))["r"]["against"]
    assert found["values"] == values


def test_a_response_against_a_signal_that_was_not_recorded_says_so(run):
    found = evaluate(run, only(signal="car.load[1]", against="car.ay", at=[0.0]))["r"]
    assert "car.ay was not recorded" in found["reason"]
    assert "did you mean 'car.a_y'" in found["reason"]
