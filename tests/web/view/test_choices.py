"""What the reader chose outlives a reload, keys are listed, and the page fits narrow and dark screens."""

import re

import pytest

pytestmark = pytest.mark.browser

COLUMN = "Bokeh.documents[0].get_model_by_name('plots')"
LABELS = f"{COLUMN}.children.map(f => f.below[0].axis_label)"
NAMES = f"{COLUMN}.children.map(f => f.renderers.filter(r => r.tags.length == 4).map(r => r.tags[0] + ' ' + r.tags[1]))"


def test_choices_survive_a_reload(shared, wait_for):
    page = shared("a")
    page.locator("#clear").click()
    page.locator("[data-signal='vehicle.a_y']").click()
    page.locator("tr[data-run=b] input").click()
    chosen = [["a vehicle.a_y", "b vehicle.a_y"]]
    wait_for(page, lambda: page.evaluate(NAMES) == chosen)
    wait_for(page, lambda: "a_y" in (page.evaluate("sessionStorage.getItem('drawbar view')") or ""))
    page.reload()
    page.wait_for_selector("body[data-ready]")
    wait_for(page, lambda: page.evaluate(NAMES) == chosen)


def test_the_keys_are_listed_and_move_the_axis_and_the_page_fits_a_narrow_dark_screen(shared, wait_for):
    page = shared("a")
    page.keyboard.press("?")
    assert "move the time axis to the left" in page.locator("#keys").inner_text()
    page.keyboard.press("Escape")
    assert page.locator("#keys").is_hidden()
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("+")
    wait_for(page, lambda: page.evaluate(f"{COLUMN}.children[0].x_range.start") == 3)
    page.keyboard.press("ArrowLeft")
    wait_for(page, lambda: page.evaluate(f"{COLUMN}.children[0].x_range.start") == 1.5)
    page.set_viewport_size({"width": 400, "height": 800})
    page.emulate_media(color_scheme="dark")
    wait_for(page, lambda: page.evaluate("document.documentElement.scrollWidth") == 400)
    assert page.locator("#plots").bounding_box()["width"] > 350
    assert page.locator("#runs tr.shown").bounding_box()["height"] > 30
    assert page.locator("#tree-box").bounding_box()["height"] > 100
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(20, 25, 31)"


def test_kinds_are_chosen_in_the_page_and_survive_a_reload(shared, wait_for):
    page = shared("a")
    page.locator("tr[data-run=b] input").click()
    page.locator("#kind").select_option("difference")
    page.wait_for_selector("#differences tr:nth-child(6)")
    assert re.search(r"vehicle\.a_y\s+-?0\.9799 m/s²", page.locator("#differences").inner_text())
    page.mouse.move(820, 400)
    page.mouse.move(830, 400)
    page.wait_for_selector(".readout >> nth=2")
    page.locator("#kind").select_option("spectrum")
    wait_for(page, lambda: set(page.evaluate(LABELS)) == {"frequency [Hz]"})
    assert page.locator("#differences").is_hidden()
    page.locator("#kind").select_option("against")
    assert page.evaluate("document.activeElement.id") == "against"
    page.keyboard.type("vehicle.x")
    page.keyboard.press("Enter")
    wait_for(page, lambda: set(page.evaluate(LABELS)) == {"x [m]"})
    page.reload()
    page.wait_for_selector("body[data-ready]")
    wait_for(page, lambda: set(page.evaluate(LABELS)) == {"x [m]"})
    page.mouse.move(820, 400)
    page.mouse.move(830, 400)
    assert page.locator("#against").input_value() == "vehicle.x"
