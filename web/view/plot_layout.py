"""The layout of plots: which signals each plot shows, and the colour of each signal."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from drawbar.blocks.core.errors import UsageError
from drawbar.orchestrator.runs.run import Signal
from drawbar.web.report.charts import CURVES

MAX_PLOTS = 12  # on a page


@dataclass(eq=False)
class Plot:
    """Scalar signals of one unit of measure over time; `colours` are indices in the palette."""

    unit: str
    boolean: bool
    colours: dict[str, int] = field(default_factory=dict)

    @property
    def names(self) -> tuple[str, ...]:
        """The scalar signals in the order in which they were added."""
        return tuple(self.colours)

    def add(self, name: str) -> None:
        """Add a scalar, in the first free colour."""
        taken = set(self.colours.values())
        self.colours[name] = next(i for i in range(CURVES) if i not in taken)


class PlotLayout:
    """The plots of a page from top to bottom."""

    def __init__(self) -> None:
        self.plots: list[Plot] = []

    @property
    def names(self) -> list[str]:
        """All plotted scalars."""
        return [name for plot in self.plots for name in plot.names]

    def toggle(self, signal: Signal, alone: bool = False) -> None:
        """Plot a signal, or remove it if it is plotted; an array stands for all its elements.

        Signals of one unit of measure share a plot as long as there are free colours, unless `alone` asks for a
        plot of its own.
        """
        plotted = set(self.names)
        if all(column in plotted for column in signal.columns):
            self.remove(signal.columns)
            return
        self.add(signal, alone)

    def add(self, signal: Signal, alone: bool = False) -> None:
        """Plot the elements of a signal that are not plotted yet."""
        plotted = set(self.names)
        new = [column for column in signal.columns if column not in plotted]
        if len(new) > CURVES:
            raise UsageError(
                f"{signal.name} has {len(new)} elements, but a plot shows at most {CURVES}; choose some in the list"
            )
        boolean = signal.type == "Boolean"
        candidates = [
            p
            for p in self.plots
            if (p.unit, p.boolean) == (signal.unit, boolean) and len(p.colours) + len(new) <= CURVES
        ]
        if new and (alone or not candidates):
            if len(self.plots) >= MAX_PLOTS:
                raise UsageError(f"there are already {MAX_PLOTS} plots, the maximum; remove one first")
            candidates = [Plot(signal.unit, boolean)]
            self.plots += candidates
        for name in new:
            candidates[0].add(name)

    def restore(self, groups: Sequence[Sequence[Signal]]) -> None:
        """Make one plot of each group of scalars, of those with the unit of the first."""
        self.plots = []
        for group in groups[:MAX_PLOTS]:
            plot = Plot(group[0].unit, group[0].type == "Boolean")
            for signal in group:
                fits = (signal.unit, signal.type == "Boolean") == (plot.unit, plot.boolean) and not signal.shape
                if fits and signal.name not in self.names and len(plot.colours) < CURVES:
                    plot.add(signal.name)
            self.plots += [plot] if plot.colours else []

    def remove(self, names: tuple[str, ...]) -> None:
        """Remove scalars, and plots that become empty."""
        self.keep(lambda name: name not in names)

    def keep(self, wanted: Callable[[str], bool]) -> None:
        """Remove all scalars except those wanted."""
        for plot in self.plots:
            plot.colours = {name: colour for name, colour in plot.colours.items() if wanted(name)}
        self.plots = [plot for plot in self.plots if plot.colours]
