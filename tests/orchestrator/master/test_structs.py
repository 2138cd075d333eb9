"""The structs and constants that Python copies from master.h are those of the compiled master."""

import ctypes as ct
from importlib import resources

import pytest

from drawbar.blocks.core.errors import BuildError
from drawbar.fmus.toolchain.compilers import compile_library
from drawbar.orchestrator.master import structs
from drawbar.orchestrator.master.master import FILES


def compiled(old: str = "", new: str = "") -> ct.CDLL:
    """Return the master, compiled with one text of its files replaced."""
    folder = resources.files("drawbar.orchestrator.master")
    texts = {name: folder.joinpath(name).read_text("utf-8") for name in FILES}
    if old:
        assert sum(text.count(old) for text in texts.values()) == 1, "the text stands in one place"
        texts = {name: text.replace(old, new) for name, text in texts.items()}
    return ct.CDLL(str(compile_library(texts, "master.c", "master")))


@pytest.mark.compiler
def test_both_sides_are_alike() -> None:
    structs.check_layout(compiled())
    assert set(structs.STRUCTS) == {
        *(
            "Channel",
            "Connection",
            "Events",
            "DelayedEvent",
            "Timing",
            "Part",
            "FreshRead",
            "Rate",
            "CurrentCall",
            "Master",
        )
    }
    assert structs.offsets()["CurrentCall.tick"] == (0, 8)


@pytest.mark.compiler
@pytest.mark.parametrize(
    ("old", "new", "name"),
    [
        ("    int64_t tick;\n    int32_t part, call;", "    int64_t tick;\n    int64_t part, call;", "CurrentCall"),
        ("    int64_t last_tick;", "    int32_t last_tick;", "Connection"),
        ("    int64_t steps, warnings;", "    int64_t warnings, steps;", r"Part\.steps"),
        (" FIELD(Rate, period_ticks),", "", r"Rate\.period_ticks"),
    ],
)
def test_a_struct_that_differs_is_refused_by_name(old: str, new: str, name: str) -> None:
    with pytest.raises(BuildError, match=rf"lay out '{name}"):
        structs.check_layout(compiled(old, new))


@pytest.mark.compiler
@pytest.mark.parametrize(
    ("old", "new", "name"),
    [
        ("#define JUMP_RATIO 10.0", "#define JUMP_RATIO 11.0", "JUMP_RATIO is 11.0 in master.h and 10.0"),
        ("#define TIMING_INTERVAL 256", "#define TIMING_INTERVAL 128", "TIMING_INTERVAL is 128"),
        ("enum Status { OK, WARNING };", "enum Status { OK, OTHER, WARNING };", "WARNING is 2"),
        ("enum Fresh { STALE, SET_AND_READ,", "enum Fresh { SET_AND_READ, STALE,", "STALE is 1"),
    ],
)
def test_a_constant_that_differs_is_refused_by_name(old: str, new: str, name: str) -> None:
    with pytest.raises(BuildError, match=name):
        structs.check_layout(compiled(old, new))
