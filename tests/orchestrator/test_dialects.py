"""Packages as other tools write them: opened, run, saved and run again, with the rows of the same diagram of ours.

The files are written here, from the standard and from how those tools use it; the FMUs are those of tests/foreign.
"""

import runpy
import zipfile
from collections import Counter
from pathlib import Path

import fmpy.ssp.simulation
import fmpy.ssp.ssd
import numpy as np
import pyarrow.parquet as parquet
import pytest

from drawbar.blocks import DiagramError
from drawbar.diagrams import Diagram, ParameterSet, faults, read, to_text, write, write_set
from drawbar.diagrams.checks.notes import notes
from drawbar.diagrams.xml.markup import parse
from drawbar.orchestrator.cli.commands import main
from drawbar.orchestrator.runs.run import Run
from drawbar.orchestrator.simulate import simulate

pytestmark = pytest.mark.compiler
BUILD = runpy.run_path(str(Path(__file__).parents[1] / "foreign" / "builder.py"))["build"]

SSP1 = "http://ssp-standard.org/SSP1/SystemStructure"
HERE = Path(__file__).parent / "dialects"
TEXTS = {file.name: file.read_text() for file in HERE.iterdir()}
FMPY, OMS, OUTER = TEXTS["fmpy.ssd"], TEXTS["omsimulator.ssd"], TEXTS["outer.ssd"]


def archive(path, content):
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for name, data in content.items():
            file.writestr(name, data)
    return path


def inner_package(folder, lag):
    text = TEXTS["inner_a.ssd"]
    broken = text.replace('source="lag.fmu"', 'source="lost.fmu"')
    content = {"SystemStructure.ssd": broken, "Other.ssd": text, "lag.fmu": lag}
    return archive(folder / "a.ssp", content).read_bytes()


def packages(folder, lag):
    """The content of a package of each dialect."""
    return {
        "fmpy": {"SystemStructure.ssd": FMPY, "two.ssv": TEXTS["fmpy.ssv"], "resources/lag.fmu": lag},
        "libcosim": {"SystemStructure.ssd": TEXTS["libcosim.ssd"], "lag.fmu": lag},
        "omsimulator": {
            "SystemStructure.ssd": OMS,
            "resources/values.ssv": TEXTS["omsimulator.ssv"],
            "resources/names.ssm": TEXTS["omsimulator.ssm"],
            "resources/signals.ssb": f'<ssb:SignalDictionary xmlns:ssb="{SSP1}SignalDictionary" version="1.0"/>',
            "resources/0001_lag.fmu": lag,
            "resources/0002_lag.fmu": lag,
        },
        "newer": {"SystemStructure.ssd": TEXTS["newer.ssd"], "resources/lag.fmu": lag, "extra/mine.json": "{}"},
        "nested": {
            "SystemStructure.ssd": OUTER,
            "resources/a.ssp": inner_package(folder, lag),
            "parts/b.ssd": TEXTS["inner_b.ssd"],
            "parts/lag.fmu": lag,
        },
    }


@pytest.fixture(scope="module")
def lag(tmp_path_factory):
    return BUILD(tmp_path_factory.mktemp("lag"), "spy", name="lag")


@pytest.fixture(scope="module")
def expected(lag, tmp_path_factory):
    """The columns y of both lags in a diagram of ours."""
    d = Diagram("two", step=0.01, stop=0.5)
    a, b = d.add("a", lag, T=0.25, u=1.0), d.add("b", lag)
    d.connect(a.y, b.u)
    found = columns(simulate(d, out=tmp_path_factory.mktemp("run")))
    assert 0.5 < found["a"][-1] < 1.0
    assert 0.0 < found["b"][-1] < found["a"][-1]
    return found


def columns(run):
    """The values of y by the last name of its part."""
    found = {}
    for file in sorted((run.folder / "signals").rglob("*.parquet")):
        table = parquet.read_table(file)
        found |= {n.split(".")[-2]: table[n].to_numpy() for n in table.column_names if n.endswith(".y")}
    return found


