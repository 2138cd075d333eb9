"""A host in C, which knows nothing of Drawbar."""

import subprocess
from pathlib import Path

import pytest

from drawbar.fmus.export.codegen import fmi_headers
from drawbar.fmus.toolchain.compilers import find_compiler


@pytest.fixture(scope="module")
def host_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The text of the host, ready to compile."""
    folder = tmp_path_factory.mktemp("host")
    for name, text in fmi_headers().items():
        (folder / name).write_text(text)
    (folder / "host.c").write_text(Path(__file__).with_name("host.c").read_text("utf-8"))
    return folder


@pytest.fixture(scope="module")
def host(host_folder: Path) -> Path:
    compiler = find_compiler()
    assert compiler is not None
    # no -lm: the FMU must bring what it needs of the mathematics library itself
    subprocess.run([*compiler.command, "host.c", "-o", "host", "-ldl"], cwd=host_folder, check=True)
    return host_folder / "host"
