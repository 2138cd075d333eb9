"""The pins at the sides of each box."""

from drawbar.diagrams import Diagram, read
from drawbar.diagrams.drawing.picture import svg
from drawbar.diagrams.drawing.pins import Pin, pins_and_lines


def test_a_bus_of_which_one_member_is_connected_is_drawn_by_member(block, elements, words):
    d = Diagram("part of a bus")
    body, wheel = d.add("body", block("Body")), d.add("wheel", block("Wheel"))
    d.connect(body.hub.velocity, wheel.hub.velocity)
    assert elements(svg(d), "path", "bus") == []
    assert "hub.velocity" in words(svg(d), "port")


def test_many_ports_without_a_connection_are_counted(tmp_path, elements, words):
    for count in (10, 30):
        text = svg_of_many(tmp_path, count)
        assert words(text, "name") == ["many", "inner"]
        assert len(elements(text, "path", "connection")) == 2
    text = svg_of_many(tmp_path, 10)
    assert len([w for w in words(text, "port") if w.startswith("u")]) == 10
    text = svg_of_many(tmp_path, 30)
    assert [w for w in words(text, "port") if w.startswith("u")] == ["u0"]
    assert words(text, "kind")[0].endswith("+29")


def svg_of_many(folder, count):
    connectors = "".join(f'<Connector name="u{i}" kind="input"/>' for i in range(count))
    file = folder / "SystemStructure.ssd"
    file.write_text(
        '<SystemStructureDescription xmlns="http://ssp-standard.org/SSP1/SystemStructureDescription" version="1.0" '
        f'name="m"><System name="s"><Elements><Component name="many" source="m.fmu"><Connectors>{connectors}'
        '<Connector name="y" kind="output"/></Connectors></Component><System name="inner"/></Elements><Connections>'
        '<Connection startElement="many" startConnector="y" endElement="many" endConnector="u0"/>'
        '<Connection startElement="many" startConnector="y" endElement="inner" endConnector="v"/>'
        '<Connection startElement="many" startConnector="y" endElement="nobody" endConnector="v"/>'
        "</Connections></System></SystemStructureDescription>"
    )
    text = svg(read(file))
    return text


def test_pins_of_a_bus_run_from_the_part_that_comes_first(block):
    for order in (("body", "wheel"), ("wheel", "body")):
        d = Diagram("bus")
        parts = {name: d.add(name, block(name.capitalize())) for name in order}
        d.connect(parts["body"].hub, parts["wheel"].hub)
        sides, (line,) = pins_and_lines(d)
        assert (line.start.part, line.end.part) == order
        assert sides[order[0]].right == [Pin(order[0], "hub", True)]
        assert sides[order[1]].left == [Pin(order[1], "hub", True)]
