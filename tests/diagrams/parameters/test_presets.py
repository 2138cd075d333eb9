"""Parameter sets that come with the blocks."""

from pathlib import Path

import pytest

from drawbar.blocks.core.errors import UsageError
from drawbar.blocks.vehicle.hmmwv.hmmwv_vehicle import HmmwvVehicle
from drawbar.diagrams import Diagram, write
from drawbar.diagrams.parameters.parameter_set import read_set, set_text, write_set
from drawbar.diagrams.parameters.presets import find_set, presets
from drawbar.diagrams.ssp.ssp import read


@pytest.mark.parametrize("name", sorted(presets()))
def test_presets_are_canonical_and_say_where_they_come_from(name: str) -> None:
    file = presets()[name]
    found = read_set(file)
    assert found.name == name
    assert set_text(found) == file.read_text(encoding="utf-8")
    assert len(found.root.attributes["description"]) > 30


def test_the_preset_of_the_multibody_source_changes_height_and_springs_alone() -> None:
    """All of its numbers differ from the defaults, in units that fit."""
    found = read_set(find_set("hmmwv_chrono")).parameters
    assert set(found) == {"chassis_com[3]", "sensor[3]", "front_spring_free", "rear_spring_rate", "rear_spring_free"}
    for name, p in found.items():
        variable = HmmwvVehicle.variables[name.partition("[")[0]]
        start = variable.start[2] if name.endswith("[3]") else variable.start
        assert p.unit == variable.unit
        assert p.value != start, name


def test_a_preset_is_bound_to_a_part_and_written_with_the_diagram(tmp_path: Path) -> None:
    diagram = Diagram("one", step=0.005, stop=1.0)
    diagram.add("car", HmmwvVehicle)
    diagram.bind(read_set(find_set("hmmwv_chrono")), prefix="car.")
    write(diagram, tmp_path / "one.ssd")
    text = (tmp_path / "one.ssd").read_text(encoding="utf-8")
    assert '<ssd:ParameterBinding prefix="car.">' in text
    rate = read_set(find_set("hmmwv_chrono")).parameters["rear_spring_rate"].value
    assert read(tmp_path / "one.ssd").parts["car"].start_values()["rear_spring_rate"] == rate


def test_a_name_means_what_lies_beside_then_a_preset_and_a_path_is_a_path(tmp_path: Path) -> None:
    assert find_set("hmmwv_chrono", tmp_path) == presets()["hmmwv_chrono"]
    write_set(read_set(presets()["hmmwv_chrono"]), tmp_path / "hmmwv_chrono.ssv")
    assert find_set("hmmwv_chrono", tmp_path) == tmp_path / "hmmwv_chrono.ssv"
    assert find_set("no/such.ssv", tmp_path) == Path("no/such.ssv")
    with pytest.raises(UsageError, match=r"no parameter set 'hmmwv_chrome'.*did you mean 'hmmwv_chrono'"):
        find_set("hmmwv_chrome", tmp_path)


def test_a_name_in_the_working_directory_is_found_and_the_places_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "beside").mkdir()
    (tmp_path / "sport.ssv").write_text("")
    monkeypatch.chdir(tmp_path)
    assert find_set("sport", tmp_path / "beside").resolve() == tmp_path / "sport.ssv"
    (tmp_path / "beside" / "sport.ssv").write_text("")
    assert find_set("sport", tmp_path / "beside") == tmp_path / "beside" / "sport.ssv", "the nearest wins"
    with pytest.raises(UsageError, match=r"no file sprot\.ssv beside the diagram or in the .*did you mean 'sport'"):
        find_set("sprot", tmp_path / "beside")
