"""The header of a block in C: what it declares, and whose file it may replace."""

from pathlib import Path
from typing import Any

import pytest

from drawbar.blocks import (
    BuildError,
    Input,
    Kernel,
    Output,
    Sampled,
    State,
    UsageError,
)
from drawbar.fmus.export.kernel_header import write_header

SIGNATURE = "const double **arg, double **res, long long *iw, double *w, int mem"


def written(folder: Path, text: str, name: str = "law.c") -> Path:
    path = folder / name
    path.write_text(text.replace("SIGNATURE", SIGNATURE))
    return path


GOOD = '#include "law.h"\nint outputs(SIGNATURE) { outputs_of(res)->y = inputs_of(arg)->u; return 0; }\n'


def test_the_header_is_written_beside_the_c_file_on_request(tmp_path: Path) -> None:
    class Accumulator(Kernel, source=written(tmp_path, GOOD), period="1/30"):
        u = Input("1", "signals", size=3)
        total = State(0.0, "1", "sum")
        y = Output("1", "sum before it")

    class Summed(Sampled, period="1/30"):
        y = Output("1", "a number")

        def outputs(self) -> dict[str, Any]:
            return {"y": 1.0}

    block = Accumulator
    path = write_header(block)
    assert path == tmp_path / "law.h"
    text = path.read_text()
    assert "double u[3]; /* signals */" in text
    assert "#define PERIOD (1.0/30.0)" in text
    assert "int update(" in text and "derivatives" not in text
    assert write_header(block) == path, "its own header it replaces"
    path.write_text("mine\n")
    with pytest.raises(BuildError, match="is not one that Drawbar has written"):
        write_header(block)
    with pytest.raises(UsageError, match="Summed is a sampled block; only kernel blocks have a header"):
        write_header(Summed)


def test_a_meaning_cannot_end_its_comment(tmp_path: Path) -> None:
    class Sly(Kernel, source=written(tmp_path, GOOD)):
        u = Input("1", "in */ int x; /* \\\n\\")
        y = Output("1", "out")

    assert "double u; /* in * / int x; / * / / */" in write_header(Sly).read_text()
