import numpy as np
import pytest

from drawbar.blocks.core.errors import UsageError
from drawbar.orchestrator.runs.difference import RunDifference
from drawbar.orchestrator.runs.recorder import Column, Rate, Recorder
from drawbar.orchestrator.runs.run import Run
from drawbar.web.report.charts import CHARTS, CURVES, of_difference, select_charts, select_difference


def shown(choice):
    return {chart.title: chart.signals for chart in choice.charts}


def test_without_a_report_the_first_signals_are_shown_by_unit(lane_change):
    choice = select_charts(Run(lane_change(report=None)))
    assert [chart.unit for chart in choice.charts] == ["m", "N", "m/s2", "rad"]
    assert sum(len(chart.signals) for chart in choice.charts) == CURVES
    assert choice.notes == ["The first 8 of 10 signals are shown; choose others with drawbar plot RUN --signals."]


def test_what_changes_is_shown_first_that_of_the_users_own_blocks(tmp_path):
    names = ["lib.constant", *(f"lib.s{i}" for i in range(9)), "mine.constant", "mine.y"]
    recorder = Recorder(tmp_path, {"own_blocks": ["mine"]}, [Rate(1, tuple(Column(n, "m") for n in names))])
    rows = np.zeros((3, 13))
    rows[:, 0] = [0.0, 1.0, 2.0]
    rows[1:, 2:11] = rows[2, 12] = 1.0
    recorder.write(0, rows[:2])
    recorder.write(0, rows[2:])  # mine.y changes from one file to the next
    choice = select_charts(Run(tmp_path))
    (chart,) = choice.charts
    assert chart.signals == ("mine.y", *(f"lib.s{i}" for i in range(7)))
    assert choice.notes[1] == "2 signals that do not change are left out."


def test_the_plots_of_the_report_are_shown_with_their_titles_and_labels(lane_change):
    choice = select_charts(Run(lane_change()))
    assert shown(choice) == {
        "Path": ("vehicle.x", "vehicle.y"),
        "Wheel loads": tuple(f"vehicle.wheel_load[{i}]" for i in (1, 2, 3, 4)),
        "Lateral acceleration": ("vehicle.a_y",),
        "Steering": ("vehicle.steer",),
    }
    assert [chart.is_map for chart in choice.charts] == [True, False, False, False]
    assert choice.charts[1].labels == ("front left", "front right", "rear left", "rear right")
    assert choice.notes == []


def test_chosen_signals_come_instead_of_the_report_and_switches_apart_from_numbers(lane_change):
    choice = select_charts(Run(lane_change()), ["driver.*", "brake.on", "vehicle.a_y"])
    assert shown(choice) == {
        "driver.gear": ("driver.gear",),
        "brake.on": ("brake.on",),
        "vehicle.a_y": ("vehicle.a_y",),
    }
    with pytest.raises(UsageError, match=r"no signal 'vehicle\.ay'; did you mean 'vehicle\.a_y'\?"):
        select_charts(Run(lane_change("other")), ["vehicle.ay"])


@pytest.mark.parametrize(
    ("plot", "note"),
    [
        ({"title": "T", "signals": ["vehicle.weel_load"]}, "no signal 'vehicle.weel_load'"),
        ({"title": "T", "signals": []}, "no list 'signals'"),
        ({"title": "T", "kind": "map", "x": "vehicle.x", "y": "driver.gear"}, "the same unit and the same rate"),
        ({"title": "T", "kind": "map", "x": "vehicle.x"}, "no signal 'None'"),
        ({"kind": "map", "x": "vehicle.wheel_load", "y": "vehicle.y"}, "the same unit and the same rate"),
        ({"signals": ["vehicle.a_y"], "against": "vehicle.q"}, "no signal 'vehicle.q'"),
        ({"signals": ["vehicle.a_y"], "against": "vehicle.wheel_load"}, "'against' must be a scalar signal"),
        ({"signals": ["vehicle.a_y"], "against": "driver.gear"}, "every 0.01 s and driver.gear every 0.25 s"),
        ("vehicle.x", "is not an object"),
        (None, "is not an object"),
    ],
)
def test_a_plot_that_cannot_be_drawn_is_noted_and_the_others_are_drawn(lane_change, plot, note):
    choice = select_charts(Run(lane_change(report={"plots": [plot, {"title": "good", "signals": ["vehicle.a_y"]}]})))
    assert shown(choice) == {"good": ("vehicle.a_y",)}
    assert len(choice.notes) == 1
    assert choice.notes[0].startswith("Plot 1 of the report is left out: ")
    assert note in choice.notes[0]


