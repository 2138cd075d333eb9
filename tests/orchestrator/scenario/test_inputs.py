"""Tables of inputs: what a column drives, what holds between its rows, and the message for each wrong file."""

import math
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fmpy import write_csv
from hypothesis import given
from hypothesis import strategies as st

from drawbar.blocks import Continuous, Input, Output, Parameter, UsageError
from drawbar.diagrams.model.diagram import Diagram
from drawbar.orchestrator.scenario import input_file
from drawbar.orchestrator.scenario.inputs import InputColumn, InputTable, Target, read_inputs

FOREIGN = """<?xml version="1.0" encoding="UTF-8"?>
<fmiModelDescription fmiVersion="2.0" modelName="Foreign" guid="{1}">
  <CoSimulation modelIdentifier="Foreign"/>
  <ModelVariables>
    <ScalarVariable name="x" valueReference="0" causality="input"><Real start="0"/></ScalarVariable>
    <ScalarVariable name="n" valueReference="0" causality="input"><Integer start="0"/></ScalarVariable>
  </ModelVariables>
  <ModelStructure/>
</fmiModelDescription>
"""


class Lever(Continuous):
    """Something with inputs of every kind."""

    angle = Input("rad", "angle", min=-1.0, max=math.pi)
    load = Input("N", "loads", size=3)
    gear = Input("1", "gear", type=int)
    locked = Input("1", "lock", type=bool)
    ratio = Parameter(2.0, "1", "ratio")
    y = Output("rad", "angle")

    def outputs(self) -> dict[str, Any]:
        return {"y": self.ratio * self.angle}


class Dial(Continuous):
    """An angle that people read."""

    angle = Input("deg", "angle")
    y = Output("deg", "angle")

    def outputs(self) -> dict[str, Any]:
        return {"y": self.angle}


@pytest.fixture
def diagram() -> Diagram:
    """`a` with nothing connected; `b` driven by `a`; `dial` and `c` behind the connector `wind`."""
    d = Diagram("levers")
    a, b, c, dial = d.add("a", Lever), d.add("b", Lever), d.add("c", Lever), d.add("dial", Dial)
    d.connect(a.y, b.angle)
    d.expose(c.angle, "wind")
    d.connect(d["wind"], dial.angle, 2.0, 1.0)
    d.expose(c.load, "weights")
    d.expose(b.y, "reading")
    return d


def read(diagram: Diagram, folder: Path, text: str | bytes) -> InputTable:
    file = folder / "in.csv"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_inputs(file, diagram)


def refused(diagram: Diagram, folder: Path, text: str | bytes) -> list[str]:
    with pytest.raises(UsageError) as error:
        read(diagram, folder, text)
    return str(error.value).replace(f"{folder / 'in.csv'}:", "").splitlines()


def test_a_column_drives_an_input_an_element_or_what_is_behind_a_connector(diagram: Diagram, tmp_path: Path) -> None:
    table = read(diagram, tmp_path, 'time,a.angle,"a.load[2]", wind ,weights[3]\n0,0.5,7,0.25,9\n')
    assert table.columns == (
        InputColumn("a.angle", True, (Target("a", "angle"),)),
        InputColumn("a.load[2]", True, (Target("a", "load[2]"),)),
        InputColumn("wind", True, (Target("c", "angle"), Target("dial", "angle", 360 / math.pi, 1.0))),
        InputColumn("weights[3]", True, (Target("c", "load[3]"),)),
    )
    assert table.rows(np.array([-1.0, 0.0, 3.0])).tolist() == [[0.5, 7.0, 0.25, 9.0]] * 3


