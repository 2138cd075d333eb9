"""The selection of plots: those of the report, of given signals, or the first ones that change or differ most."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from drawbar.blocks.core.errors import DrawbarError, UsageError
from drawbar.orchestrator.runs.difference import RunDifference
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
    if plots := _plots(run):
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


def select_difference(
    run: Run, difference: RunDifference, patterns: Sequence[str] = (), name: str = "difference"
) -> ChartSelection:
    """Return the charts of the difference of another run to a run: of the given patterns, or of the report's plots.

    Without those, the signals that differ most, relative to their range, are shown. Notes state what was left out.
    """
    if patterns:
        given = list(dict.fromkeys(_scalars(run, run.select(patterns))))
        candidates = [n for n in given if n in difference]
        selection = _by_unit(difference, _most_different(difference, candidates)[:CURVES])
        if missing := [n for n in given if n not in difference]:
            selection.notes.append(
                f"{_listed(missing)}: left out, since the other run has no such signal of the same unit, type and size."
            )
    else:
        common = _scalars(difference, difference.signals)
        candidates = [n for n, share in difference.shares(common).items() if share]
        selection = _of_report(run, plots) if (plots := _plots(run)) else ChartSelection()
        if not set(candidates) & {n for chart in selection.charts if chart.over_time for n in chart.signals}:
            names = _most_different(difference, candidates) or [n for n in common if run.changes(n)] or common
            selection.charts = _by_unit(difference, names[:CURVES]).charts
        if not candidates:
            what = "differ in none of their common signals" if common else "have no common signals of one unit"
            selection.notes.append(f"The two runs {what}.")
    selection = of_difference(selection, difference, name)
    shown = {n for chart in selection.charts for n in chart.signals}
    if more := [n for n in _most_different(difference, candidates) if n not in shown]:
        what = ("given " if patterns else "") + ("signal" if len(more) == 1 else "signals")
        selection.notes.append(
            f"Left out: {len(more)} further {what}{'' if patterns else ' with a difference'}, first of all "
            f"{_listed(more)}; choose with --signals."
        )
    return selection


def _most_different(difference: RunDifference, names: Sequence[str]) -> list[str]:
    """Return scalars by their largest difference relative to their range, the largest first."""
    return sorted(names, key=difference.shares(list(names)).__getitem__, reverse=True)  # the sort is stable


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:3]) + (", ..." if len(names) > 3 else "")


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


def _plots(run: Run) -> list[Any]:
    """Return the plots of the report of a run; empty without any."""
    report = run.info.get("report")
    plots = report.get("plots") if isinstance(report, Mapping) else None
    return plots if isinstance(plots, list) else []


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
    given = str(plot["against"])
    (name, *rest) = _scalars(run, [given])
    if rest:
        raise DrawbarError(
            f"'against' must be a scalar signal, and {given} is an array; name one element, such as {name}"
        )
    for member in members:
        if fault := rate_fault(run, member, name):
            raise DrawbarError(fault)
    return name


def rate_fault(run: Run, name: str, against: str) -> str:
    """Return why a signal cannot be drawn over another one, whose rate must be the same; empty if it can."""
    ours, theirs = (float(run.signal(n).period) for n in (name, against))
    if ours == theirs:
        return ""
    return (
        f"{name} is recorded every {ours:g} s and {against} every {theirs:g} s: "
        "a signal is drawn over another one of the same rate only"
    )


def _scalars(run: Run, names: Iterable[str]) -> list[str]:
    return [column for name in names for column in run.signal(name).columns]


def _title(names: Sequence[str]) -> str:
    return _listed(list(dict.fromkeys(name.split("[")[0] for name in names)))
