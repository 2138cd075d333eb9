"""What a name of a diagram means."""

from pathlib import Path

import pytest

from drawbar.blocks.core.errors import UsageError
from drawbar.diagrams import Diagram, write
from drawbar.diagrams.library import find


def test_a_workspace_is_searched_before_the_library(tmp_path: Path) -> None:
    (tmp_path / "deeper" / "double_lane_change").mkdir(parents=True)
    yard, other = tmp_path / "yard.ssd", tmp_path / "deeper" / "double_lane_change" / "SystemStructure.ssd"
    for file in (yard, other):
        write(Diagram("empty"), file)
    assert find("yard", tmp_path) == yard
    assert find("double_lane_change", tmp_path) == other
    assert find("double_lane_change") != other
    with pytest.raises(UsageError, match=r"there is no diagram 'yrd'.*did you mean 'yard'"):
        find("yrd", tmp_path)
    with pytest.raises(UsageError, match="there is no diagram 'yard'"):
        find("yard")


def test_a_file_is_named_with_its_ending(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write(Diagram("empty"), Path("yard.ssd"))
    with pytest.raises(UsageError, match=r"no such file or folder; did you mean 'yard\.ssd'\?"):
        find("yard")
    Path("yard.ssd").unlink()
    with pytest.raises(UsageError, match=r"there are: .*double_lane_change"):
        find("yard")