def test_real_inputs_run_linearly_and_others_hold_the_last_row(diagram: Diagram, tmp_path: Path) -> None:
    table = read(diagram, tmp_path, "time,a.angle,a.gear,a.locked\n1,0,1,false\n2,1,3,True\n4,0,-2,0\n")
    assert [c.continuous for c in table.columns] == [True, False, False]
    assert table.rows(np.array([0.0, 1.0, 1.5, 2.0, 3.0, 4.0, 9.0])).tolist() == [
        [0.0, 1.0, 0.0],
        [0.0, 1.0, 0.0],
        [0.5, 1.0, 0.0],
        [1.0, 3.0, 1.0],
        [0.5, 3.0, 1.0],
        [0.0, -2.0, 0.0],
        [0.0, -2.0, 0.0],
    ]


def test_two_rows_of_one_time_are_a_jump_and_the_later_one_counts(diagram: Diagram, tmp_path: Path) -> None:
    text = "time,a.angle,a.gear\n0,0,1\n0,0.5,2\n1,1,2\n1,3,4\n2,2,4\n2,0,5\n"
    table = read(diagram, tmp_path, text)
    times = np.array([-1.0, 0.0, 0.5, np.nextafter(1.0, 0.0), 1.0, 1.5, 2.0, 3.0])
    found = table.rows(times)
    np.testing.assert_allclose(found[:, 0], [0.0, 0.5, 0.75, 3.0, 3.0, 2.5, 0.0, 0.0], rtol=1e-12)
    # a hair before the jump is the jump: times that were summed up elsewhere miss theirs by as much
    assert found[:, 1].tolist() == [1.0, 2.0, 2.0, 4.0, 4.0, 4.0, 5.0, 5.0]
    # how often each has jumped; a slope is no jump of a linear column, any change is one of a held column
    assert table.jumps(times)[:, 0].tolist() == [0.0, 1.0, 1.0, 2.0, 2.0, 2.0, 3.0, 3.0]
    assert table.jumps(times)[:, 1].tolist() == [0.0, 1.0, 1.0, 2.0, 2.0, 2.0, 3.0, 3.0]


def test_rows_whose_times_were_summed_up_take_effect_on_time(diagram: Diagram, tmp_path: Path) -> None:
    times = np.cumsum(np.full(1000, 0.1)) - 0.1
    assert (times > np.arange(1000) / 10).any()
    rows = "".join(f"{t!r},{k}\n" for k, t in enumerate(times.tolist()))
    table = read(diagram, tmp_path, "time,a.gear\n" + rows)
    assert table.rows(np.arange(1000) / 10)[:, 0].tolist() == list(range(1000))


def test_a_sampled_real_input_runs_linearly_but_a_discrete_one_holds() -> None:
    columns = tuple(InputColumn(str(c), c, ()) for c in (True, False))
    table = InputTable(columns, np.array([0.0, 1.0]), np.array([[0.0, 0.0], [4.0, 4.0]]))
    assert table.rows(np.array([0.25])).tolist() == [[1.0, 0.0]]


def test_rows_that_are_closer_than_the_tolerance_are_still_distinguished() -> None:
    times = np.array([1.0, np.nextafter(1.0, 2.0), 2.0])
    table = InputTable((InputColumn("n", False, ()),), times, np.array([[1.0], [2.0], [3.0]]))
    assert table.rows(times).ravel().tolist() == [1.0, 2.0, 3.0]


def test_a_constant_stays_one_between_its_rows() -> None:
    table = InputTable((InputColumn("x", True, ()),), np.array([0.0, 1.0]), np.array([[0.1], [0.1]]))
    weight = np.linspace(0.0, 1.0, 1000)
    assert ((1.0 - weight) * 0.1 + weight * 0.1 != 0.1).any()
    assert (table.rows(weight) == 0.1).all()


def test_whole_numbers_hold_whatever_their_fmu_says_of_variability(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "Foreign.fmu", "w") as archive:
        archive.writestr("modelDescription.xml", FOREIGN)
    d = Diagram("foreign")
    d.add("f", tmp_path / "Foreign.fmu")
    table = read(d, tmp_path, "time,f.x,f.n\n0,0,0\n1,1,1\n")
    assert [c.continuous for c in table.columns] == [True, False]
    assert d.parts["f"].port("n").variability == "continuous"  # type: ignore[union-attr]


