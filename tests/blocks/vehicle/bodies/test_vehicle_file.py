"""Vehicle files: what they say, what they leave open, and what is wrong with them."""

import copy
import json
import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from drawbar.blocks import DefinitionError
from drawbar.blocks.vehicle.bodies import vehicle_file
from drawbar.blocks.vehicle.bodies.vehicle_body import VehicleBody
from drawbar.blocks.vehicle.bodies.vehicle_file import from_dict, read_vehicle

VEHICLES = Path(str(vehicle_file.__file__)).parents[2] / "data" / "vehicles"
MAVS: dict[str, Any] = json.loads((VEHICLES / "mavs_forester.json").read_text(encoding="utf-8"))


def test_what_is_left_open_has_a_value() -> None:
    v = from_dict(MAVS)
    m, (x, y, z) = 1587.6, MAVS["chassis"]["dimensions_m"]
    assert v.chassis["inertia_kgm2"] == pytest.approx(
        [m * (y * y + z * z) / 12, m * (x * x + z * z) / 12, m * (x * x + y * y) / 12]
    )
    r, w = 0.341, 0.15
    assert v.axles[0]["wheel_inertia_kgm2"] == pytest.approx([62.45 * (3 * r * r + w * w) / 12, 62.45 * r * r / 2])
    assert v.axles[1]["max_steer_angle_deg"] == 0.0 and v.steering["ratio"] == 16.0
    assert v.wheels == ("fl", "fr", "rl", "rr") and v.steered == [0]


def test_a_pose_turns_to_the_left() -> None:
    half = math.pi / 8
    pose = {"orientation_wxyz": [math.cos(half), 0, 0, math.sin(half)]}
    assert from_dict(MAVS | {"initial_pose": pose}).heading == pytest.approx(math.pi / 4)


def test_of_three_axles_wheels_are_counted() -> None:
    data = copy.deepcopy(MAVS)
    middle = data["axles"][1] | {"longitudinal_offset_m": -0.2}
    v = from_dict(data | {"axles": [data["axles"][0], middle, data["axles"][1]]})
    assert v.wheels == ("1l", "1r", "2l", "2r", "3l", "3r")


def changed(change: Callable[[Any], Any]) -> Any:
    data = copy.deepcopy(MAVS)
    change(data)
    return data


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda d: d["axles"][1]["tire"].update(radius=0.3),
            "tire has the unknown entry 'radius'; did you mean 'radius_m'",
        ),
        (
            lambda d: d["axles"][0].update(spring_constant=1.0),
            r"axles\[0\] has the unknown entry 'spring_constant'; did you mean 'spring_constant_N_per_m'",
        ),
        (lambda d: d["axles"][0].pop("track_width_m"), r"axles\[0\] has no track_width_m"),
        (
            lambda d: d["axles"][0]["tire"].update(radius_m=-0.3),
            r"axles\[0\].tire.radius_m is -0.3; it must lie between",
        ),
        (lambda d: d["chassis"].update(sprung_mass_kg=True), "chassis.sprung_mass_kg is 'True', which is not a number"),
        (lambda d: d["chassis"].update(cg_offset_m=math.nan), "chassis.cg_offset_m is nan; it must lie between"),
        (lambda d: d["chassis"].update(sprung_mass_kg=10**400), "chassis.sprung_mass_kg is inf; it must lie between"),
        (lambda d: d["chassis"].update(cg_offset_m=-(10**400)), "chassis.cg_offset_m is -inf; it must lie between"),
        (lambda d: d["chassis"].update(dimensions_m=[1, 2]), "chassis.dimensions_m must be a list of 3 numbers"),
        (lambda d: d["axles"][0].update(steered="yes"), r"axles\[0\].steered is 'yes'; write true or false"),
        (lambda d: d["axles"][0].pop("max_steer_angle_deg"), r"axles\[0\] is steered; give it a max_steer_angle_deg"),
        (lambda d: d["axles"].pop(), "axles must be a list of 2 to 8 axles"),
        (lambda d: d["axles"].reverse(), r"axles\[1\].longitudinal_offset_m is 1.19 and that of the axle before it"),
        (lambda d: d["axles"][1].update(longitudinal_offset_m=0.1), "which must lie between the first and the last"),
        (lambda d: d.update(initial_pose={"orientation_wxyz": [1, 1, 0, 0]}), "has length 1.41421, not 1"),
        (lambda d: d.update(initial_pose={"orientation_wxyz": [0.8, 0.6, 0, 0]}), "which rolls or pitches; a"),
        (lambda d: d.update(initial_pose={"orientation_wxyz": [0.8, 0, 0.6, 0]}), "which rolls or pitches"),
        (lambda d: d.update(name="two\nlines"), r"name is 'two\\nlines'...; give one line of at most 200 characters"),
        (lambda d: d.update(name="A" * 201), "name is 'A{40}'...; give one line of at most 200 characters"),
        (lambda d: d.update(name=" "), "name must be a text"),
        (lambda d: d.update(axles={}), "axles must be a list"),
        (lambda d: d["axles"].insert(0, 3), r"axles\[0\] must be an object of names and values"),
        (lambda d: d["chassis"].update(sprung_mass_kg=0), "chassis.sprung_mass_kg is 0; it must lie between 1 and"),
        (lambda d: d["axles"][0].update(unsprung_mass_kg=0), r"axles\[0\].unsprung_mass_kg is 0; it must lie between"),
        (
            lambda d: d["axles"][1].update(spring_length_m=-0.2),
            r"axles\[1\].spring_length_m is -0.2; it must lie",
        ),
        (lambda d: d["axles"][1].update(spring_length_m=0), r"axles\[1\].spring_length_m is 0; it must lie between"),
        (
            lambda d: [a.update(spring_constant_N_per_m=1000) for a in d["axles"]],
            r"axles\[\d\].spring_constant_N_per_m is 1000: the chassis at rest compresses these springs by \d.*stiffer",
        ),
        (
            lambda d: d["axles"][1]["tire"].update(spring_constant_N_per_m=5000),
            r"axles\[1\].tire.spring_constant_N_per_m is 5000: \d+ N at rest compress the tire by .* than its radius",
        ),
    ],
)
def test_what_is_wrong_is_named_with_its_place(change: Callable[[Any], Any], message: str) -> None:
    with pytest.raises(DefinitionError, match=message):
        from_dict(changed(change))


