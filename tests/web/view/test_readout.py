"""The values beside the cursor of ``drawbar view`` in a real Chromium."""

import re

import numpy as np
import pytest

from drawbar.orchestrator.runs.run import Run

pytestmark = pytest.mark.browser

COLUMN = "Bokeh.documents[0].get_model_by_name('plots')"
READY = f"Bokeh.index.find_one({COLUMN}.children.at(-1))?.frame?.bbox.width > 100 && Bokeh.documents[0].is_idle"


def test_the_cursor_shows_the_values_in_all_plots(shared, wait_for):
    page, run = shared("a"), Run(shared.runs / "a")
    page.mouse.move(820, 400)
    page.mouse.move(830, 400)
    page.wait_for_selector(".readout >> nth=2")
    texts = page.locator(".readout").all_inner_texts()
    seconds = {float(text.split(" s")[0]) for text in texts}
    assert len(seconds) == 1
    exact = np.interp(seconds.pop(), run.time("vehicle.a_y"), run["vehicle.a_y"])
    shown = float(re.search(r"a_y\s+(\S+)", texts[1])[1])
    assert shown == pytest.approx(exact, rel=1e-3, abs=1e-4)
    page.mouse.move(100, 700)
    wait_for(page, lambda: page.locator(".readout").count() == 0)


def readout(page, number=1):
    """Return the time of the readout of a plot, and the value of its curve."""
    text = page.locator(".readout").nth(number).inner_text()
    return float(text.split(" s")[0]), float(re.search(r"a_y\s+(\S+)", text)[1])


def test_the_readout_follows_a_zoom_below_a_mouse_that_rests(shared, wait_for):
    page, run = shared("long"), Run(shared.runs / "long")
    time, exact = run.time("vehicle.a_y"), run["vehicle.a_y"]
    wait_for(page, lambda: page.evaluate(READY))
    page.mouse.move(740, 400)
    page.mouse.move(750, 400)
    page.wait_for_selector(".readout >> nth=2")
    frame = "v => [v.el.getBoundingClientRect().left + v.frame.bbox.left, v.frame.bbox.width]"
    frame = f"({frame})(Bokeh.index.find_one({COLUMN}.children[1]))"
    left, width = page.evaluate(frame)

    def below_mouse():
        start, end = (page.evaluate(f"{COLUMN}.children[1].x_range.{name}") for name in ("start", "end"))
        return start + (750 - left) / width * (end - start)

    for action in ("wheel", "wheel", "+", "+", "-", "0"):
        before = page.evaluate(f"{COLUMN}.children[1].x_range.end")
        if action == "wheel":
            page.mouse.wheel(0, -400)
        else:
            page.keyboard.press(action)
        wait_for(page, lambda: page.evaluate(f"{COLUMN}.children[1].x_range.end") != before)  # noqa: B023
        page.wait_for_timeout(500)  # until the finer samples have come
        at, value = readout(page)
        assert at == pytest.approx(below_mouse(), abs=1e-5), action
        assert value == pytest.approx(np.interp(at, time, exact), abs=2e-2 if action == "0" else 2e-3), action


def test_a_sampled_signal_is_held_in_the_plot_and_at_the_cursor(shared, wait_for):
    page = shared("radar")
    wait_for(page, lambda: page.evaluate(READY))
    place = page.locator("#plots").bounding_box()
    page.mouse.move(place["x"] + 700, place["y"] + 100)
    page.mouse.move(place["x"] + 720, place["y"] + 100)
    text = page.locator(".readout").inner_text()
    assert 1.5 < float(text.split(" s")[0]) < 2.0
    assert re.search(r"range\s+(\S+)", text)[1] == "20"
