"""The memory that a run shares with its supervisor: what the supervisor sees of a run that does not end."""

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from drawbar.blocks.signals.first_order_lag import FirstOrderLag
from drawbar.blocks.signals.sample_and_hold import SampleAndHold
from drawbar.diagrams.model.diagram import Diagram
from drawbar.orchestrator.master.current_call import DO_STEP
from drawbar.orchestrator.planning.plan import make_plan
from drawbar.orchestrator.planning.schedule import Plan
from drawbar.orchestrator.supervision.shared_memory import SharedMemory, SupervisedRun


@pytest.fixture
def plan() -> Plan:
    d = Diagram("mixed", step="1/30")
    d.connect(d.add("lag", FirstOrderLag).y, d.add("hold", SampleAndHold).u)
    return make_plan(d)


def test_before_and_after_a_run_nothing_is_unfinished(plan: Plan) -> None:
    run = SupervisedRun()
    shared = SharedMemory(run.file)
    assert run.unfinished() is None and run.current_call() == (0, 0, 0)
    shared.begin(plan, 30)
    assert run.unfinished() is not None
    shared.end()
    assert run.unfinished() is None
    assert run.exit_code is None
    shared.mark_done(3)
    assert run.exit_code == 3


def test_an_unfinished_run_has_its_call_folder_and_rows(plan: Plan) -> None:
    run = SupervisedRun()
    shared = SharedMemory(run.file)
    shared.set_timeout(2.5)
    rows = shared.begin(plan, 30)
    shared.set_folder(Path("runs/mixed-001"))
    names = [part.name for part in plan.parts]
    rows.current_call.part, rows.current_call.call, rows.current_call.tick = names.index("lag"), DO_STEP, 30
    rows.arrays[1][0] = [0.0, 0.25]
    rows.counts[1] = 1
    assert run.timeout == 2.5
    assert run.current_call() == (30, names.index("lag"), DO_STEP)
    found = run.unfinished()
    assert found is not None
    assert (found.part, found.call, found.time) == ("lag", DO_STEP, 0.1)
    assert (found.folder, found.main_folder) == (Path("runs/mixed-001"), None)
    assert [rate.period for rate in found.rates] == [Fraction(1, 100), Fraction(1, 30)]
    assert [column.name for column in found.rates[1].columns] == ["lag.y"]
    np.testing.assert_array_equal(found.rows.complete(1), [[0.0, 0.25]])


def test_the_last_messages_of_the_part_outlive_its_process(plan: Plan) -> None:
    run = SupervisedRun()
    shared = SharedMemory(run.file)
    shared.begin(plan, 30).current_call.part = [part.name for part in plan.parts].index("lag")
    for i in range(40):
        shared.add_message("lag" if i % 2 else "hold", f"message {i}\0")
    shared.add_message("lag", "ä" * 2000)
    found = run.unfinished()
    assert found is not None
    assert found.messages[:-1] == [f"message {i} " for i in range(25, 40, 2)]
    assert len(found.messages[-1]) > 500 and set(found.messages[-1][:-1]) == {"ä"}
    shared.begin(plan, 30).current_call.part = 0
    again = run.unfinished()
    assert again is not None and again.messages == [], "those of the run before are gone"


def test_a_further_run_belongs_to_the_main_one(plan: Plan) -> None:
    run = SupervisedRun()
    shared = SharedMemory(run.file)
    shared.set_main_run(Path("runs/main"), "case 'fast'")
    shared.begin(plan, 30)
    found = run.unfinished()
    assert found is not None
    assert (found.main_folder, found.name, found.folder) == (Path("runs/main"), "case 'fast'", None)
