import shutil
from fractions import Fraction

import numpy as np
import pytest

from drawbar.orchestrator.runs.recorder import Column, Rate, Recorder
from drawbar.orchestrator.runs.run import Run
from drawbar.web.report.run_folder import find_cases, missing_samples


def test_the_cases_of_a_report_are_the_runs_inside(with_cases):
    cases = find_cases(Run(with_cases("0.60 g", "0.70 g")))
    assert [(case.name, case.run.folder.name) for case in cases.found] == [("0.60 g", "0.60_g"), ("0.70 g", "0.70_g")]
    assert cases.found[0].rule["judge"]["column"] == "roams"
    assert cases.notes == []


def test_a_case_that_is_not_there_is_reported_and_the_others_are_found(with_cases):
    folder = with_cases("0.60 g", "0.70 g")
    shutil.rmtree(folder / "cases" / "0.60_g")
    cases = find_cases(Run(folder))
    assert [case.name for case in cases.found] == ["0.70 g"]
    (note,) = cases.notes
    assert note.startswith(f"The case 0.60 g is left out: no run at {folder / 'cases' / '0.60_g'}: it does not exist")


def test_a_run_without_cases(lane_change):
    assert find_cases(Run(lane_change())).found == []


@pytest.mark.parametrize("report", [[1], {"cases": 3}, {"cases": {}}])
def test_a_malformed_report_has_no_cases(lane_change, report):
    cases = find_cases(Run(lane_change(report=report)))
    assert (cases.found, cases.notes) == ([], [])


@pytest.mark.parametrize("case", [1, {"set": {}}, {"name": 2}])
def test_a_case_without_a_name_is_reported(lane_change, case):
    (note,) = find_cases(Run(lane_change(report={"cases": [case]}))).notes
    assert "has no name" in note


def test_samples_missing_from_a_case_are_missing_from_the_run(with_cases):
    folder = with_cases("0.60 g")
    assert missing_samples(Run(folder)) == []
    place = folder / "cases" / "0.60_g" / "signals" / "0.01s"
    (place / "00001.parquet").unlink()
    assert missing_samples(Run(folder)) == [f"case 0.60 g: {place} contains no sample files"]


@pytest.fixture
def record(tmp_path):
    """Records 12 s in chunks of 4 s, every 0.1 s and every 5 s."""

    def make(outcome="ok", simulated=12.0, rates=(Fraction(1, 10), Fraction(5))):
        columns = [(Column(f"part.s{i}", "m"),) for i in range(len(rates))]
        recorder = Recorder(
            tmp_path / "run", {"stop": 12.0}, [Rate(*pair) for pair in zip(rates, columns, strict=True)]
        )
        for i, period in enumerate(rates):
            times = np.arange(int(12 / period) + 1) * float(period)
            for start in (0, 4, 8):
                rows = times[(times >= start) & (times < start + 4 + (start == 8))]
                recorder.write(i, np.column_stack([rows, rows]))
        if outcome is not None:
            recorder.finish(outcome, timing={} if simulated is None else {"simulated_s": simulated})
        return tmp_path / "run"

    return make


@pytest.mark.parametrize("simulated", [12.0, None])
def test_a_whole_run_lacks_no_samples_even_where_a_rate_does_not_meet_its_end(record, simulated):
    assert missing_samples(Run(record(simulated=simulated))) == []


@pytest.mark.parametrize("simulated", [12.0, None])
def test_a_missing_last_chunk_is_reported(record, simulated):
    folder = record(simulated=simulated)
    (folder / "signals" / "0.1s" / "00003.parquet").unlink()
    assert missing_samples(Run(folder)) == ["the samples every 0.1 s end at t = 7.9 s, the run at t = 12 s"]


def test_a_run_that_a_stop_condition_ended_early_lacks_no_samples(record):
    folder = record(simulated=7.95)
    (folder / "signals" / "0.1s" / "00003.parquet").unlink()
    assert missing_samples(Run(folder)) == []


def test_a_missing_rate_is_reported(record):
    folder = record()
    for path in (folder / "signals" / "5s").iterdir():
        path.unlink()
    assert missing_samples(Run(folder)) == [f"{folder / 'signals' / '5s'} contains no sample files"]


def test_a_missing_folder_of_signals_is_reported(record):
    folder = record()
    shutil.rmtree(folder / "signals")
    assert missing_samples(Run(folder)) == [f"{folder / 'signals'} does not exist"]
    (folder / "signals").mkdir()
    assert missing_samples(Run(folder)) == [f"{folder / 'signals'} contains no samples"]


@pytest.mark.parametrize("outcome", ["failed", "interrupted", None])
def test_a_run_that_was_not_successful_has_no_known_end(record, outcome):
    folder = record(outcome)
    shutil.rmtree(folder / "signals")
    assert missing_samples(Run(folder)) == []
