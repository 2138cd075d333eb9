"""Mechanisms as JSON: a round trip loses nothing, and a wrong file is told where."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import casadi as ca
import pytest

from drawbar.blocks.core.errors import DefinitionError
from drawbar.blocks.vehicle.multibody.force_element import JointElement, LineElement
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
LINE = {
    "type": "line",
    "body_a": "ground",
    "body_b": "arm",
    "point_a_m": [0, 0, 1],
    "point_b_m": [1, 0, 0],
    "free_m": 1.5,
    "rate_N_per_m": 100,
    "progression_per_m2": 2,
    "preload_N": -3,
    "compression_Ns_per_m": 4,
    "rebound_Ns_per_m": 5,
    "stops_m": [1, 2],
    "stop_table_m_N": [[0, 0], [0.1, 10]],
}
TURN = {"type": "turn", "joint": "arm", "rate_Nm_per_rad": 20, "compression_Nms_per_rad": 1}
CUT = {"type": "dist", "body_a": "arm", "body_b": "ground", "point_a_m": [1, 0, 0], "point_b_m": [1, 0, 1]}


def numbers(value: Any) -> Any:
    """Nested lists with each number rounded to what division by a length may change."""
    if isinstance(value, float):
        return pytest.approx(value, abs=1e-15)
    if isinstance(value, list):
        return [numbers(v) for v in value]
    return {k: numbers(v) for k, v in value.items()} if isinstance(value, dict) else value


@pytest.mark.parametrize("name", ["four-bar", "slider-crank", "hexapod", "quarter car", "hmmwv"])
def test_a_round_trip_keeps_all(name: str, mechanisms: Made, on_springs: Callable[..., Mechanism]) -> None:
    m = mechanisms[name]()
    for described in (m, on_springs(m)):
        once = to_dict(described)
        again = to_dict(from_dict(json.loads(json.dumps(once))))
        assert again == numbers(once)
        assert len(again["forces"]) == len(described.forces)


def test_forces_are_read_in_the_units_of_their_type() -> None:
    slide = {**BODY, "name": "cart", "joint": "pris"}
    shift = {"type": "slide", "joint": "cart", "rate_N_per_m": 7, "free_m": 0.5}
    line, turn, slid = from_dict({"bodies": [BODY, slide], "forces": [LINE, TURN, shift]}).forces
    assert isinstance(line, LineElement) and isinstance(turn, JointElement)
    law = line.law
    values = [law.free, law.rate, law.progression, law.preload, law.compression, law.rebound, *(law.stops or ())]
    assert [float(v) for v in values] == [1.5, 100, 2, -3, 4, 5, 1, 2]
    assert [[float(v) for v in row] for row in law.stop_table] == [[0, 0], [0.1, 10]]
    assert (line.body_a, line.body_b, float(line.point_b[0])) == ("ground", "arm", 1.0)
    assert (turn.joint, float(turn.law.rate), float(turn.law.rebound), turn.law.free) == ("arm", 20.0, 1.0, None)
    assert float(slid.law.free) == 0.5


def test_the_order_of_an_inertia_is_by_rows() -> None:
    body = {**BODY, "inertia_com_kgm2_rowmajor": [2, 0.1, 0.2, 0.1, 2, 0.3, 0.2, 0.3, 3]}
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
    "the mechanism must be an object": [],
    "there is no entry 'body'; did you mean 'bodies'": {"body": []},
    "bodies must be a list": {},
    "a mechanism has at least one body": {"bodies": []},
    "bodies[0]: it must be an object": {"bodies": [3]},
    "bodies[0]: it has no 'mass_kg'": {"bodies": [{k: v for k, v in BODY.items() if k != "mass_kg"}]},
    "bodies[0]: there is no entry 'mas_kg'; did you mean 'mass_kg'": {"bodies": [{**BODY, "mas_kg": 1}]},
    "bodies[0]: mass_kg is 'heavy'": {"bodies": [{**BODY, "mass_kg": "heavy"}]},
    "bodies[0]: mass_kg is True": {"bodies": [{**BODY, "mass_kg": True}]},
    "bodies[0]: name is 3": {"bodies": [{**BODY, "name": 3}]},
    "bodies[0]: com_m must be a list of 3 numbers": {"bodies": [{**BODY, "com_m": [1, 2]}]},
    "bodies[0]: inertia_com_kgm2_rowmajor must be a list of 9": {
        "bodies": [{**BODY, "inertia_com_kgm2_rowmajor": [1]}]
    },
    "bodies[0]: axes must be a list": {"bodies": [{**BODY, "axes": "y"}]},
    "bodies[0]: [0.0, 0.0, 0.0] is not a direction": {"bodies": [{**BODY, "axes": [[0, 0, 0]]}]},
    "body 'arm': its mass is nan kg": {"bodies": [{**BODY, "mass_kg": float("nan")}]},
    "bodies[0]: body 'arm': its com has numbers that are not finite": {
        "bodies": [{**BODY, "com_m": [float("inf"), 0, 0]}]
    },
    "cuts[0]: it has neither point_m nor both": {
        "bodies": [BODY],
        "cuts": [{k: v for k, v in CUT.items() if k != "point_b_m"}],
    },
    "cuts[0]: there is no entry 'kind'": {"bodies": [BODY], "cuts": [{**CUT, "kind": "dist"}]},
    "forces must be a list": {"bodies": [BODY], "forces": {}},
    "forces[0]: it must be an object": {"bodies": [BODY], "forces": [3]},
    "forces[1]: it has no 'type'": {"bodies": [BODY], "forces": [LINE, {"joint": "arm"}]},
    "forces[0]: there is no type 'lin'; did you mean 'line'": {"bodies": [BODY], "forces": [{**LINE, "type": "lin"}]},
    "forces[0]: there is no entry 'rate_N_per_m'; did you mean 'rate_Nm_per_rad'": {
        "bodies": [BODY],
        "forces": [{**TURN, "rate_N_per_m": 1}],
    },
    "forces[0]: there is no entry 'joint'": {"bodies": [BODY], "forces": [{**LINE, "joint": "arm"}]},
    "forces[0]: it has no 'joint'": {"bodies": [BODY], "forces": [{"type": "turn"}]},
    "forces[0]: it has neither point_m nor both": {
        "bodies": [BODY],
        "forces": [{k: v for k, v in LINE.items() if k != "point_a_m"}],
    },
    "forces[0]: rate_N_per_m is 'stiff', which is not a number": {
        "bodies": [BODY],
        "forces": [{**LINE, "rate_N_per_m": "stiff"}],
    },
    "forces[0]: stops_m must be a list of 2 numbers": {"bodies": [BODY], "forces": [{**LINE, "stops_m": [1]}]},
    "forces[0]: a row of stop_table_m_N must be a list of 2": {
        "bodies": [BODY],
        "forces": [{**LINE, "stop_table_m_N": [[0]]}],
    },
    "forces[0]: the law of a force: its preload has numbers that are not finite": {
        "bodies": [BODY],
        "forces": [{**LINE, "preload_N": float("inf")}],
    },
    "forces[0]: the joint of 'arm' is rev, so the type is 'turn', not 'slide'": {
        "bodies": [BODY],
        "forces": [{"type": "slide", "joint": "arm"}],
    },
    "the force along the joint of 'amr': there is no body 'amr'; did you mean 'arm'": {
        "bodies": [BODY],
        "forces": [{**TURN, "joint": "amr"}],
    },
    "bodies[0]: mass_kg holds a number of 401 digits, which no": {"bodies": [{**BODY, "mass_kg": 10**400}]},
    "bodies[0]: com_m holds a number of 401 digits": {"bodies": [{**BODY, "com_m": [0, 10**400, 0]}]},
    "forces[0]: it has point_m, which is for both bodies, and point_b_m as well; leave one of them out": {
        "bodies": [BODY],
        "forces": [{**{k: v for k, v in LINE.items() if k != "point_a_m"}, "point_m": [0, 0, 5]}],
    },
    "independent must be a list of names": {"bodies": [BODY], "independent": "arm"},
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
