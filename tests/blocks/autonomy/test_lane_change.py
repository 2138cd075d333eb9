"""The lane change and its lines."""

from typing import Any

import numpy as np
import pytest

from drawbar.blocks.autonomy.lane_change import LaneChange


def seen_at(bench: Any, x: float, y: float = 0.0, **more: float) -> dict[str, Any]:
    found: dict[str, Any] = bench(LaneChange, **more).out(x=x, y=y, yaw=0.0, u=20.0)
    return found


def test_the_path_leads_to_the_other_lane_and_back(bench: Any) -> None:
    for x, y in ((50.0, 0.0), (130.0, 1.75), (250.0, 3.5), (330.0, 1.75), (400.0, 0.0)):
        on = seen_at(bench, x, y)
        assert on["lateral_error"] == pytest.approx(0.0, abs=1e-12), x
    assert seen_at(bench, 250.0, -3.5, side=-1.0)["lateral_error"] == pytest.approx(0.0, abs=1e-12)


def test_its_largest_curvature_is_that_of_the_quintic(bench: Any) -> None:
    bends = [seen_at(bench, x)["curvature"] for x in np.linspace(100.0, 160.0, 241)]
    assert max(bends) == pytest.approx(5.7735 * 3.5 / 60.0**2, rel=0.02)


def test_the_preview_is_the_path_ahead(bench: Any) -> None:
    found = seen_at(bench, 95.0)
    ahead, offset = found["preview.distance"], found["preview.offset"]
    assert ahead[-1] == pytest.approx(14.0)
    assert [seen_at(bench, 95.0 + d, o)["lateral_error"] for d, o in zip(ahead, offset, strict=True)] == pytest.approx(
        np.zeros(len(ahead)), abs=1e-9
    )
    assert offset[0] == 0.0 < offset[-1]


def test_its_scene_is_the_path() -> None:
    (line,) = LaneChange.scene({"side": -1.0})
    assert min(line["y"]) == pytest.approx(-3.5)
