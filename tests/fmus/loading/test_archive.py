"""FMU files of others: each bad one gives one message, and nothing is left behind."""

import os
import stat
import zipfile
from fractions import Fraction
from pathlib import Path

import pytest

from drawbar.blocks import FmuError
from drawbar.fmus.loading import archive
from drawbar.fmus.loading.description import read_description, read_interface

VALID = """<?xml version="1.0" encoding="UTF-8"?>
<fmiModelDescription fmiVersion="2.0" modelName="Gain" guid="{1}">
  <CoSimulation modelIdentifier="Gain"/>
  <ModelVariables>
    <ScalarVariable name="u" valueReference="0" causality="input"><Real start="1"/></ScalarVariable>
    <ScalarVariable name="y[1]" valueReference="1" causality="output"><Real/></ScalarVariable>
    <ScalarVariable name="y[2]" valueReference="2" causality="output"><Real/></ScalarVariable>
    <ScalarVariable name="w[2]" valueReference="3" causality="output"><Real/></ScalarVariable>
  </ModelVariables>
  <ModelStructure>
    <Outputs><Unknown index="2" dependencies="1"/><Unknown index="3"/><Unknown index="4" dependencies=""/></Outputs>
  </ModelStructure>
</fmiModelDescription>
"""


def fmu(path: Path, files: dict[str, str | bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as z:
        for name, text in files.items():
            z.writestr(name, text)
    return path


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("DRAWBAR_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def unit(attributes: str, variable: str = "") -> str:
    """The sound description with a unit of its own for `u`."""
    definitions = f'<UnitDefinitions><Unit name="odd"><BaseUnit K="1" {attributes}/></Unit></UnitDefinitions>'
    text = VALID.replace('<Real start="1"/>', f'<Real start="1" unit="odd" {variable}/>')
    return text.replace("  <ModelVariables>", definitions + "<ModelVariables>")


def test_a_difference_has_no_offset(tmp_path: Path) -> None:
    """A relative quantity in degC converts to K without 273.15 (FMI 2.0.4, section 2.2.3)."""
    for variable, offset in (("", 273.15), ('relativeQuantity="true"', 0.0)):
        path = fmu(tmp_path / f"t{offset}.fmu", {"modelDescription.xml": unit('offset="273.15"', variable)})
        port = read_interface(path).port("u")
        assert port is not None
        assert port.quantity is not None
        assert port.quantity.offset == offset


def test_elements_that_differ_are_not_folded(tmp_path: Path) -> None:
    first = 'valueReference="1" causality="output"><Real/>'
    text = VALID.replace(first, first.replace("<Real/>", '<Real min="0"/>'))
    assert text != VALID
    interface = read_interface(fmu(tmp_path / "gain.fmu", {"modelDescription.xml": text}))
    assert [p.name for p in interface.ports] == ["u", "y[1]", "y[2]", "w[2]"]


def left_behind(cache: Path) -> list[str]:
    return [p.name for p in (cache / "unpacked").glob("*")] if cache.is_dir() else []


def test_a_sound_file_is_read(tmp_path: Path) -> None:
    interface = read_interface(fmu(tmp_path / "gain.fmu", {"modelDescription.xml": VALID}))
    assert [(p.name, p.shape) for p in interface.ports] == [("u", ()), ("y", (2,)), ("w[2]", ())]
    assert interface.feedthrough == {"y[1]": ("u",), "w[2]": ()}, "y[2] says nothing, so it is unknown"


def test_unusual_paths_in_the_zip_are_understood(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {"./modelDescription.xml": VALID, "binaries\\linux64\\Gain.so": b"x"}
    description = read_description(fmu(tmp_path / "gain.fmu", files))
    assert (description.folder / "binaries" / "linux64" / "Gain.so").is_file()


@pytest.mark.parametrize("name", ["../evil", "a/../../evil", "/etc/evil", "C:/evil", "..\\evil", "\\evil"])
def test_names_that_leave_the_folder_are_refused(tmp_path: Path, cache: Path, name: str) -> None:
    path = fmu(tmp_path / "evil.fmu", {"modelDescription.xml": VALID, name: "x"})
    with pytest.raises(FmuError, match="leads out of the FMU; this file is not to be trusted"):
        read_interface(path)
    assert left_behind(cache) == []
    assert not (tmp_path / "evil").exists()
    assert not Path("/etc/evil").exists()


def test_links_are_refused(tmp_path: Path, cache: Path) -> None:
    path = tmp_path / "link.fmu"
    with zipfile.ZipFile(path, "w") as z:
        z.writestr("modelDescription.xml", VALID)
        entry = zipfile.ZipInfo("resources/secret")
        entry.external_attr = (stat.S_IFLNK | 0o777) << 16
        z.writestr(entry, "/etc/passwd")
    with pytest.raises(FmuError, match="'resources/secret' is a link"):
        read_interface(path)
    assert left_behind(cache) == []


def test_a_bomb_is_refused_before_it_is_unpacked(tmp_path: Path, cache: Path) -> None:
    path = fmu(tmp_path / "bomb.fmu", {"modelDescription.xml": VALID, "resources/zeros": bytes(20_000_000)})
    with pytest.raises(FmuError, match="a zip bomb"):
        read_interface(path)
    assert left_behind(cache) == []


def test_too_many_files_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "MAX_FILES", 3)
    path = fmu(tmp_path / "many.fmu", {"modelDescription.xml": VALID, **{f"resources/{i}": "" for i in range(3)}})
    with pytest.raises(FmuError, match="4 files"):
        read_interface(path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "not a readable FMU"),
        (b"PK\x03\x04 not really", "not a readable FMU"),
        (b"<xml/>", "not a readable FMU"),
    ],
)
def test_what_is_no_zip(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "bad.fmu"
    path.write_bytes(content)
    with pytest.raises(FmuError, match=message):
        read_interface(path)


def test_a_damaged_entry(tmp_path: Path, cache: Path) -> None:
    path = fmu(tmp_path / "bad.fmu", {"modelDescription.xml": VALID * 50})
    data = bytearray(path.read_bytes())
    data[80:120] = os.urandom(40)
    path.write_bytes(data)
    with pytest.raises(FmuError, match="not a readable FMU"):
        read_interface(path)
    assert left_behind(cache) == []


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(FmuError, match=r"none\.fmu: there is no such file"):
        read_interface(tmp_path / "none.fmu")


ENTITIES = (
    '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]>'
    + VALID[VALID.index("<fmi") :]
)


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"readme.txt": "hello"}, "no modelDescription.xml"),
        ({"inner/modelDescription.xml": VALID}, "found it at inner/modelDescription.xml, it must lie at the top"),
        ({"modelDescription.xml": VALID[:200]}, "modelDescription.xml:.*not well-formed"),
        ({"modelDescription.xml": "<html/>"}, "holds <html>"),
        ({"modelDescription.xml": ENTITIES}, "declares a document type"),
        ({"modelDescription.xml": VALID.replace('"2.0"', '"3.0"')}, "FMI 3.0; Drawbar takes FMI 2.0"),
        ({"modelDescription.xml": VALID.replace("CoSimulation", "ModelExchange")}, "for model exchange only"),
        (
            {"modelDescription.xml": VALID.replace('modelIdentifier="Gain"', 'modelIdentifier="../x"')},
            "no C identifier",
        ),
        ({"modelDescription.xml": VALID.replace('"y[1]"', '"u"')}, "two variables are called 'u'"),
        ({"modelDescription.xml": VALID.replace('start="1"', 'start="one"')}, "cannot be read"),
        ({"modelDescription.xml": VALID.replace('valueReference="1"', 'valueReference="4294967296"')}, "reference 4"),
        ({"modelDescription.xml": VALID.replace('valueReference="1"', 'valueReference="-1"')}, "reference -1"),
        ({"modelDescription.xml": unit('factor="0"')}, "measures nothing"),
        ({"modelDescription.xml": unit('factor="NaN"')}, "measures nothing"),
    ],
)
def test_descriptions_that_cannot_be_used(tmp_path: Path, files: dict[str, str | bytes], message: str) -> None:
    with pytest.raises(FmuError, match=message):
        read_interface(fmu(tmp_path / "bad.fmu", files))


