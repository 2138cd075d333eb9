"""Wheels on the bench of the library, beside the values of the reference for the HMMWV's wheel."""

import runpy
from pathlib import Path

import pytest

PULL = runpy.run_path(str(Path(__file__).parent / "drawbar_pull.py"))


@pytest.mark.parametrize(
    ("wheel", "slip", "pull", "off"),
    [
        ("rigid", 0.2, 789.0, 0.03),
        ("closed form", 0.2, 789.0, 0.05),
        # the bench has its slip over the free radius, the reference over one that is less by 19.5 mm
        ("soft", 0.2332, 2136.0, 0.05),
    ],
)
def test_pull_on_sandy_loam_at_20_percent_of_slip(wheel: str, slip: float, pull: float, off: float) -> None:
    """The sweep is slow, the wheel has its states; the reference is at rest, for the soft tire with the printed arc."""
    block, values = PULL["WHEELS"][wheel]
    curve = PULL["sweep"](block, PULL["SOILS"]["sandy loam"], **values)
    assert PULL["at_slip"](curve, slip) == pytest.approx(pull, rel=off)
