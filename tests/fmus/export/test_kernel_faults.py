"""A slip in the C text of a block is reported at its place in the author's file."""

import re
from pathlib import Path

import pytest

from drawbar.blocks import (
    BuildError,
    Input,
    Kernel,
    Output,
)
from drawbar.blocks.authoring.block import Block
from drawbar.fmus.export.package import compile_block

SIGNATURE = "const double **arg, double **res, long long *iw, double *w, int mem"


compiler = pytest.mark.compiler


def written(folder: Path, text: str, name: str = "law.c") -> Path:
    path = folder / name
    path.write_text(text.replace("SIGNATURE", SIGNATURE))
    return path


def with_text(folder: Path, text: str) -> type[Block]:
    class Faulty(Kernel, source=written(folder, text)):
        u = Input("1", "in")
        y = Output("1", "out")

    return Faulty


GOOD = '#include "law.h"\nint outputs(SIGNATURE) { outputs_of(res)->y = inputs_of(arg)->u; return 0; }\n'


@compiler
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('#include "law.h"\n', r"PATH has no function 'outputs', which the declaration asks for; write int outputs\("),
        (GOOD.replace("int outputs", "int output"), r"PATH has no function 'outputs', .*; did you mean 'output'\?"),
        ("static " + GOOD.replace('#include "law.h"\n', ""), r"does not compile\nPATH:1:\d+: error: "),
        (GOOD.replace("->u;", "->v;"), r"does not compile\nPATH:2:\d+: error: .*'?v'?"),
        (GOOD.replace("return 0;", ""), r"does not compile\nPATH:2:\d+: error: .*return"),
        (GOOD.replace("inputs_of(arg)->u", "helper(arg)"), r"does not compile\nPATH:2:\d+: error: .*helper"),
        (GOOD.replace("SIGNATURE", SIGNATURE.replace("long long", "int")), r"PATH:2:\d+: error: conflicting types"),
        (GOOD.replace("int outputs", "double far(double);\nint outputs").replace("->u", "->u + far(1.0)"),
         r"PATH calls far\(\), which is defined nowhere"),
        (GOOD.replace("law.h", "low.h"), r"does not compile\nPATH:1:\d+: (fatal )?error: .*low\.h"),
        ("a b c;\n" * 40, r"does not compile\n(PATH:\d+:.*\n){5}\.\.\. \d+ more"),
    ],
)  # fmt: skip
def test_a_slip_in_c_is_told_at_its_place_in_the_authors_file(text: str, message: str, tmp_path: Path) -> None:
    block = with_text(tmp_path, text)
    with pytest.raises(BuildError) as caught:
        compile_block(block)
    found = str(caught.value)
    assert found.startswith("Faulty: ")
    assert re.search(message.replace("PATH", re.escape(str(tmp_path / "law.c"))), found), found
    (tmp_path / "law.c").write_text(GOOD.replace("SIGNATURE", SIGNATURE))
    assert compile_block(block).library.is_file(), "the text is read at each build"
