"""What an FMU that runs Python requires is said, and what others write about it is not trusted."""

import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from drawbar.blocks import FmuError, Script
from drawbar.fmus.backends.instance import open_fmu
from drawbar.fmus.export.package import build
from drawbar.orchestrator.cli.commands import main

WriteScript = Callable[..., type[Script]]
Edit = Callable[[Path, Path, Callable[[str, bytes], bytes | None]], Path]


def test_info_explains_to_others_what_it_needs(
    watcher: type[Script], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = build(watcher, tmp_path)
    assert main(["info", str(path)]) == 0
    said = capsys.readouterr().out
    assert (
        f"requires: Python 3.11 or later in the process that imports it, with drawbar 0.1.0, numpy {np.__version__}"
        in said
    )
    assert "a program that is not Python itself must load libpython before it" in said
    assert "sampled every 1/20 s" in said
    assert main(["info", str(path), "--json"]) == 0
    assert "numpy" in json.loads(capsys.readouterr().out)["requires"]
    with zipfile.ZipFile(path) as archive:
        assert "MIT" in archive.read("documentation/licenses/pythonfmu.txt").decode()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        '{"python": 3, "packages": {}}',
        '{"python": "\\u001b[31m", "packages": {}}',
        '{"packages": []}',
        "[" * 9999,
    ],
)
def test_what_others_write_about_needs_is_not_trusted(text: str, tmp_path: Path) -> None:
    from drawbar.fmus.loading.python_requirements import requirements_of

    resources = tmp_path / "resources"
    resources.mkdir()
    assert requirements_of(tmp_path) == ""
    (resources / "slavemodule.txt").write_text("theirs")
    (resources / "requirements.json").write_text(text)
    assert requirements_of(tmp_path) == (
        "Python in the process that imports it, with the packages that its modules import"
    )


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda n, c: b"../elsewhere" if n.endswith("module.txt") else c, r"names '../elsewhere', which is no Python"),
        (lambda n, c: b"" if n.endswith("module.txt") else c, "names '', which is no Python module"),
        (lambda n, c: b"other" if n.endswith("module.txt") else c, r"other.py, the module that .* names, is missing"),
        (lambda n, c: b"class :" if "drawbar_script" in n else c, r"is not understood by Python 3.*invalid syntax"),
    ],
)
def test_a_damaged_one_is_refused_before_it_crashes(
    change: Any, message: str, tmp_path: Path, write_script: WriteScript, edited: Edit
) -> None:
    """Each of these would end the process."""
    path = edited(build(write_script(tmp_path, 0)), tmp_path / "a.fmu", change)
    with pytest.raises(FmuError, match=message):
        open_fmu(path, "watch")
