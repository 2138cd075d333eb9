import shutil
from fractions import Fraction

import numpy as np
import pytest

from drawbar.orchestrator.runs.recorder import Column, Rate, Recorder
from drawbar.orchestrator.runs.run import Run
from drawbar.web.report.gaps import gaps


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
def test_a_whole_run_has_none_also_where_a_rate_does_not_meet_its_end(record, simulated):
    assert gaps(Run(record(simulated=simulated))) == []


@pytest.mark.parametrize("simulated", [12.0, None])
def test_the_last_chunk_is_missed(record, simulated):
    folder = record(simulated=simulated)
    (folder / "signals" / "0.1s" / "00003.parquet").unlink()
    assert gaps(Run(folder)) == ["the samples every 0.1 s end at t = 7.9 s, the run at t = 12 s"]


def test_a_run_that_a_stop_condition_ended_early_has_none(record):
    folder = record(simulated=7.95)
    (folder / "signals" / "0.1s" / "00003.parquet").unlink()
    assert gaps(Run(folder)) == []


def test_a_whole_rate_is_missed(record):
    folder = record()
    for path in (folder / "signals" / "5s").iterdir():
        path.unlink()
    assert gaps(Run(folder)) == [f"{folder / 'signals' / '5s'} holds no file of samples"]


def test_all_signals_are_missed(record):
    folder = record()
    shutil.rmtree(folder / "signals")
    assert gaps(Run(folder)) == [f"{folder / 'signals'} does not exist"]
    (folder / "signals").mkdir()
    assert gaps(Run(folder)) == [f"{folder / 'signals'} holds no samples"]


@pytest.mark.parametrize("outcome", ["failed", "interrupted", None])
def test_of_a_run_that_did_not_end_well_nothing_is_missed(record, outcome):
    folder = record(outcome)
    shutil.rmtree(folder / "signals")
    assert gaps(Run(folder)) == []
