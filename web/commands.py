"""The verb ``drawbar plot``, and the page that is written for each finished run."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from drawbar.blocks.core.errors import DrawbarError, UsageError
from drawbar.orchestrator.runs.difference import Deviation, RunDifference
from drawbar.orchestrator.runs.recorder import write_whole
from drawbar.orchestrator.runs.run import Run
from drawbar.web.report.html_page import is_page
from drawbar.web.report.run_folder import missing_samples
from drawbar.web.report.screenshot import find_browser, screenshot

PAGE = "plot.html"


def write_page(
    folder: Path | str,
    signals: Sequence[str] = (),
    out: Path | None = None,
    others: Sequence[Path] = (),
    against: str = "",
    spectrum: bool = False,
    difference: RunDifference | None = None,
) -> Path:
    """Write the page of a run to `out`, by default to ``plot.html`` in the run's folder, and return its path.

    The `others` are drawn over it, instead of the cases of its report. The signals are drawn over `against`, if it is
    given, instead of time; `spectrum` draws their power spectral densities, `difference` the signals of the only other
    run less those of the run.

    Raise `UsageError` if `out` exists and is not a page written by Drawbar.
    """
    from drawbar.web.report.run_page import run_page  # the import of Bokeh is slow

    if against and spectrum:
        raise UsageError(f"--against {against} and --spectrum exclude each other: a spectrum is drawn over frequency")
    run = Run(folder)
    path = run.folder / PAGE if out is None else out
    if reason := _unwritable(path):
        raise UsageError(f"page {path} {reason}; name an .html file")
    if out is not None and path.exists() and not is_page(path):
        raise UsageError(f"page {path} exists and was not written by drawbar; name another file, or delete it first")
    write_whole(path, run_page(run, signals, [Run(other) for other in others], against, spectrum, difference).encode())
    return path


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``drawbar plot``."""
    parser.add_argument("run", metavar="RUN", type=Path, help="folder of a run")
    parser.add_argument(
        "--signals",
        metavar="PATTERN",
        nargs="+",
        action="extend",
        default=[],
        help="signals to plot instead of those of the report: names, or patterns such as 'vehicle.*'",
    )
    parser.add_argument(
        "--over", metavar="RUN", nargs="+", action="extend", type=Path, default=[], help="runs to draw over this one"
    )
    parser.add_argument(
        "--against", metavar="SIGNAL", default="", help="draw --signals over this signal, not over time"
    )
    parser.add_argument(
        "--spectrum", action="store_true", help="draw power spectral densities (Welch) of the signals, not their times"
    )
    parser.add_argument(
        "--difference",
        action="store_true",
        help="draw the signals of --over RUN less those of this run, and print the largest differences",
    )
    parser.add_argument("--out", metavar="FILE", type=Path, help=f"page to write (default: RUN/{PAGE})")
    parser.add_argument("--png", metavar="FILE", type=Path, help="also write a picture (needs Chromium or Chrome)")


def call(args: argparse.Namespace) -> int:
    """Call ``drawbar plot`` and return its exit code."""
    if args.out is not None and args.out.suffix.lower() in (".png", ".jpg", ".jpeg", ".svg", ".pdf"):
        raise UsageError(f"--out {args.out}: the page is HTML; name it {args.out.with_suffix('.html')}, or use --png")
    if args.png is not None and not args.png.is_dir() and args.png.suffix.lower() != ".png":
        raise UsageError(f"--png {args.png}: the picture is a PNG file; name it {args.png.with_suffix('.png')}")
    difference = _difference(args) if args.difference else None
    path = write_page(args.run, args.signals, args.out, args.over, args.against, args.spectrum, difference)
    if args.png is not None:
        _write_picture(path, args.png)
    missing = missing_samples(Run(args.run))
    found, notes = _told(args, difference)
    if args.json:
        facts = {"run": str(args.run), "page": str(path), "png": str(args.png) if args.png else None}
        differences = {"differences": [_plain(one) for one in found]} if args.difference else {}
        print(json.dumps({**facts, "notes": notes, "missing": missing, **differences}, allow_nan=False))
    else:
        for text in (*map(_sentence, found), *notes):
            print(text)
        print(path)
        if args.png is not None:
            print(args.png)
        for text in missing:
            print(f"drawbar plot: files of the run are missing: {text}", file=sys.stderr)
    return 1 if missing else 0


def _difference(args: argparse.Namespace) -> RunDifference:
    if len(args.over) != 1 or args.against or args.spectrum:
        raise UsageError("--difference needs one other run, --over RUN, and is drawn over time only")
    return RunDifference(Run(args.run), Run(args.over[0]))


def _told(args: argparse.Namespace, difference: RunDifference | None) -> tuple[list[Deviation], list[str]]:
    """Return the differences of the drawn signals, the largest relative to its range first, and what was left out."""
    from drawbar.web.report.charts import select_charts, select_difference

    run = Run(args.run)
    if difference is None:
        return [], select_charts(run, args.signals, args.against, args.spectrum).notes if args.signals else []
    choice = select_difference(run, difference, args.signals)
    drawn = dict.fromkeys(name for chart in choice.charts for name in chart.signals)
    return [difference.deviation(name) for name in sorted(drawn, key=difference.share, reverse=True)], choice.notes


def _plain(found: Deviation) -> dict[str, Any]:
    """Return a deviation for JSON, which has no NaN."""
    return {key: None if value != value else value for key, value in asdict(found).items()}


def _sentence(found: Deviation) -> str:
    from drawbar.web.report.style import deviation_texts  # the import of Bokeh is slow

    name, largest, at, rms = deviation_texts(found)
    return f"{name}: largest difference {largest} at {at}, RMS {rms}" if at else f"{name}: {largest}"


def _unwritable(path: Path) -> str | None:
    """Return why no file can be written at a path, or None."""
    if path.is_dir():
        return "is a folder"
    return None if path.parent.is_dir() else "lies in a folder that does not exist"


def _write_picture(page: Path, picture: Path) -> None:
    if reason := _unwritable(picture):
        raise UsageError(f"picture {picture} {reason}; name a .png file. The page is written: {page}")
    browser = find_browser()
    if browser is None:
        raise DrawbarError(
            "no picture: Chromium or Chrome is needed on PATH, and there is none; install one (Debian, Ubuntu: "
            f"apt-get install chromium). The page is written: {page}"
        )
    try:
        screenshot(page, picture, browser)
    except DrawbarError as error:
        raise DrawbarError(f"no picture: {error}. The page is written: {page}") from error
