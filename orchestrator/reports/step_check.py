"""``drawbar run --check``: the error of a run, from the same run at half the macro step (Richardson).

With an error of C H^p, the run at H/2 is nearer by (1 - 2^-p) C H^p, so the error at H is their difference times
2^p/(2^p - 1): 4/3 of it for a scheme of second order, twice for one of first order. That holds if the step is small
enough for the order to show, and if events fall alike in both runs. Where one does not, the difference jumps as the
signal itself does, whatever the step, and the error is marked as one that need not shrink with it. For whole numbers
and flags only the rows that differ are counted.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from drawbar.diagrams.model.diagram import Diagram
from drawbar.orchestrator.reports import latency
from drawbar.orchestrator.runs.run import Run, Signal

LARGE_ERROR = 0.01  # share of the largest value of a signal, above which advice is printed
# the difference jumps if it changes by more than this share of its largest value from one row to the next
JUMP_SHARE = 0.5
# a signal jumps if it changes by more than this times the change before and after; about 1 if smooth, 2 at an extremum
JUMP_RATIO = 4.0


@dataclass
class StepCheck:
    """The run beside the same run at half the macro step: error bars, latency around loops, and costs of the parts."""

    run: Run
    half: Run

    def text(self, diagram: Diagram) -> str:
        """Return the check as text."""
        order = self.run.info["order"]
        bars = error_bars(self.run, self.half, order)
        head = (
            f"error that the coupling adds, from a second run at half the macro step (order {order} in the step;\n"
            "without the integration error inside the parts):"
        )
        late = latency.latencies(diagram)
        parts = [f"\n{head}\n{error_table(bars)}"]
        if late:
            parts.append(f"\nlatency of a signal around each loop:\n{latency.table(late)}")
        parts.append(f"\ncost of the parts, from one step in 256:\n{self._costs()}")
        return "\n".join(parts)

    def to_json(self, diagram: Diagram) -> dict[str, Any]:
        """Return the check for JSON."""
        return {
            "errors": errors_to_json(error_bars(self.run, self.half, self.run.info["order"])),
            "loops": latency.to_json(latency.latencies(diagram)),
            "half_step_run": str(self.half.folder),
        }

    def _costs(self) -> str:
        parts = self.run.timing["parts"]
        whole = sum(p["steps"] * p["us_per_step"] for p in parts.values())
        width = max(map(len, parts), default=0)
        return "\n".join(
            f"  {name:{width}}  {p['steps']:>9} steps  {p['us_per_step']:>9.3g} us  "
            f"{100 * p['steps'] * p['us_per_step'] / max(whole, 1e-30):5.1f} %"
            for name, p in sorted(parts.items(), key=lambda item: -item[1]["steps"] * item[1]["us_per_step"])
        )


@dataclass(frozen=True)
class ErrorBar:
    """The largest error of one signal, in its unit, the largest value in either run, and the time of the error.

    For an array it is the element with the largest error. `differ` is the share of rows that differ at all; for whole
    numbers and flags `time` is that of the first of them. `converges` is False if an event falls differently in the two
    runs, so that the error need not shrink with the step; None for whole numbers, flags and fewer than three rows.
    `until` is the last time compared, if one of the runs continues after it.
    """

    signal: str
    unit: str
    type: str
    error: float | None  # None for whole numbers and flags
    scale: float
    differ: float
    time: float | None  # None where nothing differs
    converges: bool | None
    until: float | None

    @property
    def relative(self) -> float:
        """The error over the largest value; for whole numbers and flags the share of rows that differ."""
        if self.error is None:
            return self.differ
        return self.error / self.scale if self.error > 0.0 else 0.0


def error_bars(run: Run, half: Run, order: int) -> list[ErrorBar]:
    """Return the errors of the signals of `run`, worst first.

    Signals and times that only one of the two runs has are left out.
    """
    bars = [bar for name in run.signals if name in half for bar in _bar(run, half, run.signal(name), order)]
    return sorted(bars, key=lambda bar: (-bar.relative, bar.signal))


def _bar(run: Run, half: Run, signal: Signal, order: int) -> Iterator[ErrorBar]:
    times, others = run.time(signal.name), half.time(signal.name)
    # equal times are equal numbers: both are whole ticks over a whole number, rounded once
    place = np.minimum(np.searchsorted(others, times), len(others) - 1)
    common = others[place] == times
    if not common.any():
        return
    t = times[common]
    ours, theirs = _flat(run[signal.name][common]), _flat(half[signal.name][place[common]])
    deviation = np.abs(ours - theirs)
    differing = deviation > 0.0
    real = signal.type == "Real"
    row, column = (int(i) for i in np.unravel_index(int(np.argmax(deviation if real else differing)), deviation.shape))
    x, y = ours[:, column], theirs[:, column]
    factor = 2**order / (2**order - 1)
    yield ErrorBar(
        signal=signal.columns[column],
        unit=signal.unit,
        type=signal.type,
        error=float(deviation[row, column]) * factor if real else None,
        scale=float(max(np.abs(x).max(), np.abs(y).max())),
        differ=float(differing.any(axis=1).mean()),
        time=float(t[row]) if differing[row, column] else None,
        converges=_converges(x, y) if real and len(t) > 2 else None,
        until=_until(
            float(t[-1]), max(float(times[-1]), float(others[-1])), signal.period, half.signal(signal.name).period
        ),
    )


def _flat(values: NDArray[Any]) -> NDArray[np.float64]:
    return values.reshape(len(values), -1).astype(float)


def _converges(x: NDArray[np.float64], y: NDArray[np.float64]) -> bool:
    """Return whether the difference varies smoothly, or jumps only where the signal does not."""
    deviation = x - y
    jumps = np.abs(np.diff(deviation))
    i = int(np.argmax(jumps))
    if jumps[i] <= JUMP_SHARE * np.abs(deviation).max():
        return True
    for values in (x, y):
        changes = np.abs(np.diff(values))
        beside = max(changes[j] for j in (i - 1, i + 1) if 0 <= j < len(changes))
        if changes[i] > JUMP_RATIO * beside:
            return False
    return True


def _until(last: float, end: float, period: Fraction, other: Fraction) -> float | None:
    """Return the last common time if there would have been another one before the longer run ends, else None."""
    both = Fraction(
        math.lcm(period.numerator * other.denominator, other.numerator * period.denominator),
        period.denominator * other.denominator,
    )
    return last if end - last > both - min(period, other) / 2 else None


def error_table(bars: Sequence[ErrorBar], limit: int = 12) -> str:
    """Return the largest errors as text, with advice if one is large."""
    if not bars:
        return "  no common signals"
    shown = [_cells(bar) for bar in bars[:limit]]
    heading = ("signal", "unit", "error", "of", "", "at t, s")
    widths = [max(len(row[i]) for row in [heading, *shown]) for i in range(len(heading))]
    lines = ["  " + "  ".join(_align(i, c, widths[i]) for i, c in enumerate(row)).rstrip() for row in [heading, *shown]]
    if len(bars) > limit:
        lines.append(f"  and {len(bars) - limit} more with smaller errors")
    return "\n".join([*lines, *_advice(bars)])


def _advice(bars: Sequence[ErrorBar]) -> list[str]:
    lines = []
    large = [bar for bar in bars if bar.error is not None and bar.relative > LARGE_ERROR]
    if smooth := next((bar for bar in large if bar.converges is not False), None):
        lines.append(f"  the error of {smooth.signal} is above {100 * LARGE_ERROR:g} %: take a shorter step")
    if jumping := next((bar for bar in large if bar.converges is False), None):
        lines.append(
            f"  {jumping.signal} jumps at {jumping.time:g} s in one run and not in the other: at an event, a shorter "
            "step moves the jump but does not make its error smaller; without one, take a shorter step"
        )
    if ends := [bar.until for bar in bars if bar.until is not None]:
        lines.append(f"  compared up to {max(ends):g} s, where the shorter of the two runs ends")
    return lines


def _align(i: int, cell: str, width: int) -> str:
    return cell.ljust(width) if i < 2 else cell.rjust(width)


def _cells(bar: ErrorBar) -> tuple[str, ...]:
    at = "" if bar.time is None else f"{bar.time:g}"
    if bar.error is None:
        return bar.signal, bar.unit, f"{100 * bar.differ:.3g} % of rows differ", "", "", at
    return bar.signal, bar.unit, f"{bar.error:.2g}", f"{bar.scale:.3g}", f"{100 * bar.relative:.2g} %", at


def errors_to_json(bars: Sequence[ErrorBar]) -> list[dict[str, Any]]:
    """Return all errors for JSON."""
    return [{**asdict(bar), "relative": bar.relative} for bar in bars]
