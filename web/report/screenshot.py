"""PNG pictures of pages, taken by the Chromium or Chrome of the machine."""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

from drawbar.blocks.core.errors import DrawbarError
from drawbar.blocks.core.process_group import run_group

BROWSERS = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
)
WIDTH = 1200

# the sandbox needs rights that root in a container lacks; the page is our own and can fetch nothing
_FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-extensions",
    "--disable-sync",
    "--no-first-run",
    "--hide-scrollbars",
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--virtual-time-budget=20000",
)


def find_browser(which: Callable[[str], str | None] = shutil.which) -> str | None:
    """Return the path of a Chromium or Chrome, or None."""
    return next((path for name in BROWSERS if (path := which(name))), None)


def screenshot(page: Path, picture: Path, browser: str, timeout: float = 60.0) -> None:
    """Write a PNG of the whole page to `picture`; raise `DrawbarError`, and leave `picture` as it was, if that fails.

    The height of the picture is the attribute ``data-height`` of the page's root element.
    """
    with tempfile.TemporaryDirectory(prefix="drawbar-browser-", ignore_cleanup_errors=True) as place:
        command = [browser, *_FLAGS, f"--user-data-dir={place}/profile"]
        address = page.resolve().as_uri()
        shot = Path(place) / "page.png"
        measured = _ended([*command, f"--window-size={WIDTH},800", "--dump-dom", address], timeout)
        height = re.search(r'<html[^>]*\bdata-height="([0-9]{1,5})"', measured[:4096])
        if not height:
            raise DrawbarError(f"{browser} did not draw {page} within {timeout:g} s; open the page itself")
        size = f"--window-size={WIDTH},{int(height[1])}"
        _ended([*command, size, f"--screenshot={shot}", address], timeout)
        if not shot.is_file():
            raise DrawbarError(f"{browser} wrote no picture of {page}; open the page itself")
        try:
            shutil.move(shot, picture)
        except OSError as error:
            raise DrawbarError(f"{picture} cannot be written: {error.strerror or error}") from error


def _ended(command: list[str], timeout: float) -> str:
    """Run a browser to its end and return its output; kill it and all its children after `timeout` seconds."""
    try:
        done = run_group(command, timeout)
    except OSError as error:
        raise DrawbarError(f"{command[0]} does not start: {error.strerror or error}") from error
    except subprocess.TimeoutExpired as error:
        raise DrawbarError(f"{command[0]} did not end within {timeout:g} s and was stopped") from error
    if done.returncode != 0:
        raise DrawbarError(f"{command[0]} failed with exit code {done.returncode}")
    return done.stdout.decode(errors="replace")
