from fractions import Fraction

import pytest

from drawbar.blocks import DiagramError
from drawbar.diagrams import Diagram, faults, read, scalar_connections, to_text, write
from drawbar.diagrams.model.master_settings import ALGORITHMS, DEFAULT_ALGORITHM, exact_stop_time, stop_time_fault
from drawbar.diagrams.model.scalar_connections import bus_connections
from drawbar.diagrams.xml.markup import parse
from drawbar.diagrams.xml.schema import schema_faults


def ring(block, **options):
    d = Diagram("ring", **options)
    gain, held = d.add("gain", block("Gain")), d.add("held", block("Held"))
    d.connect(gain.y, held.u)
    d.connect(held.y, gain.u)
    return d


def arrays(block, algorithm=None):
    d = Diagram("arrays")
    source, sink = d.add("source", block("Source")), d.add("sink", block("Sink"))
    d.connect(source.vector, sink.vector, algorithm=algorithm)
    d.connect(source.metre, sink.length)
    return d


def reread(diagram, folder):
    """The diagram after a round trip that must change nothing: valid, free of faults, the same bytes."""
    file = folder / "SystemStructure.ssd"
    write(diagram, folder)
    first = file.read_bytes()
    again = read(folder)
    assert faults(again) == []
    assert schema_faults(parse(file)) == []
    write(again, folder)
    assert file.read_bytes() == first
    return again


def annotate(file, name, text):
    """Give a component of the file more annotations."""
    content = file.read_text()
    cut = content.index("</ssd:Component>", content.index(f'<ssd:Component name="{name}"'))
    cut = content.rindex("</ssd:Annotations>", 0, cut)
    file.write_text(content[:cut] + text + content[cut:])


@pytest.mark.parametrize(
    ("seconds", "step"), [(1.0, "0.001"), (0.3, "0.1"), (1 / 3, "1/30"), (2.5, "1/30"), (1e6, "1")]
)
def test_whole_numbers_of_steps_are_no_fault(seconds, step):
    assert stop_time_fault(seconds, Fraction(step)) is None


@pytest.mark.parametrize(
    ("seconds", "step", "nearest"),
    [(1.0, "0.3", "0.9"), (0.01, "0.3", "0.3"), (1.0004, "0.001", "1"), (2.5, "1/7", "2.57142857143")],
)
def test_the_nearest_stop_time_is_named(seconds, step, nearest):
    found = stop_time_fault(seconds, Fraction(step))
    what = f"stop time {seconds:g} s is no whole number of steps of {float(Fraction(step)):g} s"
    assert found == f"{what}; the nearest is {nearest} s"


@pytest.mark.parametrize("seconds", [0.0, -1.0, float("inf"), float("nan")])
def test_times_that_no_run_ends_at(seconds):
    assert stop_time_fault(seconds, Fraction(1)) == f"stop time {seconds:g} s is not positive and finite"


def test_a_number_is_the_simple_fraction_that_rounds_to_it():
    assert exact_stop_time(1 / 3) == Fraction(1, 3)
    assert exact_stop_time(0.1) == Fraction(1, 10)
    assert exact_stop_time(1e-9) == Fraction(1, 10**9)


def test_the_own_stop_time_is_judged_only_where_it_is_asked_for(tmp_path):
    d = Diagram("d", step=0.3, stop=1.0)
    assert faults(d) == []  # a run may be given another
    wanted = "diagram d: stop time 1 s is no whole number of steps of 0.3 s; the nearest is 0.9 s"
    assert faults(d, stop=True) == [wanted]
    file = tmp_path / "SystemStructure.ssd"
    write(d, file)
    line = next(i for i, text in enumerate(file.read_text().splitlines(), 1) if "stopTime" in text)
    assert faults(read(file), stop=True) == [f"{file}:{line}: {wanted}"]
    d.stop = 0.9
    assert faults(d, stop=True) == []


