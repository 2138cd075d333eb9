"""The verb ``drawbar docs``: the reference of all blocks as one page."""

from __future__ import annotations

import argparse
import json
import sys
from importlib.metadata import version
from pathlib import Path

from drawbar.blocks.authoring.registry import open_workspace, survey
from drawbar.blocks.core.errors import UsageError
from drawbar.blocks.core.progress_bar import Bar
from drawbar.fmus.commands import add_workspace
from drawbar.orchestrator.runs.recorder import write_whole
from drawbar.web.reference.block_reference import as_json, collect
from drawbar.web.reference.reference_page import reference_page
from drawbar.web.report.html_page import is_page

PAGE = "blocks.html"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``drawbar docs``."""
    parser.add_argument(
        "--out",
        metavar="FOLDER",
        type=Path,
        default=Path("docs-built"),
        help="folder of the page (default: %(default)s)",
    )
    add_workspace(parser)


def call(args: argparse.Namespace) -> int:
    """Call ``drawbar docs`` and return its exit code."""
    if args.workspace:
        open_workspace(args.workspace)
    path = None if args.json else _page_path(args.out)
    with Bar("", quiet=args.json) as bar:
        bar.counting("importing blocks", 0, 1)
        blocks, faults = survey()
        entries, faulty = collect(
            blocks, lambda name, number, total: bar.counting(f"reading {name}", number - 1, total)
        )
    faults |= faulty
    if path is None:
        print(json.dumps({"blocks": [as_json(entry) for entry in entries], "broken": faults}))
    else:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, reference_page(entries, faults, version("drawbar")).encode())
        print(path)
        print(f"{len(entries)} blocks", file=sys.stderr)
    for name, why in faults.items():
        print(f"drawbar docs: {name} is left out: {why}", file=sys.stderr)
    return 1 if faults else 0


def _page_path(folder: Path) -> Path:
    """Return the file to write; raise `UsageError` if something else exists in its place."""
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"--out {folder} is a file; name a folder")
    path = folder / PAGE
    if path.exists() and not is_page(path):
        raise UsageError(f"page {path} exists and was not written by drawbar; name another folder")
    return path