def test_what_fmpy_writes_is_read(diagram: Diagram, tmp_path: Path) -> None:
    kinds = [("time", np.double), ("a.angle", np.double), ("a.locked", np.bool_), ("a.gear", np.int32)]
    signals = np.array([(0.0, 0.1, False, 1), (0.5, 0.1 + 0.2, True, 2)], dtype=np.dtype(kinds))
    write_csv(str(tmp_path / "in.csv"), signals)
    table = read_inputs(str(tmp_path / "in.csv"), diagram)
    assert table.rows(signals["time"]).tolist() == [[0.1, 0.0, 1.0], [0.1 + 0.2, 1.0, 2.0]]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_byte_order_marks_line_ends_and_blank_lines_change_nothing(diagram: Diagram, tmp_path: Path, end: str) -> None:
    text = end.join(['\ufeff"time", "a.angle"', "0,0", "", " 1 , 5e-1", "  ", ""])
    assert read(diagram, tmp_path, text).rows(np.array([0.5])).tolist() == [[0.25]]


def test_numbers_near_the_largest_are_interpolated_without_overflow() -> None:
    most = float(np.finfo(float).max)
    column = InputColumn("x", True, ())
    table = InputTable((column,), np.array([-most, 0.0, most]), np.array([[-most], [most], [-most]]))
    assert table.rows(np.array([-most, -most / 2, 0.0, most])).ravel().tolist() == [-most, 0.0, most, -most]


ROWS = st.lists(
    st.tuples(st.floats(0.001, 10.0), st.floats(allow_nan=False, allow_infinity=False)), min_size=1, max_size=8
)


@given(rows=ROWS, times=st.lists(st.floats(-5.0, 90.0), max_size=8), jumps=st.booleans())
def test_rows_are_exact_at_their_times_and_bounded_between(
    rows: list[tuple[float, float]], times: list[float], jumps: bool
) -> None:
    t = np.cumsum([gap for gap, _ in rows])
    v = np.array([value for _, value in rows])
    if jumps:
        t, v = np.repeat(t, 2), np.column_stack([v, -v]).ravel()
    table = InputTable((InputColumn("x", True, ()), InputColumn("n", False, ())), t, np.column_stack([v, v]))
    last = v[1::2] if jumps else v
    assert table.rows(np.unique(t)).tolist() == [[value, value] for value in last.tolist()]
    for time, (x, n) in zip(times, table.rows(np.array(times)), strict=True):
        before, after = v[t <= time * (1 + 1e-11)][-1:].tolist(), v[t > time][:1].tolist()
        assert n == (before or v[:1].tolist())[0]
        assert min(before + after) <= x <= max(before + after)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("a.angel", "there is no input 'a.angel'; did you mean 'a.angle'?"),
        ("q.angle", "there is no input 'q.angle'; did you mean 'a.angle'?"),
        ("wint", "there is no input 'wint'; did you mean 'wind'?"),
        ("a", "there is no input 'a'; there are: a.angle, "),
        ("a.load", "it is an array; give each element a column, 'a.load[1]' to 'a.load[3]'"),
        ("weights", "it is an array; give each element a column, 'weights[1]' to 'weights[3]'"),
        ("a.load[4]", "a (Lever) has no variable 'load[4]'; it goes from load[1] to load[3]"),
        ("a.y", "'a.y' is an output; an input file drives inputs only"),
        ("reading", "'reading' is an output; an input file drives inputs only"),
        (
            "a.ratio",
            "'a.ratio' is a fixed parameter; an input file drives inputs only; --set changes it before the run",
        ),
        ("b.angle", "a.y drives it already; remove the connection or the column"),
        ("c.angle", "the connector 'wind' of the diagram drives it; name the connector instead"),
        ("c.load[1]", "the connector 'weights' of the diagram drives it; name the connector instead"),
        ("", "it has no name"),
    ],
)
def test_what_cannot_be_driven_is_named(diagram: Diagram, tmp_path: Path, name: str, message: str) -> None:
    (told,) = refused(diagram, tmp_path, f"time,{name},a.gear\n0,0,0\n")
    assert told.startswith(f"1: column 2 '{name}': {message}")