def test_a_missing_binary_names_the_platforms(tmp_path: Path) -> None:
    from drawbar.fmus.backends.instance import open_fmu

    path = fmu(tmp_path / "gain.fmu", {"modelDescription.xml": VALID, "binaries/win32/Gain.dll": b"x"})
    with pytest.raises(FmuError, match=r"part 'g': Gain has no binary for \w+; it has win32"):
        open_fmu(path, "g")


def test_a_library_that_does_not_load(tmp_path: Path) -> None:
    from drawbar.fmus.backends.instance import open_fmu
    from drawbar.fmus.toolchain.compilers import host_platform, library_suffix

    name = f"binaries/{host_platform()}/Gain{library_suffix()}"
    path = fmu(tmp_path / "gain.fmu", {"modelDescription.xml": VALID, name: b"no library"})
    with pytest.raises(FmuError, match="part 'g': Failed to load shared library"):
        open_fmu(path, "g")


def fixed(attribute: str, experiment: str) -> str:
    text = VALID.replace('modelIdentifier="Gain"', f'modelIdentifier="Gain" {attribute}')
    return text.replace("  <ModelVariables>", f"<DefaultExperiment {experiment}/><ModelVariables>")


NO_OTHER_STEP = 'canHandleVariableCommunicationStepSize="false"'


