"""A run of systems inside systems has the rows of the same parts without them."""

import json

import numpy as np
import pyarrow.parquet as parquet
import pytest

from drawbar.blocks.signals.first_order_lag import FirstOrderLag
from drawbar.diagrams import Diagram, read, write
from drawbar.orchestrator.cli.commands import main
from drawbar.orchestrator.simulate import simulate


def flat():
    d = Diagram("d", step=0.01, stop=0.5)
    names = ["source", "axle_left_first", "axle_left_second", "axle_right_first", "axle_right_second"]
    source, *lags = [d.add(name, FirstOrderLag) for name in names]
    source.set("u", 1.0)
    lags[0].set("gain", 2.0)
    lags[2].set("gain", 2.0)
    lags[3].set("gain", 3.0)
    for a, b in zip([source, *lags], lags, strict=False):
        d.connect(a.y, b.u)
    d.connections[-2].factor = 0.5
    d.expose(lags[-1].y, "y")
    return d


def nested():
    pair = Diagram("pair")
    first, second = pair.add("first", FirstOrderLag, gain=2.0), pair.add("second", FirstOrderLag)
    pair.connect(first.y, second.u)
    pair.expose(first.u)
    pair.expose(second.y)
    axle = Diagram("axle")
    left, right = axle.add("left", pair), axle.add("right", pair, **{"second.gain": 3.0})
    axle.connect(left.y, right.u, factor=0.5)
    axle.expose(left.u)
    axle.expose(right.y)
    d = Diagram("d", step=0.01, stop=0.5)
    source, whole = d.add("source", FirstOrderLag, u=1.0), d.add("axle", axle)
    d.connect(source.y, whole.u)
    d.expose(whole.y)
    return d


def rows(run):
    found = {}
    for file in sorted((run.folder / "signals").rglob("*.parquet")):
        table = parquet.read_table(file)
        found |= {name.replace(".", "_"): table[name].to_numpy().tobytes() for name in table.column_names}
    return found


@pytest.mark.parametrize("algorithm", ["second-order", "jacobi", "gauss-seidel", "interpolated"])
@pytest.mark.parametrize(
    ("engine", "backend"),
    [pytest.param("c", "fmu", marks=pytest.mark.compiler), ("python", "interpreted")],
)
def test_rows_equal_those_of_the_flat_diagram_byte_for_byte(tmp_path, algorithm, engine, backend):
    made = {}
    for name, d in (("flat", flat()), ("nested", nested())):
        write(d, tmp_path / f"{name}.ssd")
        d = read(tmp_path / f"{name}.ssd")
        d.algorithm = algorithm
        made[name] = simulate(d, out=tmp_path / name, engine=engine, backend=backend)
    assert rows(made["nested"]) == rows(made["flat"])
    assert "axle_right_second_y" in rows(made["nested"])
    last = np.frombuffer(rows(made["flat"])["axle_right_second_y"])[-1]
    assert last > 0.0
    changed = read(tmp_path / "nested.ssd")
    changed.parts["axle"].set("right.second.gain", 3.5)
    changed.algorithm = algorithm
    assert rows(simulate(changed, out=tmp_path / "x", engine=engine, backend=backend)) != rows(made["flat"])


def test_settings_inputs_changes_and_conditions_reach_inside(tmp_path, capsys):
    write(nested(), tmp_path / "d.ssd")
    (tmp_path / "in.csv").write_text("time,source.u\n0,2\n")
    run = ["run", str(tmp_path / "d.ssd"), "--backend", "interpreted", "--no-page", "--json"]
    scenario = ["--set", "axle.left.first.gain=4", "--change", "0.1:axle.left.second.gain=2"]
    scenario += ["--input", str(tmp_path / "in.csv"), "--until", "axle.right.second.y > 0.01"]
    assert main([*run, *scenario, "--record", "axle.right.*", "--out", str(tmp_path / "run")]) == 0
    capsys.readouterr()

    info = json.loads((tmp_path / "run" / "run.json").read_text())
    assert info["parameters"]["axle.left.first"] == {"gain": 4.0}
    assert info["parameters"]["axle.right.second"] == {"gain": 3.0}
    assert info["changes"] == [{"time": 0.1, "part": "axle.left.second", "values": {"gain": 2.0}}]
    assert "held at t" in info["message"]
    for wrong, reason in (
        ("--set axle.left.frist.gain=4", "axle (system) has no 'left.frist.gain'; did you mean 'left.first.gain'"),
        ("--change 0.1:axle.left.first.gian=2", "did you mean 'gain'"),
    ):
        assert main([*run, *wrong.split(), "--out", str(tmp_path / "none")]) == 2
        assert reason in capsys.readouterr().err


