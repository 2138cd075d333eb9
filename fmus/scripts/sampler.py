"""A running script: its samples, and its values in one array ``p | u | y`` in the order of FMI value references.

The part of a diagram in this process and the exported FMU run this same code.
"""

from __future__ import annotations

import math
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from drawbar.blocks.authoring.assignment import PYTHON_FORMS, check_array
from drawbar.blocks.authoring.script import Script
from drawbar.blocks.core.errors import DrawbarError
from drawbar.blocks.core.interface import Port
from drawbar.fmus.runtime.constants import SAMPLE_TOLERANCE
from drawbar.fmus.scripts.script_source import is_installed, is_ours


class ScriptFailure(Exception):  # noqa: N818  # it is shown to people by this text alone
    """An exception of a script in one sentence: method, time, exception, file and line."""

    def __repr__(self) -> str:
        return str(self)


class Sampler:
    """One instance of a script. Its `values` may be read and written from outside between samples."""

    def __init__(self, block: type[Script]) -> None:
        self.block, model = block, block.model()
        self.period = model.period
        self.values: NDArray[np.float64] = model.start()
        self.running = False
        self._samples = 0
        self._start_time = 0.0
        self._read = [p for group in (model.p, model.u) for p in group]
        self._n_read = sum(p.size for p in self._read)
        self._written, at = [], self._n_read
        for port in model.y:
            self._written.append((port, at, at + port.size))
            at += port.size
        self.names = [name for port in model.ports for name in port.scalar_names()]
        ports = [port for port in model.ports for _ in range(port.size)]
        self.types = [port.type for port in ports]
        self._fixed = [port.causality != "input" and port.variability != "tunable" for port in ports]
        self._script = self._call("__init__", 0.0, block)

    def set(self, references: Sequence[int], values: Sequence[float]) -> None:
        """Write values one by one; raise `ScriptFailure` for one that can no longer be set."""
        for i, value in zip(references, values, strict=True):
            if self.running and self._fixed[i]:
                raise ScriptFailure(f"'{self.names[i]}' cannot be set after initialization")
            kind = self.types[i]
            self.values[i] = value if kind == "Real" else math.floor(value + 0.5) if kind == "Integer" else value != 0

    def begin(self, start_time: float) -> None:
        """Leave initialization: run `start` and the first sample; raise `ScriptFailure` if one of them fails."""
        self._start_time = start_time
        for port, at, end in self._written:  # a diagram may have set the start values of outputs
            self._script._values[port.name] = PYTHON_FORMS[port.type].read(self.values[at:end].tolist(), port.shape)
        self._read_values(start_time)
        self._call("start", start_time, self._script.start)
        self._samples = 1
        self._step(start_time)
        self.running = True

    def advance(self, t: float, h: float) -> None:
        """Run the samples that are due in the step from t by h; raise `ScriptFailure` if one of them fails."""
        assert self.period is not None
        num, den = self.period.numerator, self.period.denominator
        tolerance = SAMPLE_TOLERANCE * min(h, num / den)
        while (due := self._start_time + (self._samples * num) / den) < t + h - tolerance:
            self._samples += 1
            self._read_values(due)
            self._step(due)

    def _read_values(self, t: float) -> None:
        """Give the script the time, its parameters and its inputs."""
        script = self._script
        script.__dict__["time"] = t
        given, at = self.values[: self._n_read].tolist(), 0
        for port in self._read:
            if port.shape:
                script._values[port.name] = self._array(port, at)
            else:
                script._values[port.name] = (
                    given[at] if port.type == "Real" else PYTHON_FORMS[port.type].scalar(given[at])
                )
            at += port.size

    def _array(self, port: Port, at: int) -> NDArray[Any]:
        array = self.values[at : at + port.size].astype(PYTHON_FORMS[port.type].array).reshape(port.shape)
        array.flags.writeable = False  # to change it would change nothing
        return array

    def _step(self, t: float) -> None:
        self._call("step", t, self._script.step, t, self.block.period)
        self._call("step", t, self._write_outputs)

    def _write_outputs(self) -> None:
        values = self._script._values
        for port, begin, end in self._written:
            if port.shape:
                self.values[begin:end] = check_array(port.name, values[port.name]).ravel()
            else:
                self.values[begin] = values[port.name]

    def _call(self, method: str, t: float, function: Any, *arguments: Any) -> Any:
        try:
            return function(*arguments)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # SystemExit too: a script must not end the process it is a guest in
            text = str(error).strip()
            message = text if isinstance(error, DrawbarError) else f"{type(error).__name__}{': ' if text else ''}{text}"
            where = f"{method}() at t = {t:g} s" if method != "__init__" else "instantiation"
            raise ScriptFailure(f"{where}: {_one_line(message)}{self._line(error)}") from error

    def _line(self, error: BaseException) -> str:
        """Return the place in the user's code: the innermost line that belongs neither to Python nor to a package."""
        frames = [f for f in traceback.extract_tb(error.__traceback__) if not is_ours(f.filename)]
        block_files = {
            function.__code__.co_filename
            for base in self.block.__mro__
            for function in vars(base).values()
            if hasattr(function, "__code__") and not is_ours(function.__code__.co_filename)
        }
        user_frames = [f for f in frames if f.filename in block_files or not is_installed(f.filename)]
        return f" ({Path(user_frames[-1].filename).name}:{user_frames[-1].lineno})" if user_frames else ""


def _one_line(text: str) -> str:
    return "; ".join(line.strip() for line in text.splitlines() if line.strip())
