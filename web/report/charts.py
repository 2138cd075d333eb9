"""The selection of plots: those of the run's report, those of signals given by patterns, or the first signals."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from drawbar.blocks.core.errors import DrawbarError, UsageError
from drawbar.orchestrator.runs.run import Run

CURVES = 8  # maximum in a plot; more colours cannot be distinguished
CHARTS = 16  # maximum on a page


@dataclass(frozen=True)
class Chart:
    """One plot: scalar signals over time or over the signal `against`, or, for a map, the two signals of a path."""

    title: str
    signals: tuple[str, ...]
    labels: tuple[str, ...]
    unit: str
    is_map: bool = False
    against: str = ""
    window: tuple[float, float] | None = None  # s, the time window of a plot over a signal
    is_spectrum: bool = False
    places: tuple[int, ...] = ()  # of the signals among the colours; the first ones by default

    @property
    def over_time(self) -> bool:
        """True if the plot has the common time axis."""
        return not self.is_map and not self.against and not self.is_spectrum

    @property
    def curves(self) -> list[tuple[int, str, str]]:
        """The place among the colours, name and label of each signal."""
        return list(zip(self.places or range(len(self.signals)), self.signals, self.labels, strict=True))


@dataclass
class ChartSelection:
    """The charts of a page, and notes about what was left out."""

    charts: list[Chart] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def select_charts(run: Run, patterns: Sequence[str] = (), against: str = "", spectrum: bool = False) -> ChartSelection:
    """Return the charts of the given patterns; without any, the report's plots.

    Without those, the first signals that change are shown, those of the user's own blocks before those of the library.
    """
    plots = run.info.get("report", {}).get("plots") if isinstance(run.info.get("report"), Mapping) else None
    if spectrum:
        selection = select_charts(run, patterns)
        selection.charts = [replace(c, is_spectrum=True) for c in selection.charts if c.over_time]
        return selection
    if against:
        if not patterns:
            raise UsageError(f"--against {against} needs --signals with what to draw over it")
        selection = _by_unit(run, run.select(patterns))
        given = {"against": against}
        selection.charts = [replace(c, against=_against(run, given, c.signals)) for c in selection.charts]
        return selection
    if patterns:
        return _by_unit(run, run.select(patterns))
    if isinstance(plots, list) and plots:
        return _of_report(run, plots)
    names = _scalars(run, run.signals)
    changing = [name for name in names if run.changes(name)] or names
    own = tuple(f"{part}." for part in run.info.get("own_blocks", ()))
    selection = _by_unit(run, sorted(changing, key=lambda name: not name.startswith(own)))  # the sort is stable
    if len(changing) < len(names):
        selection.notes.append(f"{len(names) - len(changing)} signals that do not change are left out.")
    return selection


def of_difference(selection: ChartSelection, difference: Run, name: str = "difference") -> ChartSelection:
    """Return those charts over time of a selection that show signals which the difference of two runs has.

    Its `name` is in their titles.
    """
    charts = []
    for chart in selection.charts:
        pairs = [(n, t) for n, t in zip(chart.signals, chart.labels, strict=True) if n in difference]
        if chart.over_time and pairs:
            names, labels = zip(*pairs, strict=True)
            charts.append(replace(chart, title=f"{chart.title}: {name}", signals=names, labels=labels))
    return ChartSelection(charts, selection.notes)


def _by_unit(run: Run, names: Iterable[str]) -> ChartSelection:
    """Return one chart per unit of measure, and one for Boolean signals; the first `CURVES` scalars in all."""
    scalars = list(dict.fromkeys(_scalars(run, names)))
    selection = ChartSelection()
    kinds: dict[tuple[str, bool], list[str]] = {}
    for name in scalars[:CURVES]:
        signal = run.signal(name)
        kinds.setdefault((signal.unit, signal.type == "Boolean"), []).append(name)
    for (unit, _), members in kinds.items():
        selection.charts.append(Chart(_title(members), tuple(members), tuple(members), unit))
    if len(scalars) > CURVES:
        selection.notes.append(
            f"The first {CURVES} of {len(scalars)} signals are shown; choose others with drawbar plot RUN --signals."
        )
    return selection


def _of_report(run: Run, plots: Sequence[Any]) -> ChartSelection:
    selection = ChartSelection()
    for number, plot in enumerate(plots[:CHARTS], start=1):
        try:
            selection.charts += _charts(run, plot, selection.notes)
        except DrawbarError as error:
            selection.notes.append(f"Plot {number} of the report is left out: {error}")
    if len(plots) > CHARTS:
        selection.notes.append(f"The first {CHARTS} of the report's {len(plots)} plots are shown.")
    return selection


def _charts(run: Run, plot: Any, notes: list[str]) -> list[Chart]:
    if not isinstance(plot, Mapping):
        raise DrawbarError(f"{plot!r} is not an object")
    title = str(plot.get("title", ""))
    if plot.get("kind") == "map":
        path = tuple(_scalars(run, [str(plot.get("x")), str(plot.get("y"))]))
        x, y = (run.signal(name) for name in path) if len(path) == 2 else (None, None)
        if x is None or y is None or x.period != y.period or x.unit != y.unit:
            raise DrawbarError("the signals x and y of a map must be scalars with the same unit and the same rate")
        return [Chart(title or "Path", path, path, x.unit, is_map=True)]
    names = plot.get("signals")
    if not isinstance(names, list) or not names:
        raise DrawbarError("it has no list 'signals'")
    scalars = _scalars(run, run.select(str(name) for name in names))
    given = plot.get("labels")
    labels = [str(text) for text in given] if isinstance(given, list) else []
    labels = labels if len(labels) == len(scalars) else scalars
    if len(scalars) > CURVES:
        notes.append(f"{title or 'A plot'} shows the first {CURVES} of {len(scalars)} signals.")
    pairs = list(zip(scalars, labels, strict=True))[:CURVES]
    units = dict.fromkeys(run.signal(name).unit for name, _ in pairs)
    charts = []
    for unit in units:
        members, texts = zip(*((n, t) for n, t in pairs if run.signal(n).unit == unit), strict=True)
        against = _against(run, plot, members)
        charts.append(Chart(title or _title(members), members, texts, unit, False, against, _window(run)))
    return charts


def _window(run: Run) -> tuple[float, float] | None:
    """Return the time window of the report in seconds, None if it has none."""
    window = run.info["report"].get("window")
    good = isinstance(window, list) and len(window) == 2 and all(isinstance(t, int | float) for t in window)
    return (float(window[0]), float(window[1])) if good else None


def _against(run: Run, plot: Mapping[str, Any], members: Sequence[str]) -> str:
    """Return the signal over which a plot is drawn; an empty text stands for time."""
    if "against" not in plot:
        return ""
    (name, *rest) = _scalars(run, [str(plot["against"])])
    if rest or any(run.signal(name).period != run.signal(member).period for member in members):
        raise DrawbarError(f"'against' must be a scalar signal with the rate of the others, and {name} is not")
    return name


def _scalars(run: Run, names: Iterable[str]) -> list[str]:
    return [column for name in names for column in run.signal(name).columns]


def _title(names: Sequence[str]) -> str:
    stems = list(dict.fromkeys(name.split("[")[0] for name in names))
    return ", ".join(stems[:3]) + (", ..." if len(stems) > 3 else "")
