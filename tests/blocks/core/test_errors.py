"""The tree of errors, their exit codes, and the nearest valid name."""

import inspect

import pytest

from drawbar.blocks.core import errors
from drawbar.blocks.core.errors import DiagramError, DrawbarError, UsageError, did_you_mean

ERRORS = [e for _, e in inspect.getmembers(errors, inspect.isclass) if issubclass(e, DrawbarError)]


def test_the_tree_at_the_head_of_the_file_names_every_error() -> None:
    assert len(ERRORS) >= 8
    assert [e.__name__ for e in ERRORS if e.__name__ not in (errors.__doc__ or "")] == []


def test_only_wrong_usage_has_an_exit_code_of_its_own() -> None:
    assert {e.__name__: e.exit_code for e in ERRORS if e.exit_code != 1} == {UsageError.__name__: 2}


@pytest.mark.parametrize(("given", "faults"), [("one", ["one"]), (("one", "two"), ["one", "two"])])
def test_a_diagram_error_has_one_line_for_each_fault(given: str | tuple[str, ...], faults: list[str]) -> None:
    error = DiagramError(given)
    assert error.faults == faults
    assert str(error).splitlines() == faults


def test_the_nearest_name_is_shown_else_the_first_twelve() -> None:
    assert "'speed'" in did_you_mean("sped", ["speed", "torque", "speed"])
    assert "torque" not in did_you_mean("sped", ["speed", "torque"])
    text = did_you_mean("qqq", [f"x{i:02}" for i in range(13, 0, -1)])
    assert [f"x{i:02}" in text for i in range(1, 14)] == 12 * [True] + [False]
    assert text.endswith("...")
    assert not did_you_mean("qqq", ["a", "b"]).endswith("...")
    assert "none" in did_you_mean("x", [])


def test_a_name_is_never_suggested_in_its_own_place() -> None:
    assert did_you_mean("c.u", ["c.u", "c.y"]) == "; did you mean 'c.y'?"
    assert did_you_mean("c.u", ["c.u"]) == "; there are none"
