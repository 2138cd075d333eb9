"""Processor time of commands from start to end on a warm cache, beside ``python -c "import numpy"``.

Each row is user and system time of the whole process in seconds, the least of some runs, and its ratio to the floor
measured in the same run. ``run rover --stop 0.1`` includes its hundred steps, without ``--no-page`` the plot page too.

    python tests/benchmarks/startup.py [--json] [--repeats N]
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

FLOOR = "import numpy"
DRAWBAR = str(Path(sys.executable).with_name("drawbar"))


def commands() -> dict[str, list[str]]:
    """Return the words of each command by its name in the table."""
    verbs = {
        "--help": ["--help"],
        "--version": ["--version"],
        "list": ["list"],
        "info Ramp": ["info", "Ramp"],
        "info HmmwvVehicle": ["info", "HmmwvVehicle"],
        "check double_lane_change_planar": ["check", "double_lane_change_planar"],
        "check double_lane_change": ["check", "double_lane_change"],
        "new block": ["new", "block", "BrakeValve", "--folder", "new"],
        "run rover --stop 0.1 --no-page": ["run", "rover", "--stop", "0.1", "--no-page", "--out", "run"],
        "run rover --stop 0.1": ["run", "rover", "--stop", "0.1", "--out", "run"],
    }
    return {
        FLOOR: [sys.executable, "-c", FLOOR],
        "import drawbar.blocks": [sys.executable, "-c", "import drawbar.blocks"],
        "from drawbar.blocks import Continuous": [sys.executable, "-c", "from drawbar.blocks import Continuous"],
        **{name: [DRAWBAR, *words] for name, words in verbs.items()},
    }


def processor_time(words: list[str]) -> float:
    """Return user and system time in s of a command and its children, in an empty folder."""
    # without compiled modules beside the sources, each process would compile the whole of Drawbar again
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    with tempfile.TemporaryDirectory() as folder:
        before = os.times()
        done = subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True, check=False)
        after = os.times()
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(words)} ended with {done.returncode}: {done.stderr.strip()}")
    return after.children_user - before.children_user + after.children_system - before.children_system


def measure(repeats: int) -> list[dict[str, float | str]]:
    """Return a row for each command; its first run warms the caches and does not count."""
    rows: list[dict[str, float | str]] = []
    floor = 0.0
    for name, words in commands().items():
        processor_time(words)
        best = min(processor_time(words) for _ in range(repeats))
        floor = floor or best
        rows.append({"command": name, "cpu_s": best, "ratio_to_numpy": best / floor})
    return rows


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--repeats", type=int, default=3, help="runs of each command that count (default: %(default)s)")
    options = parser.parse_args()
    result = measure(options.repeats)
    if options.json:
        print(json.dumps(result))
    else:
        for row in result:
            print(f"{row['cpu_s']:7.2f} s {row['ratio_to_numpy']:7.1f} x  {row['command']}")
