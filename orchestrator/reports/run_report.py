"""What ``drawbar run`` prints of a run."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from drawbar.blocks.core.errors import DrawbarError
from drawbar.orchestrator.reports.baseline import CHANGED, baseline_of, beside_baseline, left_out_note, title_of
from drawbar.orchestrator.reports.responses import evaluate, table
from drawbar.orchestrator.reports.step_oscillation import oscillation_warning
from drawbar.orchestrator.runs.recorder import CASES, folder_name
from drawbar.orchestrator.runs.run import Run

Case = tuple[dict[str, Any], Run]


def case_folder(run: Run, case: dict[str, Any]) -> Path:
    """Return the folder of a further case of the report of a run."""
    return run.folder / CASES / folder_name(case["name"])


def finished_cases(run: Run, report: dict[str, Any]) -> list[Case]:
    """Return the cases of a report that were run to their end before one of them failed."""
    found = []
    for case in report.get("cases", []):
        try:
            done = Run(case_folder(run, case))
        except DrawbarError:
            break
        if done.info["outcome"] != "ok":
            break
        found.append((case, done))
    return found


def warnings_of(run: Run) -> list[str]:
    """Return the warnings of a run: of its FMUs, of recorded outputs that became true or left limits, or zigzag."""
    oscillation = oscillation_warning(run)
    return [
        *_warnings_of_fmus(run),
        *_outputs_that_became_true(run),
        *_outputs_below_limit(run),
        *_outputs_above_multiple(run),
        *([] if oscillation is None else [oscillation]),
    ]


def _warnings_of_fmus(run: Run) -> list[str]:
    """Return what the FMUs warned of, and which of them returned the status warning without a word."""
    found = []
    said = run.info.get("messages", {})
    for name, messages in said.items():
        for warning in messages.get("warnings", ()):
            count = "once" if warning["count"] == 1 else f"{warning['count']} times"
            last = f"; the last time: {warning['last']}" if "last" in warning else ""
            found.append(f"part '{name}' warned {count}: {warning['text']}{last}")
    for name, part in run.timing.get("parts", {}).items():
        if part["warnings"] and not said.get(name, {}).get("warnings"):
            calls = "one call" if part["warnings"] == 1 else f"{part['warnings']} calls"
            found.append(f"part '{name}' returned the status warning from {calls}, without a message")
    return found


def _outputs_that_became_true(run: Run) -> list[str]:
    found = []
    for name, why in run.info.get("warn_if_true", {}).items():
        if name not in run:
            continue
        times = run.time(name)
        rows = run[name].reshape(len(times), -1) > 0
        when = times[rows.any(axis=1)]
        if len(when):
            columns = [column for i, column in enumerate(run.signal(name).columns) if rows[:, i].any()]
            found.append(f"{', '.join(columns)} {_span(when)}: {why}")
    return found


def _outputs_below_limit(run: Run) -> list[str]:
    """Return the warnings of outputs that fell below their limit, with their smallest value."""
    found = []
    for name, (limit, why) in run.info.get("warn_if_below", {}).items():
        if name not in run:
            continue
        times = run.time(name)
        rows = run[name].reshape(len(times), -1)
        for column, values in zip(run.signal(name).columns, rows.T, strict=True):
            when = times[values < limit]
            if len(when):
                lowest = f"{values.min():.3g} at t = {times[values.argmin()]:g} s"
                found.append(f"{column} was down to {lowest}, below {limit:g} {_span(when)}: {why}")
    return found


def _outputs_above_multiple(run: Run) -> list[str]:
    """Return the warnings of outputs that exceeded a multiple of the mean of their first values, with their maximum.

    The mean is that of the elements of an array; of scalars, such as the loads of wheel FMUs, that of all outputs with
    this name and warning. So a wheel that bears almost nothing at the start does not warn when it bears its share.
    """
    warned = {name: of for name, of in run.info.get("warn_if_multiple", {}).items() if name in run and len(run[name])}
    groups: dict[tuple[Any, ...], list[str]] = {}
    for name, (limit, why) in warned.items():
        signal = run.signal(name)
        alike = name.rpartition(".")[2] if len(signal.columns) == 1 else name
        groups.setdefault((alike, limit, why, signal.unit), []).append(name)
    found = []
    for (_, limit, why, unit), names in groups.items():
        mean = float(np.mean(np.concatenate([run[name][0].ravel() for name in names])))
        for name in names:
            times = run.time(name)
            rows = run[name].reshape(len(times), -1)
            for column, values in zip(run.signal(name).columns, rows.T, strict=True):
                largest = values.max()
                if 0.0 < limit * mean < largest:
                    found.append(
                        f"{column} was up to {largest:.4g} {unit} at t = {times[values.argmax()]:g} s, "
                        f"{largest / mean:.3g} times the mean of {mean:.4g} {unit} at the start, more than {limit:g}: "
                        f"{why}"
                    )
    return found


def _span(when: NDArray[np.float64]) -> str:
    return f"at t = {when[0]:g} s" if len(when) == 1 else f"between t = {when[0]:g} and {when[-1]:g} s"


def summary(run: Run, report: dict[str, Any]) -> dict[str, Any]:
    """Return the facts of a run for JSON."""
    facts = {
        "outcome": run.info["outcome"],
        "simulated_s": run.timing["simulated_s"],
        "wall_s": run.timing["wall_s"],
        "real_time_factor": run.timing["real_time_factor"],
        "algorithm": run.info["algorithm"],
        "order": run.info["order"],
        "accuracy_notes": run.info["accuracy_notes"],
        "notes": [*run.info.get("setting_notes", []), *run.info["notes"], *warnings_of(run)],
        "parts": run.timing["parts"],
        "responses": evaluate(run, report) if report else {},
        "run": str(run.folder),
    }
    return {**facts, **{k: v for k, v in run.info.items() if k == "message"}} | (
        {"pace": run.timing["pace"]} if "pace" in run.timing else {}
    )


def show_json(
    run: Run,
    report: dict[str, Any],
    cases: Sequence[Case],
    failed: str = "",
    check: dict[str, Any] | None = None,
    pages: Sequence[str] = (),
) -> None:
    """Print the run and its cases as one JSON object; `failed` is why there are no more cases."""
    facts = summary(run, report) | ({} if check is None else {"check": check})
    facts["cases"] = [{"name": case["name"], **summary(done, report)} for case, done in cases]
    facts["pages"] = list(pages)
    if failed:
        facts |= {"outcome": "failed", "message": failed}
    print(json.dumps(facts))


def show(run: Run, report: dict[str, Any], cases: Sequence[Case], warned: Sequence[str] = ()) -> None:
    """Print outcome, speed, costs, responses and notes, without the notes that were `warned` before the run."""
    info, timing = run.info, run.timing
    print(f"{info['diagram']}: {info['outcome']}" + (f", {info['message']}" if "message" in info else ""))
    print(
        f"  {timing['simulated_s']:g} s in {timing['wall_s']:.3g} s, {timing['real_time_factor']:.3g} times real time"
        f" (blocks {info['backend']}, stepped in {'C' if info['engine'] == 'c' else 'Python'}, {_algorithms(info)})"
    )
    costs = ", ".join(f"{name} {part['us_per_step']:.2g}" for name, part in timing["parts"].items())
    print(textwrap.fill(f"us per step: {costs}", 100, initial_indent="  ", subsequent_indent="    "))
    for name in info.get("scripts_at_every_step", []):
        cost = timing["parts"][name]
        share = cost["steps"] * cost["us_per_step"] / max(1e6 * timing["wall_s"], 1e-9)
        print(
            f"  script {name} acts at every step: Python is called at each, {cost['us_per_step']:.2g} us per call, "
            f"{min(share, 1.0):.0%} of the run"
        )
    if "pace" in timing:
        print(f"  {_pace(timing['pace'])}")
    if report.get("responses"):
        _show_responses(run, report, cases)
    notes = [
        *info.get("setting_notes", []),
        *info["accuracy_notes"],
        *(note for note in info["notes"] if note not in warned),
        *warnings_of(run),
    ]
    for note in notes:
        print(f"\n{textwrap.fill(f'note: {note}', 100)}")
    for loop in info.get("delayed_loops", []):
        print(f"\nloop stepped with a delay of one step: {loop}")


def _algorithms(info: dict[str, Any]) -> str:
    others = info["other_algorithms"]
    return str(info["algorithm"]) + (f", and others for {', '.join(others)}" if others else "")


def _pace(facts: dict[str, Any]) -> str:
    mean, p99, most = (1e3 * facts[key] for key in ("late_mean_s", "late_p99_s", "late_max_s"))
    return (
        f"paced at {facts['pace']:g} times real time: late by {mean:.3g} ms on average, {p99:.3g} ms at 99 %, "
        f"{most:.3g} ms at most; {facts['overruns']} of {facts['steps']} steps overran"
    )


def _show_responses(run: Run, report: dict[str, Any], cases: Sequence[Case]) -> None:
    if title_of(report) == CHANGED:
        _show_changed(run, report, cases)
        return
    # the run itself is shown with its values of the parameters that the cases change
    changed = dict.fromkeys(name for case, _ in cases for name in case["set"])
    for case, shown in [({}, run), *cases]:
        values = ", ".join(f"{name} = {_parameter(shown, name)}" for name in changed)
        title = case.get("name", title_of(report))
        print(f"\n{title}" + (f": {values}" if values else ""))
        print(table(evaluate(shown, report), report, case or None))
    for note in report.get("notes", []):
        print(f"\n{textwrap.fill(str(note), 100)}")


def _show_changed(run: Run, report: dict[str, Any], cases: Sequence[Case]) -> None:
    """Print the responses of a changed run beside those of the diagram as it stands."""
    baseline = baseline_of(report, [(case["name"], done) for case, done in cases])
    settings = ", ".join(f"{name} = {value}" for name, value in run.info["settings"].items())
    print(f"\n{CHANGED}" + (f": {settings}" if settings else ""))
    beside = report if baseline is None else beside_baseline(report, baseline)
    print(table(evaluate(run, beside), beside))
    if note := left_out_note(report):
        print(f"\n{note}")


def _parameter(run: Run, name: str) -> Any:
    known = {f"{part}.{key}": value for part, values in run.info["parameters"].items() for key, value in values.items()}
    return known.get(name, "default")