def facts(root):
    """What a file says: elements, attributes (numbers as numbers), texts and comments, each as often as it is there."""
    found = Counter()
    for item in root.iter():
        name = item.tag if isinstance(item.tag, str) else "comment"
        found[name, " ".join((item.text or "").split())] += 1
        for key, value in item.attrib.items():
            try:
                found[name, key, tuple(map(float, value.split()))] += 1
            except ValueError:
                found[name, key, value] += 1
    return found


@pytest.mark.parametrize("dialect", ["fmpy", "libcosim", "omsimulator", "newer", "nested"])
def test_a_package_of_another_tool_is_opened_run_saved_and_equal(dialect, lag, expected, tmp_path):
    content = packages(tmp_path / "made", lag.read_bytes())[dialect]
    package = archive(tmp_path / "other.ssp", content)
    first = read(package)
    assert faults(first, stop=True) == []
    first.step = first.step if dialect in ("libcosim", "omsimulator") else type(first.step)(1, 100)
    runs = {"first": first}
    write(first, tmp_path / "saved.ssp")
    runs["saved"] = saved = read(tmp_path / "saved.ssp")
    write(saved, tmp_path / "again.ssp")
    assert (tmp_path / "again.ssp").read_bytes() == (tmp_path / "saved.ssp").read_bytes()
    for name, diagram in runs.items():
        found = columns(simulate(diagram, out=tmp_path / name))
        assert found.keys() == expected.keys()
        for part, values in expected.items():
            assert found[part].tobytes() == values.tobytes(), (name, part)
    with zipfile.ZipFile(tmp_path / "saved.ssp") as file:
        names = set(file.namelist())
        assert content.keys() <= names
        for name in content.keys() - {"SystemStructure.ssd"}:
            data = content[name]
            assert file.read(name) == (data if isinstance(data, bytes) else data.encode()), name
        (tmp_path / "before.ssd").write_text(content["SystemStructure.ssd"])
        (tmp_path / "after.ssd").write_bytes(file.read("SystemStructure.ssd"))
    lost = facts(parse(tmp_path / "before.ssd")) - facts(parse(tmp_path / "after.ssd"))
    assert not lost
    # and as the text alone: the second writing equals the first
    folder = first.file.path.parent
    text = to_text(first, folder)
    (tmp_path / "text.ssd").write_text(text)
    again = read(tmp_path / "text.ssd")
    assert to_text(again, tmp_path) == text


def test_what_is_preserved_and_what_is_used_is_noted(lag, tmp_path):
    for dialect, expected in {
        "libcosim": ["the macro step of 0.01 s is the one that the file gives for com.opensimulationplatform"],
        "omsimulator": [
            "mapping names.ssm: 1 of 3 entries name no parameter of the set values: (none)",
            "the macro step of 0.01 s is the one that the file gives for org.openmodelica",
            "preserved in the file, but not used in a run: a signal dictionary 'bus', signal dictionaries, "
            "enumerations",
        ],
        "newer": ["SystemStructure.ssd is of SSP 2.0; what SSP 1.0 does not have is preserved, but not validated"],
    }.items():
        content = packages(tmp_path / "made", lag.read_bytes())[dialect]
        found = notes(read(archive(tmp_path / f"{dialect}.ssp", content)))
        assert [note for note in found if "keep" not in note] == expected


def test_a_wire_to_a_signal_dictionary_is_a_fault(lag, tmp_path):
    text = OMS.replace(
        "</ssd:Connections>\n    <ssd:SignalD",
        '<ssd:Connection startElement="b" startConnector="y" endElement="bus" endConnector="y"/>'
        "</ssd:Connections>\n    <ssd:SignalD",
    )
    text = text.replace(
        '<ssd:Connector name="u" ', '<ssd:Connector name="y" kind="output"/><ssd:Connector name="u" ', 1
    )
    content = packages(tmp_path / "made", lag.read_bytes())["omsimulator"] | {"SystemStructure.ssd": text}
    (fault,) = faults(read(archive(tmp_path / "x.ssp", content)))
    assert "cannot connect b.y to bus.y: 'bus' is a signal dictionary, which Drawbar cannot run yet" in fault
    line = text[: text.index('endElement="bus"')].count("\n") + 1
    assert f"SystemStructure.ssd:{line}: " in fault


