import pytest

from drawbar.blocks import DiagramError
from drawbar.blocks.core.interface import Port
from drawbar.diagrams import Diagram, faults
from drawbar.diagrams.checks.check import check
from drawbar.diagrams.checks.loops import connection_loops, loops, strong_components


def texts(d):
    return [" -> ".join(map(str, loop)) for loop in loops(d)]


def ring(block, *names, **options):
    d = Diagram("ring", **options)
    parts = [d.add(f"p{i}", block(name)) for i, name in enumerate(names)]
    for a, b in zip(parts, parts[1:] + parts[:1], strict=True):
        d.connect(a.y, b.u)
    return d


def test_a_loop_is_reported_with_its_path_and_what_to_do(block):
    d = ring(block, "Gain", "Gain")
    assert texts(d) == ["p0.y -> p1.u -> p1.y -> p0.u -> p0.y"]
    with pytest.raises(DiagramError) as caught:
        check(d)
    assert str(caught.value) == (
        "algebraic loop: p0.y -> p1.u -> p1.y -> p0.u -> p0.y; put a Sampled block into it, "
        'or set loops="delay" to accept one step of delay around it'
    )


def test_a_part_connected_to_itself_is_a_loop(block):
    assert texts(ring(block, "Gain")) == ["p0.y -> p0.u -> p0.y"]


def test_a_sampled_part_or_an_integrator_breaks_the_loop(block):
    from drawbar.blocks.signals.first_order_lag import FirstOrderLag

    assert faults(ring(block, "Gain", "Held")) == []
    d = Diagram("d")
    gain, lag = d.add("gain", block("Gain")), d.add("lag", FirstOrderLag)
    d.connect(gain.y, lag.u)
    d.connect(lag.y, gain.u)
    assert faults(d) == []


def test_a_delay_accepts_the_loop(block):
    d = ring(block, "Gain", "Gain", loops="delay")
    assert faults(d) == []
    assert len(loops(d)) == 1


def test_loops_are_followed_element_by_element(block):
    assert loops(ring(block, "Straight", "Straight")) != []
    d = Diagram("d")
    cross = d.add("cross", block("Cross"))
    d.connect(cross["y[1]"], cross["u[1]"])  # y[1] follows from u[2], so this closes nothing
    assert loops(d) == []
    d.connect(cross["y[2]"], cross["u[2]"])
    assert texts(d) == ["cross.y -> cross.u -> cross.y -> cross.u -> cross.y"]


def test_each_loop_is_reported_once(block):
    d = Diagram("d")
    for name in "abcd":
        d.add(name, block("Gain"))
    p = d.parts
    for a, b in ("ab", "ba", "cd", "dc"):
        d.connect(p[a].y, p[b].u)
    assert texts(d) == ["a.y -> b.u -> b.y -> a.u -> a.y", "c.y -> d.u -> d.y -> c.u -> c.y"]


def test_unknown_dependencies_close_no_loop(block):
    from dataclasses import replace

    d = ring(block, "Gain", "Gain")
    part = d.parts["p0"]
    part._interface = replace(part.interface, feedthrough={})
    assert loops(d) == []


def test_a_long_ring_needs_no_deep_recursion(block):
    assert len(loops(ring(block, *["Gain"] * 1200))[0]) == 2401


def test_strong_components():
    graph = {1: [2], 2: [3], 3: [1, 4], 4: [5], 5: [4], 6: [6], 7: [1]}
    assert [sorted(c) for c in strong_components(graph)] == [[1, 2, 3], [4, 5], [6]]
    assert strong_components({1: [2, 3], 2: [4], 3: [4]}) == []


def passing(name):
    """A system that passes its input on to its output, with nothing between."""
    d = Diagram(name)
    d.connectors = {
        "u": Port("u", "input", "continuous", shape=(2,)),
        "y": Port("y", "output", "continuous", shape=(2,)),
    }
    d.connect(d["u"], d["y"])
    return d


def test_a_system_wired_to_itself_is_a_loop(block):
    """Nothing gave its input a value, and nothing was said."""
    whole = Diagram("whole", loops="delay")
    system = whole.add("system", passing("inner"))
    assert faults(whole) == []
    whole.connect(system.y, system.u)
    (fault,) = faults(whole)
    assert fault == (
        "loop of connections: system.y -> system.u -> system.y; no part gives it a value, so connect a part in it"
    )


def test_a_loop_of_connections_through_nested_systems(block):
    middle, whole = Diagram("middle"), Diagram("whole")
    first, second = middle.add("first", passing("a")), middle.add("second", passing("b"))
    middle.connect(first.y, second.u)
    middle.expose(first.u)
    middle.expose(second.y)
    outer, third = whole.add("outer", middle), whole.add("third", passing("c"))
    whole.connect(outer.y, third.u)
    assert connection_loops(whole) == []
    whole.connect(third["y[1]"], outer["u[2]"])  # crossed, so that both elements are in one loop
    assert connection_loops(whole) == []
    whole.connect(third["y[2]"], outer["u[1]"])
    (loop,) = connection_loops(whole)
    once = (
        "outer.u -> outer.first.u -> outer.first.y -> outer.second.u -> outer.second.y -> outer.y -> third.u -> third.y"
    )
    assert sorted(map(str, loop[:-1])) == sorted(once.split(" -> ") * 2)
    assert loop[0] == loop[-1]
