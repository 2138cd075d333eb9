"""Samples that a finished run should have and has not, because files were deleted or not copied."""

from __future__ import annotations

from drawbar.orchestrator.runs.recorder import SIGNALS, period_of
from drawbar.orchestrator.runs.run import Run


def gaps(run: Run) -> list[str]:
    """Return a sentence for each rate of a successful run whose samples do not reach its end.

    A run that failed, was killed or is still running has no known end and so no gaps.
    """
    if run.outcome != "ok":
        return []
    recorded = {signal.period: name for name, signal in run.signals.items()}
    root = run.folder / SIGNALS
    places = sorted(p for p in root.iterdir() if p.is_dir() and period_of(p.name)) if root.is_dir() else []
    found = [f"{p} holds no file of samples" for p in places if period_of(p.name) not in recorded]
    if not recorded and not found:
        found.append(f"{root} does not exist" if not root.exists() else f"{root} holds no samples")
    end = run.timing.get("simulated_s", run.info.get("stop"))
    for period, name in recorded.items():
        time = run.time(name)
        last = float(time[-1]) if len(time) else 0.0
        if isinstance(end, int | float) and last + float(period) <= end * (1 - 1e-12):
            found.append(f"the samples every {float(period):g} s end at t = {last:g} s, the run at t = {end:g} s")
    return found
