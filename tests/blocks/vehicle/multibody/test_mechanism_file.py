"""Mechanisms as JSON: a round trip loses nothing, and a wrong file is told where."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import casadi as ca
import pytest

from drawbar.blocks.authoring.errors import DefinitionError
from drawbar.blocks.vehicle.multibody.mechanism import Mechanism
from drawbar.blocks.vehicle.multibody.mechanism_file import from_dict, read_mechanism, to_dict

Made = Mapping[str, Callable[..., Mechanism]]
BODY = {
    "name": "arm",
    "parent": None,
    "joint": "rev",
    "mass_kg": 1.0,
    "com_m": [0.5, 0, 0],
    "inertia_com_kgm2_rowmajor": [0.1, 0, 0, 0, 0.1, 0, 0, 0, 0.1],
    "point_m": [0, 0, 0],
    "axes": [[0, 2, 0]],
}
CUT = {"type": "dist", "body_a": "arm", "body_b": "ground", "point_a_m": [1, 0, 0], "point_b_m": [1, 0, 1]}


def numbers(value: Any) -> Any:
    """Nested lists with each number rounded to what division by a length may change."""
    if isinstance(value, float):
        return pytest.approx(value, abs=1e-15)
    if isinstance(value, list):
        return [numbers(v) for v in value]
    return {k: numbers(v) for k, v in value.items()} if isinstance(value, dict) else value


@pytest.mark.parametrize("name", ["four-bar", "hexapod", "quarter car", "hmmwv"])
def test_a_round_trip_keeps_all(name: str, mechanisms: Made) -> None:
    once = to_dict(mechanisms[name]())
    again = to_dict(from_dict(json.loads(json.dumps(once))))
    assert again == numbers(once)


def test_the_order_of_an_inertia_is_by_rows() -> None:
    body = {**BODY, "inertia_com_kgm2_rowmajor": [1, 0.1, 0.2, 0.1, 2, 0.3, 0.2, 0.3, 3]}
    (made,) = from_dict({"bodies": [body]}).bodies
    assert (float(made.inertia[0, 1]), float(made.inertia[0, 2]), float(made.inertia[1, 2])) == (0.1, 0.2, 0.3)


def test_axes_get_the_length_one() -> None:
    (body,) = from_dict({"bodies": [BODY]}).bodies
    assert float(ca.norm_2(body.axes[0])) == 1.0


def test_a_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "arm.json"
    path.write_text(json.dumps({"bodies": [BODY], "cuts": [CUT], "independent": []}))
    assert read_mechanism(path).sizes().embedded == (0, 0)


FAULTS: dict[str, Any] = {
    "the mechanism is no object": [],
    "there is no entry 'body'; did you mean 'bodies'": {"body": []},
    "bodies is no list": {},
    "a mechanism has at least one body": {"bodies": []},
    "bodies[0]: it is no object": {"bodies": [3]},
    "bodies[0]: it has no 'mass_kg'": {"bodies": [{k: v for k, v in BODY.items() if k != "mass_kg"}]},
    "bodies[0]: there is no entry 'mas_kg'; did you mean 'mass_kg'": {"bodies": [{**BODY, "mas_kg": 1}]},
    "bodies[0]: mass_kg is 'heavy'": {"bodies": [{**BODY, "mass_kg": "heavy"}]},
    "bodies[0]: mass_kg is True": {"bodies": [{**BODY, "mass_kg": True}]},
    "bodies[0]: name is 3": {"bodies": [{**BODY, "name": 3}]},
    "bodies[0]: com_m is no list of 3 numbers": {"bodies": [{**BODY, "com_m": [1, 2]}]},
    "bodies[0]: inertia_com_kgm2_rowmajor is no list of 9": {"bodies": [{**BODY, "inertia_com_kgm2_rowmajor": [1]}]},
    "bodies[0]: axes is no list": {"bodies": [{**BODY, "axes": "y"}]},
    "bodies[0]: [0.0, 0.0, 0.0] is no direction": {"bodies": [{**BODY, "axes": [[0, 0, 0]]}]},
    "body 'arm': its mass is nan kg": {"bodies": [{**BODY, "mass_kg": float("nan")}]},
    "bodies[0]: body 'arm': its com has numbers that are not finite": {
        "bodies": [{**BODY, "com_m": [float("inf"), 0, 0]}]
    },
    "cuts[0]: it has neither point_m nor both": {
        "bodies": [BODY],
        "cuts": [{k: v for k, v in CUT.items() if k != "point_b_m"}],
    },
    "cuts[0]: there is no entry 'kind'": {"bodies": [BODY], "cuts": [{**CUT, "kind": "dist"}]},
    "independent is no list of names": {"bodies": [BODY], "independent": "arm"},
}


@pytest.mark.parametrize("message", FAULTS)
def test_a_wrong_file_is_told_where(message: str, tmp_path: Path) -> None:
    path = tmp_path / "arm.json"
    path.write_text(json.dumps(FAULTS[message]))
    with pytest.raises(DefinitionError) as caught:
        read_mechanism(path)
    assert str(caught.value).startswith("arm.json: ")
    assert message in str(caught.value)


def test_what_is_no_json_is_told(tmp_path: Path) -> None:
    path = tmp_path / "arm.json"
    for text in ("{", "[" * 100_000, "\x00"):
        path.write_text(text)
        with pytest.raises(DefinitionError, match=r"arm\.json: "):
            read_mechanism(path)
    path.write_bytes(b"\xff\xfe\xff")
    with pytest.raises(DefinitionError, match=r"arm\.json: "):
        read_mechanism(path)
    with pytest.raises(DefinitionError, match=r"none\.json: .*No such file"):
        read_mechanism(tmp_path / "none.json")


def test_a_file_of_unreasonable_size_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "arm.json"
    path.write_bytes(b" " * 10_000_001)
    with pytest.raises(DefinitionError, match="more than 10000000 bytes"):
        read_mechanism(path)