def test_nothing_is_chosen_by_default(block):
    d = ring(block)
    (connection, _) = d.connections
    assert (d.algorithm, d.parts["gain"].algorithm, d.parts["gain"].fresh_read) == (DEFAULT_ALGORITHM, None, None)
    assert (connection.algorithm, scalar_connections(d)[0].algorithm) == (None, None)
    text = to_text(d)
    assert "algorithm" not in text
    assert "freshRead" not in text


@pytest.mark.parametrize("name", ALGORITHMS)
def test_the_algorithm_of_a_diagram_comes_back(block, tmp_path, name):
    d = ring(block, algorithm=name)
    assert reread(d, tmp_path).algorithm == name
    assert (f'<drawbar:Master step="0.001" algorithm="{name}"/>' in to_text(d)) == (name != DEFAULT_ALGORITHM)


@pytest.mark.parametrize("name", ALGORITHMS)
def test_the_algorithm_of_a_part_comes_back(block, tmp_path, name):
    d = ring(block)
    d.parts["gain"].algorithm = name
    again = reread(d, tmp_path)
    assert (again.parts["gain"].algorithm, again.parts["held"].algorithm) == (name, None)
    assert f'<drawbar:Component block="bench_blocks:Gain" algorithm="{name}"/>' in to_text(d)


@pytest.mark.parametrize("fresh", [True, False])
def test_the_fresh_read_of_a_part_comes_back(block, tmp_path, fresh):
    d = ring(block)
    d.parts["gain"].fresh_read = fresh
    again = reread(d, tmp_path)
    assert again.parts["gain"].fresh_read is fresh
    assert again.parts["held"].fresh_read is None
    assert f'block="bench_blocks:Gain" freshRead="{str(fresh).lower()}"/>' in to_text(d)


@pytest.mark.parametrize("name", ALGORITHMS)
def test_the_algorithm_of_a_connection_comes_back_at_each_of_its_connections(block, tmp_path, name):
    d = arrays(block, name)
    again = reread(d, tmp_path)
    assert {str(c): c.algorithm for c in again.connections} == {
        "source.vector -> sink.vector": name,
        "source.metre -> sink.length": None,
    }
    assert scalar_connections(again) == scalar_connections(d)
    assert {(w.end, w.algorithm) for w in scalar_connections(d)} == {
        ("length", None),
        *((f"vector[{i}]", name) for i in (1, 2, 3)),
    }


def test_a_connection_stays_on_one_line(block):
    plain, chosen = (to_text(arrays(block, a)).splitlines() for a in (None, "jacobi"))
    changed = [b for a, b in zip(plain, chosen, strict=True) if a != b]
    note = '<ssc:Annotation type="org.drawbar"><drawbar:Connection algorithm="jacobi"/></ssc:Annotation>'
    assert len(changed) == 3
    assert all(f'"><ssd:Annotations>{note}</ssd:Annotations></ssd:Connection>' in line for line in changed)


def test_connections_of_an_array_that_differ_in_their_algorithm_are_not_folded(block, tmp_path):
    d = Diagram("d")
    source, sink = d.add("source", block("Source")), d.add("sink", block("Sink"))
    for i, name in ((1, None), (2, "jacobi"), (3, "jacobi")):
        d.connect(source[f"vector[{i}]"], sink[f"vector[{i}]"], algorithm=name)
    assert [c.algorithm for c in reread(d, tmp_path).connections] == [None, "jacobi", "jacobi"]


def test_a_bus_takes_one_algorithm_for_all_of_its_members(block, tmp_path):
    d = Diagram("d")
    body, wheel = d.add("body", block("Body")), d.add("wheel", block("Wheel"))
    made = d.connect(body.hub, wheel.hub, algorithm="gauss-seidel")
    assert {c.algorithm for c in made} == {"gauss-seidel"}
    again = reread(d, tmp_path)
    assert len(bus_connections(again)) == 1
    again.connections[0].algorithm = None
    assert bus_connections(again) == []