def test_a_plot_of_two_units_becomes_two_charts(lane_change):
    choice = select_charts(
        Run(lane_change(report={"plots": [{"title": "both", "signals": ["vehicle.a_y", "vehicle.x"]}]}))
    )
    assert [(chart.title, chart.unit) for chart in choice.charts] == [("both", "m/s2"), ("both", "m")]


def test_too_many_curves_and_charts_are_cut_with_a_note(lane_change):
    plot = {"title": "all", "signals": ["*"]}
    choice = select_charts(Run(lane_change(report={"plots": [plot]})))
    assert sum(len(chart.signals) for chart in choice.charts) == CURVES
    assert choice.notes == ["all shows the first 8 of 10 signals."]
    choice = select_charts(Run(lane_change("many", report={"plots": [{"signals": ["vehicle.x"]}] * 30})))
    assert len(choice.charts) == CHARTS
    assert choice.notes == ["The first 16 of the report's 30 plots are shown."]


@pytest.mark.parametrize("report", [None, [], "x", {"plots": {}}, {"plots": 3}])
def test_a_report_of_another_kind_is_as_none(lane_change, report):
    folder = lane_change(report=report, seed=1)
    assert sum(len(chart.signals) for chart in select_charts(Run(folder)).charts) == CURVES


def test_one_large_array_gives_its_first_elements(tmp_path):
    columns = tuple(Column(f"lidar.ray[{i}]", "m") for i in range(1, 361))
    recorder = Recorder(tmp_path, {}, [Rate(1, columns)])
    recorder.write(0, np.zeros((2, 361)))
    choice = select_charts(Run(tmp_path))
    assert shown(choice) == {"lidar.ray": tuple(f"lidar.ray[{i}]" for i in range(1, CURVES + 1))}
    assert choice.notes[0].startswith("The first 8 of 360 signals")


def test_signals_may_be_drawn_over_another_one(lane_change):
    plot = {"signals": ["vehicle.a_y"], "against": "vehicle.steer"}
    over, along = select_charts(Run(lane_change(report={"plots": [plot, {"signals": ["vehicle.a_y"]}]}))).charts
    assert (over.against, over.over_time) == ("vehicle.steer", False)
    assert (along.against, along.over_time) == ("", True)


def test_a_difference_has_the_charts_of_signals_that_both_runs_have(lane_change):
    run = Run(lane_change("a"))
    units = {"x": "m", "y": "m", "wheel_load[1]": "N", "s": "m", "wheel_load[3]": "N", "wheel_load[4]": "N"}
    columns = tuple(Column(f"vehicle.{name}", unit) for name, unit in (units | {"a_y": "m/s2", "steer": "rad"}).items())
    other = Run(lane_change("b", columns=columns))
    charts = of_difference(select_charts(run), RunDifference(run, other), "b less a").charts
    assert [(c.title, c.signals) for c in charts] == [
        ("Wheel loads: b less a", ("vehicle.wheel_load[1]", "vehicle.wheel_load[3]", "vehicle.wheel_load[4]")),
        ("Lateral acceleration: b less a", ("vehicle.a_y",)),
        ("Steering: b less a", ("vehicle.steer",)),
    ]


ROWS = {"lag.y": (0.0, 1.0), **{f"lag.s{i}": (0.0, 10.0 + i) for i in range(9)}, "lag.same": (3.0, 4.0)}


