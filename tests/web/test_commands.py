import argparse
import json
import sys

import numpy as np
import pytest

from drawbar.blocks.core.errors import DrawbarError, UsageError
from drawbar.orchestrator.runs.run import Run
from drawbar.web import commands
from drawbar.web.commands import write_page
from drawbar.web.report.html_page import is_page
from drawbar.web.verbs import plot


def drawbar_plot(*arguments):
    parser = argparse.ArgumentParser()
    plot.configure(parser)
    parser.add_argument("--json", action="store_true")
    return plot.call(parser.parse_args([str(a) for a in arguments]))


def test_the_page_is_written_into_the_run(lane_change, capsys):
    folder = lane_change()
    assert drawbar_plot(folder) == 0
    assert capsys.readouterr().out == f"{folder / 'plot.html'}\n"
    assert (folder / "plot.html").read_text().startswith("<!DOCTYPE html>")
    assert write_page(folder) == folder / "plot.html"
    assert not list(folder.glob(".*"))


def test_signals_and_out_are_honoured_and_json_is_one_object(lane_change, tmp_path, capsys):
    folder = lane_change()
    arguments = [folder, "--signals", "vehicle.a_y", "--signals", "driver.*", "--out", tmp_path / "a.html", "--json"]
    assert drawbar_plot(*arguments) == 0
    result = {"run": str(folder), "page": str(tmp_path / "a.html"), "png": None, "notes": [], "missing": []}
    assert json.loads(capsys.readouterr().out) == result
    text = (tmp_path / "a.html").read_text()
    assert text.count('<div class="figure"') == 2
    assert not (folder / "plot.html").exists()


def test_runs_are_drawn_over_each_other_and_signals_over_another_one(lane_change, tmp_path):
    folder, other = lane_change("a"), lane_change("b", peak=6.0)
    page = tmp_path / "both.html"
    assert drawbar_plot(folder, "--over", other, "--out", page) == 0
    text = page.read_text()
    assert "<h3>a</h3>" in text
    assert "<h3>b</h3>" in text
    assert text.count('"vehicle.a_y",false') == 2, "a curve of each run"
    assert drawbar_plot(folder, "--signals", "vehicle.a_y", "--against", "vehicle.steer", "--out", page) == 0
    assert "steer [°]" in page.read_text() or "steer [\\u00b0]" in page.read_text()
    with pytest.raises(UsageError, match=r"--against vehicle\.steer needs --signals"):
        drawbar_plot(folder, "--against", "vehicle.steer", "--out", page)
    with pytest.raises(DrawbarError, match=r"every 0\.01 s and driver\.gear every 0\.25 s"):
        drawbar_plot(folder, "--signals", "vehicle.a_y", "--against", "driver.gear", "--out", page)
    with pytest.raises(UsageError, match=r"--against vehicle\.steer and --spectrum exclude each other"):
        drawbar_plot(folder, "--signals", "vehicle.a_y", "--against", "vehicle.steer", "--spectrum", "--out", page)


def test_what_the_plots_leave_out_is_told(lane_change, tmp_path, capsys):
    folder, other, page = lane_change("a"), lane_change("b", peak=6.0), tmp_path / "d.html"
    assert drawbar_plot(folder, "--signals", "*", "--out", page) == 0
    assert "The first 8 of 10 signals are shown" in capsys.readouterr().out
    assert drawbar_plot(folder, "--over", other, "--difference", "--signals", "vehicle.x", "--out", page) == 0
    assert capsys.readouterr().out == f"vehicle.x: largest difference 0 m at 0 s, RMS 0 m\n{page}\n"
    assert drawbar_plot(folder, "--over", other, "--difference", "--signals", "*", "--out", page) == 0
    printed = capsys.readouterr().out.splitlines()
    assert len(printed) == 10
    assert printed[8].startswith("Left out: 2 further given signals, first of all ")


def test_the_difference_of_two_runs_is_drawn_and_told(lane_change, tmp_path, capsys):
    folder, other, page = lane_change("a", peak=4.0), lane_change("b", peak=6.0, samples=601), tmp_path / "d.html"
    arguments = [folder, "--over", other, "--difference", "--out", page]
    assert drawbar_plot(*arguments, "--json") == 0
    found = {one.pop("signal"): one for one in json.loads(capsys.readouterr().out)["differences"]}
    run = Run(folder)
    time, exact = run.time("vehicle.a_y"), 0.5 * run["vehicle.a_y"]
    worst = int(np.abs(exact).argmax())
    # a sample of the first run between two of the second, which are joined by a line
    assert found["vehicle.a_y"]["largest"] == pytest.approx(exact[worst], rel=2e-3)
    assert abs(found["vehicle.a_y"]["time"] - time[worst]) <= 0.01
    assert found["vehicle.a_y"]["rms"] == pytest.approx(np.sqrt(np.mean(exact**2)), rel=2e-3)
    assert "vehicle.x" not in found, "a map has no difference over time"
    assert drawbar_plot(*arguments) == 0
    printed = capsys.readouterr().out
    assert f"vehicle.a_y: largest difference {found['vehicle.a_y']['largest']:.4g} m/s² at " in printed
    text = page.read_text()
    assert "<h2>Difference: b − a</h2>" in text
    assert f"<td>{found['vehicle.a_y']['largest']:.4g} m/s²</td>" in text
    for wrong in ([], ["--over", other, folder], ["--over", other, "--spectrum"]):
        with pytest.raises(UsageError, match="--difference needs one other run"):
            drawbar_plot(folder, "--difference", *wrong)


