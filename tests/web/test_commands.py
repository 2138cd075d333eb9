import argparse
import json
import stat
import sys
import time

import pytest

from drawbar.blocks.core.errors import DrawbarError, UsageError
from drawbar.web import commands
from drawbar.web.commands import write_page
from drawbar.web.report import browser
from drawbar.web.report.marker import is_page
from drawbar.web.verbs import plot


def drawbar_plot(*arguments):
    parser = argparse.ArgumentParser()
    plot.configure(parser)
    parser.add_argument("--json", action="store_true")
    return plot.call(parser.parse_args([str(a) for a in arguments]))


@pytest.fixture
def program(tmp_path):
    """Makes an executable file that runs the given Python text, in place of a browser."""

    def make(text):
        path = tmp_path / "fake-browser"
        path.write_text(f"#!{sys.executable}\n{text}\n")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return str(path)

    return make


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
    told = {"run": str(folder), "page": str(tmp_path / "a.html"), "png": None, "missing": []}
    assert json.loads(capsys.readouterr().out) == told
    text = (tmp_path / "a.html").read_text()
    assert text.count('<div class="figure"') == 2
    assert not (folder / "plot.html").exists()


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
    with pytest.raises(UsageError, match=rf"picture .*{name}: pictures are written as PNG; name it .*/{right}"):
        drawbar_plot(folder, "--png", tmp_path / name)
    assert not (folder / "plot.html").exists()


def test_the_example_names_what_the_commands_of_the_readme_make():
    assert "runs/double_lane_change-001 " in plot.example


def test_missing_files_are_told_on_the_page_and_by_the_exit_code(lane_change, capsys):
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
    assert "0.01s holds no file of samples." in text
    assert drawbar_plot(folder, "--json") == 1
    assert json.loads(capsys.readouterr().out)["missing"] == [
        f"{folder / 'signals' / '0.01s'} holds no file of samples"
    ]


def test_without_a_browser_the_message_says_what_to_install_and_the_page_is_there(lane_change, tmp_path, monkeypatch):
    monkeypatch.setattr(commands, "find_browser", lambda: None)
    folder = lane_change()
    with pytest.raises(DrawbarError, match="apt-get install chromium") as caught:
        drawbar_plot(folder, "--png", tmp_path / "a.png")
    assert str(folder / "plot.html") in str(caught.value)
    assert (folder / "plot.html").is_file()
    assert not (tmp_path / "a.png").exists()


def test_a_browser_is_found_by_any_of_its_names():
    assert (
        browser.find_browser(lambda name: f"/bin/{name}" if name == "google-chrome" else None) == "/bin/google-chrome"
    )
    assert browser.find_browser(lambda name: None) is None


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


HANGS = """
import subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
open({place!r}, "w").write(str(child.pid))
time.sleep(60)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="reads the process table of Linux")
def test_a_browser_that_hangs_is_ended_with_its_children(tmp_path, program):
    note = tmp_path / "child"
    path = program(HANGS.format(place=str(note)))
    start = time.monotonic()
    with pytest.raises(DrawbarError, match="did not end within 2 s"):
        browser.screenshot(tmp_path / "page.html", tmp_path / "a.png", path, timeout=2.0)
    assert time.monotonic() - start < 20
    child = note.read_text()
    for _ in range(100):
        try:
            with open(f"/proc/{child}/stat") as file:
                gone = file.read().rsplit(")", 1)[1].split()[0] == "Z"
        except FileNotFoundError:
            gone = True
        if gone:
            break
        time.sleep(0.05)
    assert gone


def test_a_browser_that_does_not_start_is_named(tmp_path):
    with pytest.raises(DrawbarError, match="nobrowser does not start"):
        browser.screenshot(tmp_path / "page.html", tmp_path / "a.png", str(tmp_path / "nobrowser"))


def test_a_page_is_no_picture(tmp_path):
    with pytest.raises(UsageError, match="the page is HTML; name it"):
        drawbar_plot(tmp_path, "--out", tmp_path / "x.png")
    assert not (tmp_path / "x.png").exists()
