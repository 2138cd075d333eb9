"""Finding compilers, compiling, and the cache."""

import os
from pathlib import Path

import pytest

from drawbar.blocks import BuildError
from drawbar.blocks.core.cache import cache_folder
from drawbar.fmus.toolchain import compilers
from drawbar.fmus.toolchain.compilers import compile_library, find_compiler

FILE = {"answer.c": '__attribute__((visibility("default"))) int answer(void) { return 42; }\n'}


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("DRAWBAR_CACHE", str(tmp_path / "cache ü"))
    return tmp_path / "cache ü"


def test_cache_folder_can_be_given(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert cache_folder() == cache
    monkeypatch.delenv("DRAWBAR_CACHE")
    assert cache_folder().name == "drawbar"


def test_without_compiler_the_message_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compilers.importlib.util, "find_spec", lambda name: None)
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("CC", raising=False)
    assert find_compiler() is None
    with pytest.raises(BuildError, match="answer: no C compiler found; install gcc or clang"):
        compile_library(FILE, "answer.c", "answer")


def test_a_cc_that_is_not_there_falls_back(monkeypatch: pytest.MonkeyPatch) -> None:
    usual = find_compiler()
    monkeypatch.setenv("CC", "no-such-compiler")
    assert find_compiler() == usual


@pytest.mark.compiler
def test_a_fault_in_c_is_quoted() -> None:
    with pytest.raises(BuildError, match=r"broken: .* failed: broken.c:1:.*error"):
        compile_library({"broken.c": "int f( {"}, "broken.c", "broken")
    assert os.listdir(cache_folder() / "libraries")
