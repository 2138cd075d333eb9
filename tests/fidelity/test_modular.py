"""Body and wheels as FMUs beside the vehicle as one: the order of what the cut costs, and where forces stay calm."""

from collections.abc import Callable
from typing import Any

import pytest

pytestmark = [pytest.mark.compiler, pytest.mark.slow]
SPEEDS, STEPS = ("1", "20"), ("2.5", "5", "10")


@pytest.fixture(scope="module")
def found(printed: Callable[..., Any]) -> Any:
    return printed("fidelity/modular.py", "--speeds", *SPEEDS, "--steps", *STEPS)


@pytest.mark.parametrize("speed", SPEEDS)
def test_the_default_is_of_second_order_and_calm_up_to_10_ms(found: dict[str, Any], speed: str) -> None:
    row = found[speed]
    off = row["default"]["position_mm"]
    assert off["10"] / off["5"] > 2.8
    assert off["5"] / off["2.5"] > 2.8
    assert off["2.5"] < 0.6
    assert row["default"]["clean_ms"] == 10.0
    assert off["5"] < min(row[way]["position_mm"]["5"] for way in ("gauss-seidel", "interpolated", "jacobi"))


@pytest.mark.parametrize("speed", SPEEDS)
def test_what_is_held_is_of_first_order(found: dict[str, Any], speed: str) -> None:
    """Negative control."""
    off = found[speed]["gauss-seidel"]["position_mm"]
    assert 1.6 < off["10"] / off["5"] < 2.4
    assert off["5"] > 5.0
