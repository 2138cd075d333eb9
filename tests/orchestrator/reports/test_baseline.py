"""What a changed run is compared with: a case of the same settings, or the diagram as it stands."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from drawbar.diagrams.library import find
from drawbar.diagrams.ssp.ssp import read
from drawbar.orchestrator.cli.commands import main
from drawbar.orchestrator.cli.diagram_options import DiagramOptions
from drawbar.orchestrator.reports.baseline import AS_IT_STANDS, beside_baseline, is_same, of_changed
from drawbar.orchestrator.reports.report_file import check_report
from drawbar.orchestrator.runs.run import Run
from drawbar.web.report.run_page import run_page

PLANAR = find("double_lane_change_planar")
REPORT = json.loads(Path(__file__).with_name("car_report.json").read_text(encoding="utf-8"))
Shown = tuple[str, Path]


@pytest.fixture
def shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., Shown]:
    """The printed report of the planar lane change with options, and its folder."""

    def run(*words: str) -> Shown:
        folder = tmp_path / f"run{len(list(tmp_path.iterdir()))}"
        assert main(["run", "double_lane_change_planar", "--no-page", "--out", str(folder), *words]) == 0
        return capsys.readouterr().out, folder

    return run


def cases_of(folder: Path) -> set[str]:
    return {path.name for path in (folder / "cases").iterdir()} if (folder / "cases").exists() else set()


@pytest.mark.compiler
def test_as_it_stands_it_has_published_figures_and_its_cases(shown: Callable[..., Shown]) -> None:
    """Also if an option sets what the diagram has anyway."""
    for words in ((), ("--set", "vehicle.u=14.29")):
        text, folder = shown(*words)
        assert text.count("ADAMS  deviation") == 2, "the run and its case"
        assert cases_of(folder) == {"0.60_g"}


@pytest.mark.compiler
def test_a_changed_vehicle_is_one_run_beside_its_own_baseline(shown: Callable[..., Shown]) -> None:
    text, folder = shown("--set", "vehicle.PDY1=0.6", "--set", "vehicle.u=14")
    assert "as changed: vehicle.PDY1 = 0.6, vehicle.u = 14" in text
    assert "AS IT STANDS  deviation" in text
    for never in ("ADAMS", "ROAMS", "identified", "within", "0.60 g"):
        assert never not in text
    assert "Published figures and further cases belong to the diagram as it stands" in text
    assert cases_of(folder) == {"as_it_stands"}
    run, baseline = Run(folder), Run(folder / "cases" / "as_it_stands")
    assert (run["vehicle.u"][0], baseline["vehicle.u"][0]) == (14.0, 14.29)
    assert baseline.info["settings"] == {}
    largest = [float(r["vehicle.wheel_load[3]"].max() / r["vehicle.wheel_load[3]"][0]) for r in (run, baseline)]
    (row,) = [line for line in text.splitlines() if line.startswith("wheel load, rear left")]
    assert row.split()[-2:] == [f"{value:.2f}" for value in largest]
    page = run_page(run)
    assert "AS IT STANDS" in page
    assert "ADAMS" not in page


@pytest.mark.compiler
@pytest.mark.parametrize("settings", [("vehicle.u=15.48", "speed.target=15.48"), ("vehicle.u=15.48",)])
def test_the_settings_of_a_case_have_its_figures(shown: Callable[..., Shown], settings: tuple[str, ...]) -> None:
    text, folder = shown(*(word for setting in settings for word in ("--set", setting)))
    assert "\n0.60 g\n" in text
    assert "within 20 % of ROAMS" in text
    assert not cases_of(folder)


@pytest.mark.compiler
def test_no_cases_runs_once(shown: Callable[..., Shown]) -> None:
    text, folder = shown("--no-cases")
    assert "ADAMS  deviation" in text
    assert not cases_of(folder)
    text, folder = shown("--no-cases", "--set", "vehicle.u=14")
    assert "as changed: vehicle.u = 14" in text
    assert "deviation" not in text
    assert not cases_of(folder)


@pytest.mark.compiler
def test_a_changed_scenario_is_a_change(shown: Callable[..., Shown]) -> None:
    """The baseline is without it."""
    text, folder = shown("--change", "5:speed.target=10")
    assert "AS IT STANDS  deviation" in text
    assert "ADAMS" not in text
    assert Run(folder)["vehicle.u"][-1] < 14.0 < Run(folder / "cases" / "as_it_stands")["vehicle.u"][-1]


def test_a_diagram_that_fails_as_it_stands_costs_the_changed_run_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The planar vehicle does not drive backwards."""
    text = PLANAR.read_text("utf-8").replace('name="u"><ssv:Real value="14.29"', 'name="u"><ssv:Real value="-1"')
    (tmp_path / "d.ssd").write_text(text, "utf-8")
    (tmp_path / "report.json").write_text(json.dumps({"responses": {"speed": {"signal": "vehicle.u"}}}))
    words = ["run", str(tmp_path / "d.ssd"), "--no-page", "--stop", "0.1", "--out", str(tmp_path / "run")]
    assert main([*words, "--backend", "interpreted", "--set", "vehicle.u=14"]) == 0
    printed = capsys.readouterr()
    assert "as changed: vehicle.u = 14" in printed.out
    assert "deviation" not in printed.out
    assert "the diagram as it stands cannot be compared with: part 'vehicle'" in printed.err


def test_same_is_by_values_and_blocks() -> None:
    plain = read(PLANAR)
    for same in ((), ("vehicle.u=14.29",), ("vehicle.u=14.29m/s", "speed.gain=1"), ("vehicle.mass=2688.7",)):
        mass = plain.parts["vehicle"].port("mass")
        settings = [s.replace("2688.7", repr(mass.start[0] if mass is not None else 0)) for s in same]
        assert is_same(plain, DiagramOptions(PLANAR, settings=settings).read()), same
    assert not is_same(plain, DiagramOptions(PLANAR, settings=["vehicle.u=14.290000000000001"]).read())
    assert not is_same(plain, DiagramOptions(PLANAR, uses=["course=Circle"]).read())


def test_a_changed_report_keeps_responses_and_nothing_published() -> None:
    report = {**REPORT, "identified": {"soft": ["a_y"]}, "notes": ["of the paper"], "plots": [], "source": "a paper"}
    changed = of_changed(report)
    check_report(changed)
    assert changed["responses"].keys() == REPORT["responses"].keys()
    assert [case["name"] for case in changed["cases"]] == [AS_IT_STANDS]
    text = json.dumps(changed)
    assert not [word for word in ("adams", "roams", "judge", "identified", "paper") if word in text]
    assert "adams" in json.dumps(report)
    assert not of_changed({"responses": {}})["cases"]
    assert not of_changed(report, with_baseline=False)["cases"]


def test_the_figures_of_the_baseline_are_the_column(run: Any) -> None:
    """Beside itself nothing deviates."""
    changed = of_changed(REPORT)
    column = {n: e["published"] for n, e in beside_baseline(changed, run)["responses"].items()}
    assert column["load"] == {AS_IT_STANDS: [1.5, 0.6]}
    broken = {"responses": {"gone": {"signal": "car.gone"}, **changed["responses"]}}
    assert "published" not in beside_baseline(broken, run)["responses"]["gone"]
