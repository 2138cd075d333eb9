"""The page of a run: one self-contained HTML file with a header, responses beside published ones, and plots.

The file includes BokehJS, and a content security policy forbids any request. Text from files is escaped.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from bokeh.core.json_encoder import serialize_json
from bokeh.document import Document
from bokeh.resources import Resources

from drawbar.blocks.core.errors import DrawbarError
from drawbar.orchestrator.reports.baseline import baseline_of, beside_baseline, left_out_note, title_of
from drawbar.orchestrator.reports.report_file import rule_of
from drawbar.orchestrator.reports.responses import (
    IDENTIFIED,
    Row,
    evaluate,
    judged_heading,
    number,
    percent,
    published_columns,
    rows,
)
from drawbar.orchestrator.reports.run_report import warnings_of
from drawbar.orchestrator.runs.difference import RunDifference
from drawbar.orchestrator.runs.run import Run
from drawbar.web.report.charts import Chart, select_charts, select_difference
from drawbar.web.report.figures import Figures
from drawbar.web.report.html_page import html_page, own_file
from drawbar.web.report.run_folder import Case, Cases, by_name, find_cases, missing_samples
from drawbar.web.report.style import deviation_texts, format_unit

# nothing may be fetched; Bokeh's own callbacks need 'unsafe-eval'
_POLICY = "default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval'; style-src 'unsafe-inline'; img-src data: blob:"

# the height, which is set once everything is drawn, serves the screenshot of the page
_DRAW = """
const set_height = () => { document.documentElement.dataset.height = document.documentElement.scrollHeight; };
const drawn = run.items[0].root_ids.length
    ? Bokeh.embed.embed_items(run.docs, run.items).then(() => new Promise(done => {
          const all = Bokeh.documents[0];
          if (all.is_idle) done(); else all.idle.connect(done);
      }))
    : Promise.resolve();
drawn.then(() => {
    const figures = () => Bokeh.documents[0]?.roots() ?? [];
    follow_cursor(() => figures().filter(f => f.tags.length));
    addEventListener("resize", () => fit_legends(figures()));
    fit_legends(figures());
    set_height();
});
"""

_STYLE = """
body { margin: 0 auto; max-width: 1500px; padding: 20px 24px; background: #fff; color: #222;
       font: 14px/20px system-ui, sans-serif; }
