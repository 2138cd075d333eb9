"""The verb ``drawbar view``: the page of runs and diagrams, or the picture of a diagram as a file."""

from __future__ import annotations

import argparse
import json
import os
import sys
import threading
import webbrowser
from pathlib import Path

from drawbar.blocks.authoring.registry import open_workspace
from drawbar.blocks.core.errors import UsageError
from drawbar.diagrams.commands import DIAGRAM, write_picture
from drawbar.diagrams.library import find, names
from drawbar.diagrams.ssp.ssp_archive import FILE
from drawbar.fmus.commands import add_workspace
from drawbar.orchestrator.runs.recorder import RUN_FILE

RUNS = "runs"  # the folder to which drawbar run writes


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``drawbar view``."""
    parser.add_argument(
        "what",
        metavar="RUN|DIAGRAM|FOLDER",
        nargs="?",
        help=f"a run, a folder of runs (default: {RUNS}), or a diagram: {DIAGRAM}",
    )
    parser.add_argument(
        "--svg", metavar="FILE", help="write the picture of the diagram to an SVG file instead of opening the page"
    )
    parser.add_argument(
        "--system", metavar="NAME", help="with --svg: draw the inside of this system, such as axle.left"
    )
    parser.add_argument("--port", type=int, default=0, metavar="N", help="TCP port (default: a free one)")
    parser.add_argument("--no-browser", action="store_true", help="only print the address (implied by --json)")
    add_workspace(parser)


def call(args: argparse.Namespace) -> int:
    """Call ``drawbar view`` and return its exit code."""
    if args.workspace:
        open_workspace(args.workspace)
    if args.svg is not None:
        if args.what is None:
            raise UsageError("--svg FILE needs the name of a diagram")
        return write_picture(args.what, args.svg, args.system, args.workspace, args.json)
    if args.system is not None:
        raise UsageError("--system NAME needs --svg FILE, which draws the inside of that system")
    if not 0 <= args.port <= 65535:
        raise UsageError(f"--port {args.port}: ports are from 1 to 65535")
    root, run, diagram = _resolve(args.what, args.workspace)
    return _serve(root, run, diagram, args)


def _resolve(what: str | None, workspace: str | None) -> tuple[Path, Path | None, Path | None]:
    """Return the folder of runs, the run and the diagram that the argument names."""
    if what is None:
        return Path(RUNS), None, None
    path = Path(what)
    if (path / RUN_FILE).is_file():
        return path.resolve().parent, path, None
    if path.is_dir() and not (path / FILE).is_file():
        has_runs = next(path.glob(f"*/{RUN_FILE}"), None) is not None
        return path if has_runs or not (path / RUNS).is_dir() else path / RUNS, None, None
    try:
        return Path(RUNS), None, find(what, workspace)
    except UsageError as error:
        if path.exists():
            raise
        raise UsageError(f"there is no run, folder or diagram '{what}' ({error})") from None


def _serve(root: Path, run: Path | None, diagram: Path | None, args: argparse.Namespace) -> int:
    from drawbar.web.view.catalogue import (
        Catalogue,  # the import of Bokeh is slow
        Pictures,
    )
    from drawbar.web.view.server import ViewServer

    catalogue = Catalogue(root, run)
    pictures = Pictures(diagram)
    chosen = None if run is None else run.resolve().name
    name = str(args.what) if diagram is not None else names()[0]
    hints = {
        "tab": "diagram" if diagram is not None and chosen is None else "plots",
        "no_runs": f"No runs in {root} yet. Start one in a terminal and it will appear here:\ndrawbar run {name}",
    }
    title = pictures.name or root.resolve().name
    server = ViewServer(catalogue, pictures, port=args.port, chosen=chosen, title=title, hints=hints, debug=args.debug)
    opens = not args.no_browser and not args.json and _has_screen()

    def ready() -> None:
        if args.json:
            print(json.dumps({"url": server.url, "port": server.port, "pid": os.getpid()}), flush=True)
        else:
            print(server.url, flush=True)
            print("Press Ctrl-C to end.", file=sys.stderr)
        if opens:  # this call may return only when the browser ends
            threading.Thread(target=webbrowser.open, args=(server.one_time_url,), daemon=True).start()

    server.serve(ready)
    return 0


def _has_screen() -> bool:
    """Return whether a browser would open a window instead of taking over the terminal."""
    return sys.platform in ("win32", "darwin") or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
