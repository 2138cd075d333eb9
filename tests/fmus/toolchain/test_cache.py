"""A library is compiled once; another text or other flags make another one."""

from pathlib import Path

import pytest

from drawbar.fmus.toolchain import compilers
from drawbar.fmus.toolchain.compilers import compile_library, find_compiler

FILE = {"answer.c": '__attribute__((visibility("default"))) int answer(void) { return 42; }\n'}


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("DRAWBAR_CACHE", str(tmp_path / "cache ü"))
    return tmp_path / "cache ü"


@pytest.mark.compiler
def test_a_library_is_compiled_once(monkeypatch: pytest.MonkeyPatch) -> None:
    import ctypes

    library = compile_library(FILE, "answer.c", "answer")
    assert ctypes.CDLL(str(library)).answer() == 42
    monkeypatch.setattr(compilers, "run_group", None)
    assert compile_library(FILE, "answer.c", "answer") == library
    assert [p.name for p in library.parent.iterdir()] == [library.name], "the scratch folder is gone"


@pytest.mark.compiler
def test_other_text_is_another_library() -> None:
    other = {"answer.c": FILE["answer.c"].replace("42", "43")}
    assert compile_library(FILE, "answer.c", "answer") != compile_library(other, "answer.c", "answer")


@pytest.mark.compiler
def test_flags_in_cc_make_another_library(monkeypatch: pytest.MonkeyPatch) -> None:
    usual = find_compiler()
    assert usual is not None
    plain = compile_library(FILE, "answer.c", "answer")
    monkeypatch.setenv("CC", f"{usual.command[0]} -O1")
    assert compile_library(FILE, "answer.c", "answer") != plain
