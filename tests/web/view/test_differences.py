"""Differences of shown runs as curves: their titles, their ends, and what stays in memory."""

import numpy as np

from drawbar.web.view.catalogue import Catalogue
from drawbar.web.view.differences import differences
from drawbar.web.view.recording import Recording


def recordings(root, *names):
    catalogue = Catalogue(root)
    catalogue.refresh()
    return {name: Recording(catalogue.entry(name)) for name in names}


def test_each_further_run_less_the_first(lane_change, tmp_path):
    lane_change("a", peak=4.0)
    lane_change("b", peak=5.0)
    lane_change("c", peak=3.0)
    shown = recordings(tmp_path, "a", "b", "c")
    found = differences(shown, {})
    assert list(found) == ["b \N{MINUS SIGN} a", "c \N{MINUS SIGN} a"]
    period = shown["a"].run.signal("vehicle.a_y").period
    for one, share in zip(found.values(), (0.25, -0.25), strict=True):
        time, columns = one.columns(period, ("vehicle.a_y", "vehicle.y"))
        np.testing.assert_array_equal(time, shown["a"].run.time("vehicle.a_y"))
        np.testing.assert_allclose(columns["vehicle.a_y"], share * shown["a"].run["vehicle.a_y"], atol=1e-14)
        assert not columns["vehicle.y"].any()
        assert (one.start(), one.end()) == (0.0, 12.0)
        assert one.columns(period, ("vehicle.a_y", "vehicle.y"))[1] is columns, "they stay in memory"
    rows = found["b \N{MINUS SIGN} a"].deviations(["vehicle.a_y", "vehicle.none", "vehicle.y"])
    assert [row[0] for row in rows] == ["vehicle.a_y", "vehicle.y"]
    assert rows[1][1:] == ("0 m", "0 s", "0 m")
    again = differences(shown, found)
    assert all(again[title] is one for title, one in found.items())
    assert differences({}, found) == differences({"a": shown["a"]}, found) == {}


def test_runs_inside_others_keep_names_that_differ(with_cases, tmp_path):
    with_cases("0.60 g", "0.65 g")
    shown = recordings(tmp_path, "run", "run/0.60_g", "run/0.65_g")
    assert list(differences(shown, {})) == ["0.60_g \N{MINUS SIGN} run", "0.65_g \N{MINUS SIGN} run"]
    same = {"a/x": shown["run"], "b/x": shown["run/0.60_g"]}
    assert list(differences(same, {})) == ["b x \N{MINUS SIGN} a x"]
