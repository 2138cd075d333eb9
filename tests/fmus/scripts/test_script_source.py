"""The files of a script: its module and those of its folder, not what is installed."""

import ast
from pathlib import Path

import numpy as np
import pytest

from drawbar.blocks import Script
from drawbar.blocks.authoring.registry import block_class, open_workspace
from drawbar.fmus.scripts.script_source import is_installed, is_ours, source_of, text_of

MODULE = """
import math
import numpy as np
from drawbar.blocks import Output, Script
from {helpers} import scale, deeper


class Found(Script, period=0.1):
    \"\"\"A script with modules of its own.\"\"\"

    y = Output("1", "a number")

    def step(self, t, dt):
        self.y = scale * deeper.more
"""


@pytest.fixture
def found(tmp_path: Path) -> type[Script]:
    """A script that imports a package of its folder, which imports a module beside it."""
    name = tmp_path.name
    (tmp_path / f"{name}_helpers").mkdir()
    (tmp_path / f"{name}_helpers" / "__init__.py").write_text("scale = 2.0\n")
    (tmp_path / f"{name}_helpers" / "deeper.py").write_text(f"import scipy\nfrom {name}_last import more\n")
    (tmp_path / f"{name}_last.py").write_text("more = 3.0\n")
    (tmp_path / f"{name}_unused.py").write_text("")
    (tmp_path / f"{name}.py").write_text(MODULE.format(helpers=f"{name}_helpers"))
    open_workspace(tmp_path)
    block = block_class(f"{name}:Found")
    assert issubclass(block, Script)
    return block


def test_modules_of_the_folder_are_packed_and_packages_are_named(found: type[Script], tmp_path: Path) -> None:
    source, name = source_of(found), tmp_path.name
    assert (source.module, source.name, source.packed) == (name, "Found", True)
    helpers = [f"{name}_helpers/__init__.py", f"{name}_helpers/deeper.py"]
    assert sorted(source.files) == sorted([f"{name}.py", f"{name}_last.py", *helpers])
    assert source.imports == {"math", "numpy", "drawbar", "scipy"}
    assert sorted(source.packages()) == ["drawbar", "numpy", "scipy"]


def test_any_of_its_files_decides_about_its_identity(found: type[Script], tmp_path: Path) -> None:
    before = text_of(found)
    (tmp_path / f"{tmp_path.name}_unused.py").write_text("unused = 1\n")
    assert text_of(found) == before
    (tmp_path / f"{tmp_path.name}_last.py").write_text("more = 4.0\n")
    assert text_of(found) != before


def test_files_of_python_and_of_packages_are_told_from_those_of_the_user(tmp_path: Path) -> None:
    assert is_installed(np.__file__) and is_installed("<string>") and is_installed(ast.__file__)
    assert not is_installed(str(tmp_path / "mine.py"))
    assert not is_ours(str(tmp_path / "mine.py"))
