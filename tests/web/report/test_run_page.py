import json
import re
from html import escape, unescape

import numpy as np
import pytest

from drawbar.orchestrator.runs.recorder import Column, Recorder
from drawbar.orchestrator.runs.run import Run
from drawbar.web.report.run_page import run_page

HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(2)>"


def body(text):
    """The page without BokehJS and the figures' data: what is written for people."""
    return re.sub(r"<script.*?</script>", "", text[text.index("\n<body>\n") :], flags=re.DOTALL)


def test_the_header_shows_diagram_outcome_times_and_parameters(lane_change):
    text = body(run_page(Run(lane_change(step="1/1000", settings={"vehicle.mass": 2500.0}))))
    assert '<h1>double_lane_change<span class="tag ok">ok</span></h1>' in text
    assert "wall time 0.83 s · 14.5 times real time · stop time 12.0 s · macro step 1/1000 s" in text
    assert "Parameters: vehicle.mass = 2286.0" in text
    assert "Differs from the diagram: vehicle.mass = 2500.0" in text


def test_many_parameters_are_folded_away(lane_change):
    text = body(run_page(Run(lane_change(parameters={f"p{i}": i for i in range(20)}))))
    assert "<summary>Parameters (20)</summary>" in text
    assert "<div>p19 = 19</div>" in text


def test_a_run_that_was_killed_or_failed_is_marked(lane_change):
    text = body(run_page(Run(lane_change(finish=False))))
    assert '<span class="tag">incomplete: still running, or killed</span>' in text
    assert "wall time" not in text
    folder = lane_change("failed", finish=False)
    info = (folder / "run.json").read_text().replace('"running"', '"failed", "message": "part body: z is NaN at 1.5 s"')
    (folder / "run.json").write_text(info)
    text = body(run_page(Run(folder)))
    assert '<span class="tag">failed</span>' in text
    assert '<p class="note">part body: z is NaN at 1.5 s</p>' in text


def test_warnings_of_fmus_are_notes(lane_change):
    folder = lane_change()
    info = json.loads((folder / "run.json").read_text())
    assert "warned" not in body(run_page(Run(folder)))
    info["messages"] = {"theirs": {"warnings": [{"text": f"slow {HOSTILE}", "count": 3, "last": "slow at 2 s"}]}}
    (folder / "run.json").write_text(json.dumps(info))
    text = body(run_page(Run(folder)))
    assert (
        f'<p class="note">part &#x27;theirs&#x27; warned 3 times: slow {escape(HOSTILE)}; the last time: slow' in text
    )


def test_the_responses_stand_beside_the_published_ones(lane_change):
    folder = lane_change()
    text = body(run_page(Run(folder)))
    cells = [re.findall(r"<t[dh][^>]*>(.*?)</t[dh]>", row) for row in re.findall(r"<tr.*?</tr>", text)]
    assert cells[0] == ["response", "", "ours", "ADAMS", "deviation", "ROAMS", "deviation", "within 20 % of ADAMS"]
    load = Run(folder)["vehicle.wheel_load[1]"]
    peak_to_peak = np.ptp(load) / load[0]
    deviations = [f"{100 * (peak_to_peak / published - 1):+.1f} %" for published in (1.0, 1.1)]
    assert cells[3][1:] == ["peak-to-peak", f"{peak_to_peak:.2f}", "1.00", deviations[0], "1.10", deviations[1], "yes"]
    assert cells[4][:2] == ["lateral acceleration [g]", "max"]
    assert "Published values: a paper" in text


def test_each_case_has_a_table_by_its_own_rule_under_what_it_changes(with_cases):
    folder = with_cases("0.60 g", "<b>")
    text = body(run_page(Run(folder)))
    assert re.findall("<h3>(.*?)</h3>", text) == [
        "as it stands: vehicle.speed = default",
        "0.60 g: vehicle.speed = 16.0",
        "&lt;b&gt;: vehicle.speed = 17.0",
    ]
    rules = re.findall("within .*? of [A-Z]+", text)
    assert rules == ["within 20 % of ADAMS", "within 10 % of ROAMS", "within 20 % of ADAMS"]
    peaks = re.findall(r"lateral acceleration \[g\]</td>.*?<td>(.*?)</td>", text)
    assert peaks == ["0.49", "0.59", "0.69"]
    assert "<h3>" not in body(run_page(Run(folder / "cases" / "0.60_g")))


