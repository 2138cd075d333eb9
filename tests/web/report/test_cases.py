import shutil

import pytest

from drawbar.orchestrator.runs.run import Run
from drawbar.web.report.cases import all_gaps, find_cases


def test_the_cases_of_a_report_are_the_runs_inside(with_cases):
    cases = find_cases(Run(with_cases("0.60 g", "0.70 g")))
    assert [(case.name, case.run.folder.name) for case in cases.found] == [("0.60 g", "0.60_g"), ("0.70 g", "0.70_g")]
    assert cases.found[0].rule["judge"]["column"] == "roams"
    assert cases.notes == []


def test_a_case_that_is_not_there_is_told_and_the_others_are_found(with_cases):
    folder = with_cases("0.60 g", "0.70 g")
    shutil.rmtree(folder / "cases" / "0.60_g")
    cases = find_cases(Run(folder))
    assert [case.name for case in cases.found] == ["0.70 g"]
    (note,) = cases.notes
    assert note.startswith(f"The case 0.60 g is left out: no run at {folder / 'cases' / '0.60_g'}: it does not exist")


def test_a_run_without_cases_has_none(lane_change):
    assert find_cases(Run(lane_change())).found == []


@pytest.mark.parametrize("report", [[1], {"cases": 3}, {"cases": {}}])
def test_a_report_of_another_kind_has_none(lane_change, report):
    cases = find_cases(Run(lane_change(report=report)))
    assert (cases.found, cases.notes) == ([], [])


@pytest.mark.parametrize("case", [1, {"set": {}}, {"name": 2}])
def test_a_case_without_a_name_is_told(lane_change, case):
    (note,) = find_cases(Run(lane_change(report={"cases": [case]}))).notes
    assert "has no name; it is left out" in note


def test_what_is_missing_of_a_case_is_missing_of_the_run(with_cases):
    folder = with_cases("0.60 g")
    assert all_gaps(Run(folder)) == []
    place = folder / "cases" / "0.60_g" / "signals" / "0.01s"
    (place / "00001.parquet").unlink()
    assert all_gaps(Run(folder)) == [f"case 0.60 g: {place} holds no file of samples"]
