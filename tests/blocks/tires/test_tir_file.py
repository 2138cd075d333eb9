"""Tire property files: what is read, and that a file with a fault is refused where the fault is."""

import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from drawbar.blocks.core.errors import DefinitionError
from drawbar.blocks.tires.tir_file import MAX_BYTES, MAX_LINE, SCALING, TireProperties, read_tir

TIR = """\
$----------------------------------------------------------units
[UNITS]
LENGTH                   = 'meter'
FORCE                    = 'Newton'
ANGLE                    = 'radians'
MASS                     = 'kg'
TIME                     = 'second'
[MODEL]
! a comment
PROPERTY_FILE_FORMAT     = 'PAC2002'
FITTYP                   = 6          $typarr(2)
[DIMENSION]
UNLOADED_RADIUS          = 0.344      $Free tyre radius
[SHAPE]
{radial width}
 1.0    0.0
 0.9    1.0
[VERTICAL]
VERTICAL_STIFFNESS       = 2.8D+5
FNOMIN                   = 4850
[VERTICAL_FORCE_RANGE]
FZMIN                    = 225
FZMAX                    = 10125
[SCALING_COEFFICIENTS]
LMUX                     = 0.9
[LONGITUDINAL_COEFFICIENTS]
PCX1                     = 1.6411
PDX1                     = 1.1739
PKX1                     = 22.303
[LATERAL_COEFFICIENTS]
PCY1                     = 1.3507
PDY1                     = 1.0489
PDY2                     = -0.18033
PKY1                     = -21.92
PKY2                     = 2.0012
QTZ1                     = 0.2
"""
Read = Callable[..., TireProperties]


@pytest.fixture
def read(tmp_path: Path) -> Read:
    def write(old: str = "", new: str = "", text: str = TIR) -> TireProperties:
        assert old in text
        path = tmp_path / "mine.tir"
        path.write_text(text.replace(old, new) if old else text)
        return read_tir(path)

    return write


def test_values_comments_and_defaults(read: Read) -> None:
    tire = read()
    assert (tire.name, tire["UNLOADED_RADIUS"], tire["VERTICAL_STIFFNESS"]) == ("mine", 0.344, 2.8e5)
    assert (tire["PDY2"], tire["PDX2"], tire["KPUMAX"]) == (-0.18033, 0.0, 1.5)
    assert tire.scaling == {key: 0.9 if key == "LMUX" else 1.0 for key in SCALING}
    assert tire.nominal_load == 4850.0
    assert not tire.has_combined_slip
    combined = "[COMBINED]\nRBX1 = 13\nRCX1 = 1\nRBY1 = 10\nRCY1 = 1\n"
    assert read("[SHAPE]", f"{combined}[SHAPE]").has_combined_slip