def test_a_connector_without_connections_or_with_the_name_of_an_input_is_refused(
    diagram: Diagram, tmp_path: Path
) -> None:
    del diagram.connections[1:3]  # those of the wind
    (told,) = refused(diagram, tmp_path, "time,wind\n0,0\n")
    assert told.startswith("1: column 2 'wind': the connector 'wind' is not connected to a part; connect it or leave")
    diagram.expose(diagram.parts["b"].gear, "a.gear")
    (told,) = refused(diagram, tmp_path, "time,a.gear\n0,0\n")
    assert "both a connector of the diagram and a variable of a part" in told


def test_a_name_that_comes_twice_is_refused(diagram: Diagram, tmp_path: Path) -> None:
    (told,) = refused(diagram, tmp_path, "time,a.angle,wind,a.angle\n0,0,0,0\n")
    assert told == "1: column 4 'a.angle': column 2 has the same name"


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("0,0,x,0,0", "2: column 3 'a.gear': 'x' is not a finite number"),
        ("0,,0,0,0", "2: column 2 'a.angle': the cell is empty"),
        ("0,nan,0,0,0", "2: column 2 'a.angle': 'nan' is not a finite number"),
        ("0,1e999,0,0,0", "2: column 2 'a.angle': '1e999' is not a finite number"),
        ("inf,0,0,0,0", "2: column 1 'time': 'inf' is not a finite number"),
        ('0,"0,5",0,0,0', "2: column 2 'a.angle': '0,5' is not a finite number; write it with commas between columns"),
        ("0,true,0,0,0", "2: column 2 'a.angle': 'true' is not a finite number"),
        ("0,0,0.5,0,0", "2: column 3 'a.gear': 0.5 is not a whole number of 32 bits"),
        ("0,0,3e9,0,0", "2: column 3 'a.gear': 3000000000 is not a whole number of 32 bits"),
        ("0,0,0,2,0", "2: column 4 'a.locked': 2 is neither true nor false"),
        ("0,0,0,yes,0", "2: column 4 'a.locked': 'yes' is not a finite number"),
        (
            "0,-1.5,0,0,0",
            "2: column 2 'a.angle': -1.5 is outside the limits of a.angle, which must be -1 to 3.14159 rad",
        ),
        ("0,0,0,0,4", "2: column 5 'wind': 4 is outside the limits of c.angle, which must be -1 to 3.14159 rad"),
        ("0,0,0,0", "2: the row has 4 cells and the header 5"),
        (
            "0,0,5,0,5,0,5",
            "2: the row has 7 cells and the header 5; write it with commas between columns and points in numbers",
        ),
        ("0,0,0,0,0\n2,0,0,0,0\n1,0,0,0,0", "4: column 1 'time': 1 s comes after 2 s; times must not decrease"),
        (
            "0,0,0,0,0\n0,0,0,0,0\n0,0,0,0,0",
            "4: column 1 'time': 0 s occurs a third time; at most two rows",
        ),
        ("", "1: there are no rows below the header"),
        ('0,0,0,0,"0\n1,0,0,0,0', "3: column 5 'wind': '0\\n1,0,0,0,0\\n' is not a finite number"),
    ],
)
def test_a_wrong_cell_is_reported_with_line_and_column(
    diagram: Diagram, tmp_path: Path, rows: str, message: str
) -> None:
    (told,) = refused(diagram, tmp_path, f"time,a.angle,a.gear,a.locked,wind\n{rows}\n")
    assert told.startswith(message)


