"""The pages of a finished run, such as the plot page, which other packages write."""

from __future__ import annotations

from importlib.metadata import entry_points
from pathlib import Path

WRITERS = "drawbar.reports"  # group of entry points: functions that take a run folder and return the file they wrote


def write_pages(folder: Path | str) -> list[Path]:
    """Write the pages of a run into its folder, as ``drawbar run`` does at its end, and return their paths."""
    writers = [entry.load() for entry in sorted(entry_points(group=WRITERS), key=lambda entry: entry.name)]
    return [Path(write(Path(folder))) for write in writers]