def test_a_case_that_is_missing_or_failed_is_noted(with_cases):
    folder = with_cases("0.60 g", "0.70 g")
    info = folder / "cases" / "0.60_g" / "run.json"
    info.write_text(info.read_text().replace('"ok"', '"failed"'))
    (folder / "cases" / "0.70_g" / "run.json").unlink()
    text = body(run_page(Run(folder)))
    assert "<h3>0.60 g (failed): vehicle.speed = 16.0</h3>" in text
    assert '<p class="note">The case 0.70 g is left out: ' in text
    assert '<span class="tag ok">ok</span>' in text


def test_a_response_that_is_not_judged_says_why_in_its_row(lane_change):
    report = {
        "judge": {"column": "adams", "tolerance": 0.2},
        "responses": {
            "late": {
                "signal": "vehicle.a_y",
                "window": [0, 20],
                "label": "peak <late>",
                "published": {"adams": [1, 0]},
            },
            "a_y": {"signal": "vehicle.a_y", "published": {"adams": [4.9, -4.9]}},
        },
    }
    text = unescape(body(run_page(Run(lane_change(report=report)))))
    why = "not judged: the run ends at t = 12 s, and the response needs it up to 20 s"
    assert f'<td>peak <late></td><td class="text gap" colspan="5">{why}</td></tr>' in text
    assert text.count('<td class="yes">yes</td>') == 2


def test_without_a_report_there_is_no_table(lane_change):
    assert "<table" not in body(run_page(Run(lane_change(report=None))))


def test_a_malformed_report_does_not_stop_the_page(lane_change):
    text = body(run_page(Run(lane_change(report={"responses": {"r": {}}}))))
    assert "response 'r' has no 'signal'" in unescape(text)
    assert 'id="figure-1"' in text


def test_nothing_outside_is_referred_to(lane_change):
    text = run_page(Run(lane_change()))
    assert "Content-Security-Policy\" content=\"default-src 'none'" in text
    assert not re.search(r"<(?:script|img|iframe|link)[^>]+(?:src|href)=", text)
    assert "cdn.bokeh.org" not in body(text)


def test_equal_runs_give_equal_pages_in_one_process(lane_change):
    assert run_page(Run(lane_change("1"))) == run_page(Run(lane_change("2")))
    assert run_page(Run(lane_change("3", samples=1201, diagram="other"))) != run_page(Run(lane_change("4")))


def test_text_from_files_is_escaped_everywhere(lane_change):
    names = ("vehicle.x", "vehicle.y", *(f"vehicle.wheel_load[{i}]" for i in (1, 2, 3, 4)), "vehicle.a_y")
    columns = (*(Column(name, HOSTILE, description=HOSTILE) for name in names), Column(HOSTILE, "m"))
    report = {
        "source": HOSTILE,
        "judge": {"column": HOSTILE, "tolerance": 1},
        "responses": {
            HOSTILE: {"signal": "vehicle.a_y", "unit": HOSTILE, "label": HOSTILE, "published": {HOSTILE: [1, 0]}},
            "missing": {"signal": HOSTILE * 2},
        },
        "plots": [
            {"title": HOSTILE, "signals": ["vehicle.a_y"], "labels": [HOSTILE]},
            {"title": HOSTILE, "signals": [HOSTILE]},
            {"title": HOSTILE, "kind": "map", "x": "vehicle.x", "y": "vehicle.y"},
            {"signals": [HOSTILE * 2]},
        ],
    }
    settings = {HOSTILE: HOSTILE}
    scene = [{"kind": "line", "name": HOSTILE, "x": [0], "y": [0]}]
    info = {"diagram": HOSTILE, "message": HOSTILE, "parameters": settings, "settings": settings, "step": HOSTILE}
    text = run_page(Run(lane_change(columns=columns, report=report, scene=scene, **info)))
    assert text.count("alert(1)") > 15
    assert "<script>alert" not in text
    assert "<img" not in text[text.index("\n<body>\n") :]


def test_a_run_without_signals_says_so(tmp_path):
    Recorder(tmp_path, {"diagram": "empty"}, []).finish("failed", "nothing ran")
    assert "The run has no signals to draw." in body(run_page(Run(tmp_path)))


@pytest.mark.parametrize(
    "info", [{"report": [1]}, {"parameters": "x"}, {"scene": 5}, {"settings": [1]}, {"stop": {"a": 1}}]
)
def test_info_of_another_kind_does_not_stop_the_page(lane_change, info):
    content = {"report": None, **info}
    report = content.pop("report")
    text = body(run_page(Run(lane_change(report=report, **content))))
    assert 'id="figure-1"' in text
