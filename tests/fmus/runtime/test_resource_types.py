"""Arrays in the resources folder whose numbers are smaller than 64-bit floats."""

import zipfile
from pathlib import Path

import numpy as np
import pytest

from drawbar.blocks import FmuError, Kernel, Output, Resource
from drawbar.blocks.authoring.block import Block
from drawbar.fmus.backends.instance import open_fmu
from drawbar.fmus.export.package import build
from drawbar.fmus.export.resources import npy_bytes

pytestmark = pytest.mark.compiler

LAW = """
#include "pick.h"
int outputs(const double **arg, double **res, long long *iw, double *w, int mem) {
    outputs_of(res)->last = table_of(arg)->at[2][1];
    outputs_of(res)->bytes = sizeof(struct table);
    return 0;
}
"""
TABLE = np.array([[0, 1], [2, 3], [4, 250]])


@pytest.fixture(params=["float32", "uint8"])
def block(request: pytest.FixtureRequest, tmp_path: Path) -> type[Block]:
    (tmp_path / "pick.c").write_text(LAW)

    class Pick(Kernel, source=tmp_path / "pick.c"):
        table = Resource("table.npy", "numbers", make=lambda: TABLE, dtype=request.param)
        last = Output("1", "its last number")
        bytes = Output("1", "its size")

    return Pick


def test_they_are_read_as_they_are_stored(block: type[Block]) -> None:
    instance = open_fmu(build(block), "a")
    instance.initialize(0.0, {})
    instance.start()
    size = np.dtype(block._resources["table"].dtype).itemsize
    assert instance.get(["last", "bytes"]) == [250.0, 6.0 * size]
    instance.close()


def test_a_file_of_another_type_or_length_is_refused(block: type[Block], tmp_path: Path) -> None:
    dtype = block._resources["table"].dtype
    good = npy_bytes(TABLE.astype(dtype))
    words = {"float32": "32-bit floats \\('<f4'\\)", "uint8": "bytes \\('\\|u1'\\)"}[dtype]
    contents = {
        f"its numbers are not {words}": npy_bytes(TABLE.astype(float)),
        "it ends after 5 of 6 numbers": good[:-1],
        "it is longer than its header says": good + b"\0",
    }
    for message, content in contents.items():
        changed = tmp_path / "changed.fmu"
        with zipfile.ZipFile(build(block)) as there, zipfile.ZipFile(changed, "w") as made:
            for entry in there.namelist():
                made.writestr(entry, content if entry == "resources/table.npy" else there.read(entry))
        with pytest.raises(FmuError, match=rf"Pick: resource table\.npy: {message}"):
            open_fmu(changed, "a")
