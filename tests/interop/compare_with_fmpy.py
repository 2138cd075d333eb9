"""Foreign FMUs in Drawbar and in FMPy, stepped with the same scheme: a table of the largest differences of outputs.

Give FMUs or folders, which are searched for ``*.fmu``; equal files count once. Each FMU is stepped by each tool in a
process of its own (`step_one_fmu.py`), with a time limit, so that none that fails, hangs or crashes ends the table.
Its inputs are sines with a step, toggles for whole numbers and Booleans, within their limits. ``drawbar info`` and
``drawbar check`` are called too. Only FMI 2.0 FMUs for co-simulation with a binary for this machine can be stepped;
the others are counted by reason, with what Drawbar says of them.

    python tests/interop/compare_with_fmpy.py ~/fmus                       # a folder with all below it
    python tests/interop/compare_with_fmpy.py ~/fmus --json > table.json   # for other programs; progress on stderr
    python tests/interop/compare_with_fmpy.py ~/fmus/ramp.fmu --steps 1000 --inputs start

The exit code is 1 where Drawbar differs from FMPy, or fails where FMPy does not. Foreign FMUs are programs: run only
those that you trust. Where to have more than sixty is said in tests/interop/README.md.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

CHILD = Path(__file__).with_name("step_one_fmu.py")
TINY = 1e-300
FAULTS = ("differs", "refused", "fails", "crashes", "hangs")  # of Drawbar, where FMPy has none


def find(paths: Sequence[Path]) -> list[Path]:
    """Return the FMUs, each content once."""
    found: dict[str, Path] = {}
    for path in paths:
        for fmu in sorted(path.rglob("*.fmu")) if path.is_dir() else [path]:
            if fmu.is_file():
                found.setdefault(hashlib.sha256(fmu.read_bytes()).hexdigest(), fmu)
    return list(found.values())


def side(name: str, fmu: Path, options: argparse.Namespace) -> tuple[dict[str, Any], dict[str, NDArray[np.float64]]]:
    """Step an FMU with one tool; return what happened and the rows."""
    with tempfile.TemporaryDirectory() as folder:
        result = Path(folder) / "result"
        command = [sys.executable, str(CHILD), name, str(fmu.resolve()), str(result), "--steps", str(options.steps)]
        try:
            done = subprocess.run(
                [*command, "--inputs", options.inputs],
                timeout=options.timeout,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                cwd=folder,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return {"hangs": f"no end within {options.timeout:g} s"}, {}
        report = result.with_suffix(".json")
        if not report.is_file():
            return {"crashes": ending(done.returncode, done.stderr)}, {}
        said = json.loads(report.read_text("utf-8"))
        with np.load(result.with_suffix(".npz")) as numbers:
            return said, {output: numbers[str(i)] for i, output in enumerate(said["rows"])}


def ending(code: int, text: bytes) -> str:
    if code < 0:
        return f"ended by {signal.Signals(-code).name}"
    lines = text.decode(errors="replace").strip().splitlines()
    return lines[-1] if lines else f"exit code {code}"


def compare(fmu: Path, options: argparse.Namespace) -> dict[str, Any]:
    """Return the row of an FMU."""
    (theirs, their_rows), (ours, our_rows) = (side(name, fmu, options) for name in ("fmpy", "drawbar"))
    row: dict[str, Any] = {"fmu": str(fmu), "tool": theirs.get("tool", "")}
    row |= {key: theirs[key] for key in ("step", "steps", "inputs") if key in theirs}
    row["outputs"] = len(theirs.get("types", ()))
    message = next((ours[key] for key in ("error", "crashes", "hangs") if key in ours), "")
    row["drawbar"], row["fmpy"] = message, next((theirs[k] for k in ("error", "crashes", "hangs") if k in theirs), "")
    row["verbs"] = {verb: ours[verb] for verb in ("info", "check") if ours.get(verb)}
    if "not_for_this" in theirs:
        return row | {"verdict": "not stepped", "reason": theirs["not_for_this"]}
    row |= differences(theirs.get("types", {}), their_rows, our_rows)
    return row | {"verdict": verdict(row, theirs, ours, options.tolerance)}


def verdict(row: dict[str, Any], theirs: dict[str, Any], ours: dict[str, Any], tolerance: float) -> str:
    if row["relative"] > tolerance or row["unequal"]:
        return "differs"
    if row["fmpy"]:
        # an FMU that fails for both has said so to both; a rest that only one can run is none to compare
        return "fails in both" if row["drawbar"] else "fails in FMPy only"
    if row["drawbar"]:
        kind = next(key for key in ("error", "crashes", "hangs") if key in ours)
        return {"error": "fails" if row["rows"] else "refused"}.get(kind, kind)
    if row["unequal_rows"] or row["compared"] < row["outputs"]:
        return "differs"  # rows or outputs are missing, and nobody has said why
    return "equal" if row["compared"] else "nothing to compare"


def differences(types: dict[str, str], a: dict[str, Any], b: dict[str, Any]) -> dict[str, Any]:
    """Return the largest differences over the rows that both have; those of a Real relative to its largest value."""
    absolute = relative = 0.0
    unequal: list[str] = []
    common = [name for name in types if name in a and name in b]
    rows = min((min(len(a[name]), len(b[name])) for name in common), default=0)
    if a and b:
        unequal += [name for name in types if name not in b]
    for name in common:
        x, y = a[name][:rows], b[name][:rows]
        if types[name] != "Real":
            unequal += [name] if (x != y).any() else []
            continue
        if (np.isfinite(x) != np.isfinite(y)).any():
            unequal.append(name)
        with np.errstate(invalid="ignore"):
            gap = float(np.nanmax(np.where(x == y, 0.0, np.abs(x - y)), initial=0.0))
        absolute = max(absolute, gap)
        relative = max(relative, gap / max(float(np.nanmax(np.abs(x), initial=0.0)), TINY))
    return {
        "rows": rows,
        "unequal_rows": any(len(a[name]) != len(b[name]) for name in common),
        "compared": len(common),
        "absolute": absolute,
        "relative": relative,
        "unequal": unequal,
    }


def summary(table: list[dict[str, Any]]) -> dict[str, Any]:
    stepped = [row for row in table if row["verdict"] in ("equal", "differs")]
    return {
        "fmus": len(table),
        "verdicts": dict(Counter(row["verdict"] for row in table).most_common()),
        "not_stepped": dict(Counter(row["reason"] for row in table if "reason" in row).most_common()),
        "tools": dict(Counter(row["tool"].split(" (")[0] or "not named" for row in stepped).most_common()),
        "outputs": sum(row["compared"] for row in stepped),
        "largest_absolute": max((row["absolute"] for row in stepped), default=0.0),
        "largest_relative": max((row["relative"] for row in stepped), default=0.0),
        "verbs_failed": [row["fmu"] for row in table if row["verbs"] and row["verdict"] != "not stepped"],
    }


def print_table(table: list[dict[str, Any]], totals: dict[str, Any]) -> None:
    print(
        f"{'FMU':32} {'tool':28} {'step s':>8} {'in':>4} {'out':>4} {'rows':>5} {'largest':>8} {'relative':>8}  verdict"
    )
    for row in table:
        name, tool = Path(row["fmu"]).stem[-32:], row["tool"].split(" (")[0][:28]
        if row["verdict"] == "not stepped":
            print(f"{name:32} {tool:28} {'':42}  not stepped: {row['reason']}; Drawbar: {row['drawbar'] or 'runs it'}")
            continue
        numbers = f"{row.get('step', 0):8.4g} {row.get('inputs', 0):4} {row['outputs']:4} {row['rows']:5}"
        print(f"{name:32} {tool:28} {numbers} {row['absolute']:8.2g} {row['relative']:8.2g}  {row['verdict']}")
        for who in ("fmpy", "drawbar"):
            if row[who]:
                print(f"    {who}: {row[who]}")
        for verb, text in row["verbs"].items():
            print(f"    drawbar {verb}: {text}")
        if row["unequal"]:
            print(f"    unequal: {', '.join(row['unequal'])}")
    print("\n" + json.dumps(totals, indent=2))


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("path", type=Path, nargs="+", help="an FMU, or a folder that is searched for FMUs")
    parser.add_argument("--steps", type=int, default=200, help="macro steps of each run (default: 200)")
    parser.add_argument(
        "--inputs", choices=("varied", "start"), default="varied", help="varied, or held at their start"
    )
    parser.add_argument("--tolerance", type=float, default=1e-12, help="relative difference that is none (1e-12)")
    parser.add_argument("--timeout", type=float, default=60.0, help="seconds for one tool and one FMU (60)")
    parser.add_argument("--jobs", type=int, default=1, help="FMUs at a time (1)")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args(arguments)
    fmus = find(options.path)
    if not fmus:
        parser.error(f"there is no FMU in {', '.join(map(str, options.path))}")
    with ThreadPoolExecutor(options.jobs) as pool:
        rows = [pool.submit(compare, fmu, options) for fmu in fmus]
        for n, done in enumerate(as_completed(rows), 1):
            print(f"{n}/{len(fmus)} {done.result()['verdict']}: {done.result()['fmu']}", file=sys.stderr)
    table = [row.result() for row in rows]
    totals = summary(table)
    if options.json:
        print(json.dumps({"summary": totals, "fmus": table}, indent=1))
    else:
        print_table(table, totals)
    return int(any(row["verdict"] in FAULTS for row in table))


if __name__ == "__main__":
    sys.exit(main())
