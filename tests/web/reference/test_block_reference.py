import pytest

from drawbar.blocks.signals.ramp import Ramp
from drawbar.blocks.signals.sample_and_hold import SampleAndHold
from drawbar.web.reference.block_reference import as_json, collect


@pytest.fixture(scope="module")
def entries():
    found, faults = collect({"Ramp": Ramp, "SampleAndHold": SampleAndHold})
    assert faults == {}
    return found


def test_data_have_units_start_values_and_sample_times(entries):
    ramp, hold = map(as_json, entries)
    assert ramp["block"] == "drawbar.blocks.signals.ramp:Ramp"
    assert (ramp["folder"], ramp["kind"], ramp["sample_time"]) == ("signals", "continuous", None)
    assert next(p for p in ramp["parameters"] if p["name"] == "duration")["unit"] == "s"
    assert hold["kind"] == "sampled"
    assert hold["sample_time"] is not None


def test_progress_is_reported_before_each_block():
    calls = []
    collect({"Ramp": Ramp, "SampleAndHold": SampleAndHold}, lambda *call: calls.append(call))
    assert calls == [("Ramp", 1, 2), ("SampleAndHold", 2, 2)]
