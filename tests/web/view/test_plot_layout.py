"""Which signal goes into which plot, and in which colour."""

import pytest

from drawbar.blocks.core.errors import UsageError
from drawbar.orchestrator.runs.run import Signal
from drawbar.web.report.charts import CURVES
from drawbar.web.view.plot_layout import MAX_PLOTS, PlotLayout


def signal(name, unit="m", kind="Real", count=0):
    columns = tuple(f"{name}[{i}]" for i in range(1, count + 1)) or (name,)
    return Signal(name, unit, 1, kind, shape=(count,) if count else (), columns=columns)


def names(layout):
    return [plot.names for plot in layout.plots]


def test_signals_of_one_unit_share_a_plot():
    layout = PlotLayout()
    for name, unit in (("a", "m"), ("b", "N"), ("c", "m")):
        layout.toggle(signal(name, unit))
    assert names(layout) == [("a", "c"), ("b",)]


def test_flags_and_pure_numbers_do_not_share_a_plot():
    layout = PlotLayout()
    layout.toggle(signal("a", "1"))
    layout.toggle(signal("b", "1", "Boolean"))
    assert names(layout) == [("a",), ("b",)]


def test_a_second_time_takes_it_away_and_an_empty_plot_goes():
    layout = PlotLayout()
    for name in "aba":
        layout.toggle(signal(name))
    assert names(layout) == [("b",)]
    layout.toggle(signal("b"))
    assert names(layout) == []


def test_a_plot_of_its_own():
    layout = PlotLayout()
    layout.toggle(signal("a"))
    layout.toggle(signal("b"), alone=True)
    assert names(layout) == [("a",), ("b",)]


def test_an_array_is_completed_first_and_then_taken_away():
    layout, array = PlotLayout(), signal("w", count=3)
    layout.toggle(signal("w[2]"))
    layout.toggle(array)
    assert names(layout) == [("w[2]", "w[1]", "w[3]")]
    layout.toggle(array)
    assert names(layout) == []


def test_a_colour_stays_with_its_signal_and_is_free_again_afterwards():
    layout = PlotLayout()
    for name in "abc":
        layout.toggle(signal(name))
    layout.toggle(signal("b"))
    assert layout.plots[0].colours == {"a": 0, "c": 2}
    layout.toggle(signal("d"))
    assert layout.plots[0].colours == {"a": 0, "c": 2, "d": 1}


def test_a_plot_that_has_all_colours_is_full():
    layout = PlotLayout()
    for i in range(CURVES + 1):
        layout.toggle(signal(f"s{i}"))
    assert [len(plot.names) for plot in layout.plots] == [CURVES, 1]


def test_too_much_is_refused_and_changes_nothing():
    layout = PlotLayout()
    with pytest.raises(UsageError, match=f"{CURVES + 1} elements"):
        layout.toggle(signal("w", count=CURVES + 1))
    for i in range(MAX_PLOTS):
        layout.toggle(signal(f"s{i}"), alone=True)
    with pytest.raises(UsageError, match=f"{MAX_PLOTS} plots"):
        layout.toggle(signal("one more"), alone=True)
    assert len(layout.plots) == MAX_PLOTS
