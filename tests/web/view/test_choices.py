"""What the reader chose outlives a reload, keys are listed, and the page fits narrow and dark screens."""

import pytest

pytestmark = pytest.mark.browser

COLUMN = "Bokeh.documents[0].get_model_by_name('plots')"
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
