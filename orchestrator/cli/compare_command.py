"""``drawbar compare``: two runs, and where they differ most."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict

from drawbar.orchestrator.runs.compare import Comparison, compare
from drawbar.orchestrator.runs.recorder import plain
from drawbar.orchestrator.runs.run import Run

MAX_SHOWN = 10


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``drawbar compare``."""
    parser.add_argument("baseline", help="folder of the run that the other one is compared with")
    parser.add_argument("other", help="folder of the other run")
    parser.add_argument(
        "--abs", type=_tolerance, default=0.0, metavar="A", help="absolute tolerance, in each signal's unit"
    )
    parser.add_argument("--rel", type=_tolerance, default=0.0, metavar="R", help="relative tolerance, 0.01 for 1 %%")


def call(options: argparse.Namespace) -> int:
    """Compare two runs; return 0 if all signals are within tolerance, else 1."""
    found = compare(Run(options.baseline), Run(options.other), absolute=options.abs, relative=options.rel)
    if options.json:
        print(
            json.dumps(
                plain(
                    {
                        "within": found.within,
                        "worst": asdict(found.differences[0]) if found.differences else None,
                        "differences": [asdict(d) for d in found.differences],
                        "only_in_baseline": found.only_in_baseline,
                        "only_in_other": found.only_in_other,
                        "shorter": found.shorter,
                    }
                )
            )
        )
    else:
        _print(found)
    return 0 if found.within else 1


def _tolerance(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0.0 <= value < float("inf"):
        raise argparse.ArgumentTypeError(f"{text} is not a tolerance; give zero or a positive number")
    return value


def _print(found: Comparison) -> None:
    out = [d for d in found.differences if not d.within]
    if out:
        width = max(len(d.signal) for d in out[:MAX_SHOWN])
        for d in out[:MAX_SHOWN]:
            print(
                f"{d.signal:{width}}  {d.baseline:g} against {d.other:g} {d.unit} at t = {d.time:g} s: "
                f"differs by {d.difference:.3g}, tolerance {d.tolerance:.3g}"
            )
        if len(out) > MAX_SHOWN:
            print(f"and {len(out) - MAX_SHOWN} more")
    for title, names in (("baseline", found.only_in_baseline), ("other run", found.only_in_other)):
        if names:
            print(f"only in the {title}: {', '.join(names[:MAX_SHOWN])}" + (", ..." if len(names) > MAX_SHOWN else ""))
    if found.shorter:
        print(found.shorter)
    print(f"{len(found.differences)} signals compared, {len(out)} out of tolerance")
