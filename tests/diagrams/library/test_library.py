"""What holds of each diagram of the library: no fault, canonical text, and a report of signals that are there."""

import json
from pathlib import Path
from typing import Any

import pytest

from drawbar.blocks.core.errors import UsageError
from drawbar.diagrams import Diagram, write
from drawbar.diagrams.checks.check import faults
from drawbar.diagrams.library import find, names
from drawbar.diagrams.ssp.ssp import read, to_text
from drawbar.orchestrator.planning.plan import make_plan
from drawbar.orchestrator.reports.report_file import check_report


def asked(report: dict[str, Any]) -> set[str]:
    """The signals that responses and plots of a report name."""
    named = [(r["signal"], r.get("against")) for r in report["responses"].values()]
    named += [(*plot.get("signals", ()), *map(plot.get, ("x", "y", "against"))) for plot in report["plots"]]
    return {signal for signals in named for signal in signals if signal}


def recorded(name: str) -> set[str]:
    """The signals of a run, of arrays also the whole."""
    scalars = {column.name for rate in make_plan(read(find(name))).rates for column in rate.rate.columns}
    return scalars | {scalar.rpartition("[")[0] for scalar in scalars}


@pytest.mark.parametrize("name", names())
def test_no_fault_and_canonical(name: str) -> None:
    ssd = find(name)
    diagram = read(ssd)
    assert faults(diagram) == []
    assert to_text(diagram, ssd.parent) == ssd.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", names())
def test_every_signal_of_the_report_is_recorded(name: str) -> None:
    report = json.loads((find(name).parent / "report.json").read_text(encoding="utf-8"))
    check_report(report)
    assert len(asked(report)) > 2
    assert asked(report) - recorded(name) == set()


def test_a_signal_that_is_not_there_is_seen() -> None:
    plots: list[dict[str, Any]] = [
        {"signals": ["vehicle.v"], "against": "trial.way"},
        {"x": "course.x", "y": "course.y"},
    ]
    report = {"responses": {"roll": {"signal": "vehicle.rol"}, "u": {"signal": "vehicle.u"}}, "plots": plots}
    lost = {"vehicle.rol", "trial.way", "course.x", "course.y"}
    assert asked(report) - recorded("double_lane_change_planar") == lost


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
