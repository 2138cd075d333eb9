"""A compiled block without a zip has the identity and the variables of its FMU."""

import runpy
from pathlib import Path

import pytest

from drawbar.fmus.backends.native import native_instance
from drawbar.fmus.export.package import build
from drawbar.fmus.loading.description import read_description

BLOCKS = [("plant", "Plant"), ("all_kinds", "AllKinds")]


@pytest.mark.compiler
@pytest.mark.parametrize(("module", "name"), BLOCKS)
def test_variables_have_the_references_and_types_of_the_fmu(module: str, name: str) -> None:
    block = runpy.run_path(str(Path(__file__).parents[1] / f"{module}.py"))[name]
    description, instance = read_description(build(block)), native_instance(block, "here")
    assert instance._scalars == description.scalars
    assert instance._slave.guid == description.guid
    assert [p.name for p in instance.interface.ports] == [p.name for p in description.interface.ports]
    instance.close()
