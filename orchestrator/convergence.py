"""How large the error of a run is, from the same run at half the macro step (Richardson).

With an error of C H^p, the run at H/2 is nearer by (1 - 2^-p) C H^p, so the error at H is their difference times
2^p/(2^p - 1): 4/3 of it for a scheme of second order, twice for one of first. That holds where the step is small enough
for the order to show and no event falls differently in the two runs; for whole numbers and flags only the rows that
differ are counted.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from drawbar.blocks.authoring.interface import scalar_names
from drawbar.orchestrator.run import Run, Signal

WORTH_A_WORD = 0.01  # of the size of a signal


@dataclass(frozen=True)
class ErrorBar:
    """Of one signal, in its unit: the largest error over the run, the largest value, and when the error was largest.

    Of an array it is the element with the largest error. `differ` is the share of rows that differ at all.
    """

    signal: str
    unit: str
    type: str
    error: float | None  # None for whole numbers and flags
    scale: float
    differ: float
    time: float | None  # None where nothing differs

    @property
    def relative(self) -> float:
        """The error over the largest value; of whole numbers and flags the share of rows that differ."""
        if self.error is None:
            return self.differ
        return 0.0 if self.error == 0.0 else self.error / self.scale if self.scale > 0.0 else float("inf")


def error_bars(run: Run, half: Run, order: int) -> list[ErrorBar]:
    """The errors of the signals of `run`, worst first; signals and times that only one of the two has are left out."""
    bars = [bar for name in run.signals if name in half for bar in _bar(run, half, run.signal(name), order)]
    return sorted(bars, key=lambda bar: (-bar.relative, bar.signal))


def _bar(run: Run, half: Run, signal: Signal, order: int) -> Iterator[ErrorBar]:
    times, others = run.time(signal.name), half.time(signal.name)
    # equal times are equal numbers: both are whole ticks over a whole number, rounded once
    place = np.minimum(np.searchsorted(others, times), len(others) - 1)
    common = others[place] == times
    if not common.any():
        return
    ours, theirs, t = run[signal.name][common], half[signal.name][place[common]], times[common]
    gap = np.abs(ours.astype(float) - theirs.astype(float)).reshape(len(t), -1)
    row, column = np.unravel_index(int(np.argmax(gap)), gap.shape)
    real = signal.type == "Real"
    factor = 2**order / (2**order - 1)
    yield ErrorBar(
        signal=scalar_names(signal.name, signal.shape)[int(column)],
        unit=signal.unit,
        type=signal.type,
        error=float(gap[row, column]) * factor if real else None,
        scale=float(np.abs(_column(ours, int(column))).max()),
        differ=float((gap > 0.0).any(axis=1).mean()),
        time=float(t[row]) if gap[row, column] > 0.0 else None,
    )


def _column(values: NDArray[Any], column: int) -> NDArray[np.float64]:
    return values.reshape(len(values), -1)[:, column].astype(float)


def table(bars: Sequence[ErrorBar], limit: int = 12) -> str:
    """The worst ones for people, with a word of advice where one is large."""
    if not bars:
        return "  nothing to compare"
    shown = [_cells(bar) for bar in bars[:limit]]
    heading = ("signal", "unit", "error", "of", "", "at t, s")
    widths = [max(len(row[i]) for row in [heading, *shown]) for i in range(len(heading))]
    lines = ["  " + "  ".join(_align(i, c, widths[i]) for i, c in enumerate(row)).rstrip() for row in [heading, *shown]]
    if len(bars) > limit:
        lines.append(f"  and {len(bars) - limit} more with smaller ones")
    if bars[0].relative > WORTH_A_WORD:
        lines.append(f"  the error of {bars[0].signal} is above {100 * WORTH_A_WORD:g} %: take a shorter step")
    return "\n".join(lines)


def _align(i: int, cell: str, width: int) -> str:
    return cell.ljust(width) if i < 2 else cell.rjust(width)


def _cells(bar: ErrorBar) -> tuple[str, ...]:
    at = "" if bar.time is None else f"{bar.time:g}"
    if bar.error is None:
        return bar.signal, bar.unit, f"{100 * bar.differ:.3g} % of rows differ", "", "", at
    return bar.signal, bar.unit, f"{bar.error:.2g}", f"{bar.scale:.3g}", f"{100 * bar.relative:.2g} %", at


def to_json(bars: Sequence[ErrorBar]) -> list[dict[str, Any]]:
    """All of them for programs."""
    return [{**asdict(bar), "relative": bar.relative if np.isfinite(bar.relative) else None} for bar in bars]
