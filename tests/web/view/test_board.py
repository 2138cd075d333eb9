"""Which signal goes into which plot, and in which colour."""

import pytest

from drawbar.blocks.core.errors import UsageError
from drawbar.orchestrator.runs.run import Signal
from drawbar.web.report.charts import CURVES
from drawbar.web.view.board import PLOTS, Board


def signal(name, unit="m", kind="Real", count=0):
    columns = tuple(f"{name}[{i}]" for i in range(1, count + 1)) or (name,)
    return Signal(name, unit, 1, kind, shape=(count,) if count else (), columns=columns)


def names(board):
    return [plot.names for plot in board.plots]


def test_signals_of_one_unit_share_a_plot():
    board = Board()
    for name, unit in (("a", "m"), ("b", "N"), ("c", "m")):
        board.toggle(signal(name, unit))
    assert names(board) == [("a", "c"), ("b",)]


def test_flags_and_pure_numbers_do_not_share_a_plot():
    board = Board()
    board.toggle(signal("a", "1"))
    board.toggle(signal("b", "1", "Boolean"))
    assert names(board) == [("a",), ("b",)]


def test_a_second_time_takes_it_away_and_an_empty_plot_goes():
    board = Board()
    for name in "aba":
        board.toggle(signal(name))
    assert names(board) == [("b",)]
    board.toggle(signal("b"))
    assert names(board) == []


def test_a_plot_of_its_own():
    board = Board()
    board.toggle(signal("a"))
    board.toggle(signal("b"), alone=True)
    assert names(board) == [("a",), ("b",)]


def test_an_array_is_completed_first_and_then_taken_away():
    board, array = Board(), signal("w", count=3)
    board.toggle(signal("w[2]"))
    board.toggle(array)
    assert names(board) == [("w[2]", "w[1]", "w[3]")]
    board.toggle(array)
    assert names(board) == []


def test_a_colour_stays_with_its_signal_and_is_free_again_afterwards():
    board = Board()
    for name in "abc":
        board.toggle(signal(name))
    board.toggle(signal("b"))
    assert board.plots[0].colours == {"a": 0, "c": 2}
    board.toggle(signal("d"))
    assert board.plots[0].colours == {"a": 0, "c": 2, "d": 1}


def test_a_plot_that_has_all_colours_is_full():
    board = Board()
    for i in range(CURVES + 1):
        board.toggle(signal(f"s{i}"))
    assert [len(plot.names) for plot in board.plots] == [CURVES, 1]


def test_too_much_is_refused_and_changes_nothing():
    board = Board()
    with pytest.raises(UsageError, match=f"{CURVES + 1} elements"):
        board.toggle(signal("w", count=CURVES + 1))
    for i in range(PLOTS):
        board.toggle(signal(f"s{i}"), alone=True)
    with pytest.raises(UsageError, match=f"{PLOTS} plots already"):
        board.toggle(signal("one more"), alone=True)
    assert len(board.plots) == PLOTS
