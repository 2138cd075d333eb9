"""The document of a description: settings for the master come back, and what is no description is refused."""

from fractions import Fraction

import pytest

from drawbar.blocks import DiagramError
from drawbar.diagrams import read, write


def test_the_experiment_comes_back(two, tmp_path):
    write(two, tmp_path)
    d = read(tmp_path)
    assert (d.step, d.stop, d.loops) == (Fraction(1, 30), 2.5, "delay")
    assert d.parts["a"].geometry == (0, 0, 40.5, 30)
    assert d.connections[0].geometry == ((50, 15), (60, 7.5))


def test_a_file_that_is_not_there_or_no_ssd(tmp_path):
    from drawbar.blocks import UsageError

    with pytest.raises(UsageError, match=r"x\.ssd: No such file"):
        read(tmp_path / "x.ssd")
    file = tmp_path / "x.ssd"
    file.write_text("<html/>")
    with pytest.raises(DiagramError, match=r"x\.ssd:1: begins with <html>"):
        read(file)
    file.write_text("<a>\n<b>\n</a>")
    with pytest.raises(
        DiagramError, match=r"x\.ssd:3: not an \.ssd file, or a damaged one: Opening and ending tag mismatch"
    ):
        read(file)