@pytest.fixture
def recorded(tmp_path):
    """Record two samples of each signal of ROWS, with other values for some of them."""

    def record(name, report=None, units=None, **other):
        rows = {**ROWS, "lag.gain": (2.0, 2.0), "lag.zero": (0.0, 0.0), **{f"lag.{n}": v for n, v in other.items()}}
        columns = tuple(Column(n, (units or {}).get(n, "m")) for n in rows)
        recorder = Recorder(tmp_path / name, {"report": report} if report else {}, [Rate(1, columns)])
        recorder.write(0, np.column_stack([[0.0, 1.0], *rows.values()]))
        recorder.finish("ok")
        return Run(tmp_path / name)

    return record


def signals_of(choice):
    return {name for chart in choice.charts for name in chart.signals}


def test_a_difference_shows_what_differs_most_also_where_the_first_run_is_constant(recorded):
    others = {f"s{i}": (0.0, 10.01 + i + 0.01 * i) for i in range(9)}
    run, other = recorded("a"), recorded("b", y=(0.0, 2.0), gain=(2.0, 5.0), **others)
    difference = RunDifference(run, other)
    assert difference.share("lag.gain") == 1.0
    assert difference.share("lag.y") == 0.5
    assert (difference.share("lag.same"), difference.share("lag.zero")) == (0.0, 0.0)
    choice = select_difference(run, difference)
    assert signals_of(choice) == {"lag.gain", "lag.y", *(f"lag.s{i}" for i in range(3, 9))}
    assert choice.notes == [
        "Left out: 3 further signals with a difference, first of all lag.s2, lag.s1, lag.s0; choose with --signals."
    ]


def test_a_difference_of_given_signals_tells_which_it_leaves_out(recorded):
    run = recorded("a")
    other = recorded("b", gain=(2.0, 5.0), units={"lag.y": "N"})
    difference = RunDifference(run, other)
    choice = select_difference(run, difference, ["lag.zero", "lag.y", "lag.gain"])
    assert signals_of(choice) == {"lag.zero", "lag.gain"}
    assert choice.notes == ["lag.y: left out, since the other run has no such signal of the same unit, type and size."]
    choice = select_difference(run, difference, ["*"])
    assert "lag.gain" in signals_of(choice)
    assert choice.notes[1].startswith("Left out: 4 further given signals, first of all ")
    assert select_difference(run, difference, ["lag.zero"]).notes == []


def test_the_plots_of_the_report_remain_and_further_differences_are_told(recorded):
    run = recorded("a", report={"plots": [{"signals": ["lag.y"]}, {"signals": ["lag.no"]}]})
    choice = select_difference(run, RunDifference(run, recorded("b", y=(0.0, 2.0), gain=(2.0, 5.0))))
    assert signals_of(choice) == {"lag.y"}
    assert choice.notes[0].startswith("Plot 2 of the report is left out")
    assert choice.notes[1].startswith("Left out: 1 further signal with a difference, first of all lag.gain;")
    only_gain = select_difference(run, RunDifference(run, recorded("c", gain=(2.0, 5.0))))
    assert signals_of(only_gain) == {"lag.gain"}, "the report plots nothing that differs"


def test_equal_runs_are_said_to_be_equal(recorded):
    run, other = recorded("a"), recorded("b")
    choice = select_difference(run, RunDifference(run, other))
    assert choice.notes == ["The two runs differ in none of their common signals."]
    assert len(signals_of(choice)) == CURVES
    other = recorded("c", units=dict.fromkeys([*ROWS, "lag.gain", "lag.zero"], "N"))
    assert select_difference(run, RunDifference(run, other)).notes == [
        "The two runs have no common signals of one unit."
    ]


def test_a_signal_that_is_no_number_in_one_run_differs_wholly(recorded):
    nothing = (np.nan, np.nan)
    run, same, other = recorded("a", gain=nothing), recorded("b", gain=nothing), recorded("c")
    assert RunDifference(run, same).share("lag.gain") == 0.0
    assert RunDifference(run, other).share("lag.gain") == 1.0
