"""A script as the library of pythonfmu drives it, inside an exported FMU.

This module works around faults of the library (0.7): at each instance it drops one reference too many to the globals
of the module that it loads, and at each exception one to instance, class and messages; it leaves the FMU's folder on
the import path; it shows only the ``repr`` of an exception.
"""

from __future__ import annotations

import contextlib
import ctypes
import importlib
import math
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import wraps
from pathlib import Path
from typing import Any, ClassVar

from drawbar.blocks.authoring.script import Script
from drawbar.fmus.scripts.sampler import Sampler, ScriptFailure

FOLDER = "script"  # of the packed modules, below resources/
_loaded: dict[str, tuple[type[Script], dict[str, bytes]]] = {}  # by the FMU's identity, with the text it came from


def add_reference(thing: Any) -> None:
    """Add one reference, to compensate for one that will be dropped."""
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(thing))


def load(module: str, name: str, folder: Path | None, key: str) -> type[Script]:
    """Return the class of a script: from an FMU's folder, or where that has none from its installed package."""
    if key not in _loaded:
        with _isolated(folder) if folder is not None else contextlib.nullcontext():
            found = importlib.import_module(module)
        _loaded[key] = getattr(found, name), {} if folder is None else _text(folder)
    return _loaded[key][0]


def _text(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*.py"))}


@contextlib.contextmanager
def _isolated(folder: Path) -> Iterator[None]:
    """Within this context modules of a folder come only from there; afterwards their names are free for others."""
    names = {place.stem for place in folder.iterdir()}

    def loaded_names() -> list[str]:
        return [name for name in sys.modules if name.partition(".")[0] in names]

    set_aside = {name: sys.modules.pop(name) for name in loaded_names()}
    before, sys.dont_write_bytecode = sys.dont_write_bytecode, True  # the folder is not ours to write to
    sys.path.insert(0, str(folder))
    importlib.invalidate_caches()
    try:
        yield
    finally:
        sys.path.remove(str(folder))
        sys.dont_write_bytecode = before
        for name in loaded_names():
            del sys.modules[name]
        sys.modules.update(set_aside)


def _guarded(method: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(method)
    def call(self: Fmi2Slave, *arguments: Any) -> Any:
        try:
            return method(self, *arguments)
        except BaseException as error:
            for thing in (self, type(self), self.log_queue):
                add_reference(thing)
            if isinstance(error, ScriptFailure):
                raise
            raise ScriptFailure(f"{type(error).__name__}: {error}") from error

    return call


class Fmi2Slave:
    """The class that the library calls, which it finds by this name. A subclass names the script."""

    block: ClassVar[type[Script]]
    key: ClassVar[str]

    def __init__(self, resources: str = "", **rest: Any) -> None:
        if resources in sys.path:
            sys.path.remove(resources)  # the library puts it there for each instance
        folder, text = Path(resources) / FOLDER, _loaded[self.key][1]
        if text and folder.is_dir() and _text(folder) != text:
            raise ScriptFailure(
                f"another FMU of this process has the identity of this one but another text of {self.block.__name__}; "
                "an FMU is not edited by hand: build it again"
            )
        self.log_queue: list[Any] = []
        self._sampler = Sampler(self.block)
        self._start_time = 0.0

    def _get_log_queue(self) -> list[Any]:
        return self.log_queue

    def setup_experiment(self, start_time: float, *rest: Any) -> None:
        """Note the start time; stop time and tolerance have no effect."""
        self._start_time = start_time

    def enter_initialization_mode(self) -> None:
        """Do nothing: outputs have their start values until the first sample."""

    @_guarded
    def exit_initialization_mode(self) -> None:
        """Run the first sample."""
        self._sampler.begin(self._start_time)

    @_guarded
    def do_step(self, t: float, h: float) -> bool:
        """Run the samples that are due; the step must be positive, as in `runtime/fmi2.c`."""
        if not (h > 0.0 and math.isfinite(h) and math.isfinite(t)):
            name = self.block.__name__
            raise ScriptFailure(f"{name}: fmi2DoStep from {t:g} s by {h:g} s; the step must be positive")
        self._sampler.advance(t, h)
        return True

    def terminate(self) -> None:
        """Do nothing."""

    @_guarded
    def get_real(self, references: Sequence[int]) -> list[float]:
        """Return values by reference."""
        values = self._sampler.values
        return [float(values[r]) for r in references]

    @_guarded
    def get_integer(self, references: Sequence[int]) -> list[int]:
        """Return values by reference."""
        values = self._sampler.values
        return [int(values[r]) for r in references]

    @_guarded
    def get_boolean(self, references: Sequence[int]) -> list[bool]:
        """Return values by reference."""
        values = self._sampler.values
        return [bool(values[r]) for r in references]

    @_guarded
    def set_real(self, references: Sequence[int], values: Sequence[float]) -> None:
        """Set values by reference."""
        self._sampler.set(references, values)

    set_integer = set_boolean = set_real
