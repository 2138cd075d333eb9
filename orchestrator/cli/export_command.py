"""``drawbar export``: the signals of a run as files of other programs."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from drawbar.blocks.core.errors import UsageError
from drawbar.orchestrator.runs.run import Run


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``drawbar export``."""
    parser.add_argument("run", help="folder of a run")
    form = parser.add_mutually_exclusive_group(required=True)
    form.add_argument("--csv", action="store_true", help="CSV tables, one for each rate, with metadata beside them")
    form.add_argument("--mat", action="store_true", help="a MAT file of version 5, for MATLAB, Octave and scipy")
    form.add_argument(
        "--mcap", action="store_true", help="an MCAP file for Foxglove, one topic for each part; needs 'drawbar[mcap]'"
    )
    parser.add_argument(
        "--record", action="append", metavar="PATTERN", help="signals to export, such as 'vehicle.*'; may be repeated"
    )
    parser.add_argument(
        "--out", metavar="FILE", help="file to write; default: <run>.csv, .mat or .mcap, in this folder"
    )


def call(options: argparse.Namespace) -> int:
    """Write the files and print their names."""
    from drawbar.orchestrator.runs.export import export_csv, export_mat  # scipy takes a while
    from drawbar.orchestrator.runs.export_mcap import export_mcap

    run, kind = Run(options.run), next(kind for kind in ("csv", "mat", "mcap") if getattr(options, kind))
    file = Path(options.out) if options.out else Path(f"{run.folder.resolve().name}.{kind}")
    if file.suffix != f".{kind}":
        raise UsageError(f"--out {file}: name the file *.{kind}")
    written = {"csv": export_csv, "mat": export_mat, "mcap": export_mcap}[kind](run, file, options.record or ["*"])
    if options.json:
        print(json.dumps({"files": [str(path) for path in written], "complete": run.complete}))
        return 0
    for path in written:
        print(path)
    if not run.complete:
        print(f"the run was not finished: its {len(run.signals)} signals go up to its last complete file")
    return 0
