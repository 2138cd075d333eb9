"""The verb ``drawbar new``: a block with a test that passes at once, or the files of a vehicle."""

from __future__ import annotations

import argparse
import importlib.util
import json
import shlex
from collections.abc import Sequence
from pathlib import Path

from drawbar.blocks.authoring.registry import snake_case
from drawbar.blocks.cli.block_templates import BLOCKS
from drawbar.blocks.core.errors import UsageError


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``drawbar new``."""
    parser.add_argument("what", choices=["block", "vehicle"], help="what to write")
    parser.add_argument("name", metavar="NAME", help="class name, such as RateLimiter; the file is rate_limiter.py")
    parser.add_argument(
        "--kind",
        choices=list(BLOCKS),
        default="continuous",
        help="kind of a block: differential equations, equations at samples, a law in C, or plain Python "
        "(default: %(default)s)",
    )
    parser.add_argument("--file", metavar="F.json", help="vehicle file of a vehicle (default: write an example)")
    parser.add_argument("--folder", default=".", metavar="F", help="folder of the files; it may be new (default: here)")


def call(options: argparse.Namespace) -> int:
    """Call ``drawbar new`` and return its exit code."""
    folder = Path(options.folder)
    reference, quoted = f"{snake_case(options.name)}:{options.name}", shlex.quote(str(folder))
    if options.what == "vehicle":
        from drawbar.blocks.cli.new_vehicle import write_vehicle  # it imports the vehicle bodies

        written = write_vehicle(options.name, folder, options.file and Path(options.file))
        return _report(options, reference, written.files, written.commands(reference, quoted), written.notes)
    from drawbar.blocks.cli.new_block import write_block

    if options.file is not None:
        raise UsageError("--file is for vehicles: drawbar new vehicle NAME --file F.json")
    paths = write_block(options.name, options.kind, folder)
    commands = {
        # ./setup run does not install the test tools
        **({} if importlib.util.find_spec("pytest") else {"python -m pip install pytest": "install the test tool"}),
        f"python -m pytest {quoted}": "run the test",
        f"drawbar info {reference} --workspace {quoted}": "show its ports",
        f"drawbar build {reference} --workspace {quoted}": "make its FMU",
    }
    files = dict.fromkeys(paths[:-1], "the block: replace the example by your law")
    return _report(
        options, reference, files | {paths[-1]: "its test: replace the numbers by those of your law"}, commands
    )


def _report(
    options: argparse.Namespace,
    reference: str,
    files: dict[Path, str],
    commands: dict[str, str],
    notes: Sequence[str] = (),
) -> int:
    """Print the files that were written and the commands that may follow, each with its purpose."""
    if options.json:
        result = {"block": reference, "files": [str(p) for p in files], "next": list(commands)}
        print(json.dumps(result | ({"notes": list(notes)} if notes else {})))
        return 0
    for path, purpose in files.items():
        print(f"{path}  {purpose}")
    for note in notes:
        print(f"note: {note}")
    print("next:")
    width = max(map(len, commands))
    for command, purpose in commands.items():
        print(f"  {command:{width}}  {purpose}")
    return 0
