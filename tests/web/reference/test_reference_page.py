import re

import pytest

from drawbar.blocks.signals.ramp import Ramp
from drawbar.blocks.signals.sample_and_hold import SampleAndHold
from drawbar.web.reference.block_reference import collect
from drawbar.web.reference.reference_page import docstring_html, reference_page


@pytest.fixture(scope="module")
def entries():
    found, faults = collect({"Ramp": Ramp, "SampleAndHold": SampleAndHold})
    assert faults == {}
    return found


def test_a_docstring_has_paragraphs_code_lists_and_indented_text():
    text = "A law: ``y = <u>``.\n\nPorts::\n\n    u -->|\n\n      |--> y\n\n- one\n  more\n- two\n"
    assert docstring_html(text) == (
        "<p>A law: <code>y = &lt;u&gt;</code>.</p>\n<p>Ports:</p>\n"
        '<pre tabindex="0">u --&gt;|\n\n  |--&gt; y</pre>\n<ul><li>one more</li><li>two</li></ul>'
    )


def test_the_page_names_blocks_and_faults_and_escapes(entries):
    text = reference_page(entries, {"bad:Block": "a <b>"}, "0")
    assert re.findall(r'<article id="(\w+)"', text) == ["Ramp", "SampleAndHold"]
    assert "a &lt;b&gt;" in text
    assert text.count("<svg") == 2


@pytest.mark.browser
def test_search_by_keyboard_on_a_narrow_screen_without_requests(entries, chromium, tmp_path):
    path = tmp_path / "blocks.html"
    path.write_text(reference_page(entries, {}, "0"), encoding="utf-8")
    page = chromium.new_page(viewport={"width": 400, "height": 800}, color_scheme="dark")
    requests, errors = [], []
    page.on("request", lambda request: requests.append(request.url))
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(path.as_uri())
    assert page.evaluate("document.documentElement.scrollWidth") <= 400
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(20, 25, 31)"
    page.keyboard.press("/")
    page.keyboard.type("sampleandhold")
    assert page.locator("article:visible").count() == 1
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "SampleAndHold"
    page.keyboard.press("Escape")
    assert page.locator("article:visible").count() == 2
    page.screenshot(path=str(tmp_path / "page.png"))
    page.close()
    assert requests == [path.as_uri()]
    assert errors == []