SET = """<ParameterSet xmlns="http://ssp-standard.org/SSP1/SystemStructureParameterValues" version="1.0" name="s">
<Parameters>
<Parameter name="{}"><Real value="{}"/></Parameter></Parameters></ParameterSet>"""


def test_parameter_sets_of_the_command_line(tmp_path, capsys):
    write(nested(), tmp_path / "d.ssd")
    files = []
    for i, value in enumerate((5, 6)):
        files += ["--params", str(tmp_path / f"{i}.ssv")]
        (tmp_path / f"{i}.ssv").write_text(SET.format("axle.left.first.gain", value))
    run = ["run", str(tmp_path / "d.ssd"), "--backend", "interpreted", "--no-page", "--json", "--check"]

    def parameters(*more):
        out = tmp_path / f"run{len(list(tmp_path.iterdir()))}"
        assert main([*run, *more, "--out", str(out)]) == 0
        capsys.readouterr()
        return json.loads((out / "run.json").read_text())

    alone, last = parameters(*files[:2]), parameters(*files)
    assert alone["parameters"]["axle.left.first"] == {"gain": 5.0}
    assert last["parameters"]["axle.left.first"] == {"gain": 6.0}
    assert [s["file"] for s in last["parameter_sets"]] == ["0.ssv", "1.ssv"]
    assert last["parameter_sets"][0] == alone["parameter_sets"][0] != last["parameter_sets"][1]
    assert last["diagram_sha256"] == parameters()["diagram_sha256"]
    over = parameters(*files, "--set", "axle.left.first.gain=7")
    assert over["parameters"]["axle.left.first"] == {"gain": 7.0}
    (tmp_path / "own.ssv").write_text(SET.format("gain", 8))
    inside = parameters("--params", f"axle.left.first={tmp_path / 'own.ssv'}")
    assert inside["parameters"]["axle.left.first"] == {"gain": 8.0}
    assert inside["parameter_sets"][0]["part"] == "axle.left.first"
    beside = parameters("--params", "axle.left.first=own")
    assert beside["parameter_sets"] == inside["parameter_sets"]
    assert main([*run, "--params", "axle.left.first=owm", "--out", str(tmp_path / "none")]) == 2
    assert "--params axle.left.first=owm: there is no parameter set 'owm'" in capsys.readouterr().err
    assert main([*run, "--params", "axel.left.first=own", "--out", str(tmp_path / "none")]) == 2
    message = "--params axel.left.first=own: there is no part 'axel.left.first'"
    assert capsys.readouterr().err.count(message) == 1
    assert main([*run, "--params", "axle.left.frist=own", "--out", str(tmp_path / "none")]) == 1
    assert "did you mean 'left.first.gain'?" in capsys.readouterr().err
    (tmp_path / "0.ssv").write_text(SET.format("axle.left.frist.gain", 1))
    assert main([*run, *files[:2], "--out", str(tmp_path / "none")]) == 1
    error = capsys.readouterr().err
    assert "axle (system) has no 'left.frist.gain'; did you mean 'left.first.gain'?" in error
    assert "0.ssv:3)" in error
    (tmp_path / "0.ssv").write_text("gain = 5")
    assert main([*run, *files[:2], "--out", str(tmp_path / "none")]) == 1
    assert "0.ssv:1: not an .ssv file, or a damaged one: " in capsys.readouterr().err
    assert main([*run, "--params", str(tmp_path / "no.ssv"), "--out", str(tmp_path / "none")]) == 2
    assert "there is no parameter set at" in capsys.readouterr().err