@pytest.mark.parametrize(
    ("attribute", "experiment", "period"),
    [
        (NO_OTHER_STEP, 'stepSize="0.01"', Fraction(1, 100)),
        ("", 'stepSize="2e-3"', Fraction(1, 500)),
        (NO_OTHER_STEP, 'stepSize="0.3333333333333333"', Fraction(1, 3)),
        (NO_OTHER_STEP, 'stepSize="0.0333333333"', Fraction(333333333, 10**10)),
        ('canHandleVariableCommunicationStepSize="true"', 'stepSize="0.01"', None),
        (NO_OTHER_STEP, 'startTime="0"', None),
        (NO_OTHER_STEP, 'stepSize="0"', None),
    ],
)
def test_a_unit_that_takes_one_step_only_has_it_as_its_period(
    tmp_path: Path, attribute: str, experiment: str, period: Fraction | None
) -> None:
    """Not being able to vary the step is the default of the standard."""
    interface = read_interface(fmu(tmp_path / "g.fmu", {"modelDescription.xml": fixed(attribute, experiment)}))
    assert interface.period == period
    assert not interface.sampled, "it may read its inputs whenever it likes"


def test_what_a_unit_of_others_says_to_a_master(tmp_path: Path) -> None:
    """Nothing is taken for granted: it may have states, and no outputs may be read afresh."""
    for said in (False, True):
        word = str(said).lower()
        attributes = f'canInterpolateInputs="{word}" providesDirectionalDerivative="{word}"'
        text = VALID.replace('modelIdentifier="Gain"', f'modelIdentifier="Gain" {attributes}')
        found = read_interface(fmu(tmp_path / f"{word}.fmu", {"modelDescription.xml": text}))
        assert (found.interpolates, found.directional) == (said, said)
        assert (found.sampled, found.integrates, found.fresh_read) == (False, True, False)


def test_limits_of_all_numbers_are_kept(tmp_path: Path) -> None:
    """Also those of an enumeration, and those that only the type gives."""
    items = '<Item name="low" value="1"/><Item name="high" value="2"/>'
    gear, narrow = f"<Enumeration>{items}</Enumeration>", '<Real min="-0.5" max="0.5"/>'
    types = f'<SimpleType name="Gear">{gear}</SimpleType><SimpleType name="Narrow">{narrow}</SimpleType>'
    kinds = {
        "count": '<Integer start="3" min="2" max="5"/>',
        "gear": '<Enumeration declaredType="Gear" start="1" min="1" max="2"/>',
        "angle": '<Real declaredType="Narrow" start="0" max="0.25"/>',
        "flag": '<Boolean start="true"/>',
        "free": '<Integer start="3"/>',
    }
    attributes = 'causality="parameter" variability="fixed"'
    variables = "".join(
        f'<ScalarVariable name="{name}" valueReference="{i}" {attributes}>{kind}</ScalarVariable>'
        for i, (name, kind) in enumerate(kinds.items())
    )
    head, tail = VALID[: VALID.index("  <ModelVariables>")], "</fmiModelDescription>"
    body = f"<TypeDefinitions>{types}</TypeDefinitions><ModelVariables>{variables}</ModelVariables><ModelStructure/>"
    ports = read_interface(fmu(tmp_path / "limits.fmu", {"modelDescription.xml": head + body + tail})).ports
    limits = {p.name: (p.minimum, p.maximum) for p in ports}
    free = (None, None)
    assert limits == {"count": (2.0, 5.0), "gear": (1.0, 2.0), "angle": (-0.5, 0.25), "flag": free, "free": free}
