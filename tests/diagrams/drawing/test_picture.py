"""The picture of a diagram: whole, escaped, without anything that runs or is fetched, and soon there."""

import re
import time

import pytest
from lxml import etree

from drawbar.blocks import Continuous, Input, Output, UsageError
from drawbar.diagrams import Diagram, read, to_text, write
from drawbar.diagrams.drawing.picture import LOOKS, svg
from drawbar.diagrams.library import find
from drawbar.orchestrator.cli.commands import main


@pytest.fixture
def pair(block):
    d = Diagram("pair")
    body, wheel = d.add("body", block("Body")), d.add("wheel", block("Wheel"))
    a, b = d.add("a", block("Gain")), d.add("b", block("Held"))
    d.connect(body.hub, wheel.hub)
    d.connect(a.y, b.u)
    d.connect(b.y, a.u)
    d.expose(b.y, "shown")
    return d


def test_names_kinds_ports_and_connections_are_drawn(pair, elements, words):
    before = to_text(pair)
    text = svg(pair)
    assert words(text, "name") == ["body", "wheel", "a", "b"]
    assert words(text, "kind") == ["Body", "Wheel", "Gain", "Held"]
    assert sorted(words(text, "port")) == ["hub", "hub", "shown", "u", "u", "y", "y"]
    assert len(elements(text, "path", "bus")) == 1, "a bus is one connection, both ways"
    assert [e[0].text for e in elements(text, "path", "connection")] == ["a.y → b.u", "b.y → shown", "b.y → a.u"]
    assert [e[0].text for e in elements(text, "path", "bus")] == ["body.hub → wheel.hub"]
    assert pair._repr_svg_() == text
    assert to_text(pair) == before, "a picture changes nothing"


def test_the_picture_after_reading_is_the_same(pair, tmp_path):
    write(pair, tmp_path)
    assert svg(read(tmp_path)) == svg(pair)


def test_nothing_in_it_runs_or_is_fetched_and_all_is_escaped(pair, tmp_path, elements):
    evil = "<script>alert(1)</script>\"'&]]>"
    pair.name = evil
    pair.expose(pair.parts["a"].y, "x<img src=x onerror=alert(1)>")
    write(pair, tmp_path)
    file = tmp_path / "SystemStructure.ssd"
    file.write_text(file.read_text().replace('"wheel"', f'"{"&lt;b&gt;"}wheel"'))
    for text in (svg(pair), svg(read(file))):
        root = etree.fromstring(text.encode())
        tags = {etree.QName(e).localname for e in root.iter() if isinstance(e.tag, str)}
        assert tags == {"svg", "title", "style", "rect", "g", "path", "text", "circle"}
        attributes = {key for e in root.iter() for key in e.attrib}
        assert not [key for key in attributes if key.startswith("on") or "href" in key or key == "id"]
        assert root[0].text == f"{evil}: 4 parts"
        assert not re.search(r"url\(|@import|http(?!://www\.w3\.org/2000/svg)", text)
    assert "<b>wheel" in [e.text for e in elements(text, "text", "name")]


class Wide(Continuous):
    """An array in and out."""

    u = Input("N", "force", size=2)
    v = Input("N", "force")
    y = Output("N", "force", size=2)
    z = Output("m/s", "speed")

    def outputs(self):
        return {"y": self.u, "z": 0.0 * self.v}


def test_pins_show_the_size_of_arrays_and_units_and_lines_the_elements_that_they_join(elements):
    d = Diagram("arrays")
    a, b, c = (d.add(name, Wide) for name in "abc")
    d.connect(a.y, b.u)
    d.connect(b["y[2]"], c.v)
    text = svg(d)
    pins = {e.text + (e[0].text if len(e) else "") for e in elements(text, "text", "port")}
    assert pins == {"u[2] N", "v N", "y[2] N", "z m/s"}
    titles = [e[0].text for e in elements(text, "path", "connection")]
    assert titles == ["a.y → b.u", "b.y[2] → c.v"]
    assert [e.text for e in elements(text, "text", "index")] == ["[2]"]


def test_a_program_without_css_draws_it_in_its_colours(pair):
    """Inkscape, LibreOffice and cairo know no CSS variables, and some no CSS: black rectangles were all they showed."""
    text = svg(pair)
    assert "var(" not in text
    root = etree.fromstring(re.sub(r"<style>.*?</style>", "", text, flags=re.DOTALL).encode())
    drawn = [e for e in root.iter() if etree.QName(e).localname in ("rect", "path", "circle", "text")]
    assert len(drawn) > 20
    assert {e.get("fill") for e in drawn} <= {"none", *(look["fill"] for look in LOOKS.values() if "fill" in look)}
    lines = [e for e in drawn if e.get("class") in ("connection", "bus")]
    assert lines
    assert {(e.get("fill"), e.get("stroke") in ("#2f6db3", "#8a5a00")) for e in lines} == {("none", True)}


def test_characters_that_xml_has_none_for_are_replaced(pair, elements):
    pair.name = "a\0b\x1b\ud800c"
    assert elements(svg(pair), "title")[0].text == "a�b��c: 4 parts"


def test_a_part_that_cannot_run_is_drawn_with_its_reason(pair, tmp_path, elements):
    write(pair, tmp_path)
    file = tmp_path / "SystemStructure.ssd"
    file.write_text(file.read_text().replace("bench_blocks:Gain", "elsewhere:Gain"))
    (box,) = elements(svg(read(file)), "rect", "box fault")
    assert "block 'elsewhere:Gain' is unknown" in box.getparent()[0].text
    assert elements(svg(pair), "rect", "box fault") == []


def test_no_label_leaves_its_box(block, words):
    d = Diagram("long")
    d.add("a_name_that_is_far_too_long_for_any_box_in_this_picture", block("Gain"))
    d.parts[next(iter(d.parts))].geometry = (0, 0, 40, 30)
    (shown,) = words(svg(d), "name")
    assert shown.startswith("a_name_that")
    assert shown.endswith("…")
    assert len(shown) < 22


def test_an_empty_diagram_has_a_picture_too(elements):
    assert elements(svg(Diagram("empty")), "rect", "paper")


def test_a_thousand_parts_take_seconds(block, words):
    d = Diagram("large")
    parts = [d.add(f"p{i}", block("Cross")) for i in range(1000)]
    for i, part in enumerate(parts):
        for element in (1, 2):
            source = parts[(i * 7 + element * 131) % 1000 if i % 3 else max(i - 5, 0)]
            d.connect(source[f"y[{element}]"], part[f"u[{element}]"])
    begin = time.monotonic()
    text = svg(d)
    assert time.monotonic() - begin < 20.0  # 2 s at rest
    assert len(words(text, "name")) == 1000


def test_the_verb_writes_the_picture(pair, tmp_path, capsys):
    write(pair, tmp_path)
    target = tmp_path / "picture.svg"
    assert main(["view", str(tmp_path), "--svg", str(target)]) == 0
    assert target.read_text(encoding="utf-8") == svg(read(tmp_path))
    assert main(["view", str(tmp_path), "--svg", str(tmp_path / "none" / "x.svg")]) == 2
    assert "cannot write" in capsys.readouterr().err
    assert main(["view", "--svg", str(target)]) == 2
    assert "--svg FILE needs" in capsys.readouterr().err
    with pytest.raises(UsageError):
        find(tmp_path / "nothing")