def test_wrong_places_are_refused_in_words(lane_change, tmp_path):
    folder = lane_change()
    with pytest.raises(UsageError, match=r"page .* is a folder; name an \.html file"):
        drawbar_plot(folder, "--out", tmp_path)
    with pytest.raises(UsageError, match="lies in a folder that does not exist"):
        drawbar_plot(folder, "--out", tmp_path / "no" / "a.html")
    with pytest.raises(UsageError, match=r"picture .* is a folder; name a \.png file"):
        drawbar_plot(folder, "--png", tmp_path)
    with pytest.raises(UsageError, match="no run at"):
        drawbar_plot(tmp_path / "nothing")


def test_a_file_of_the_user_is_not_lost_to_a_page(lane_change, tmp_path):
    folder = lane_change()
    mine = tmp_path / "notes.html"
    mine.write_text("<!DOCTYPE html><title>my notes on Drawbar</title>")
    with pytest.raises(UsageError, match=r"notes\.html exists and was not written by drawbar; name another file"):
        drawbar_plot(folder, "--out", mine)
    assert "my notes" in mine.read_text()
    for replaced in ("", (write_page(folder)).read_text()):  # nothing is lost with an empty file or an older page
        mine.write_text(replaced)
        assert drawbar_plot(folder, "--signals", "vehicle.a_y", "--out", mine) == 0
        assert mine.read_text().count('<div class="figure"') == 1
    (folder / "plot.html").write_text("the page of the run is always its own")
    assert drawbar_plot(folder) == 0
    assert is_page(folder / "plot.html")


@pytest.mark.parametrize(("name", "right"), [("x.jpg", "x.png"), ("x", "x.png"), ("x.png.pdf", "x.png.png")])
def test_a_picture_of_another_kind_is_refused_before_anything_is_written(lane_change, tmp_path, name, right):
    folder = lane_change()
    with pytest.raises(UsageError, match=rf"--png .*{name}: the picture is a PNG file; name it .*/{right}"):
        drawbar_plot(folder, "--png", tmp_path / name)
    assert not (folder / "plot.html").exists()


def test_the_example_names_what_the_commands_of_the_readme_make():
    assert "runs/double_lane_change-001 " in plot.example


def test_missing_files_are_reported_on_the_page_and_by_the_exit_code(lane_change, capsys):
    folder = lane_change()
    assert drawbar_plot(folder) == 0
    assert '<span class="tag ok">ok</span>' in (folder / "plot.html").read_text()
    capsys.readouterr()
    (folder / "signals" / "0.01s" / "00001.parquet").unlink()
    assert drawbar_plot(folder) == 1
    shown = capsys.readouterr()
    assert shown.out == f"{folder / 'plot.html'}\n"
    assert "files of the run are missing: " in shown.err
    text = (folder / "plot.html").read_text()
    assert '<span class="tag">ok, but files are missing</span>' in text
    assert "0.01s contains no sample files." in text
    assert drawbar_plot(folder, "--json") == 1
    assert json.loads(capsys.readouterr().out)["missing"] == [
        f"{folder / 'signals' / '0.01s'} contains no sample files"
    ]


def test_without_a_browser_the_message_says_what_to_install_and_the_page_is_there(lane_change, tmp_path, monkeypatch):
    monkeypatch.setattr(commands, "find_browser", lambda: None)
    folder = lane_change()
    with pytest.raises(DrawbarError, match="apt-get install chromium") as caught:
        drawbar_plot(folder, "--png", tmp_path / "a.png")
    assert str(folder / "plot.html") in str(caught.value)
    assert (folder / "plot.html").is_file()
    assert not (tmp_path / "a.png").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="the programs in place of a browser are scripts with a first line")
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("raise SystemExit(3)", "failed with exit code 3"),
        ("print('<html><body></body></html>')", "did not draw"),
        ("print('<html data-height=\"900\">')", "wrote no picture"),
    ],
)
def test_a_browser_that_fails_leaves_the_page_and_no_picture(
    lane_change, tmp_path, monkeypatch, program, text, message
):
    path = program(text)
    monkeypatch.setattr(commands, "find_browser", lambda: path)
    folder = lane_change()
    with pytest.raises(DrawbarError, match=f"no picture: .*{message}.* The page is written"):
        drawbar_plot(folder, "--png", tmp_path / "a.png")
    assert (folder / "plot.html").is_file()
    assert not (tmp_path / "a.png").exists()


def test_a_page_is_no_picture(tmp_path):
    with pytest.raises(UsageError, match="the page is HTML; name it"):
        drawbar_plot(tmp_path, "--out", tmp_path / "x.png")
    assert not (tmp_path / "x.png").exists()
