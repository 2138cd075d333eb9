"""Values that zigzag from one macro step to the next, because the step is too long for the coupling of a loop.

Parts that act on each other through extrapolated or held values are stable up to some macro step only. Near it an error
changes its sign at every step and decays slowly; beyond it the error grows until something bounds it, such as a wheel
that leaves the ground. A signal that its steps resolve does not turn at step after step, so the recorded rows show it.
White noise does for a while: the chance that it turns at n rows in succession is about (2/pi)^n (alternating
permutations, Andre 1881), so a zigzag counts if noise would have one in N rows with a chance of less than (2/pi)^12.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from drawbar.diagrams.checks.loops import strong_components
from drawbar.diagrams.model.connection import End
from drawbar.diagrams.model.diagram import Diagram
from drawbar.orchestrator.runs.run import Run

TURNS = 12  # the least number of steps in succession at which a value turns, beyond what is expected of noise
LEAST_SHARE = 0.01  # of the range of the signal up to there: the least change from step to step
GROWTH = 2.0  # of the change from step to step over a zigzag that grows
AT_ONCE = 64  # columns that are read together: few enough for the memory of a long run
ROUNDING = 1e-6  # of the largest magnitude, or of 1 in the unit of the signal: the range of a value at rest


def outputs_in_loops(diagram: Diagram) -> list[str]:
    """Return the continuous outputs, as ``part.port``, through which the parts of a loop act on each other.

    Sampled parts break a loop. The diagram must be flat and free of faults.
    """
    outputs: dict[tuple[str, str], dict[str, None]] = {}
    for c in diagram.connections:
        a, b, port = c.start.part, c.end.part, diagram.port(c.start)
        if a is None or b is None or a == b or port is None:
            continue
        continuous = port.type == "Real" and port.variability == "continuous"
        if continuous and not any(diagram.parts[name].interface.sampled for name in (a, b)):
            outputs.setdefault((a, b), {})[str(diagram.whole(c.start))] = None
    graph: dict[End, list[End]] = {End(name, ""): [] for name in diagram.parts}
    for a, b in outputs:
        graph[End(a, "")].append(End(b, ""))
    loop_of = {end.part: i for i, loop in enumerate(strong_components(graph)) for end in loop}
    inside = [names for (a, b), names in outputs.items() if a in loop_of and loop_of[a] == loop_of.get(b)]
    return list(dict.fromkeys(name for names in inside for name in names))


def oscillation_warning(run: Run) -> str | None:
    """Return a warning that names the signal with the longest zigzag, or None if no recorded signal has one."""
    names = [name for name in run.info.get("outputs_in_loops", []) if name in run]
    if not names:
        return None
    step, signals, found = Fraction(run.info["step"]), [run.signal(name) for name in names], []
    columns = [column for signal in signals if signal.period == step for column in signal.columns]
    for first in range(0, len(columns), AT_ONCE):
        times, *rows = run.read(step, ["time", *columns[first : first + AT_ONCE]])
        for column, row in zip(columns[first:], rows, strict=False):
            turns, begin = longest_zigzag(row)
            if turns >= least_turns(len(row)):
                changes = np.abs(np.diff(row[begin : begin + turns + 2]))
                grows = bool(changes[-1] > GROWTH * changes[0])
                found.append((grows, turns, column, times[begin], float(changes.max())))
    if not found:
        return None
    grows, turns, column, begin, most = max(found, key=lambda zigzag: zigzag[:2])
    more = len(found) - 1
    others = f", and {more} more {'signal does' if more == 1 else 'signals do'} likewise" if more else ""
    return (
        f"{column} turns at each of {turns} steps from t = {begin:g} s on, {'growing to' if grows else 'by up to'} "
        f"{most:.3g} from one step to the next{others}: the macro step of {float(step):g} s is too long for the loop "
        "of parts that exchange it, and these values are wrong; halve it until this ends (a run with --check measures "
        "the error)"
    )


def least_turns(rows: int) -> float:
    """Return the number of turns in succession from which on a zigzag counts in that many rows."""
    return TURNS + math.log(max(rows, 1)) / math.log(math.pi / 2.0)


def longest_zigzag(values: NDArray[np.float64]) -> tuple[int, int]:
    """Return at how many rows in succession a signal turns, and the row before the first of them.

    Changes below 1 % of the range up to there do not count, so that an error counts from its beginning however fast it
    grows; nor does a zigzag that stays below 1 % of the whole range, or a range that is only the rounding of a value at
    rest.
    """
    if len(values) < 3:
        return 0, 0
    highest, lowest = np.maximum.accumulate(values), np.minimum.accumulate(values)
    span, size = highest - lowest, np.maximum(1.0, np.maximum(highest, -lowest))
    d = np.diff(values)
    large = np.abs(d) > np.maximum(LEAST_SHARE * span, ROUNDING * size)[1:]
    turns = np.concatenate([[False], (np.sign(d[1:]) * np.sign(d[:-1]) < 0.0) & large[1:] & large[:-1], [False]])
    edges = np.flatnonzero(np.diff(turns.astype(np.int8)))
    runs = [
        (int(end - begin), int(begin))
        for begin, end in zip(edges[::2], edges[1::2], strict=True)
        if np.abs(d[begin:end]).max() > LEAST_SHARE * span[-1]  # without the change that ends it
    ]
    return max(runs, key=lambda run: run[0], default=(0, 0))
