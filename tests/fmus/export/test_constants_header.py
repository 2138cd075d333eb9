"""C reads from the header the doubles that Python has, and neither side has a number of its own."""

from __future__ import annotations

import ctypes
import math
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from drawbar.fmus.export.constants_header import CONSTANTS_HEADER, Constant, constants_header, shared_constants
from drawbar.fmus.toolchain.compilers import compile_library


def entries(constants: dict[str, Constant]) -> Iterator[tuple[str, float]]:
    """The C expression and the value of each number; rows of a table are filled with zeros."""
    for name, value in constants.items():
        if not isinstance(value, tuple):
            yield name, float(value)
            continue
        width = max(len(row) if isinstance(row, tuple) else 0 for row in value)
        for i, row in enumerate(value):
            if isinstance(row, tuple):
                yield from ((f"{name}[{i}][{j}]", row[j] if j < len(row) else 0.0) for j in range(width))
            else:
                yield f"{name}[{i}]", row


def differing(header: str) -> list[str]:
    """The expressions that are another double in C, by its bits."""
    expected = dict(entries(shared_constants()))
    text = (
        f'#include "{CONSTANTS_HEADER}"\n__attribute__((visibility("default"))) void read(double *to) {{\n'
        + "".join(f"    to[{k}] = (double) {name};\n" for k, name in enumerate(expected))
        + "}\n"
    )
    values = (ctypes.c_double * len(expected))()
    library = compile_library({"main.c": text, CONSTANTS_HEADER: header}, "main.c", "constants")
    ctypes.CDLL(str(library)).read(values)
    return [name for (name, value), found in zip(expected.items(), values, strict=True) if value.hex() != found.hex()]


@pytest.mark.compiler
def test_c_has_the_doubles_of_python() -> None:
    assert len(dict(entries(shared_constants()))) > 80
    assert differing(constants_header()) == []


@pytest.mark.compiler
@pytest.mark.parametrize(
    ("name", "expression"),
    [("SAMPLE_TOLERANCE", "SAMPLE_TOLERANCE"), ("RODASP_GAMMA", "RODASP_GAMMA"), ("RODASP_C", "RODASP_C[3][2]")],
)
def test_another_last_bit_is_seen(name: str, expression: str) -> None:
    value = dict(entries(shared_constants()))[expression]
    begin, found, rest = constants_header().partition(f" {name} ")
    if not found:
        begin, found, rest = constants_header().partition(f" {name}[")
    assert repr(value) in rest
    changed = begin + found + rest.replace(repr(value), repr(math.nextafter(value, math.inf)), 1)
    assert differing(changed) == [expression]


@pytest.mark.compiler
def test_integers_are_integers_of_c() -> None:
    whole = [name for name, value in shared_constants().items() if isinstance(value, int)]
    checks = "".join(f"typedef char of_{name}[(1 ? {name} : 0) == {name} && sizeof({name}) == 4];\n" for name in whole)
    files = {"main.c": f'#include "{CONSTANTS_HEADER}"\n{checks}int unused;\n', CONSTANTS_HEADER: constants_header()}
    assert len(whole) > 8
    assert compile_library(files, "main.c", "integers").is_file()


# numbers that C alone needs: lengths of texts, codes, and the format of what it saves
OF_C = {"REPORTED", "NUMBER_LENGTH", "MESSAGE_LENGTH", "FORMAT", "STANDARD"}
NUMBER = re.compile(r"^#define (\w+) \(?[-.\d]", re.M)


def test_the_runtime_defines_no_number_that_python_has_too(clone: Path) -> None:
    files = [*(clone / "fmus" / "runtime").glob("*.[ch]"), *(clone / "fmus" / "backends").glob("*.[ch]")]
    assert len(files) > 12
    assert {name for file in files for name in NUMBER.findall(file.read_text())} - OF_C == set()


def test_a_number_of_c_is_seen() -> None:
    assert NUMBER.findall("#define RATIO 0.25 /* of */\n#define TOLD (-1000)\n#define f(x) (x)\n") == ["RATIO", "TOLD"]


def test_no_module_of_python_has_a_copy(clone: Path) -> None:
    definition = re.compile(rf"^_?(?:{'|'.join(shared_constants())})\b[^=\n]*= ", re.M)
    files = [file for file in (clone / "fmus").rglob("*.py") if file.name != "constants.py"]
    assert len(files) > 40
    assert [file.name for file in files if definition.search(file.read_text())] == []
    assert definition.search("import os\n\nSAMPLE_TOLERANCE = 1e-3\n")
