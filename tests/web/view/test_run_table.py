"""The table of runs: what differs, what was reached, and how a reader sorts, filters and chooses by it."""

import json
import shutil

import pytest

from drawbar.orchestrator.reports.responses import evaluate
from drawbar.orchestrator.runs.run import Run
from drawbar.web.view.catalogue import Catalogue
from drawbar.web.view.run_table import PARAMETER, RESPONSE, RunTable

COLUMN = "Bokeh.documents[0].get_model_by_name('plots')"
CURVES = f"{COLUMN}.children[0].renderers.filter(r => r.tags.length == 4).map(r => r.tags[0])"


def read_table(root, seconds=60.0):
    catalogue = Catalogue(root)
    catalogue.refresh()
    table = RunTable(catalogue)
    table.evaluate(seconds)
    return table


def values(state, kind):
    """Return the values of each run by the name of their column."""
    names = {
        str(i): " ".join(w for w in (name, quantity) if w)
        for i, (k, name, quantity, _) in enumerate(state["columns"])
        if k == kind
    }
    read = json.loads(json.dumps(state["rows"], allow_nan=False))
    return {run: {names[i]: value for i, value in row.items() if i in names} for run, row in read.items()}


def test_only_parameters_that_differ_have_a_column(lane_change, tmp_path):
    both = {"vehicle": {"mass": 2000.0, "arm": 1.6}, "driver": {"gain": 1}}
    lane_change("a", parameters=both, step="1/200")
    lane_change("b", parameters={**both, "vehicle": {"mass": 2100.0, "arm": 1.6}}, step="1/200")
    lane_change("c", parameters={"vehicle": {"mass": 2000.0, "arm": 1.6}}, step="1/400")
    lane_change("d", diagram="other", parameters={"course": {"time": 3.0}}, step="1/200")
    assert values(read_table(tmp_path).state(), PARAMETER) == {
        "a": {"vehicle.mass": 2000.0, "driver.gain": 1, "step": "1/200"},
        "b": {"vehicle.mass": 2100.0, "driver.gain": 1, "step": "1/200"},
        "c": {"vehicle.mass": 2000.0, "step": "1/400"},  # the gain is the default there
        "d": {"step": "1/200"},  # a parameter that other diagrams have not is no difference
    }


def test_the_responses_are_those_of_the_report(lane_change, tmp_path):
    folder = lane_change("a", peak=5.0)
    lane_change("b", peak=4.0)
    table = read_table(tmp_path)
    run = Run(folder)
    found = evaluate(run, run.info["report"])
    load, a_y = found["wheel_load_fl"], found["lateral_acceleration"]
    assert values(table.state(), RESPONSE)["a"] == {
        "wheel load over static, front left peak-to-peak": load["max"] - load["min"],
        "lateral acceleration max": a_y["max"],
        "lateral acceleration min": a_y["min"],
    }
    assert values(table.state(), RESPONSE)["b"]["lateral acceleration max"] < 0.9 * a_y["max"]
    assert table.state()["waiting"] == 0


def test_responses_come_little_by_little_and_again_for_a_run_that_has_changed(lane_change, tmp_path):
    for name in "abc":
        lane_change(name)
    lane_change("running", finish=False)
    table = read_table(tmp_path, seconds=0.0)
    assert table.state()["waiting"] == 2
    table.evaluate(60.0)
    assert table.state()["waiting"] == 0
    before = values(table.state(), RESPONSE)["a"]
    for file in sorted((tmp_path / "a").rglob("*"), reverse=True):
        file.rmdir() if file.is_dir() else file.unlink()
    lane_change("a", peak=6.0)
    table.catalogue._next = 0.0
    table.catalogue.refresh()
    table.evaluate(60.0)
    assert values(table.state(), RESPONSE)["a"] != before


def test_a_run_of_unknown_origin_is_a_row_without_what_cannot_be_read(lane_change, tmp_path):
    lane_change("good")
    bad = lane_change("bad")
    info = json.loads((bad / "run.json").read_text())
    for key, report in enumerate(([], {"responses": 3}, {"responses": {"a": {"signal": "none"}}}, {"window": "x"})):
        info["report"], info["parameters"] = report, {"p": {"a": key, "deep": {"x": ["y"] * 90}}}
        (bad / "run.json").write_text(json.dumps(info)[:-1] + ', "seed": NaN, "pace": 1' + "0" * 400 + "}")
        state = read_table(tmp_path).state()
        row = values(state, PARAMETER)["bad"]
        assert (row["p.a"], row["seed"], len(row["p.deep"])) == (key, "nan", 100)
        assert row["pace"].startswith("1000")
        assert (values(state, RESPONSE)["bad"], state["waiting"]) == ({}, 0)


