"""An exported MCAP file, read back by the library of the format, holds every value of the run at its time."""

import io
import json
import math
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mcap.reader import make_reader

from drawbar.blocks.core.errors import UsageError
from drawbar.orchestrator.runs.export_mcap import export_mcap
from drawbar.orchestrator.runs.recorder import Column, Rate, Recorder
from drawbar.orchestrator.runs.run import Run

FAST = (
    Column("car.load[1]", "N", description="load"),
    Column("car.load[2]", "N", description="load"),
    Column("car.hub.u", "m/s"),
    Column("car.J[1,1]", "kg.m2"),
    Column("car.J[1,2]", "kg.m2"),
    Column("rig.axle.x.raw", "1"),
    Column("rig.axle.x", "m"),
    Column("rig.axle.x.y.z", "m"),
)
SLOW = (Column("car.gear", "1", "Integer"), Column("car.on", "1", "Boolean"))


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Two rates, one of thirds of a millisecond; values with all digits, two of them not finite."""
    rows = np.column_stack([np.arange(7) / 3000.0, np.random.default_rng(3).normal(0.0, 1e3, (7, len(FAST)))])
    rows[2, 3], rows[3, 1] = np.nan, -np.inf
    info = {"fmus": {"car": "", "rig.axle": ""}}
    recorder = Recorder(tmp_path / "run", info, [Rate(Fraction(1, 3000), FAST), Rate(Fraction(1, 1000), SLOW)])
    recorder.write(0, rows)
    recorder.write(1, np.array([[0.0, 1.0, 0.0], [0.001, -2.0, 1.0], [0.002, 3.0, 1.0]]))
    recorder.finish("ok")
    return Run(tmp_path / "run")


def messages(content: bytes) -> list[tuple[Any, Any, int, dict[str, Any]]]:
    """Return schema, channel, time and content of each message in the order of time."""
    reader = make_reader(io.BytesIO(content), validate_crcs=True)
    return [(s, c, m.log_time, json.loads(m.data)) for s, c, m in reader.iter_messages()]


def at(message: dict[str, Any], path: str) -> Any:
    for word in path.split("/"):
        message = message[word]
    return message


def test_every_value_is_there_at_the_exact_time(run: Run, tmp_path: Path) -> None:
    (path,) = export_mcap(run, tmp_path / "a.mcap")
    read = messages(path.read_bytes())
    assert {channel.topic for _, channel, _, _ in read} == {"/car", "/rig.axle"}
    places = {
        "car.load": "load",
        "car.hub.u": "hub/u",
        "car.J": "J",
        "car.gear": "gear",
        "car.on": "on",
        "rig.axle.x": "x",
        "rig.axle.x.raw": "x.raw",
        "rig.axle.x.y.z": "x.y.z",
    }
    assert set(places) == set(run.signals)
    for name, place in places.items():
        part = "rig.axle" if name.startswith("rig") else "car"
        first = place.partition("/")[0]
        samples = [(time, at(m, place)) for _, c, time, m in read if c.topic == f"/{part}" and first in m]
        period = run.signal(name).period
        assert [time for time, _ in samples] == [round(k * period * 10**9) for k in range(len(run[name]))]
        for (_, found), exact in zip(samples, run[name].tolist(), strict=True):
            flat = np.ravel(np.array(found, dtype=object)).tolist()
            for one, value in zip(flat, np.ravel(exact).tolist(), strict=True):
                assert (one is None and not math.isfinite(value)) or (one == value and type(one) is type(value))
    assert [time for _, _, time, _ in read] == sorted(time for _, _, time, _ in read)
    assert (sum(c.topic == "/car" for _, c, _, _ in read), len(read)) == (7, 14), "equal times are one message"


def test_schemas_have_units_types_and_descriptions(run: Run, tmp_path: Path) -> None:
    (path,) = export_mcap(run, tmp_path / "a.mcap", ["car.*"])
    (schema, channel, _, _), *others = messages(path.read_bytes())
    assert {c.topic for _, c, _, _ in others} == {"/car"}
    assert (schema.encoding, channel.message_encoding) == ("jsonschema", "json")
    facts = json.loads(schema.data)["properties"]
    number = {"type": ["number", "null"]}
    assert facts["load"] == {
        "type": "array",
        "items": number,
        "title": "car.load",
        "description": "load [N]",
        "unit": "N",
    }
    assert facts["J"]["items"] == {"type": "array", "items": number}
    assert facts["hub"]["properties"]["u"]["unit"] == "m/s"
    assert (facts["gear"]["type"], facts["on"]["type"]) == ("integer", "boolean")


def test_equal_runs_give_equal_bytes(run: Run, tmp_path: Path) -> None:
    (a,), (b,) = export_mcap(run, tmp_path / "a.mcap"), export_mcap(Run(run.folder), tmp_path / "b.mcap")
    assert a.read_bytes() == b.read_bytes()


def test_a_missing_package_is_one_sentence(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mcap.writer", None)
    with pytest.raises(UsageError, match=r"package mcap: pip install 'drawbar\[mcap\]'"):
        export_mcap(run, tmp_path / "a.mcap")
    assert not (tmp_path / "a.mcap").exists()
