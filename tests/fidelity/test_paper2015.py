"""The scripts find again what comes with Drawbar."""

from collections.abc import Callable
from typing import Any

import pytest

from drawbar.diagrams.parameters.parameter_set import read_set
from drawbar.diagrams.parameters.presets import find_set


@pytest.fixture(scope="module")
def fitted(printed: Callable[..., Any]) -> Any:
    return printed("fidelity/paper2015.py")


@pytest.mark.slow
def test_the_preset_of_the_paper_is_what_the_fit_finds_from_scratch(fitted: dict[str, Any]) -> None:
    assert fitted["peak_g"] == pytest.approx(0.50, rel=1e-3)
    gradient = fitted["roll_gradient"]
    assert gradient["paper2015"] == pytest.approx(gradient["adams"], rel=1e-3)
    assert gradient["public"] < 0.6 * gradient["adams"]
    shipped = read_set(find_set("hmmwv_paper2015")).parameters
    assert set(shipped) == set(fitted["parameters"])
    for name, value in fitted["parameters"].items():
        assert shipped[name].value == pytest.approx(value, rel=1e-3), name


@pytest.mark.slow
def test_springs_do_not_make_the_load_transfer_of_the_paper(fitted: dict[str, Any]) -> None:
    """The stated cause of the front wheels' gap."""
    per_g = {name: found["per_g"] for name, found in fitted["load_transfer"].items()}
    front = {name: found["front"] for name, found in fitted["load_transfer"].items()}
    assert per_g["public"] < per_g["paper2015"] < 0.9 * per_g["adams"]
    assert max(front["public"], front["paper2015"]) < 0.38 < 0.41 < min(front["adams"], front["roams"])
