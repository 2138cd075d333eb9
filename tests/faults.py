"""What becomes of a run when a part misbehaves, or the run is ended from outside: each fault really happens.

Each row is one `drawbar run` of two parts in a process of its own: a lag of ours, and a foreign unit compiled from
`tests/foreign/misbehaving.c` that does what the row says from t = 0.5 s on. Told are the message, the rows of the lag
that are readable afterwards, and the processes and temporary files that are left behind.

    python tests/faults.py [--json] [FAULT ...]
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import runpy
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from drawbar.blocks.signals.first_order_lag import FirstOrderLag
from drawbar.diagrams.model.diagram import Diagram
from drawbar.diagrams.ssp.ssp import write
from drawbar.orchestrator.runs.run import Run

BUILDER = runpy.run_path(str(Path(__file__).parent / "foreign" / "builder.py"))
# faults of the unit itself, and what ends a run from outside
UNIT = tuple(name for name in BUILDER["FAULTS"] if name not in ("none", "heap_damage"))
OUTSIDE = ("missing_library", "full_disk", "killed", "killed_parent", "terminated", "hung_up", "interrupted")
HUNG = ("interrupted_in_a_hang", "killed_parent_in_a_hang")  # while the part does not return, and no timeout is set
FAULTS = (*UNIT, *OUTSIDE, *HUNG)
AT, STOP, STEP = 0.5, 1.0, 1e-3
LATE = 50.0  # s: three files have been written then
LONG = 100_000.0  # s: a run that is ended from outside must still be on


def drawbar(*words: str) -> list[str]:
    """The installed command of this Python."""
    return [str(Path(sys.executable).with_name("drawbar")), *words]


def diagram(folder: Path, fmu: Path, fault: str) -> Path:
    """A lag of ours beside the unit, in a folder that can be moved."""
    made = Diagram("faults", step=STEP, stop=LONG if fault in OUTSIDE[1:] + HUNG else STOP)
    ours = made.add("ours", FirstOrderLag, y=1.0)
    theirs = made.add(
        "theirs",
        fmu,
        fault=BUILDER["FAULTS"].get("hang" if fault in HUNG else fault, 0),
        at=LATE if fault in HUNG else AT,
    )
    made.connect(ours.y, theirs.u)
    write(made, folder / "SystemStructure.ssd")
    return folder / "SystemStructure.ssd"


def processes_with(word: str) -> set[int]:
    """The processes whose command line or environment has a word: all that a run has started."""
    found = set()
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            try:
                told = (entry / "cmdline").read_bytes() + (entry / "environ").read_bytes()
                if word.encode() in told and (entry / "stat").read_text().rpartition(")")[2].split()[0] != "Z":
                    found.add(int(entry.name))
            except OSError:
                continue
    return found


def rows_of(run: Path) -> int:
    return len(Run(run)["ours.y"]) if (run / "run.json").is_file() and "ours.y" in Run(run) else 0


def until_it_records(run: Path, child: subprocess.Popen[str], name: str) -> None:
    deadline = time.monotonic() + 60.0
    while child.poll() is None and not any(run.rglob(name)):
        if time.monotonic() > deadline:
            raise TimeoutError(f"{run} has no {name} after a minute")
        time.sleep(0.02)
    time.sleep(0.2)


def children_of(parent: int) -> list[int]:
    return [int(n) for n in Path(f"/proc/{parent}/task/{parent}/children").read_text().split()]


def end(fault: str, child: subprocess.Popen[str], run: Path) -> None:
    """Do from outside what the row says."""
    until_it_records(run, child, "00003.parquet" if fault in HUNG else "00002.parquet")
    acts: dict[str, Callable[[], object]] = {
        # from now on its files may have 10 kB, as on a disk that is full
        "full_disk": lambda: resource.prlimit(children_of(child.pid)[0], resource.RLIMIT_FSIZE, (10_000, 10_000)),
        "killed": lambda: os.kill(children_of(child.pid)[0], signal.SIGKILL),
        "killed_parent": lambda: child.send_signal(signal.SIGKILL),
        "terminated": lambda: child.send_signal(signal.SIGTERM),
        "hung_up": lambda: child.send_signal(signal.SIGHUP),  # its terminal was closed
        "interrupted": lambda: child.send_signal(signal.SIGINT),
    }
    acts[fault.removesuffix("_in_a_hang")]()


def observe(fault: str, folder: Path) -> dict[str, Any]:
    """One row: message, exit code, outcome, rows kept, orphans, litter."""
    folder.mkdir()
    temporary = folder / "tmp"
    temporary.mkdir()
    build = BUILDER["build"]
    fmu = build(folder, "misbehaving", **({"needs": "libabsent.so.7"} if fault == "missing_library" else {}))
    path, run, mark = diagram(folder, fmu, fault), folder / "run", f"DRAWBAR_MARK={folder}"
    name, _, value = mark.partition("=")
    words = ["run", str(path), "--out", str(run), "--timeout", "0" if fault in HUNG else "2", "--no-page"]
    child = subprocess.Popen(
        drawbar(*words),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, name: value, "TMPDIR": str(temporary)},
    )
    if fault in OUTSIDE[1:] + HUNG:
        end(fault, child, run)
    _, said = child.communicate(timeout=60)
    deadline = time.monotonic() + 10.0
    while processes_with(mark) and time.monotonic() < deadline:  # a run whose parent was killed closes itself
        time.sleep(0.05)
    info = Run(run).info if (run / "run.json").is_file() else {}
    lines = [line for line in said.splitlines() if line.startswith("drawbar: error: ")]
    return {
        "message": lines[-1].removeprefix("drawbar: error: ") if lines else str(info.get("message", "")),
        "messages": len(lines),
        "exit_code": child.returncode,
        "outcome": info.get("outcome", "no run"),
        "rows_kept": rows_of(run),
        "orphans": len(processes_with(mark)),
        "litter": sorted(p.name for p in temporary.iterdir()),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("faults", nargs="*", metavar="FAULT", help=f"of {', '.join(FAULTS)}; default: all")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if unknown := [f for f in options.faults if f not in FAULTS]:
        parser.error(f"there is no fault '{unknown[0]}'; there are {', '.join(FAULTS)}")
    with tempfile.TemporaryDirectory() as folder:
        found = {fault: observe(fault, Path(folder) / fault) for fault in options.faults or FAULTS}
    if options.json:
        print(json.dumps(found, indent=1))
        return
    for fault, row in found.items():
        print(f"{fault}: {row['outcome']}, {row['rows_kept']} rows, {row['orphans']} orphans")
        print(f"    {row['message']}")


if __name__ == "__main__":
    main()
