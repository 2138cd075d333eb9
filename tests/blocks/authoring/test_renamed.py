import importlib.util

import pytest

from drawbar.blocks import DefinitionError, Parameter, UsageError
from drawbar.blocks.authoring.registry import UnknownBlockError, block_class, find_block
from drawbar.blocks.authoring.renamed import CLASSES, MEMBERS, MODULES, VARIABLES, did_you_mean_variable, renamed_block
from drawbar.blocks.signals.gain import Gain


def test_every_new_module_is_there_and_no_old_one():
    for old, new in MODULES.items():
        assert importlib.util.find_spec(new) is not None, new
        spec = importlib.util.find_spec(old)
        assert spec is None or spec.submodule_search_locations, old  # a folder of that name is another thing


def test_a_module_that_moved():
    with pytest.raises(UnknownBlockError, match=r"it is now 'drawbar\.blocks\.terrain\.ground\.flat_road:FlatRoad'"):
        block_class("drawbar.blocks.terrain.flat_road:FlatRoad")


def test_a_class_that_was_renamed():
    with pytest.raises(UnknownBlockError, match=r"it is now 'drawbar\.blocks\.signals\.saturation:Saturation'"):
        block_class("drawbar.blocks.signals.limit:Limit")
    with pytest.raises(UsageError, match="'Limit'; it is now 'Saturation'"):
        find_block("Limit")


@pytest.mark.parametrize("name", ["own.limit:Limit", "drawbar.blocks.signals.saturation:Saturation", "Gain", ""])
def test_other_blocks_were_not_renamed(name):
    assert renamed_block(name) == ""


@pytest.mark.parametrize(
    ("name", "valid", "now"),
    [
        ("least", ["lower_limit", "upper_limit"], "it is now 'lower_limit'"),
        ("push[2]", ["external_force"], r"it is now 'external_force\[2\]'"),
        ("push", ["wheel_force"], "it is now 'wheel_force'"),
        ("car.twist", ["car.external_moment"], "it is now 'car.external_moment'"),
        ("most", ["cost"], "did you mean 'cost'"),
    ],
)
def test_variables(name, valid, now):
    with pytest.raises(ValueError, match=now):
        raise ValueError(did_you_mean_variable(name, valid))


def test_new_names_are_not_old_ones():
    assert not set(CLASSES) & set(CLASSES.values())
    assert not set(VARIABLES) & {new for names in VARIABLES.values() for new in names}


@pytest.mark.parametrize(
    ("old", "value"), [("fastest", lambda self: {}), ("told_if_true", {}), ("told_if_below", {"y": (0.0, "low")})]
)
def test_an_old_name_that_an_author_writes_is_refused_with_the_new_one(old, value):
    with pytest.raises(DefinitionError, match=rf"Mine\.{old}: this is '{MEMBERS[old]}' now; rename it"):
        type("Mine", (Gain,), {old: value})


def test_a_variable_of_that_name_is_not_refused():
    assert type("Mine", (Gain,), {"fastest": Parameter(1.0, "1", "factor")}).model().interface.port("fastest")
