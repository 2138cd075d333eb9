"""The example of the README runs, and its words are those of the package."""

import json
import re
from importlib.resources import files
from typing import Any

import drawbar.blocks.vehicle.multibody as package
from drawbar.blocks.vehicle.multibody import mechanism_file
from drawbar.blocks.vehicle.multibody.mechanism import DOF

TEXT = files(package).joinpath("README.md").read_text(encoding="utf-8")


def test_the_example_runs() -> None:
    (example,) = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
    names: dict[str, Any] = {}
    exec(example, names)
    acceleration, gap = names["crank_acceleration"](0.3, 2.0, 1.0)
    assert names["engine"].sizes().tree == (3, 2)
    assert float(acceleration) > 0.0
    assert float(gap) < 1e-15


def test_the_json_example_is_read() -> None:
    body = json.loads(re.findall(r"```json\n(.*?)```", TEXT, re.DOTALL)[0])
    assert mechanism_file.from_dict({"bodies": [body]}).sizes().tree == (1, 0)


def test_all_joints_are_named() -> None:
    assert all(f"`{joint}`" in TEXT for joint in DOF)
