"""A CSV file of numbers: what makes it unreadable, and faults by line and column."""

from pathlib import Path

import numpy as np
import pytest

from drawbar.blocks.core.errors import UsageError
from drawbar.orchestrator.scenario.input_file import TableFile


def table(folder: Path, text: str) -> TableFile:
    file = folder / "in.csv"
    file.write_text(text)
    return TableFile(file)


def test_times_and_values_are_read_apart(tmp_path: Path) -> None:
    file = table(tmp_path, "time, a , b\n0,1,true\n0.5,2e-1,FALSE\n")
    assert file.header == ["a", "b"]
    times, values = file.read([False, True])
    np.testing.assert_array_equal(times, [0.0, 0.5])
    np.testing.assert_array_equal(values, [[1.0, 1.0], [0.2, 0.0]])


def test_faults_are_collected_with_line_and_column(tmp_path: Path) -> None:
    file = table(tmp_path, "time,a\n0,x\n1\n2,3\n1,3\n")
    with pytest.raises(UsageError) as error:
        file.read([False])
    first, second, third = str(error.value).splitlines()
    assert "in.csv:2: column 2 'a': 'x'" in first
    assert "in.csv:3: the row has 1 cells and the header 2" in second
    assert "in.csv:5: column 1 'time': 1 s comes after 2 s" in third


def test_a_file_without_rows_is_a_fault(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"in\.csv:1: there are no rows below the header"):
        table(tmp_path, "time,a\n").read([False])


def test_a_check_of_values_names_the_line_of_each(tmp_path: Path) -> None:
    file = table(tmp_path, "time,a\n0,1\n\n1,-2\n")
    _, values = file.read([False])
    file.check(0, values[:, 0], values[:, 0] > 0.0, "not positive")
    assert file.faults == [f"{file.path}:4: column 2 'a': -2 is not positive"]
