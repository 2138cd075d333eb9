"""Rows that are not written yet, and the current call, in memory that another process may map."""

import mmap

import numpy as np

from drawbar.blocks.signals.first_order_lag import FirstOrderLag
from drawbar.blocks.signals.sample_and_hold import SampleAndHold
from drawbar.diagrams.model.diagram import Diagram
from drawbar.orchestrator.master.current_call import DO_STEP
from drawbar.orchestrator.master.rows import Rows, memory_size, row_shapes
from drawbar.orchestrator.planning.plan import make_plan

SHAPES = [(4, 3), (2, 2)]


def test_each_rate_has_room_for_its_rows_and_the_stop_condition_for_its_own() -> None:
    d = Diagram("mixed", step="1/30")
    d.connect(d.add("lag", FirstOrderLag).y, d.add("hold", SampleAndHold).u)
    assert row_shapes(make_plan(d), 30) == [(30 // 3 + 2, 2), (30 // 10 + 2, 2)]
    assert row_shapes(make_plan(d, watch=["lag.y"]), 30)[2] == (30 // 10 + 2, 2)


def test_another_view_of_the_memory_sees_call_counts_and_rows() -> None:
    offset = 24
    memory = mmap.mmap(-1, offset + memory_size(SHAPES))
    rows, view = Rows(SHAPES, memory, offset), Rows(SHAPES, memory, offset)
    rows.current_call.part, rows.current_call.call, rows.current_call.tick = 2, DO_STEP, 7
    rows.arrays[0][1] = [0.5, 1.0, 2.0]
    rows.arrays[1][0] = [0.25, 3.0]
    rows.counts[:] = [2, 1]
    assert (view.current_call.part, view.current_call.call, view.current_call.tick) == (2, DO_STEP, 7)
    np.testing.assert_array_equal(view.complete(0), [[0.0, 0.0, 0.0], [0.5, 1.0, 2.0]])
    np.testing.assert_array_equal(view.complete(1), [[0.25, 3.0]])
    view.clear(0)
    assert [len(rows.complete(0)), len(rows.complete(1))] == [0, 1]