def test_variants_of_a_package_can_be_chosen(lag, expected, tmp_path, capsys):
    content = packages(tmp_path / "made", lag.read_bytes())["fmpy"]
    other = FMPY.replace('source="two.ssv"', 'source="winter.ssv"').replace('name="two"', 'name="winter"')
    winter = TEXTS["fmpy.ssv"].replace("0.25", "0.5")
    content |= {"Winter.ssd": other, "winter.ssv": winter}
    package = archive(tmp_path / "p.ssp", content)
    run = ["--no-page", "--json", "--out"]
    assert main(["run", f"{package}:Winter.ssd", *run, str(tmp_path / "w")]) == 0
    assert main(["run", str(package), *run, str(tmp_path / "s")]) == 0
    capsys.readouterr()
    found = columns(Run(tmp_path / "w"))
    assert not np.array_equal(found["a"][::10], expected["a"][::1])
    assert read(f"{package}:Winter.ssd").name == "winter"
    # packed again, the package has both, each under its name
    write(read(f"{package}:Winter.ssd"), tmp_path / "again.ssp")
    assert read(f"{tmp_path / 'again.ssp'}:Winter.ssd").name == "winter"
    assert read(tmp_path / "again.ssp").name == "two"
    assert main(["check", f"{package}:Wintr.ssd"]) == 1
    assert "there is no 'Wintr.ssd' in the package; did you mean 'Winter.ssd'?" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ({"resources/a.ssp": b"no zip"}, "not a readable SSP"),
        ({"parts/b.ssd": "<x/>"}, "begins with <x>"),
        ({"parts/b.ssd": OUTER.replace("parts/b.ssd", "../SystemStructure.ssd")}, "refers to itself, directly"),
        ({"SystemStructure.ssd": OUTER.replace("#Other.ssd", "#Othr.ssd")}, "there is no 'Othr.ssd' in the package"),
        ({"SystemStructure.ssd": OUTER.replace("parts/b.ssd", "parts/c.ssd")}, "there is no file at parts/c.ssd"),
        ({"SystemStructure.ssd": OUTER.replace("parts/b.ssd", "#here")}, "there is no system of id 'here' in the file"),
        (
            {"SystemStructure.ssd": OUTER.replace("parts/b.ssd", "#t").replace("<System ", '<System id="t" ')},
            "#t refers to itself, directly",
        ),
        ({"parts/b.ssd": '<!DOCTYPE a [<!ENTITY x "y">]>' + OUTER.split("?>")[1]}, "has a DOCTYPE"),
    ],
)  # fmt: skip
def test_references_that_lead_nowhere_or_back(lag, tmp_path, content, reason):
    made = packages(tmp_path / "made", lag.read_bytes())["nested"] | content
    diagram = read(archive(tmp_path / "x.ssp", made))
    assert reason in "\n".join(faults(diagram))
    assert to_text(diagram, diagram.file.path.parent).count("<ssd:Component ") == 2


def test_references_that_double_at_each_step_come_to_an_end(tmp_path):
    element = '<Component name="{}" source="{}" type="application/x-ssp-definition"/>'
    head, tail = OUTER.split("    <Elements>")[0], "</System></SystemStructureDescription>"
    for i in range(30):
        both = "".join(element.format(name, f"{i + 1}.ssd") for name in "ab") if i < 29 else ""
        (tmp_path / f"{i}.ssd").write_text(f"{head}<Elements>{both}</Elements>{tail}")
    found = faults(read(tmp_path / "0.ssd"))
    assert any("the diagram has more than 500 references" in fault for fault in found)
    ids = "".join(
        f'<System name="s{i}" id="s{i}"><Elements>'
        + "".join(element.format(name, f"#s{i + 1}") for name in "ab")
        + "</Elements></System>"
        for i in range(29)
    )
    last = '<System name="s29" id="s29"/>'
    (tmp_path / "ids.ssd").write_text(f"{head}<Elements>{ids}{last}</Elements>{tail}")
    assert any("more than 500 references" in fault for fault in faults(read(tmp_path / "ids.ssd")))