h1 { font-size: 22px; line-height: 28px; margin: 0; font-weight: 600; overflow-wrap: anywhere; }
h2 { font-size: 15px; line-height: 20px; margin: 20px 0 6px; font-weight: 600; }
h3 { font-size: 14px; line-height: 20px; margin: 12px 0 2px; font-weight: 600; color: #555; }
p { margin: 4px 0; }
.facts { color: #555; }
.tag { display: inline-block; border-radius: 3px; padding: 0 8px; margin-left: 8px; font-size: 13px; font-weight: 500;
       vertical-align: 3px; background: #fde9d9; color: #8a3b00; }
.tag.ok { background: #def2ea; color: #00593f; }
.note { background: #fff6dd; border-left: 3px solid #e69f00; padding: 4px 10px; }
table { border-collapse: collapse; margin: 4px 0; }
td, th { padding: 1px 12px; text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
th { font-weight: 500; color: #555; border-bottom: 1px solid #bbb; }
td:first-child, th:first-child, .text { text-align: left; padding-left: 0; }
tr.first td { border-top: 1px solid #eee; }
td.yes { color: #00734f; } td.no { color: #b34700; font-weight: 600; }
td.gap { color: #777; }
details { color: #555; margin: 4px 0; } summary { cursor: pointer; }
.figure { margin-top: 12px; }
.hint { color: #777; font-size: 13px; }
.table { overflow-x: auto; }
@media (max-width: 600px) { body { padding: 10px 8px; } h1 { font-size: 18px; line-height: 24px; } }
@media (prefers-color-scheme: dark) {
    body { background: #14191f; color: #e6eaee; }
    .facts, details, h3, th, .hint, td.gap { color: #a9b6c3; } th { border-color: #56636f; }
    tr.first td { border-color: #2b343d; }
    .note { background: #3a3016; }
    .tag { background: #4d2c14; color: #ffc79b; } .tag.ok { background: #12402f; color: #9fe3c6; }
    td.yes { color: #6fd3a6; } td.no { color: #ff9d5c; }
}
"""


def run_page(
    run: Run,
    patterns: Sequence[str] = (),
    others: Sequence[Run] = (),
    against: str = "",
    spectrum: bool = False,
    difference: RunDifference | None = None,
) -> str:
    """Return the page of a run as HTML; `patterns` select signals to plot instead of those of the report.

    The `others` are drawn over the run instead of the cases of its report, and the signals over `against` if given.
    With the `difference` of the only other run to the run, its curves are drawn.
    """
    cases = Cases([Case(name, other, {}) for name, other in _named(run, others)]) if others else find_cases(run)
    main = run.folder.resolve().name if others else title_of(_mapping(run.info.get("report")))
    if difference is None:
        choice = select_charts(run, patterns, against, spectrum)
        drawn = Figures(run, choice.charts, cases.found, main)
    else:
        main = f"{cases.found[0].name} − {main}"
        choice = select_difference(run, difference, patterns, main)
        drawn = Figures(difference, choice.charts, (), main)
    document = Document()
    for fig in drawn.figures:
        document.add_root(fig)
    places = {fig.id: f"figure-{i}" for i, fig in enumerate(drawn.figures, start=1)}
    content, names = _renumber(document.to_json(deferred=False))
    items = [
        {"docid": "run", "roots": {names[i]: p for i, p in places.items()}, "root_ids": [names[i] for i in places]}
    ]
    body = [_header(run)]
    body += [f'<p class="note">{escape(note)}</p>' for note in (*choice.notes, *cases.notes, *drawn.notes)]
    if not drawn.figures:
        missing = "runs have no common signals of one unit" if difference else "run has no signals"
        body.append(f'<p class="note">The {missing} to draw.</p>')
    body += [f'<div class="figure" id="{place}"></div>' for place in places.values()]
    if drawn.figures:
        body.append(
            '<p class="hint">Drag to zoom, double arrow in the tools to reset, click a legend entry to hide a curve; '
            "all plots share the cursor.</p>"
        )
    body.append(_report(run, cases.found, main) if difference is None else _deviations(difference, choice.charts, main))
    script = own_file("readout.js").replace("export function", "function")
    body += [
        f'<script type="application/json" id="run">{_json({"docs": {"run": content}, "items": items})}</script>',
        f"<script>\nconst run = JSON.parse(document.getElementById('run').textContent);\n{script}{_DRAW}</script>",
    ]
    bokeh = Resources(mode="inline", components=["bokeh"]).render_js()
    head = f"<style>{_STYLE}{own_file('readout.css')}</style>\n{bokeh}"
    title = f"{run.info.get('diagram', run.folder.name)} - Drawbar run"
    return html_page(title, _POLICY, head, "\n".join(part for part in body if part))


def _header(run: Run) -> str:
    name = escape(str(run.info.get("diagram", run.folder.name)))
    missing = missing_samples(run)
    good = run.outcome == "ok" and not missing
    outcome = run.outcome if run.complete else "incomplete: still running, or killed"
    outcome += ", but files are missing" if missing else ""
    lines = [f'<h1>{name}<span class="tag{" ok" if good else ""}">{escape(outcome)}</span></h1>']
    facts = []
    for key, text in (("wall_s", "wall time {:.3g} s"), ("real_time_factor", "{:.3g} times real time")):
        value = run.timing.get(key)
        if isinstance(value, int | float):
            facts.append(text.format(value))
    for key, text in (("stop", "stop time {} s"), ("step", "macro step {} s"), ("seed", "seed {}")):
        if key in run.info:
            facts.append(text.format(run.info[key]))
    if facts:
        lines.append(f'<p class="facts">{escape(" · ".join(facts))}</p>')
    lines += [f'<p class="note">Files of the run are missing: {escape(text)}.</p>' for text in missing]
    message = run.info.get("message")
    if message:
        lines.append(f'<p class="note">{escape(str(message))}</p>')
    lines += [f'<p class="note">{escape(warning)}</p>' for warning in warnings_of(run)]
    lines += [
        _settings(run.info, "settings", "Differs from the diagram"),
        _settings(run.info, "parameters", "Parameters"),
    ]
    return "\n".join(line for line in lines if line)


def _settings(info: Mapping[str, Any], key: str, title: str) -> str:
    """Return values by name as HTML: a few on one line, many folded."""
    values = info.get(key)
    if not isinstance(values, Mapping) or not values:
        return ""
    pairs = [f"{name} = {_short(value)}" for name, value in by_name(values)]
    if len(pairs) <= 4:
        return f'<p class="facts">{escape(title)}: {escape("; ".join(pairs))}</p>'
    listed = "".join(f"<div>{escape(pair)}</div>" for pair in pairs)
    return f"<details><summary>{escape(title)} ({len(pairs)})</summary>{listed}</details>"


def _short(value: Any) -> str:
    text = str(value)
    return text if len(text) <= 100 else text[:97] + "..."


def _named(run: Run, others: Sequence[Run]) -> list[tuple[str, Run]]:
    """Return runs with names that differ: the name of the folder, or the whole path."""
    names = [one.folder.resolve().name for one in (run, *others)]
    pairs = zip(names[1:], others, strict=True)
    return [(name if names.count(name) == 1 else str(other.folder), other) for name, other in pairs]


def _report(run: Run, cases: Sequence[Case], title: str) -> str:
    report = run.info.get("report")
    if not isinstance(report, Mapping) or not report.get("responses"):
        return ""
    parts = ["<h2>Responses</h2>"]
    # the settings that the cases change are shown for the run itself as well
    changed = list(dict.fromkeys(str(name) for case in cases for name in _mapping(case.rule.get("set"))))
    try:
        baseline = baseline_of(report, [(case.name, case.run) for case in cases])
        if baseline is not None:  # its figures are a column beside those of the run
            report, cases = beside_baseline(report, baseline), ()
        main = (title, run, None)
        for name, one, rule in [main, *((case.name, case.run, case.rule or None) for case in cases)]:
            if cases or "title" in report:
                parts.append(f"<h3>{escape(_title(name, one, changed))}</h3>")
            parts += _table(rows(evaluate(one, report), report, rule), rule_of(report, rule))
    except DrawbarError as error:
        return f'<p class="note">{escape(str(error))}</p>'
    notes = report.get("notes")
    parts += [f'<p class="hint">{escape(str(note))}</p>' for note in (notes if isinstance(notes, list) else [])]
    if note := left_out_note(report):
        parts.append(f'<p class="hint">{escape(note)}</p>')
    if report.get("source"):
        parts.append(f'<p class="hint">Published values: {escape(str(report["source"]))}</p>')
    return "\n".join(parts)


def _deviations(difference: RunDifference, charts: Sequence[Chart], title: str) -> str:
    """Return the largest difference and the root mean square of each drawn signal as HTML."""
    cells = "".join(f"<th>{text}</th>" for text in ("signal", "largest", "at", "root mean square"))
    lines = [f"<h2>Difference: {escape(title)}</h2>", f'<div class="table"><table><tr>{cells}</tr>']
    for chart in charts:
        for name in chart.signals:
            row = "".join(f"<td>{escape(text)}</td>" for text in deviation_texts(difference.deviation(name)))
            lines.append(f'<tr class="first">{row}</tr>')
    return "\n".join([*lines, "</table></div>"])


def _title(name: str, run: Run, changed: Sequence[str]) -> str:
    """Return the name of a case, its outcome unless it is good, and the settings in which the cases differ."""
    parameters = dict(by_name(_mapping(run.info.get("parameters"))))
    values = ", ".join(f"{key} = {_short(parameters.get(key, 'default'))}" for key in changed)
    outcome = "" if run.outcome == "ok" else f" ({run.outcome})"
    return f"{name}{outcome}" + (f": {values}" if values else "")


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _table(lines: Sequence[Row], rule: tuple[str, float, list[str]] | None) -> list[str]:
    columns = published_columns(lines)
    head = ["response", "", "ours"] + [text for column in columns for text in (column.upper(), "deviation")]
    head += [judged_heading(rule)] if rule else []
    cells = "".join(f"<th>{escape(text)}</th>" for text in head)
    body = (_response(line, columns, rule is not None) for line in lines)
    return [f'<div class="table"><table><tr>{cells}</tr>', *body, "</table></div>"]


def _response(line: Row, columns: Sequence[str], judged: bool) -> str:
    first = line.quantity in ("max", "")
    unit = format_unit(line.unit)
    label = f"{line.label} [{unit}]" if unit else line.label
    if line.reason:
        wide = 2 + 2 * len(columns) + judged
        cell = f'<td class="text gap" colspan="{wide}">{escape(line.reason)}</td>'
        return f'<tr class="first"><td>{escape(label)}</td>{cell}</tr>'
    cells = [f"<td>{escape(label) if first else ''}</td>", f'<td class="text">{line.quantity}</td>']
    cells.append(f"<td>{number(line.ours)}</td>")
    for column in columns:
        cells.append(f"<td>{number(line.published.get(column))}</td>")
        cells.append(f'<td class="gap">{percent(line.deviations.get(column))}</td>')
    if judged:
        text = IDENTIFIED if line.identified else {True: "yes", False: "no", None: ""}[line.within]
        cells.append(f'<td class="{text}">{text}</td>')
    opening = '<tr class="first">' if first else "<tr>"
    return f"{opening}{''.join(cells)}</tr>"


def _renumber(content: Any) -> tuple[Any, dict[str, str]]:
    """Number Bokeh's models in the order in which they occur, so that equal runs give equal pages.

    Return the result and a mapping from old to new names.
    """
    names: dict[str, str] = {}

    def renamed(value: Any) -> Any:
        if isinstance(value, dict):
            return {
                key: names.setdefault(item, f"p{len(names) + 1}")
                if key == "id" and re.fullmatch(r"p[0-9]+", str(item))
                else renamed(item)
                for key, item in value.items()
            }
        return [renamed(item) for item in value] if isinstance(value, list | tuple) else value

    return renamed(content), names


def _json(content: Any) -> str:
    """Return JSON that can stand inside a script element: without ``<``, which could end it."""
    return str(serialize_json(content)).replace("<", "\\u003c")
