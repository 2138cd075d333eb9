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
    parser.add_argument(
        "--record", action="append", metavar="PATTERN", help="signals to export, such as 'vehicle.*'; may be repeated"
    )
    parser.add_argument("--out", metavar="FILE", help="file to write; default: <run>.csv or <run>.mat, in this folder")


def call(options: argparse.Namespace) -> int:
    """Write the files and print their names."""
    from drawbar.orchestrator.runs.export import export_csv, export_mat  # scipy takes a while

    run, kind = Run(options.run), "csv" if options.csv else "mat"
    file = Path(options.out) if options.out else Path(f"{run.folder.resolve().name}.{kind}")
    if file.suffix != f".{kind}":
        raise UsageError(f"--out {file}: name the file *.{kind}")
    written = (export_csv if options.csv else export_mat)(run, file, options.record or ["*"])
    if options.json:
        print(json.dumps({"files": [str(path) for path in written], "complete": run.complete}))
        return 0
    for path in written:
        print(path)
    if not run.complete:
        print(f"the run was not finished: its {len(run.signals)} signals go up to its last complete file")
    return 0