def test_springs_and_tires_give_way_as_far_as_their_loads_say() -> None:
    """A spring in the middle of two equal axles bears a quarter of the weight; at the limit it is taken, beyond not."""
    data = copy.deepcopy(MAVS)
    for axle, x in zip(data["axles"], (1.2, -1.2), strict=True):
        axle.update(longitudinal_offset_m=x, spring_constant_N_per_m=30e3)
    travel = data["chassis"]["sprung_mass_kg"] * 9.80665 / 4 / 30e3
    assert vehicle_file.static_travels(from_dict(data)) == pytest.approx([travel, travel])
    for factor, good in ((1.001, True), (0.999, False)):
        data["axles"][0]["spring_length_m"] = factor * travel
        if good:
            from_dict(data)
        else:
            with pytest.raises(DefinitionError, match=r"axles\[0\].*more than their spring_length_m"):
                from_dict(data)


def test_an_axle_that_steers_nothing_is_refused() -> None:
    data = copy.deepcopy(MAVS)
    rear = data["axles"][1]
    steered = {"steered": True, "max_steer_angle_deg": 20.0}
    data["axles"] = [data["axles"][0], rear | {"longitudinal_offset_m": -0.109} | steered, rear | steered]
    with pytest.raises(DefinitionError, match=r"axles\[1\] is steered but stands at the turning point"):
        from_dict(data)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b'{"name": ', "v.json: it is no JSON file: Expecting value"),
        (b"[" * 100_000, "v.json: "),
        (b'"' + b"x" * 1_000_001 + b'"', "v.json: it has more than 1000000 bytes"),
        (b"\xff", "v.json: "),
        (b'{"name": "a", "name": "b"}', "v.json: an object has two entries 'name'; leave one out"),
    ],
)
def test_a_damaged_file_is_named(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "v.json"
    path.write_bytes(content)
    with pytest.raises(DefinitionError, match=message):
        read_vehicle(path)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(DefinitionError, match=r"v.json: No such file"):
        read_vehicle(tmp_path / "v.json")


def test_a_body_needs_a_file() -> None:
    with pytest.raises(DefinitionError, match="Nameless: name its vehicle file"):
        type("Nameless", (VehicleBody,), {})


@pytest.mark.parametrize("name", ["hmmwv_simple.json", "mavs_forester.json"])
def test_the_files_that_come_with_drawbar_are_good(name: str) -> None:
    assert read_vehicle(VEHICLES / name).source


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            '{"Name": "HMMWV", "Type": "Vehicle", "Template": "WheeledVehicle", "Chassis": {}, "Axles": []}',
            "it has the entries 'Name', 'Type', 'Template', 'Chassis', ..., and neither 'chassis' nor 'axles', which "
            "looks like a file of Project Chrono; it is no vehicle file of Drawbar",
        ),
        (
            '{"wheelbase": 3.3}',
            "it has the entries 'wheelbase', and neither 'chassis' nor 'axles'; it is no vehicle file",
        ),
        ("<vehicle/>", "it is no JSON file: Expecting value: line 1 column 1 (char 0); a vehicle file is one, as"),
    ],
)
def test_a_file_of_another_tool_is_told(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "other.json").write_text(text)
    with pytest.raises(DefinitionError, match=re.escape(f"other.json: {message}")):
        read_vehicle(tmp_path / "other.json")
