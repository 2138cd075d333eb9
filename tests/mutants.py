"""Deliberate faults in all packages, one at a time: which of them do the tests notice?

Each fault replaces a text of one file in a copy of the tree and runs the tests that should fail on it. A fault that
they pass survives: a test is missing. Tests that fail without any fault prove nothing, so they run unchanged first.

    python tests/mutants.py [--json] [--list] [--only PATTERN] [--jobs N] [--timeout S] [--no-baseline]

PATTERN is searched in the name, a file and a number, as in `master.c`. The exit code is 1 if any fault survives.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from queue import Queue

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("blocks", "fmus", "diagrams", "orchestrator", "web")
TIMEOUT = 300.0  # s that the tests of one fault may take; beyond it the fault counts as noticed


@dataclass(frozen=True)
class Mutant:
    """In `file`, `old` stands exactly once and becomes `new`; `tests` below tests/ should fail on it."""

    file: str
    old: str
    new: str
    tests: tuple[str, ...]


def _table(text: str) -> list[Mutant]:
    """A block of lines ``old => new`` for each file, whose tests stand beside its name."""
    found, file, tests = [], "", ()
    for line in text.strip().splitlines():
        if not line.startswith(" "):
            file, *tests = line.split()
        else:
            old, arrow, new = line.strip().partition(" => ")
            if not arrow and not old.endswith(" =>"):
                raise ValueError(f"{file}: no arrow in '{line.strip()}'")
            found.append(Mutant(file, old.removesuffix(" =>"), new, tuple(tests)))
    return found


MUTANTS = _table((Path(__file__).parent / "mutants.txt").read_text("utf-8"))


def broken(mutants: list[Mutant]) -> list[str]:
    """What is wrong with a table: files and tests that do not exist, texts that are not found once."""
    faults = []
    for m in mutants:
        count = (ROOT / m.file).read_text("utf-8").count(m.old) if (ROOT / m.file).is_file() else -1
        if count != 1:
            faults.append(
                f"{m.file}: " + ("no such file" if count < 0 else f"'{m.old}' is found {count} times, not once")
            )
        if m.old == m.new:
            faults.append(f"{m.file}: '{m.old}' is no fault")
        faults += [f"{m.file}: there is no tests/{t}" for t in m.tests if not (ROOT / "tests" / t).is_file()]
        if not m.tests:
            faults.append(f"{m.file}: no test is named")
    return faults


class Copy:
    """A copy of the tree that `drawbar` is imported from, with a cache of its own for each use."""

    def __init__(self, folder: Path) -> None:
        self.root, self.links = folder / "tree", folder / "path"
        command = ["git", "-c", "safe.directory=*", "ls-files", "-z", "-co", "--exclude-standard"]
        listed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
        for name in listed.split("\0"):
            if name and (ROOT / name).is_file():
                (self.root / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(ROOT / name, self.root / name)
        (self.links / "drawbar").mkdir(parents=True)
        for package in PACKAGES:
            (self.links / "drawbar" / package).symlink_to(self.root / package, target_is_directory=True)
        # tests ask git for the files of the tree
        subprocess.run(["git", "init", "-q"], cwd=self.root, check=True)
        subprocess.run(["git", "add", "-A"], cwd=self.root, check=True)
        self._clock = time.time()
        self._check()

    def environment(self) -> dict[str, str]:
        """One in which the links win over the installed package."""
        return {**os.environ, "PYTHONPATH": str(self.links), "PYTHONSAFEPATH": "1"}

    def _check(self) -> None:
        code = "import drawbar.blocks as b; print(b.__file__)"
        command = [sys.executable, "-c", code]
        done = subprocess.run(
            command, env=self.environment(), check=True, capture_output=True, text=True, cwd=self.root
        )
        if not Path(done.stdout.strip()).is_relative_to(self.links):
            raise RuntimeError(f"drawbar is imported from {done.stdout.strip()}, not from the copy")

    def write(self, file: str, text: str) -> None:
        """Replace a file; its time is new, so that no bytecode of the one before is used."""
        self._clock += 2.0
        (self.root / file).write_text(text, "utf-8")
        os.utime(self.root / file, (self._clock, self._clock))

    def passes(self, tests: tuple[str, ...], timeout: float) -> tuple[bool, str]:
        """Whether tests pass, and the line that says why not."""
        files = [f"tests/{t}" for t in tests]
        command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "-m", "not slow", *files]
        environment = {k: v for k, v in self.environment().items() if k != "DRAWBAR_CACHE"}
        with subprocess.Popen(
            command,
            cwd=self.root,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        ) as child:
            try:
                said, _ = child.communicate(timeout=timeout)
            except subprocess.TimeoutExpired:
                os.killpg(child.pid, signal.SIGKILL)
                child.communicate()
                return False, f"no end within {timeout:g} s"
        lines = [line for line in said.splitlines() if line.startswith(("FAILED", "ERROR"))] or said.splitlines()[-1:]
        if child.returncode not in (0, 1, 2, 3):  # 4 and 5: nothing was tested
            raise RuntimeError(f"{' '.join(command)}\n{said}")
        return child.returncode == 0, "" if child.returncode == 0 else lines[0].partition(" - ")[0]


def outcome(m: Mutant, copies: Queue[Copy], timeout: float) -> dict[str, object]:
    """One row: the fault, whether it survives, what noticed it, and the time that took."""
    copy, began = copies.get(), time.monotonic()
    try:
        text = (copy.root / m.file).read_text("utf-8")
        copy.write(m.file, text.replace(m.old, m.new))
        try:
            survives, why = copy.passes(m.tests, timeout)
        finally:
            copy.write(m.file, text)
    finally:
        copies.put(copy)
    return {**asdict(m), "survives": survives, "noticed_by": why, "seconds": round(time.monotonic() - began, 1)}


def main() -> int:
    parser = argparse.ArgumentParser(description="Deliberate faults, and whether the tests notice them.")
    parser.add_argument("--json", action="store_true", help="print rows as JSON")
    parser.add_argument("--list", action="store_true", help="print the faults and run nothing")
    parser.add_argument("--only", default="", help="a regular expression found in the file or in the old text")
    parser.add_argument("--jobs", type=int, default=1, help="faults at once, each in a copy of its own")
    parser.add_argument("--timeout", type=float, default=TIMEOUT, help="s that the tests of a fault may take")
    parser.add_argument("--no-baseline", action="store_true", help="trust that the tests pass without a fault")
    options = parser.parse_args()
    chosen = [m for m in MUTANTS if re.search(options.only, f"{m.file}: {m.old}")]
    if faults := broken(chosen):
        print("\n".join(faults), file=sys.stderr)
        return 2
    if options.list:
        print("\n".join(f"{m.file}: {m.old} => {m.new}" for m in chosen))
        return 0
    with tempfile.TemporaryDirectory(prefix="drawbar-mutants-") as scratch:
        copies: Queue[Copy] = Queue()
        for i in range(options.jobs):
            copies.put(Copy(Path(scratch) / str(i)))
        if not options.no_baseline:
            copy = copies.get()
            for tests in sorted({m.tests for m in chosen}):
                fine, why = copy.passes(tests, options.timeout)
                if not fine:
                    print(f"these fail without a fault: {' '.join(tests)} ({why})", file=sys.stderr)
                    return 2
            copies.put(copy)
        rows = []
        with ThreadPoolExecutor(options.jobs) as pool:
            for row in pool.map(lambda m: outcome(m, copies, options.timeout), chosen):
                rows.append(row)
                if not options.json:
                    verdict = "SURVIVES" if row["survives"] else "noticed"
                    change = f"{row['file']}: {row['old']} => {row['new']}"
                    print(f"{verdict:9}{row['seconds']:6} s  {change}  {row['noticed_by']}", flush=True)
    left = sum(bool(row["survives"]) for row in rows)
    print(json.dumps(rows, indent=1) if options.json else f"{len(rows) - left} of {len(rows)} faults noticed")
    return int(left > 0)


if __name__ == "__main__":
    sys.exit(main())