def test_what_was_taken_back_leaves_no_trace(block, tmp_path):
    plain = to_text(ring(block), tmp_path)
    d = ring(block, algorithm="jacobi")
    d.parts["gain"].algorithm, d.parts["gain"].fresh_read = "jacobi", True
    d.connections[0].algorithm = "jacobi"
    again = reread(d, tmp_path)
    again.algorithm = DEFAULT_ALGORITHM
    again.parts["gain"].algorithm = again.parts["gain"].fresh_read = again.connections[0].algorithm = None
    assert to_text(again, tmp_path) == plain


def test_wrong_names_are_refused_with_the_nearest(block):
    with pytest.raises(DiagramError, match=r"diagram d: algorithm = 'jacoby'; did you mean 'jacobi'\?"):
        Diagram("d", algorithm="jacoby")
    d = Diagram("d")
    gain, held = d.add("gain", block("Gain")), d.add("held", block("Held"))
    wanted = r"connection gain\.y -> held\.u: algorithm = 'gaus-seidel'; did you mean 'gauss-seidel'\?"
    with pytest.raises(DiagramError, match=wanted):
        d.connect(gain.y, held.u, algorithm="gaus-seidel")
    with pytest.raises(DiagramError, match="algorithm = 'x'; there are: gauss-seidel, interpolated, jacobi, second-"):
        d.connect(gain.y, held.u, algorithm="x")
    assert d.connections == []
    d.connect(gain.y, held.u, algorithm="gauss-seidel")


def test_what_is_set_later_is_checked_and_all_faults_come_at_once(block):
    d = ring(block)
    assert faults(d) == []
    d.algorithm, d.connections[0].algorithm = "second order", "interpolate"
    d.parts["gain"].algorithm, d.parts["held"].fresh_read = "jacob", "yes"
    assert faults(d) == [
        "diagram ring: algorithm = 'second order'; did you mean 'second-order'?",
        "part 'gain': algorithm = 'jacob'; did you mean 'jacobi'?",
        "part 'held': fresh_read = 'yes'; give True, False, or None for what the FMU declares",
        "connection gain.y -> held.u: algorithm = 'interpolate'; did you mean 'interpolated'?",
    ]


def test_a_sampled_part_has_nothing_to_read_afresh(block):
    d = ring(block)
    d.parts["gain"].fresh_read = True
    d.parts["held"].fresh_read = False
    assert faults(d) == []
    d.parts["held"].fresh_read = True
    (fault,) = faults(d)
    assert fault.startswith("part 'held' asks for a fresh read, but Held is sampled")


def test_an_algorithm_into_a_sampled_part_is_harmless(block):
    for name in ALGORITHMS:
        d = ring(block)
        d.connections[0].algorithm = d.parts["held"].algorithm = name
        assert faults(d) == []


def test_annotations_of_others_and_comments_stay_beside_ours(block, tmp_path):
    d = arrays(block, "jacobi")
    d.algorithm = d.parts["sink"].algorithm = "gauss-seidel"
    file = tmp_path / "SystemStructure.ssd"
    write(d, file)
    other = '<ssc:Annotation type="org.other"><x:Data xmlns:x="urn:x" algorithm="euler"/></ssc:Annotation>'
    annotate(file, "sink", other)
    text = file.read_text()
    # the first of the three connections, and all of our own annotations
    text = text.replace('algorithm="jacobi"/></ssc:Annotation>', f'algorithm="jacobi"/></ssc:Annotation>{other}', 1)
    text = text.replace("<drawbar:", "<!-- why --><drawbar:")
    text = text.replace('algorithm="gauss-seidel"', 'algorithm="gauss-seidel" later="1"')
    file.write_text(text)
    again = read(file)
    assert all("has no attribute" in f for f in faults(again))
    assert (again.algorithm, again.parts["sink"].algorithm) == ("gauss-seidel", "gauss-seidel")
    assert scalar_connections(again) == scalar_connections(d)
    write(again, file)
    first = file.read_text()
    for piece in (other, "<!-- why -->", 'later="1"'):
        assert first.count(piece) == text.count(piece), piece
    assert schema_faults(parse(file)) == []
    write(read(file), file)
    assert file.read_text() == first