def test_a_system_of_the_same_file_may_stand_in_several_places(lag, tmp_path):
    inner = """<ssd:System name="one" id="shared"><ssd:Connectors><ssd:Connector name="u" kind="input"><ssc:Real/>
      </ssd:Connector></ssd:Connectors>
      <ssd:Elements><ssd:Component name="lag" source="resources/lag.fmu">
      <ssd:Connectors><ssd:Connector name="u" kind="input"/></ssd:Connectors></ssd:Component></ssd:Elements>
      <ssd:Connections><ssd:Connection startConnector="u" endElement="lag" endConnector="u"/></ssd:Connections>
      </ssd:System><ssd:Component name="two" source="#shared" type="application/x-ssp-definition">
      <ssd:Connectors><ssd:Connector name="u" kind="input"/></ssd:Connectors></ssd:Component></ssd:Elements>"""
    connection = (
        '<ssd:Connection startElement="a" startConnector="y" endElement="two" endConnector="u"/></ssd:Connections>'
    )
    text = FMPY.replace("</ssd:Elements>", inner, 1).replace(
        "</ssd:Connections>\n  </ssd:System>", f"{connection}\n  </ssd:System>"
    )
    content = packages(tmp_path / "made", lag.read_bytes())["fmpy"] | {"SystemStructure.ssd": text}
    d = read(archive(tmp_path / "x.ssp", content))
    assert faults(d) == []
    run = simulate(d, out=tmp_path / "run")
    names = parquet.read_table(next((run.folder / "signals").rglob("*.parquet"))).column_names
    assert {"one.lag.y", "two.lag.y"} <= set(names)
    write(d, tmp_path / "again.ssp")
    assert faults(read(tmp_path / "again.ssp")) == []


def test_fmpy_reads_and_runs_ours(lag, tmp_path):
    inner = Diagram("inner")
    inner.expose(inner.add("b", lag).u)
    inner.expose(inner.parts["b"].y)
    d = Diagram("two", step=0.01, stop=0.5)
    a, box = d.add("a", lag, u=1.0), d.add("box", inner)
    d.connect(a.y, box.u)
    d.expose(a.u, "in")
    d.expose(box.y, "out")
    values = ParameterSet("values")
    values.set("a.T", 0.25, "s")
    values.set("box.b.T", 0.2, "s")
    write_set(values, tmp_path / "values.ssv")
    d.bind(tmp_path / "values.ssv")
    package = tmp_path / "ours.ssp"
    with pytest.raises(DiagramError, match="outside of the diagram's folder"):
        write(d, package)  # from a diagram without a file of its own nothing is carried along
    write(d, tmp_path)
    d = read(tmp_path)
    write(d, package)
    description = fmpy.ssp.ssd.read_ssd(str(package))
    assert [e.name for e in description.system.elements] == ["a", "box"]
    assert [e.name for e in description.system.elements[1].elements] == ["b"]
    found = fmpy.ssp.ssd.read_ssv(str(tmp_path / "values.ssv"))
    assert {p.name: float(p.value) for p in found.parameters} == {"a.T": 0.25, "box.b.T": 0.2}
    theirs = fmpy.ssp.simulation.simulate_ssp(
        str(package), stop_time=0.5, step_size=0.01, parameter_set=found, input={"in": lambda t: 1.0}
    )
    # FMPy applies no values of the description, sets inputs to zero first, and is late by a step at each connection
    ours = columns(simulate(read(package), out=tmp_path / "run"))
    assert theirs["out"][-1] == pytest.approx(ours["b"][-1], rel=0.1)
    assert ours["b"][-1] > 0.1
