"""The verb ``new``: writes a block and a test that passes at once, or a vehicle file and its body."""

from __future__ import annotations

import argparse
import importlib.util
import json
import keyword
import re
import shlex
from collections.abc import Sequence
from pathlib import Path

import drawbar.blocks as words
from drawbar.blocks.authoring.registry import block_index, snake_case
from drawbar.blocks.cli.block_templates import BLOCKS, FILES, IMPORTS, TEST_HEAD, TESTS
from drawbar.blocks.core.errors import DrawbarError, UsageError

_NAME = re.compile(r"[A-Z][A-Za-z0-9]*")


def misspelt(name: str) -> str | None:
    """Return why a name cannot be that of a new block, or None."""
    if not _NAME.fullmatch(name):
        camel = "".join(w[:1].upper() + w[1:] for w in re.split(r"[^A-Za-z0-9]+", name))
        better = f"; did you mean '{camel}'?" if _NAME.fullmatch(camel) else ""
        return f"a block is named in letters and digits, first a capital one, as in RateLimiter{better}"
    if word := next((w for w in (name, snake_case(name)) if keyword.iskeyword(w)), None):
        return f"'{word}' is a keyword of Python; choose another name"
    if snake_case(name).partition("_")[0] == "test":
        return "pytest takes what begins with Test for a test; choose another name"
    return None


def taken(name: str) -> str | None:
    """Return what already has the name of a new block or of its module, or None."""
    if name in words.__all__:
        return f"this is a word of drawbar.blocks; choose another name, such as My{name}"
    if (known := block_index()[0].get(name)) is not None:
        return f"{known.reference.partition(':')[0]} has a block of this name; choose another name, such as My{name}"
    module = snake_case(name)
    if importlib.util.find_spec(module) is not None:
        return f"{module}.py would be hidden by the installed module '{module}'; choose another name, such as My{name}"
    return None


def write_block(name: str, kind: str, folder: Path) -> list[Path]:
    """Write the module of a block, the C file of a kernel, and its test into a folder.

    Raise `UsageError`, and write no file, if that is not possible.
    """
    if reason := misspelt(name):
        raise UsageError(f"block '{name}': {reason}")
    module = snake_case(name)
    values = {"name": name, "module": module, "title": module.replace("_", " ").capitalize(), "imports": IMPORTS[kind]}
    texts = {
        folder / f"{module}.py": BLOCKS[kind].format(**values),
        **{folder / f"{module}{end}": text.format(**values) for end, text in FILES.get(kind, {}).items()},
        folder / f"test_{module}.py": (TEST_HEAD + TESTS[kind]).format(**values),
    }
    return write_all(name, folder, texts)


def write_all(name: str, folder: Path, texts: dict[Path, str]) -> list[Path]:
    """Write the files of a new block; raise `UsageError`, and write none, if a file or the name exists already."""
    if there := [path for path in texts if path.exists()]:
        raise UsageError(f"{there[0]} exists already; nothing was written: choose another name or --folder")
    if reason := taken(name):
        raise UsageError(f"block '{name}': {reason}")
    path = folder
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for path, text in texts.items():
            path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise DrawbarError(f"{path} cannot be written: {error.strerror}; name another folder with --folder") from None
    return list(texts)


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``drawbar new``."""
    parser.add_argument("what", choices=["block", "vehicle"], help="what to begin")
    parser.add_argument("name", metavar="NAME", help="class name, as in RateLimiter; the file is rate_limiter.py")
    parser.add_argument(
        "--kind",
        choices=list(BLOCKS),
        default="continuous",
        help="continuous: equations of motion; sampled: acts at a period; kernel: a law in C; script: plain Python "
        "(default: %(default)s)",
    )
    parser.add_argument("--file", metavar="F.json", help="of a vehicle: its vehicle file (default: one to begin from)")
    parser.add_argument("--folder", default=".", metavar="F", help="where to write; made if needed (default: here)")


def call(options: argparse.Namespace) -> int:
    """Call ``drawbar new`` and return its exit code."""
    folder = Path(options.folder)
    reference, place = f"{snake_case(options.name)}:{options.name}", shlex.quote(str(folder))
    if options.what == "vehicle":
        # new_vehicle imports this module, so it is imported here
        from drawbar.blocks.cli.new_vehicle import write_vehicle

        written = write_vehicle(options.name, folder, options.file and Path(options.file))
        return _tell(options, reference, written.files, written.commands(reference, place), written.notes)
    if options.file is not None:
        raise UsageError("--file is for vehicles: drawbar new vehicle NAME --file F.json")
    paths = write_block(options.name, options.kind, folder)
    commands = {
        # ./setup run installs what studies need, without the test tools
        **({} if importlib.util.find_spec("pytest") else {"python -m pip install pytest": "which is not here yet"}),
        f"python -m pytest {place}": "run the test",
        f"drawbar info {reference} --workspace {place}": "see its ports",
        f"drawbar build {reference} --workspace {place}": "make its FMU",
    }
    files = dict.fromkeys(paths[:-1], "the block: put your law in place of the example")
    return _tell(options, reference, files | {paths[-1]: "its test: put numbers of your law there"}, commands)


def _tell(
    options: argparse.Namespace,
    reference: str,
    files: dict[Path, str],
    commands: dict[str, str],
    notes: Sequence[str] = (),
) -> int:
    """Print each file that was written with its purpose, and the commands that may follow with theirs."""
    if options.json:
        told = {"block": reference, "files": [str(p) for p in files], "next": list(commands)}
        print(json.dumps(told | ({"notes": list(notes)} if notes else {})))
        return 0
    for path, what in files.items():
        print(f"{path}  {what}")
    for note in notes:
        print(f"note: {note}")
    print("next:")
    width = max(map(len, commands))
    for command, purpose in commands.items():
        print(f"  {command:{width}}  {purpose}")
    return 0
