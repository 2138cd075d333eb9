"""What run.json says about a diagram: the same for equal runs, wherever and whenever they run."""

import json
from fractions import Fraction
from pathlib import Path

import pytest

from drawbar.blocks import Continuous, Output
from drawbar.blocks.signals.first_order_lag import FirstOrderLag
from drawbar.blocks.signals.sample_and_hold import SampleAndHold
from drawbar.diagrams.model.diagram import Diagram
from drawbar.orchestrator.planning.plan import make_plan
from drawbar.orchestrator.run_description import describe_run
from drawbar.orchestrator.scenario.scenario import read_scenario


class Tank(Continuous):
    """A tank that warns."""

    level = Output("1", "filling")
    empty = Output("1", "whether it is empty", type=bool)
    warn_if_true = {"empty": "the tank is empty"}
    warn_if_below = {"level": (0.1, "the tank is nearly empty")}

    def outputs(self) -> dict[str, float]:
        return {"level": 1.0, "empty": 0.0}


@pytest.fixture
def diagram() -> Diagram:
    d = Diagram("mixed", step="1/30", stop=1.0)
    d.connect(d.add("lag", FirstOrderLag, time_constant=0.5).y, d.add("hold", SampleAndHold).u, algorithm="jacobi")
    return d


def described(d: Diagram, **scenario: str) -> dict[str, object]:
    plan = make_plan(d)
    return describe_run(d, d, plan, plan.ticks(Fraction(1)), "fmu", "c", read_scenario(d, **scenario))


def test_it_names_fmus_parameters_and_coupling(diagram: Diagram) -> None:
    found = described(diagram)
    assert (found["diagram"], found["step"], found["stop"]) == ("mixed", "1/30", 1.0)
    assert list(found["fmus"]) == ["lag", "hold"]
    assert found["parameters"]["lag"] == {"time_constant": 0.5}
    assert found["algorithm"] == "second-order"
    assert list(found["other_algorithms"].values()) == ["jacobi"]
    json.dumps(found)


def test_it_depends_on_the_diagram_and_not_on_the_place(
    diagram: Diagram, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = described(diagram)
    monkeypatch.chdir(tmp_path)
    assert described(diagram) == first
    diagram.parts["lag"].overrides["time_constant"] = 0.25
    second = described(diagram)
    assert second["parameters"]["lag"] == {"time_constant": 0.25}
    assert second["fmus"] == first["fmus"], "a parameter does not change the FMU"


def test_it_has_the_scenario_and_the_inputs_that_nothing_drives(diagram: Diagram) -> None:
    assert any("lag.u" in note for note in described(diagram)["notes"])
    found = described(diagram, until="lag.y > 1")
    assert found["until"] == "lag.y > 1"
    assert "pace" not in found


def test_outputs_that_warn_are_listed() -> None:
    d = Diagram("tanks", step=0.1)
    d.add("tank", Tank)
    found = described(d)
    assert found["warn_if_true"] == {"tank.empty": "the tank is empty"}
    assert found["warn_if_below"] == {"tank.level": [0.1, "the tank is nearly empty"]}
