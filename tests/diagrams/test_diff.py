"""Changes in words: none between equal diagrams, and each edit is named."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from drawbar.blocks.authoring.registry import block_class
from drawbar.diagrams import Diagram, ParameterMapping, ParameterSet, read, write
from drawbar.diagrams.diff import changes
from drawbar.orchestrator.cli.commands import main


def block(name):
    return block_class(f"bench_blocks:{name}")


def made():
    d = Diagram("car", step="1/30", stop=2.0)
    parts = [d.add(n, block("Gain"), gain=2.0) for n in "abc"]
    body, wheel = d.add("body", block("Body")), d.add("wheel", block("Wheel"), radius=0.5)
    d.connect(parts[0].y, parts[1].u)
    d.connect(body.hub, wheel.hub)
    d.expose(parts[1].y, "out")
    body.geometry = (0, 0, 40, 30)
    return d


def connection(d):
    return next(c for c in d.connections if c.end.part == "b")


def reconnect(d):
    d.connections.remove(connection(d))
    d.connect(d.parts["c"].y, d.parts["b"].u, 2.0)


def remove(d, name):
    d.elements.remove(d.parts.pop(name))


def replace_block(d):
    d.parts["c"].block = block("Held")
    d.parts["c"].starts.clear()
    d.parts["c"]._interface = None


EDITS = {
    "name": (lambda d: setattr(d, "name", "cart"), ["name: car -> cart"]),
    "step": (lambda d: setattr(d, "step", d.step / 2), ["step: 1/30 s -> 1/60 s"]),
    "stop": (lambda d: setattr(d, "stop", 3.5), ["stop time: 2 s -> 3.5 s"]),
    "loops": (lambda d: setattr(d, "loops", "delay"), ["loops: report -> delay"]),
    "algorithm": (lambda d: setattr(d, "algorithm", "jacobi"), ["algorithm: second-order -> jacobi"]),
    "added": (
        lambda d: d.add("e", block("Wheel"), radius=1),
        ["part e added (block bench_blocks:Wheel) with radius = 1 m"],
    ),
    "part": (lambda d: setattr(d.parts["a"], "algorithm", "jacobi"), ["part a: algorithm by default -> jacobi"]),
    "fresh": (lambda d: setattr(d.parts["a"], "fresh_read", False), ["part a: fresh read by default -> False"]),
    "start": (lambda d: d.parts["wheel"].set("radius", 0.6), ["wheel.radius: 0.5 m -> 0.6 m"]),
    "set": (lambda d: d.parts["body"].set("speed", 3), ["body.speed: set to 3 m/s"]),
    "unset": (lambda d: d.parts["a"].starts.clear(), ["a.gain: no longer set (was 2)"]),
    "connection": (lambda d: d.connect(d.parts["b"].y, d.parts["c"].u), ["connection added: b.y -> c.u"]),
    "exposed": (
        lambda d: d.expose(d.parts["a"].u, "in"),
        ["connector in of the diagram added (input Real in 1)", "connection added: in -> a.u"],
    ),
    "moved": (lambda d: setattr(d.parts["body"], "geometry", (5, 0, 45, 30)), ["1 box moved: body"]),
}  # fmt: skip
SINGLE = {
    "removed": (lambda d: remove(d, "c"), ["part c removed (block bench_blocks:Gain)"]),
    "block": (
        replace_block,
        ["part c: block bench_blocks:Gain -> block bench_blocks:Held", "c.gain: no longer set (was 2)"],
    ),
    "order": (lambda d: d.elements.reverse(), ["the order of the parts changed: wheel, body, c, b, a"]),
    "reconnected": (reconnect, ["connection to b.u: from a.y -> from c.y (factor 2)"]),
    "disconnected": (lambda d: d.connections.remove(connection(d)), ["connection removed: a.y -> b.u"]),
    "factor": (lambda d: setattr(connection(d), "factor", -1.0), ["connection a.y -> b.u: default -> factor -1"]),
    "offset": (lambda d: setattr(connection(d), "offset", 0.5), ["connection a.y -> b.u: default -> offset 0.5"]),
    "units": (
        lambda d: setattr(connection(d), "suppress_unit_conversion", True),
        ["connection a.y -> b.u: default -> units not converted"],
    ),
    "drawn": (lambda d: setattr(connection(d), "geometry", ((1, 2),)), ["1 connection drawn differently"]),
}


def check_difference(make, edit, lines, tmp_path):
    """The edit gives these lines and no others, in Python and after writing and reading."""
    a, b = make(), make()
    edit(b)
    assert changes(a, b) == lines
    assert changes(b, a) != []
    assert changes(b, b) == []
    for d, folder in ((a, tmp_path / "a"), (b, tmp_path / "b")):
        folder.mkdir()
        write(d, folder)
    assert changes(read(tmp_path / "a"), read(tmp_path / "b")) == lines
    assert changes(b, read(tmp_path / "b")) == []


@pytest.mark.parametrize("name", [*EDITS, *SINGLE])
def test_an_edit_alone_is_all_that_is_named(name, tmp_path):
    check_difference(made, *{**EDITS, **SINGLE}[name], tmp_path)


def nested():
    inner = Diagram("pair")
    a, b = inner.add("a", block("Gain"), gain=2.0), inner.add("b", block("Gain"))
    inner.connect(a.y, b.u)
    inner.expose(a.u)
    inner.expose(b.y)
    axle = Diagram("axle")
    left = axle.add("left", inner)
    axle.expose(left.u)
    d = Diagram("car")
    d.add("axle", axle)
    d.add("single", block("Gain"))
    return d


def inside(d):
    return d.parts["axle"].diagram.parts["left"].diagram


def bind(d, **more):
    values = ParameterSet("winter")
    values.set("axle.left.b.gain", 4.0)
    d.bind(values, **more)


def bind_mapped(d):
    mapping, values = ParameterMapping(), ParameterSet("summer")
    values.set("k", 4.0)
    mapping.add("k", "single.gain", 0.5, 1.0)
    d.bind(values, mapping)


INSIDE = {
    "start": (lambda d: inside(d).parts["b"].set("gain", 3), ["axle.left.b.gain: set to 3"]),
    "above": (lambda d: d.parts["axle"].set("left.b.gain", 3), ["axle.left.b.gain: set to 3"]),
    "added": (lambda d: inside(d).add("c", block("Gain")), ["part axle.left.c added (block bench_blocks:Gain)"]),
    "connection": (
        lambda d: inside(d).connections.remove(inside(d).connections[0]),
        ["connection removed: axle.left.a.y -> axle.left.b.u"],
    ),
    "exposed": (
        lambda d: d.parts["axle"].diagram.expose(d.parts["axle"].diagram.parts["left"].y),
        ["connector y of the system axle added (output Real in 1)", "connection added: axle.left.y -> axle.y"],
    ),
    "moved": (lambda d: setattr(inside(d).parts["a"], "geometry", (0, 0, 1, 1)), ["1 box moved: axle.left.a"]),
    "order": (lambda d: inside(d).elements.reverse(), ["the order of the parts in axle.left changed: b, a"]),
    "algorithm": (
        lambda d: setattr(d.parts["axle"], "algorithm", "jacobi"),
        ["part axle: algorithm by default -> jacobi"],
    ),
    "set": (bind, ["axle.left.b.gain: set to 4", "parameter set winter applied"]),
    "mapped": (
        bind_mapped,
        ["single.gain: set to 0.5 times 4 plus 1", "parameter set summer (mapping in the file) applied"],
    ),
    "replaced": (
        lambda d: (remove(d, "axle"), d.add("axle", block("Gain"))),
        ["part axle: system -> block bench_blocks:Gain", "the order of the parts changed: single, axle"],
    ),
}


@pytest.mark.parametrize("name", INSIDE)
def test_an_edit_inside_a_system_or_of_a_parameter_set_is_all_that_is_named(name, tmp_path):
    check_difference(nested, *INSIDE[name], tmp_path)


@settings(deadline=None)  # the first of them loads what the others find
@given(st.sets(st.sampled_from(sorted(EDITS))))
def test_each_of_several_edits_is_named_and_nothing_else(names):
    a, b = made(), made()
    for name in sorted(names):
        EDITS[name][0](b)
    assert sorted(changes(a, b)) == sorted(line for name in names for line in EDITS[name][1])


def test_what_other_tools_keep_is_one_line(tmp_path):
    for name in "ab":
        (tmp_path / name).mkdir()
        write(made(), tmp_path / name)
    file = tmp_path / "b" / "SystemStructure.ssd"
    file.write_text(file.read_text().replace("<ssd:Elements>", "<!-- checked --><ssd:Elements>"))
    (line,) = changes(read(tmp_path / "a"), read(tmp_path / "b"))
    assert line.startswith("only comments or the content of other tools in the file changed")


def test_kept_elements_with_a_relative_name_of_a_namespace_are_compared(tmp_path):
    for name, mark in (("a", "1"), ("b", "2"), ("c", "2")):
        (tmp_path / name).mkdir()
        write(made(), tmp_path / name)
        file = tmp_path / name / "SystemStructure.ssd"
        kept = f'<ssd:SignalDictionaryReference xmlns:t="rel" name="sd" dictionary="D" t:mark="{mark}"/>'
        file.write_text(file.read_text().replace("<ssd:Elements>", f"<ssd:Elements>{kept}"))
    a, b, c = (read(tmp_path / name) for name in "abc")
    assert changes(a, b) == ["part sd: changed inside"]
    assert changes(b, c) == []


def test_fmus_are_compared_by_content(fmu_file, tmp_path):
    d = Diagram("one")
    d.add("p", fmu_file("plant"))
    for name in "ab":
        (tmp_path / name / "resources").mkdir(parents=True)
        (tmp_path / name / "resources" / "plant.fmu").write_bytes(fmu_file("plant").read_bytes())
        write(d, tmp_path)
        (tmp_path / name / "SystemStructure.ssd").write_text((tmp_path / "SystemStructure.ssd").read_text())
    assert changes(read(tmp_path / "a"), read(tmp_path / "b")) == []
    (tmp_path / "b" / "resources" / "plant.fmu").write_bytes(fmu_file("plant", unit="m").read_bytes())
    assert changes(read(tmp_path / "a"), read(tmp_path / "b")) == [
        "part p: the file of FMU resources/plant.fmu has different content"
    ]


def test_the_verb(tmp_path, capsys):
    a, b = tmp_path / "a.ssd", tmp_path / "b.ssd"
    d = made()
    write(d, a)
    assert main(["diff", str(a), str(a)]) == 0
    assert capsys.readouterr().out == "no difference\n"
    d.parts["wheel"].set("radius", 0.6)
    write(d, b)
    assert main(["diff", str(a), str(b)]) == 1
    assert capsys.readouterr().out == "wheel.radius: 0.5 m -> 0.6 m\n"
    assert main(["diff", str(a), str(b), "--json"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert told == {"a": str(a), "b": str(b), "equal": False, "changes": ["wheel.radius: 0.5 m -> 0.6 m"]}
    assert main(["diff", str(a), str(tmp_path / "none.ssd")]) == 2
