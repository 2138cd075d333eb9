"""What all tests share: needs that a machine may not meet, and a cache of their own.

A test marked `compiler` or `browser` is not run where there is none, and the summary says so. Where the environment
variable DRAWBAR_NO_SKIPS is 1, as in `.ci/run`, a test that did not run fails the session.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path, PurePosixPath
from typing import Any

import pytest
from hypothesis import settings

# a busy machine is no fault
settings.register_profile("untimed", parent=settings(), deadline=None)
settings.load_profile("untimed")

NO_SKIPS = "DRAWBAR_NO_SKIPS"
CACHE = pytest.StashKey[str]()


# Files that take long begin first, so that in the end no process waits for another. The first one compiles all blocks,
# which the others then find in the cache; those after it need few of them, and the last three mostly wait.
FIRST = (
    "fmus/backends/test_catalogue.py",
    "benchmarks/test_benchmarks.py",
    "interop/test_win64.py",
    "fmus/scripts/test_script_fmu.py",
    "test_faults.py",
    "orchestrator/supervision/test_supervisor.py",
    "web/view/test_in_browser.py",
)


def missing_compiler() -> str | None:
    """Why tests marked `compiler` cannot run, or None."""
    from drawbar.fmus.toolchain.compilers import find_compiler

    if find_compiler() is not None:
        return None
    return "no C compiler (install gcc or clang, or: .venv/bin/pip install ziglang)"


def missing_browser() -> str | None:
    """Why tests marked `browser` cannot run, or None."""
    from drawbar.web.report.screenshot import BROWSERS, find_browser

    if find_browser() is not None:
        return None
    names = ", ".join(name for name in BROWSERS if "/" not in name)
    return f"no browser on PATH (install one of {names})"


def find_wine() -> str | None:
    """The program that runs those for 64-bit Windows; Debian keeps it from PATH."""
    return shutil.which("wine64") or shutil.which("wine64", path="/usr/lib/wine") or shutil.which("wine")


def missing_wine() -> str | None:
    """Why tests marked `wine` cannot run, or None."""
    return None if find_wine() is not None else "no Wine (install wine64)"


def missing_cross_compiler() -> str | None:
    """Why tests marked `cross` cannot run, or None."""
    from drawbar.fmus.toolchain.cross import find_cross_compiler

    return None if find_cross_compiler() is not None else "no ziglang (.venv/bin/pip install ziglang)"


NEEDS = {
    "browser": missing_browser,
    "compiler": missing_compiler,
    "cross": missing_cross_compiler,
    "wine": missing_wine,
}


def pytest_configure(config: pytest.Config) -> None:
    if "DRAWBAR_CACHE" not in os.environ:
        # the suite must neither lean on what the user has built before nor leave anything there
        config.stash[CACHE] = os.environ["DRAWBAR_CACHE"] = tempfile.mkdtemp(prefix="drawbar-tests-")


def pytest_unconfigure(config: pytest.Config) -> None:
    if CACHE in config.stash:
        del os.environ["DRAWBAR_CACHE"]
        shutil.rmtree(config.stash[CACHE], ignore_errors=True)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    place = {Path(__file__).parent / file: i for i, file in enumerate(FIRST)}
    items.sort(key=lambda item: place.get(item.path, len(FIRST)))
    asked = {name for name in NEEDS for item in items if item.get_closest_marker(name)}
    reasons = {name: reason for name in asked if (reason := NEEDS[name]())}
    for item in items:
        for name, reason in reasons.items():
            if item.get_closest_marker(name):
                item.add_marker(pytest.mark.skip(reason=reason))


def skips(config: pytest.Config) -> Counter[str]:
    """The reasons for which tests did not run, and how many each kept away."""
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    counts: Counter[str] = Counter()
    for report in reporter.stats.get("skipped", []) if reporter else ():
        why = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        counts[why.removeprefix("Skipped: ")] += 1
    return counts


def pytest_sessionfinish(session: pytest.Session) -> None:
    if os.environ.get(NO_SKIPS) == "1" and skips(session.config) and session.exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    counts = skips(config)
    for reason, count in sorted(counts.items()):
        terminalreporter.write_line(f"{count} test{'s' * (count > 1)} not run: {reason}", yellow=True)
    if counts and os.environ.get(NO_SKIPS) == "1":
        terminalreporter.write_line(f"{NO_SKIPS}=1 allows no skip: failed", red=True)


@pytest.fixture(scope="session")
def wine_program() -> str:
    """Wine, for tests marked `wine`."""
    program = find_wine()
    assert program is not None
    return program


@pytest.fixture(scope="session")
def clone() -> Path:
    """The folder of the clone."""
    return Path(__file__).resolve().parents[1]


@pytest.fixture(scope="session")
def tracked(clone: Path) -> list[PurePosixPath]:
    """The tracked files that are there, relative to the clone."""
    # CI may run as another user than the owner of the clone, which git refuses without this setting
    command = ["git", "-c", "safe.directory=*", "ls-files", "-z"]
    names = subprocess.run(command, cwd=clone, check=True, capture_output=True, text=True).stdout.split("\0")
    return [PurePosixPath(name) for name in names if name and (clone / name).is_file()]


@pytest.fixture(scope="session")
def printed() -> Callable[..., Any]:
    """What a script below tests/ prints with --json, by its path and further words."""

    def run(script: str, *words: str) -> Any:
        command = [sys.executable, str(Path(__file__).parent / script), "--json", *words]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return run
