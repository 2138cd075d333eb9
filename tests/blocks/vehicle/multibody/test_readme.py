"""The example of the README runs, and its words are those of the package."""

import json
import re
from importlib.resources import files
from typing import Any

import pytest

import drawbar.blocks.vehicle.multibody as package
from drawbar.blocks.vehicle.multibody import mechanism_file
from drawbar.blocks.vehicle.multibody.mechanism import DOF

TEXT = files(package).joinpath("README.md").read_text(encoding="utf-8")


def test_the_examples_run() -> None:
    """One after the other, as they are read."""
    names: dict[str, Any] = {}
    for example in re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL):
        exec(example, names)
    acceleration, gap = names["crank_acceleration"](0.3, 2.0, 1.0)
    assert names["engine"].sizes().tree == (3, 2)
    assert float(acceleration) > 0.0
    assert float(gap) < 1e-15
    held, force, energy = (float(v) for v in names["held_acceleration"](0.3, 2.0, 1.0))
    assert held < float(acceleration), "the spring pushes the piston back"
    assert force > 0.0 and energy > 0.0
    assert float(names["held_acceleration"](0.3, 2.0, names["crank_torque"](0.3, 2.0)[0])[0]) == pytest.approx(5.0)


def test_the_json_examples_are_read_as_what_python_says() -> None:
    body, forces = (json.loads(text) for text in re.findall(r"```json\n(.*?)```", TEXT, re.DOTALL))
    assert mechanism_file.from_dict({"bodies": [body]}).sizes().tree == (1, 0)
    names: dict[str, Any] = {}
    for example in re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)[:2]:
        exec(example, names)
    written = mechanism_file.to_dict(names["on_spring"])
    assert (
        mechanism_file.to_dict(mechanism_file.from_dict({**written, "forces": forces}))["forces"] == written["forces"]
    )


def test_all_joints_are_named() -> None:
    assert all(f"`{joint}`" in TEXT for joint in DOF)
