"""The files that ``drawbar new block`` writes: a block of any kind with a test, under a name that is free."""

from __future__ import annotations

import contextlib
import importlib.util
import keyword
import re
from pathlib import Path

import drawbar.blocks
from drawbar.blocks.authoring.registry import block_index, snake_case
from drawbar.blocks.cli.block_templates import BLOCKS, FILES, IMPORTS, TEST_HEAD, TESTS
from drawbar.blocks.core.errors import DrawbarError, UsageError

_NAME = re.compile(r"[A-Z][A-Za-z0-9]*")


def name_fault(name: str) -> str | None:
    """Return why a name cannot be that of a new block, or None."""
    if not _NAME.fullmatch(name):
        camel_case = "".join(w[:1].upper() + w[1:] for w in re.split(r"[^A-Za-z0-9]+", name))
        suggestion = f"; did you mean '{camel_case}'?" if _NAME.fullmatch(camel_case) else ""
        return f"the name of a block is a capital letter and further letters and digits, as in RateLimiter{suggestion}"
    if word := next((w for w in (name, snake_case(name)) if keyword.iskeyword(w)), None):
        return f"'{word}' is a keyword of Python; choose another name"
    if snake_case(name).partition("_")[0] == "test":
        return "pytest takes a class whose name begins with Test for a test; choose another name"
    return None


def name_conflict(name: str) -> str | None:
    """Return what already has the name of a new block or of its module, or None."""
    if name in drawbar.blocks.__all__:
        return f"drawbar.blocks defines this name; choose another one, such as My{name}"
    if (known := block_index()[0].get(name)) is not None:
        return f"{known.reference.partition(':')[0]} has a block of this name; choose another one, such as My{name}"
    module = snake_case(name)
    if importlib.util.find_spec(module) is not None:
        return f"{module}.py would be hidden by the installed module '{module}'; choose another name, such as My{name}"
    return None


def write_block(name: str, kind: str, folder: Path) -> list[Path]:
    """Write the module of a block, the C file of a kernel, and its test into a folder.

    Raise `UsageError`, and write no file, if that is not possible.
    """
    if reason := name_fault(name):
        raise UsageError(f"block '{name}': {reason}")
    module = snake_case(name)
    values = {"name": name, "module": module, "title": module.replace("_", " ").capitalize(), "imports": IMPORTS[kind]}
    texts = {
        folder / f"{module}.py": BLOCKS[kind].format(**values),
        **{folder / f"{module}{end}": text.format(**values) for end, text in FILES.get(kind, {}).items()},
        folder / f"test_{module}.py": (TEST_HEAD + TESTS[kind]).format(**values),
    }
    return write_files(name, folder, texts)


def write_files(name: str, folder: Path, texts: dict[Path, str]) -> list[Path]:
    """Write the files of a new block; raise `UsageError`, and write none, if the name or a file already exists."""
    if existing := [path for path in texts if path.exists()]:
        raise UsageError(f"{existing[0]} already exists, and nothing was written; choose another name or --folder")
    if reason := name_conflict(name):
        raise UsageError(f"block '{name}': {reason}")
    path = folder
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for path, text in texts.items():
            path.write_text(text, encoding="utf-8")
    except BaseException as error:
        for written in texts:
            with contextlib.suppress(OSError):
                written.unlink(missing_ok=True)
        if not isinstance(error, OSError):
            raise
        raise DrawbarError(f"{path} cannot be written: {error.strerror}; name another folder with --folder") from None
    return list(texts)
