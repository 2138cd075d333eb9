"""Scalar connections with gain and offset: units converted, then the user's own transformation."""

import numpy as np
import pytest

from drawbar.blocks.core.units import parse_unit
from drawbar.diagrams import Diagram, ScalarConnection, read, scalar_connections, write
from drawbar.diagrams.model.part import DeclaredConnector


def only_connection(d):
    (connection,) = scalar_connections(d)
    return connection


@pytest.mark.parametrize(
    ("start", "end", "gain", "offset"),
    [
        ("metre", "length", 1.0, 0.0),
        ("millimetre", "length", 1e-3, 0.0),
        ("degree", "angle", np.pi / 180, 0.0),
        ("celsius", "temperature", 1.0, 273.15),
    ],
)
def test_connections_convert_units(block, start, end, gain, offset):
    d = Diagram("d")
    source, sink = d.add("source", block("Source")), d.add("sink", block("Sink"))
    d.connect(source[start], sink[end])
    connection = only_connection(d)
    assert connection.gain == pytest.approx(gain, rel=1e-15)
    assert connection.offset == pytest.approx(offset, abs=1e-12)


def test_the_users_transformation_applies_after_the_conversion(block):
    d = Diagram("d")
    source, sink = d.add("source", block("Source")), d.add("sink", block("Sink"))
    d.connect(source.celsius, sink.temperature, factor=2.0, offset=1.0)
    connection = only_connection(d)
    assert connection.gain * 10.0 + connection.offset == pytest.approx(2.0 * 283.15 + 1.0)


def test_the_users_transformation_is_in_the_unit_that_a_file_gives_to_the_connector(block):
    """3 m are 3000 mm there, doubled and 100 mm more: 6.1 m for the variable."""
    d = Diagram("d")
    source, sink = d.add("source", block("Source")), d.add("sink", block("Sink"))
    sink.origin.connectors["length"] = DeclaredConnector("input", "Real", "mm", parse_unit("mm"))
    d.connect(source.metre, sink.length, factor=2.0, offset=100.0)
    connection = only_connection(d)
    assert (connection.gain, connection.offset) == pytest.approx((2.0, 0.1), rel=1e-15)


def test_conversion_can_be_suppressed(block):
    d = Diagram("d")
    source, sink = d.add("source", block("Source")), d.add("sink", block("Sink"))
    d.connect(source.celsius, sink.temperature, factor=2.0, offset=1.0, suppress_unit_conversion=True)
    assert only_connection(d) == ScalarConnection("source", "celsius", "sink", "temperature", 2.0, 1.0)


def test_connections_are_scalar_and_sorted(block):
    d = Diagram("d")
    source, sink = d.add("source", block("Source")), d.add("sink", block("Sink"))
    d.connect(source.vector, sink.vector)
    d.connect(source.matrix, sink.matrix)
    assert [w.start for w in scalar_connections(d)] == [
        *("matrix[1,1]", "matrix[1,2]", "matrix[2,1]", "matrix[2,2]"),
        *("vector[1]", "vector[2]", "vector[3]"),
    ]
    assert all(w.start == w.end for w in scalar_connections(d))


def test_part_of_an_array_stays_part_of_an_array(block, tmp_path):
    d = Diagram("d")
    source, sink = d.add("source", block("Source")), d.add("sink", block("Sink"))
    for i, j in ((1, 1), (2, 3), (3, 2)):  # all elements, but not in their order
        d.connect(source[f"vector[{i}]"], sink[f"vector[{j}]"])
    sink.set("offsets[2]", 5.0)
    write(d, tmp_path)
    again = read(tmp_path)
    assert len(again.connections) == 3
    assert again.parts["sink"].starts == {"offsets[2]": 5.0}
    assert scalar_connections(again) == scalar_connections(d)


def test_connections_that_differ_are_not_folded(block, tmp_path):
    d = Diagram("d")
    source, sink = d.add("source", block("Source")), d.add("sink", block("Sink"))
    for i in (1, 2, 3):
        d.connect(source[f"vector[{i}]"], sink[f"vector[{i}]"], factor=float(i))
    write(d, tmp_path)
    assert [c.factor for c in read(tmp_path).connections] == [1.0, 2.0, 3.0]