def test_a_unit_conversion_that_rounds_beyond_a_limit_is_no_fault(tmp_path: Path) -> None:
    d = Diagram("half_turn")
    a, dial = d.add("a", Lever), d.add("dial", Dial)
    d.expose(dial.angle, "turn")
    d.connect(d["turn"], a.angle)
    assert read(d, tmp_path, "time,turn\n0,180\n").columns[0].targets[1] == Target("a", "angle", math.pi / 180)
    assert refused(d, tmp_path, "time,turn\n0,180.001\n")


def test_a_rounding_beyond_a_limit_is_no_fault_but_an_overflow_is(tmp_path: Path) -> None:
    class Narrow(Continuous):
        """A limit that three tenths miss."""

        u = Input("1", "input", max=0.3)
        y = Output("1", "output")

        def outputs(self) -> dict[str, Any]:
            return {"y": self.u}

    d = Diagram("narrow")
    narrow, dial = d.add("narrow", Narrow), d.add("dial", Dial)
    d.expose(dial.y, "seen")
    d.expose(narrow.u, "u")
    d.connections[-1].factor = 0.1
    assert 3 * 0.1 > 0.3
    read(d, tmp_path, "time,u\n0,3\n")
    assert refused(d, tmp_path, "time,u\n0,3.001\n") == [
        "2: column 2 'u': 3.001 is outside the limits of narrow.u, which must be at most 0.3"
    ]
    d.expose(dial.angle, "turn")
    d.connections[-1].factor = 1e300
    read(d, tmp_path, "time,turn\n0,1e8\n")
    (told,) = refused(d, tmp_path, "time,turn\n0,1e9\n")
    assert told == "2: column 2 'turn': 1000000000 is outside the limits of dial.angle, which must be finite"


def test_all_faults_come_at_once_up_to_a_number(diagram: Diagram, tmp_path: Path) -> None:
    assert len(refused(diagram, tmp_path, "time,a.x,a.angle,a.angle\n0,0,0,0\n")) == 2
    told = refused(diagram, tmp_path, "time,a.angle\n" + "".join(f"{k},x\n" for k in range(100)))
    assert told[0].startswith("2: ") and told[19].startswith("21: ")
    assert told[20:] == ["... and more of this kind"]
    assert len(refused(diagram, tmp_path, "time,a.gear\n" + "".join(f"{k},0.5\n" for k in range(100)))) == 21


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "1: there is no header"),
        (b"a.angle,time\n0,0\n", "1: the first column is 'a.angle'; the header must begin with 'time'"),
        (b"Time,a.angle\n0,0\n", "1: the first column is 'Time'"),
        (b"time\n0\n", "1: time is the only column"),
        (b"time;a.angle\n0;0,5\n", "1: columns are separated by semicolons; write it with commas"),
        (b'"time";"a.angle"\n0;0\n', "1: columns are separated by semicolons"),
        (b"time\ta.angle\n0\t0\n", "1: columns are separated by tabs"),
        ("time,a.angle\n0,0\n".encode("utf-16"), "1: the text is not UTF-8"),
        (
            b"time,a.angle\n" + b"0,0\n" + b"\n" * 5999 + b"1,\xb0\n",
            "6002: the text is not UTF-8; save the file as CSV in UTF-8",
        ),
        (b'time,a.angle\n0,"' + b"0" * 200_000, "2: field larger than field limit"),
    ],
)
def test_a_file_that_is_no_table_is_refused_at_once(
    diagram: Diagram, tmp_path: Path, content: bytes, message: str
) -> None:
    (told,) = refused(diagram, tmp_path, content)
    assert told.startswith(message)


def test_a_file_that_is_not_there_or_too_large_is_refused(
    diagram: Diagram, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for place in (tmp_path / "none.csv", tmp_path):
        with pytest.raises(UsageError, match=str(place)):
            read_inputs(place, diagram)
    text = "time,a.angle\n0,0\n"
    monkeypatch.setattr(input_file, "MAX_BYTES", len(text))
    assert read(diagram, tmp_path, text).rows(np.zeros(1)).tolist() == [[0.0]]
    assert "leave out rows or columns" in refused(diagram, tmp_path, text + "1,1\n")[0]
