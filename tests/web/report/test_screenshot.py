"""Chromium or Chrome is found, and ended however it behaves."""

import sys
import time

import pytest

from drawbar.blocks.core.errors import DrawbarError
from drawbar.web.report.screenshot import find_browser, screenshot


def test_a_browser_is_found_by_any_of_its_names():
    assert find_browser(lambda name: f"/bin/{name}" if name == "google-chrome" else None) == "/bin/google-chrome"
    assert find_browser(lambda name: None) is None


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
        screenshot(tmp_path / "page.html", tmp_path / "a.png", path, timeout=2.0)
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
        screenshot(tmp_path / "page.html", tmp_path / "a.png", str(tmp_path / "nobrowser"))