def test_samples_are_read_for_an_open_table_only(lane_change, open_page, tmp_path):
    lane_change("a")
    page = open_page(tmp_path)
    page.refresh()
    assert page.state("table") == {}
    page.send(action="table", open=True)
    page.refresh()
    assert page.state("table")["waiting"] == 0
    assert {kind for kind, *_ in page.state("table")["columns"]} == {RESPONSE}
    page.send(action="table", open=False)
    assert page.state("table") == {}


def rows(page):
    return page.locator("#table tbody tr").evaluate_all("rows => rows.map(row => row.dataset.run)")


@pytest.mark.browser
def test_runs_are_filtered_sorted_and_chosen_by_keys_and_the_choice_survives_a_reload(
    lane_change, tmp_path, opened, wait_for
):
    recorded = [lane_change(f"recorded/{i}", samples=13, peak=4.0 + i) for i in range(3)]
    info = json.loads((recorded[0] / "run.json").read_text())
    for i in range(120):
        mass = {"mass": 2000.0 + 10 * ((7 * i) % 120)} if i else {}
        info["parameters"] = {"vehicle": {"arm": 1.6, **mass}, "driver": {"name": "<b>x</b>" if i == 5 else "y"}}
        folder = tmp_path / f"runs/r{i:03d}"
        shutil.copytree(recorded[i % 3], folder)
        (folder / "run.json").write_text(json.dumps(info))
    with opened(tmp_path, "runs/r000") as page:
        page.keyboard.press("t")
        assert page.evaluate("document.activeElement.id") == "run-filter"
        head = page.locator("#table thead")
        wait_for(page, lambda: "mass" in head.inner_text() and "acceleration" in head.inner_text())
        assert "arm" not in head.inner_text(), "it does not differ"
        assert (page.locator("#run-count").inner_text(), len(rows(page))) == ("120", 100)
        page.locator("#table-box").evaluate("box => box.scrollTo(0, box.scrollHeight)")
        wait_for(page, lambda: len(rows(page)) == 120)
        page.keyboard.type("mass >= 3170  ok")
        wait_for(page, lambda: page.locator("#run-count").inner_text() == "3 of 120")
        assert "driver" not in head.inner_text(), "the listed runs do not differ in it"
        button = page.locator("[data-column='vehicle.mass']")
        button.focus()
        page.keyboard.press("Enter")
        assert rows(page) == ["r051", "r034", "r017"]
        page.keyboard.press("Enter")
        assert rows(page) == ["r017", "r034", "r051"]
        assert page.locator("th[aria-sort=descending]").inner_text().split() == ["vehicle.", "mass", "▼"]
        page.locator("#run-filter").press("ArrowDown")
        page.keyboard.press("Enter")
        wait_for(page, lambda: page.evaluate(CURVES)[:1] == ["r017"])
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Space")
        wait_for(page, lambda: set(page.evaluate(CURVES)) == {"r017", "r034"})
        wait_for(page, lambda: page.locator("#table tr.shown").count() == 2)
        page.reload()
        page.wait_for_selector("body[data-ready]")
        wait_for(page, lambda: rows(page) == ["r017", "r034", "r051"])
        wait_for(page, lambda: page.locator("#table tr.shown").count() == 2)
        for text, count, note in (
            ("arm>1", "120", "no column “arm”"),
            ("<b>x", "1 of 120", ""),
            ("acceleration>0", "120", "any of lateral acceleration max, lateral acceleration min"),
            ("mass!=0 run<=r002", "2 of 120", ""),  # the first does not set it
            ("nothing", "0 of 120", "press Escape"),
        ):
            page.locator("#run-filter").fill(text)
            wait_for(page, lambda: page.locator("#run-count").inner_text() == count)  # noqa: B023
            assert note in page.locator("#table-note").inner_text()
        page.keyboard.press("Escape")
        wait_for(page, lambda: page.locator("#run-count").inner_text() == "120")
        page.set_viewport_size({"width": 400, "height": 800})
        wait_for(page, lambda: page.evaluate("document.documentElement.scrollWidth") == 400)
        assert page.locator("#table-box").bounding_box()["width"] > 350
        assert page.locator("#table td.name").first.bounding_box()["width"] > 100
