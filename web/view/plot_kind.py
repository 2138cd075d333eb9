"""What the plots of a page show: signals over time, differences of runs, spectra, or signals over another signal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from drawbar.blocks.core.errors import UsageError, did_you_mean
from drawbar.web.report.charts import Chart, rate_fault
from drawbar.web.report.cross_plots import DrawnRun, against_figure, spectrum_figure
from drawbar.web.view.plot_layout import Plot
from drawbar.web.view.recording import Recording

TIME, DIFFERENCE, SPECTRUM, AGAINST = "time", "difference", "spectrum", "against"


@dataclass(frozen=True)
class PlotKind:
    """The choice of the reader; `against` is the signal over which others are drawn, or empty."""

    name: str = TIME
    against: str = ""

    @property
    def over_time(self) -> bool:
        """Whether the plots have the common time axis."""
        return self.name in (TIME, DIFFERENCE)


def read_kind(name: Any, against: Any, recordings: Mapping[str, Recording]) -> PlotKind:
    """Return the kind that a browser asks for; raise `UsageError` if there is none like it."""
    if name not in (TIME, DIFFERENCE, SPECTRUM, AGAINST):
        raise UsageError("the page asked for an unknown kind of plot; reload it")
    if name != AGAINST or not against:
        return PlotKind(name)
    known = [scalar for one in recordings.values() for signal in one.run.signals.values() for scalar in signal.columns]
    if not isinstance(against, str) or against not in known:
        raise UsageError(
            f"none of the shown runs has a scalar '{str(against)[:80]}'{did_you_mean(str(against)[:80], known)}"
        )
    return PlotKind(AGAINST, against)


def cross_plot(
    kind: PlotKind, plot: Plot, recordings: Mapping[str, Recording], styles: Mapping[str, int], notes: list[str]
) -> Any:
    """Return the figure of a plot as spectra or over another signal, None if there is nothing to draw.

    What is left out is added to the `notes`.
    """
    if kind == PlotKind(AGAINST):
        return None
    runs = [DrawnRun(name.rpartition("/")[2], one.run, styles[name]) for name, one in recordings.items()]
    names = [name for name in plot.names if any(name in drawn.run for drawn in runs)]
    if kind.name == AGAINST:
        names = [name for name in names if _has_rate_of(kind.against, name, runs, notes)]
    if not names:
        return None
    # the run that has all of them gives the units of the axes
    needed: Sequence[str] = [*names, *([kind.against] if kind.against else [])]
    runs.sort(key=lambda drawn: not all(name in drawn.run for name in needed))
    names = [name for name in names if name in runs[0].run]
    if (kind.against and kind.against not in runs[0].run) or not names:
        return None
    places = tuple(plot.colours[name] for name in names)
    last = [name.rpartition(".")[2] for name in names]
    labels = last if len(runs) > 1 and len(set(last)) == len(last) else names  # beside the names of runs
    chart = Chart("", tuple(names), tuple(labels), plot.unit, against=kind.against, places=places)
    return spectrum_figure(chart, runs, notes) if kind.name == SPECTRUM else against_figure(chart, runs, notes)


def _has_rate_of(against: str, name: str, runs: Sequence[DrawnRun], notes: list[str]) -> bool:
    both = [drawn.run for drawn in runs if name in drawn.run and against in drawn.run]
    faults = [rate_fault(run, name, against) for run in both]
    if not all(faults):
        return True  # the runs without it are noted with the figure
    notes += dict.fromkeys(faults)
    return False