@pytest.mark.parametrize("note", ['<drawbar:Component later="1"/>', "<!-- why --><drawbar:Component/>"])
def test_an_annotation_of_ours_that_says_nothing_known_stays(fmu_file, tmp_path, note):
    d = Diagram("d")
    d.add("a", fmu_file("foreign"))
    file = tmp_path / "SystemStructure.ssd"
    write(d, file)
    inside = f'<ssd:Annotations><ssc:Annotation type="org.drawbar">{note}</ssc:Annotation></ssd:Annotations>'
    file.write_text(file.read_text().replace("</ssd:Component>", f"{inside}</ssd:Component>"))
    again = read(file)
    assert (again.parts["a"].algorithm, again.parts["a"].fault) == (None, "")
    text = to_text(again, tmp_path)
    assert all(piece in text for piece in note.replace("><", ">\n<").split("\n"))


@pytest.mark.parametrize(("text", "meant"), [("true", True), (" 1 ", True), ("false", False), ("0", False)])
def test_a_fresh_read_is_read_in_all_spellings_of_xml(block, tmp_path, text, meant):
    file = tmp_path / "SystemStructure.ssd"
    write(ring(block), file)
    file.write_text(
        file.read_text().replace('block="bench_blocks:Gain"', f'block="bench_blocks:Gain" freshRead="{text}"')
    )
    d = read(file)
    assert faults(d) == []
    assert d.parts["gain"].fresh_read is meant


def test_an_fmu_of_others_stays_one_whatever_is_asked_of_it(fmu_file, tmp_path):
    fmu = fmu_file("foreign")
    d = Diagram("d")
    a, b = d.add("a", fmu), d.add("b", fmu)
    d.connect(a.y, b.u)
    before = to_text(d, tmp_path)
    a.fresh_read, a.algorithm = True, "interpolated"
    b.fresh_read = False
    again = reread(d, tmp_path)
    for part in again.parts.values():
        assert (part.block, part.origin.block, part.fault) == (None, "", "")
        assert part.interface.name == "foreign"
    assert (again.parts["a"].algorithm, again.parts["a"].fresh_read) == ("interpolated", True)
    assert (again.parts["b"].algorithm, again.parts["b"].fresh_read) == (None, False)
    text = to_text(again, tmp_path)
    assert '<drawbar:Component algorithm="interpolated" freshRead="true"/>' in text
    assert '<drawbar:Component freshRead="false"/>' in text
    for part in again.parts.values():
        part.algorithm = part.fresh_read = None
    assert to_text(again, tmp_path) == before
    fmu.unlink()
    assert all("has no FMU at resources/foreign.fmu; put the file there" in fault for fault in faults(read(tmp_path)))
    assert len(faults(read(tmp_path))) == 2


def test_an_exported_sampled_block_has_nothing_to_read_afresh_either(block, tmp_path, monkeypatch):
    from drawbar.fmus.loading import description

    d = Diagram("d")
    held = d.add("held", block("Held"))
    # what the FMU of the block says of itself, without a compiler
    monkeypatch.setattr(description, "read_interface", lambda path: held.interface)
    file = tmp_path / "Held.fmu"
    file.touch()
    d = Diagram("d")
    d.add("a", file)
    assert faults(d) == []
    d.parts["a"].fresh_read = True
    assert ["Held is sampled" in fault for fault in faults(d)] == [True]


def test_a_misspelt_word_of_an_annotation_is_a_fault_with_the_nearest(tmp_path):
    d = Diagram("words", step="1/50", algorithm="jacobi")
    write(d, tmp_path / "x.ssd")
    text = (tmp_path / "x.ssd").read_text()
    (tmp_path / "x.ssd").write_text(text.replace("algorithm=", "algoritm="))
    (fault,) = faults(read(tmp_path / "x.ssd"))
    assert fault.endswith("drawbar:Master has no attribute 'algoritm'; did you mean 'algorithm'?")
    write(read(tmp_path / "x.ssd"), tmp_path / "y.ssd")
    assert 'algoritm="jacobi"' in (tmp_path / "y.ssd").read_text(), "nothing is lost"