@pytest.mark.parametrize(
    "line", ["FITTYP = 21", "FITTYP = 5", "FITTYP = 6\nPKY4 = 2.0", "FITTYP = 6\nPPX1 = 0.3\nIP = 2e5\nIP_NOM = 2e5"]
)
def test_forms_that_are_read(read: Read, line: str) -> None:
    assert read("FITTYP                   = 6", line)["PCX1"] == 1.6411


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("FITTYP                   = 6 ", "FITTYP = 61", "[MODEL] FITTYP is '61'; 6 and 21, the Magic Formula 5.2,"),
        ("'PAC2002'\nFITTYP                   = 6 ", "'MF_05'", "[MODEL] FITTYP is missing; 6 and 21"),
        ("'PAC2002'", "'FTIRE'", "PROPERTY_FILE_FORMAT is 'FTIRE'; files of the Magic Formula 5.2 are read"),
        ("[MODEL]", "[OTHER]", "it has no [MODEL]"),
        ("'meter'", "'mm'", "[UNITS] LENGTH is 'mm', and only 'meter' is read; convert the file to SI units"),
        ("ANGLE                    = 'radians'\n", "", "[UNITS] has no ANGLE"),
        ("[UNITS]\n", "", "line 2: \"LENGTH                   = 'meter'\" stands before the first [SECTION]"),
        ("PKY2                     = 2.0012\n", "", "it has no PKY2, which the forces need"),
        ("PKY2 ", "KPY2 ", "it has no PKY2, which the forces need; did you mean 'KPY2'?"),
        ("= 1.1739", "= 1.17.39", "[LONGITUDINAL_COEFFICIENTS] PDX1 is '1.17.39', which is not a number"),
        ("= 1.1739", "= 'much'", "PDX1 is 'much', which is not a number"),
        ("= 1.1739", "= 1e999", "PDX1 is 'inf', which is not a number"),
        ("= 1.1739", "= -1.17", "PDX1 is -1.17; it must lie between 0.01 and 5"),
        ("= -21.92", "= 21.92", "PKY1 is 21.92; it must lie between -1000 and -0.1"),
        ("LMUX                     = 0.9", "LMUX = 0", "LMUX is 0; it must lie between 0.01 and 100"),
        ("QTZ1 ", "PKX3 = 800\nQTZ1 ", "PKX3 is 800; it must lie between -10 and 10"),
        ("FZMAX                    = 10125", "FZMAX = 200", "FZMIN is 225 and FZMAX 200"),
        ("FZMAX                    = 10125", "FZMAX = 50000", "the friction PDY1 + PDY2 df_z"),
        ("[SHAPE]", "KPUMIN = -0.8\nKPUMAX = 0.0\n[SHAPE]", "KPUMIN is -0.8 and KPUMAX 0; slips beyond it count"),
        (
            "QTZ1 ",
            "PDY3 = 15\nQTZ1 ",
            "the share of friction 1 - PDY3 gamma^2 is -0.02817 at the camber of -0.2618 rad",
        ),
        ("QTZ1 ", "PKY3 = 4\nQTZ1 ", "the share of cornering stiffness 1 - PKY3 |gamma| is -0.04724 at the camber of"),
        ("QTZ1 ", "PDX3 = 4\nLGAX = 2\nQTZ1 ", "the share of friction 1 - PDX3 gamma^2 is -0.09671"),
        ("= 1.1739", f"= {'1' * MAX_LINE}x", f"line 28 has {MAX_LINE + 28} characters; the limit is {MAX_LINE}"),
        ("PCX1                     = 1.6411", "PCX1 = 1.6\nPCX1 = 1.7", "has PCX1 twice"),
        ("[SHAPE]", "PCX1 = 1.6\n[SHAPE]", "PCX1 stands in [DIMENSION] and in [LONGITUDINAL_COEFFICIENTS]"),
        ("QTZ1", "PKY6", "[LATERAL_COEFFICIENTS] PKY6 is '0.2', which the Magic Formula 5.2 does not have"),
        ("QTZ1", "PDX22", "PDX22 is '0.2', which the Magic Formula 5.2 does not have; did you mean 'PDX2'?"),
        ("QTZ1 ", "IP = 2e5\nIP_NOM = 3e5\nPPX1", "PPX1 is '0.2', which the Magic Formula 5.2 does not have"),
    ],
)
def test_faults_are_refused_with_their_place(read: Read, old: str, new: str, said: str) -> None:
    with pytest.raises(DefinitionError) as error:
        read(old, new)
    message = str(error.value)
    assert message.startswith("mine.tir: ")
    assert said in message


def test_what_is_no_property_file_is_refused(read: Read, tmp_path: Path) -> None:
    for text in ("", "\0\xff" * 500, "[", "[]\n=\n", "$" + "x" * MAX_BYTES, "[UNITS]\n" * 9, "x = 1"):
        with pytest.raises(DefinitionError, match=r"^mine\.tir: "):
            read(text=text)
    with pytest.raises(DefinitionError, match=r"^none\.tir: No such file"):
        read_tir(tmp_path / "none.tir")


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
def test_lines_end_as_in_files_of_any_system_and_with_nothing_else(tmp_path: Path, end: bytes) -> None:
    """0x85 is an ellipsis in files of Windows, \x0c a new page; some editors begin a file with a mark of UTF-8."""
    path = tmp_path / "mine.tir"
    text = TIR.replace("! a comment", "! to do\x85 FITTYP = 61").replace(
        "$Free tyre radius", "$Free\x0c[MODEL]\x1cradius"
    )
    path.write_bytes(
        b"\xef\xbb\xbf" + text.removeprefix("$" + TIR.split("$", 2)[1]).encode("latin-1").replace(b"\n", end)
    )
    assert read_tir(path)["UNLOADED_RADIUS"] == 0.344
    path.write_bytes(path.read_bytes().replace(b"= 1.1739", b"= 1.17.39"))
    with pytest.raises(DefinitionError, match=r"PDX1 is '1\.17\.39'"):
        read_tir(path)


@given(st.integers(0, len(TIR) - 1), st.integers(0, 40), st.text(max_size=20))
def test_a_changed_file_is_read_or_refused_with_a_message(at: int, length: int, new: str) -> None:
    """Whatever is read has finite values."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "mine.tir"
        path.write_bytes((TIR[:at] + new + TIR[at + length :]).encode())
        try:
            tire = read_tir(path)
        except DefinitionError as error:
            assert str(error).startswith("mine.tir: ")
        else:
            assert np.isfinite(list(tire.values.values())).all()
