"""A model of the cache equals the traced one, and only what follows from the library's files is taken from there."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from drawbar.blocks import Continuous, DefinitionError, Input, Output, Sampled
from drawbar.blocks.authoring import model_cache
from drawbar.blocks.authoring.model import Model
from drawbar.blocks.authoring.model_cache import _equations, cached_model, is_of_library
from drawbar.blocks.authoring.tracing import trace
from drawbar.blocks.core import cache
from drawbar.blocks.core.cache import read_record
from drawbar.blocks.signals.first_order_lag import FirstOrderLag
from drawbar.blocks.signals.unit_delay import UnitDelay
from drawbar.fmus.export.write_description import write_description


class Doubled(Continuous):
    """A block outside the library."""

    u = Input("1", "input")
    y = Output("1", "twice the input")

    def outputs(self) -> dict[str, Any]:
        return {"y": 2 * self.u}


@pytest.fixture
def traces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """An empty cache, and the names of the blocks that are traced with it."""
    monkeypatch.setenv("DRAWBAR_CACHE", str(tmp_path))
    found: list[str] = []

    def counted(cls: Any, **keywords: Any) -> Model:
        found.append(cls.__name__)
        return trace(cls, **keywords)

    for kind in (Continuous, Sampled):
        monkeypatch.setattr(f"{kind.__module__}.trace", counted)
    return found


@pytest.mark.parametrize("block", [FirstOrderLag, UnitDelay])
def test_a_model_of_the_cache_equals_the_traced_one(block: type[Continuous], traces: list[str]) -> None:
    first = block._make_model()
    assert traces == [block.__name__]
    second = block._make_model()
    assert second is not first
    assert second.interface == first.interface
    assert second.ports == first.ports
    assert (second.method, second.step, second.period) == (first.method, first.step, first.period)
    assert traces == [block.__name__]  # nothing above needed the equations
    assert write_description(second, "") == write_description(first, "")
    for function in ("ode", "update", "out"):
        one, other = getattr(first, function), getattr(second, function)
        assert (one is None) == (other is None)
        assert one is None or str(one.serialize()) == str(other.serialize())
    assert traces == [block.__name__] * 2  # once for all equations


def test_another_fingerprint_is_traced_again(traces: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    FirstOrderLag._make_model()
    monkeypatch.setattr(model_cache, "FINGERPRINT", "of other files")
    FirstOrderLag._make_model()
    assert traces == ["FirstOrderLag"] * 2


def test_blocks_outside_the_library_are_not_stored(traces: list[str], tmp_path: Path) -> None:
    Doubled._make_model()
    Doubled._make_model()
    assert traces == ["Doubled"] * 2
    assert not list(tmp_path.rglob("*Doubled*"))


def test_a_class_that_only_claims_to_be_of_the_library_is_not(traces: list[str]) -> None:
    """A test or a program may define a block in a function, with the module of the library."""
    fake = type("FirstOrderLag", (Doubled,), {"__module__": FirstOrderLag.__module__})
    assert not is_of_library(fake)
    assert is_of_library(FirstOrderLag)
    fake.model()
    name = f"{FirstOrderLag.__module__}.FirstOrderLag"
    assert read_record("models", name, model_cache.FINGERPRINT) is None


def test_a_method_that_a_program_replaces_makes_another_block(
    traces: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(FirstOrderLag, "derivatives", lambda self: {"y": -self.y})
    assert not is_of_library(FirstOrderLag)
    FirstOrderLag._make_model()
    assert not list(tmp_path.rglob("*FirstOrderLag*"))
    monkeypatch.undo()
    assert is_of_library(FirstOrderLag)


def test_nothing_is_stored_after_a_file_was_written(
    traces: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """What is imported may then differ from the files whose hash the fingerprint is."""
    monkeypatch.setattr(cache, "_BEGAN", 0.0)  # all files are younger
    FirstOrderLag._make_model()
    assert not list(tmp_path.rglob("*FirstOrderLag*"))


def test_equations_of_other_ports_are_refused(traces: list[str]) -> None:
    FirstOrderLag._make_model()
    known = FirstOrderLag._make_model()
    other = replace(known, trace=lambda: _equations(known, UnitDelay._make_model()))
    with pytest.raises(DefinitionError, match=r"FirstOrderLag has changed since its ports were read"):
        _ = other.ode


def test_a_record_of_another_kind_is_not_taken(traces: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model_cache, "read_record", lambda *_: "no model")
    model = FirstOrderLag._make_model()
    assert cached_model(FirstOrderLag, lambda: model) is model


def test_the_second_process_traces_nothing(tmp_path: Path) -> None:
    program = (
        "from drawbar.blocks.authoring import continuous\n"
        "trace = continuous.trace\n"
        "def told(cls, **keywords):\n"
        "    print('traced', cls.__name__)\n"
        "    return trace(cls, **keywords)\n"
        "continuous.trace = told\n"
        "from drawbar.blocks.tires.fiala_tire import FialaTire\n"
        "from drawbar.fmus.export.sources import sources_of\n"
        "print(sources_of(FialaTire).guid)\n"
    )
    environment = {**os.environ, "DRAWBAR_CACHE": str(tmp_path)}
    first, second = (
        subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True)
        for _ in range(2)
    )
    traced, guid = first.stdout.splitlines()
    assert traced == "traced FialaTire"
    assert second.stdout.splitlines() == [guid]
