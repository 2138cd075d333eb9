"""The verbs of the web package, and what it does with each finished run."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

from drawbar.blocks.authoring.errors import DrawbarError, UsageError
from drawbar.blocks.authoring.verbs import Verb
from drawbar.orchestrator.recorder import write_whole
from drawbar.orchestrator.run import Run
from drawbar.web.browser import find_browser, screenshot

PAGE = "plot.html"


def write_page(folder: Path | str, signals: Sequence[str] = (), out: Path | None = None) -> Path:
    """Write the page of a run, to ``plot.html`` in its folder unless `out` says otherwise, and return its path."""
    from drawbar.web.plots import page  # Bokeh takes a while to import

    run = Run(folder)
    path = run.folder / PAGE if out is None else out
    if path.is_dir() or not path.parent.is_dir():
        what = "is a folder" if path.is_dir() else "lies in a folder that does not exist"
        raise UsageError(f"page {path} {what}; name an .html file")
    write_whole(path, page(run, signals).encode())
    return path


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("run", metavar="RUN", type=Path, help="the folder of a run")
    parser.add_argument(
        "--signals",
        metavar="PATTERN",
        nargs="+",
        action="extend",
        default=[],
        help="signals to draw instead of the report's plots: names, or patterns such as 'vehicle.*'",
    )
    parser.add_argument("--out", metavar="FILE", type=Path, help=f"the page to write (default: RUN/{PAGE})")
    parser.add_argument("--png", metavar="FILE", type=Path, help="write a picture as well (needs Chromium or Chrome)")


def _plot(args: argparse.Namespace) -> int:
    path = write_page(args.run, args.signals, args.out)
    if args.png is not None:
        _picture(path, args.png)
    if args.json:
        print(json.dumps({"run": str(args.run), "page": str(path), "png": str(args.png) if args.png else None}))
    else:
        print(path)
        if args.png is not None:
            print(args.png)
    return 0


def _picture(page: Path, picture: Path) -> None:
    if picture.is_dir() or not picture.parent.is_dir():
        what = "is a folder" if picture.is_dir() else "lies in a folder that does not exist"
        raise UsageError(f"picture {picture} {what}; name a .png file. The page is written: {page}")
    browser = find_browser()
    if browser is None:
        raise DrawbarError(
            "a picture needs Chromium or Chrome on PATH and there is none; install one (Debian, Ubuntu: "
            f"apt-get install chromium). The page is written: {page}"
        )
    try:
        screenshot(page, picture, browser)
    except DrawbarError as error:
        raise DrawbarError(f"no picture: {error}. The page is written: {page}") from error


plot = Verb(
    help="write the page of a run: plots, responses, header, in one HTML file that opens offline",
    example="drawbar plot runs/double_lane_change --signals 'vehicle.wheel_load' vehicle.a_y --png loads.png",
    configure=_configure,
    call=_plot,
)
