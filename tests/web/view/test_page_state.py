"""The state that the browser is sent: notes about runs, and the picture."""

import json

from drawbar.orchestrator.runs.recorder import Column


def test_a_signal_with_another_unit_is_noted_and_not_drawn(lane_change, open_page, tmp_path):
    lane_change("a")
    lane_change("b", columns=(Column("vehicle.x", "km"), *(Column(f"o.s{i}", "m") for i in range(7))), report=None)
    page = open_page(tmp_path, chosen="a")
    page.send(action="clear")
    page.send(action="plot", signal="vehicle.x")
    page.send(action="show", run="b", alone=False)
    (figure,) = page.figures()
    assert [r.tags[0] for r in figure.renderers if r.tags] == ["a"]
    assert any("vehicle.x is in km and m" in note for note in page.state("notes"))


def test_a_run_that_failed_says_why(lane_change, open_page, tmp_path):
    folder = lane_change("a")
    info = json.loads((folder / "run.json").read_text())
    (folder / "run.json").write_text(json.dumps({**info, "outcome": "failed", "message": "the tire was lost"}))
    page = open_page(tmp_path)
    assert page.state("notes") == ["a: the tire was lost"]


def test_the_picture_is_that_of_the_run(lane_change, open_page, tmp_path):
    folder = lane_change("a")
    page = open_page(tmp_path)
    assert "as it is now" in page.state("picture")["text"], "the library has a diagram of that name"
    (folder / "diagram.svg").write_text("<svg/>")
    page = open_page(tmp_path)
    assert page.state("picture") == {"run": "a", "title": "double_lane_change", "text": ""}
    lane_change("b", diagram="../../secret")
    page = open_page(tmp_path, chosen="b")
    assert "contains no picture" in page.state("picture")["error"]
