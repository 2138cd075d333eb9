import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from drawbar.blocks import DiagramError, UsageError
from drawbar.blocks.authoring import registry
from drawbar.diagrams import Diagram, faults, read, scalar_connections, to_text, write
from drawbar.diagrams.model.master_settings import ALGORITHMS
from drawbar.diagrams.model.scalar_connections import bus_connections


def test_reading_and_writing_a_file_of_ours_changes_no_byte(two, bench, tmp_path):
    for diagram in (two, bench):
        file = tmp_path / "SystemStructure.ssd"
        write(diagram, tmp_path)
        first = file.read_bytes()
        again = read(tmp_path)
        assert faults(again) == []
        write(again, file)
        assert file.read_bytes() == first
        assert [p.name for p in tmp_path.iterdir()] == ["SystemStructure.ssd"]


def test_what_was_written_is_what_is_read(bench, block, tmp_path):
    before = bench
    write(before, tmp_path)
    after = read(tmp_path)
    assert after.step == Fraction(1, 1000)
    assert scalar_connections(after) == scalar_connections(before)
    assert {str(c) for c in after.connections} == {str(c) for c in before.connections}
    shown = [[(p.name, p.causality, p.unit, p.shape) for p in d.connectors.values()] for d in (before, after)]
    assert shown[0] == shown[1]
    assert len(bus_connections(after)) == 1
    for name, part in before.parts.items():
        assert after.parts[name].block is part.block
        assert after.parts[name].interface == part.interface
        assert after.parts[name].start_values() == part.start_values()
    assert after.parts["sink"].starts["table"] == [[1.0, 2.0], [3.0, 4.0]]


def test_one_file_per_folder_or_name(two, tmp_path):
    write(two, tmp_path / "other.ssd")
    assert read(tmp_path / "other.ssd").name == "two"


def test_a_folder_that_cannot_be_written_is_named(two, tmp_path):
    from drawbar.blocks import UsageError

    with pytest.raises(UsageError, match="cannot write"):
        write(two, tmp_path / "none" / "x.ssd")


def test_an_fmu_is_told_from_a_diagram(tmp_path):
    """It was no XML file, or a damaged one."""
    fmu = tmp_path / "tank.FMU"
    fmu.write_bytes(b"PK\3\4")
    with pytest.raises(UsageError, match=r"tank.FMU is an FMU, not a diagram; `drawbar info .*tank.FMU` shows it"):
        read(fmu)


numbers = st.floats(allow_nan=False, allow_infinity=False)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    factor=numbers,
    offset=numbers,
    table=st.lists(numbers, min_size=4, max_size=4),
    geometry=st.none() | st.tuples(*[st.floats(-1e4, 1e4)] * 4),
    points=st.lists(st.tuples(numbers, numbers), max_size=3),
    step=st.fractions(min_value=Fraction(1, 10**6), max_value=10, max_denominator=10**9),
    suppress=st.booleans(),
    coupling=st.tuples(
        st.sampled_from(ALGORITHMS), *[st.none() | st.sampled_from(ALGORITHMS)] * 2, st.none() | st.booleans()
    ),
)
def test_any_diagram_round_trips(block, tmp_path, factor, offset, table, geometry, points, step, suppress, coupling):
    d = Diagram("any", step=step, algorithm=coupling[0])
    source = d.add("source", block("Source"))
    sink = d.add("sink", block("Sink"), table=np.reshape(table, (2, 2)))
    sink.geometry = geometry
    (connection,) = d.connect(source.vector, sink.vector, factor, offset, suppress_unit_conversion=suppress)
    connection.geometry = tuple(points)
    _, sink.algorithm, connection.algorithm, sink.fresh_read = coupling
    text = to_text(d, tmp_path)
    (tmp_path / "SystemStructure.ssd").write_text(text)
    again = read(tmp_path)
    assert to_text(again, tmp_path) == text
    assert again.step == step
    assert again.parts["sink"].start_values() == sink.start_values()
    part = again.parts["sink"]
    assert (again.algorithm, part.algorithm, again.connections[0].algorithm, part.fresh_read) == coupling
    assert scalar_connections(again) == scalar_connections(d)


def test_library_diagrams_are_canonical_and_free_of_faults():
    from drawbar.diagrams.library import find, names

    for name in names():
        file = find(name)
        d = read(file)
        assert faults(d) == []
        assert to_text(d, Path(file).parent) == file.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["", None, 7])
def test_a_diagram_has_a_name(name):
    """One without a name was written, and its file was refused."""
    with pytest.raises(DiagramError, match="give it a name"):
        Diagram(name)


@pytest.mark.parametrize("name", ["a\x01b", "a\x00", "\ud800"])
def test_what_could_not_be_read_again_is_not_written(block, tmp_path, name):
    file = tmp_path / "d.ssd"
    d = Diagram("d")
    gain = d.add("a", block("Gain"))
    write(d, file)
    before = file.read_bytes()
    d.expose(gain.u, name)
    with pytest.raises(DiagramError, match="diagram d cannot be written: "):
        write(d, file)
    assert file.read_bytes() == before
    named = Diagram("d")
    named.name = ""  # as nobody should
    with pytest.raises(DiagramError, match=r"cannot be written: not valid SSP 1\.0: Element 'System', attr"):
        write(named, file)
    assert file.read_bytes() == before


def test_what_was_wrong_in_a_file_already_is_written_back(block, tmp_path):
    file = tmp_path / "d.ssd"
    d = Diagram("d")
    d.add("a", block("Gain"))
    write(d, file)
    file.write_text(file.read_text().replace('<ssd:System name="d">', '<ssd:System name="d" odd="1">'))
    foreign = read(file)
    (fault,) = faults(foreign)
    assert "odd" in fault
    write(foreign, tmp_path / "again.ssd")
    assert 'odd="1"' in (tmp_path / "again.ssd").read_text()


def test_blocks_in_a_workspace_are_found_where_reading_is_given_its_folder(tmp_path, block, monkeypatch):
    """From Python the file could not be read with its blocks."""
    monkeypatch.setattr(registry, "_workspaces", list(registry._workspaces))
    monkeypatch.setattr(sys, "path", list(sys.path))
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "blocks_of_mine.py").write_text(Path(sys.modules["bench_blocks"].__file__).read_text("utf-8"))
    d = Diagram("d")
    d.add("a", block("Gain"))
    file = tmp_path / "d.ssd"
    write(d, file)
    file.write_text(file.read_text().replace("bench_blocks:Gain", "blocks_of_mine:Gain"))
    (fault,) = faults(read(file))
    assert "block 'blocks_of_mine:Gain' is unknown" in fault
    assert faults(read(file, workspace=folder)) == []
    with pytest.raises(UsageError, match="is no folder"):
        read(file, workspace=tmp_path / "none")
