"""The page of ``drawbar view`` in a real Chromium without a network: keys, mouse, overlay, and a run in progress."""

import re
import subprocess
import sys
import time

import pytest

from drawbar.orchestrator.runs.recorder import Column
from drawbar.orchestrator.runs.run import Run

pytestmark = pytest.mark.browser

STYLES = ["/readout.css", "/view.css"]
SCRIPTS = ["/bokeh.min.js", "/dom.js", "/keys.js", "/kind.js", "/readout.js"]
SCRIPTS += ["/run_filter.js", "/run_table.js", "/runs.js", "/tree.js", "/view.js"]
# what a plot holds: its time axis, and for each curve run, signal, visibility and number of points
COLUMN = "Bokeh.documents[0].get_model_by_name('plots')"
PLOTS = """() => Bokeh.documents[0].get_model_by_name('plots').children.map(f => ({
    start: f.x_range.start, end: f.x_range.end,
    curves: f.renderers.filter(r => r.tags.length == 4).map(r => {
        const t = r.data_source.data.t, seen = Array.from(t).filter(x => x >= f.x_range.start && x <= f.x_range.end);
        return {run: r.tags[0], name: r.tags[1], visible: r.visible, points: seen.length,
                colour: r.glyph.line_color.value, dash: r.glyph.line_dash.value.length};
    })}))"""
PAINTED = """() => [...Bokeh.index.roots].flatMap(v => v.child_views ?? []).map(v => {
    const {canvas} = v.canvas_view.primary, {width, height} = canvas;
    const {data} = canvas.getContext('2d').getImageData(0, 0, width, height);
    let count = 0;
    for (let i = 0; i < data.length; i += 4) if (data[i + 3] > 0 && data[i] + data[i + 1] + data[i + 2] < 600) count++;
    return count;
})"""


def names(page):
    return [[curve["name"] for curve in plot["curves"]] for plot in page.evaluate(PLOTS)]


def until(page, script, seconds=30):
    """Wait until a script returns a true value; playwright's own wait compiles text, which the policy forbids."""
    end = time.monotonic() + seconds
    while not page.evaluate(script):
        assert time.monotonic() < end, f"never: {script}"
        page.wait_for_timeout(50)


def wait_for_plots(page, wanted):
    """Wait until these signals are plotted; fails with what is plotted instead."""
    end = time.monotonic() + 10
    while names(page) != wanted and time.monotonic() < end:
        page.wait_for_timeout(50)
    assert names(page) == wanted


def active(page):
    return page.evaluate("document.activeElement.dataset.path ?? document.activeElement.id")


def test_the_page_opens_with_runs_signals_and_plots_and_asks_this_server_only(shared, wait_for):
    page = shared("a")
    assert page.locator("#runs tbody tr").count() == 7
    assert page.locator("#runs tr.shown .tag").inner_text() == "ok"
    assert "12 s" in page.locator("#runs tr.shown").inner_text()
    assert page.locator("#tree > li").count() == 3
    assert len(names(page)) == 3
    wait_for(page, lambda: all(count > 1500 for count in page.evaluate(PAINTED)))
    assert page.evaluate("[document.documentElement.scrollWidth, document.documentElement.scrollHeight]") == [
        1280,
        800,
    ]
    paths = sorted({re.sub(r"^http://[^/]+|\?.*", "", url) for url in page.requests})
    assert [p for p in paths if p not in ("/picture.svg", ",")] == sorted(["/", *SCRIPTS, *STYLES])


def test_the_guard_of_these_tests_sees_a_request_and_an_error(shared):
    for fault in ("fetch('http://127.0.0.1:1/x').catch(() => 0)", "setTimeout(() => { throw Error('no'); }, 0)"):
        shared("a").evaluate(fault)
        with pytest.raises(AssertionError):
            shared.watched.check()
        shared.watched.forget()
        shared.watched.check()


def test_the_policy_stops_what_gets_into_the_page(shared):
    stopped = shared("a").evaluate("""async () => {
        const stopped = [];
        addEventListener('securitypolicyviolation', event => stopped.push(event.effectiveDirective));
        const script = document.createElement('script');
        script.textContent = 'window.caught = true';
        document.body.append(script);
        setTimeout(() => Function('window.caught = true')(), 0);  // here and now it would be the test's own
        new Image().src = 'http://127.0.0.1:1/x.png';
        await fetch('http://127.0.0.1:1/x').catch(() => 0);
        await new Promise(done => setTimeout(done, 200));
        return [...stopped, window.caught ?? 'not run'];
    }""")
    with pytest.raises(AssertionError):
        shared.watched.check()
    shared.watched.forget()
    seen = set(stopped)
    assert {"script-src-elem", "script-src", "img-src", "connect-src", "not run"} == seen


def test_everything_is_plotted_by_keys_alone(shared):
    page = shared("a")
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("/")
    assert active(page) == "filter"
    page.keyboard.type("wheel load")
    assert page.locator("#count").inner_text() == "1 of 7"
    page.keyboard.press("Enter")
    assert active(page) == "vehicle.wheel_load"
    page.keyboard.press("Enter")  # it was plotted
    wait_for_plots(page, [["vehicle.a_y"], ["vehicle.steer"]])
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    assert active(page) == "vehicle.wheel_load/vehicle.wheel_load[2]"
    page.keyboard.press("Space")
    wait_for_plots(page, [["vehicle.a_y"], ["vehicle.steer"], ["vehicle.wheel_load[2]"]])
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Shift+Enter")
    wait_for_plots(page, [["vehicle.a_y"], ["vehicle.steer"], ["vehicle.wheel_load[2]"], ["vehicle.wheel_load[3]"]])
    page.keyboard.press("ArrowLeft")
    assert active(page) == "vehicle.wheel_load"
    page.keyboard.press("ArrowLeft")
    assert page.locator("#tree [role=treeitem]").count() == 2, "closed"
    page.keyboard.press("Home")
    page.keyboard.press("ArrowUp")
    assert active(page) == "filter"
    page.keyboard.press("Escape")
    assert page.locator("#count").inner_text() == "7"
    page.keyboard.press("ArrowDown")
    assert active(page) == "vehicle"


def test_all_plots_go_at_once_and_the_page_says_what_to_do(shared):
    page = shared("a")
    page.locator("#clear").click()
    wait_for_plots(page, [])
    assert "Nothing is plotted. Choose signals on the left" in page.locator("#plots-empty").inner_text()
    assert page.locator("#clear").is_hidden()
    page.locator("[data-signal='vehicle.a_y']").click()
    wait_for_plots(page, [["vehicle.a_y"]])
    page.locator("#plots-empty").wait_for(state="hidden")


def test_a_filter_without_a_match_says_so(shared):
    page = shared("a")
    page.locator("#filter").fill("<b>nothing</b>")
    assert "No signal matches “<b>nothing</b>”" in page.locator("#tree-empty").inner_text()


def test_zooming_gives_a_finer_envelope_and_all_axes_move(shared, wait_for):
    page = shared("long")
    before = page.evaluate(PLOTS)
    assert {plot["end"] for plot in before} == {12.0}
    assert before[1]["curves"][0]["points"] < 10_000
    wait_for(page, lambda: all(count > 1500 for count in page.evaluate(PAINTED)))  # a busy machine draws late
    page.mouse.move(700, 400)
    page.mouse.down()
    page.mouse.move(720, 400, steps=4)
    page.mouse.up()
    samples = Run(shared.runs / "long").time("vehicle.a_y")

    def seen():
        """How many points of a curve one sees, how many samples there are, and the axes."""
        plots = page.evaluate(PLOTS)
        start, end = plots[1]["start"], plots[1]["end"]
        exact = int(((samples >= start) & (samples <= end)).sum())
        return plots[1]["curves"][0]["points"], exact, {(plot["start"], plot["end"]) for plot in plots}

    wait_for(page, lambda: {end for _, end in seen()[2]} != {12.0} and seen()[0] > 1500)
    points, exact, axes = seen()
    ((start, end),) = axes
    assert 0.1 < end - start < 0.6
    assert points <= exact
    for _ in range(4):
        page.keyboard.press("+")
    wait_for(page, lambda: seen()[1] < exact / 10 and seen()[0] == seen()[1])  # every sample
    page.keyboard.press("0")
    until(page, f"{COLUMN}.children[0].x_range.end == 12")


def test_a_second_run_is_drawn_over_the_first_and_a_legend_entry_hides_it(shared, wait_for):
    page = shared("a")
    page.locator("tr[data-run=b] input").click()
    until(page, "document.querySelectorAll('#runs tr.shown').length == 2")
    wait_for(page, lambda: len(page.evaluate(PLOTS)[1]["curves"]) == 2)
    curves = page.evaluate(PLOTS)[1]["curves"]
    assert [(c["run"], c["name"]) for c in curves] == [("a", "vehicle.a_y"), ("b", "vehicle.a_y")]
    assert curves[0]["colour"] != curves[1]["colour"]
    assert [c["dash"] for c in curves] == [0, 0]
    assert page.locator("#runs .line").count() == 2
    hide = "Bokeh.documents[0].get_model_by_name('plots').children[1].legend.items[2].renderers[0].visible = false"
    page.evaluate(hide.replace(".legend.", ".above.find(a => a.type == 'Legend')."))
    wait_for(page, lambda: [c["visible"] for c in page.evaluate(PLOTS)[1]["curves"]] == [True, False])
    page.locator("tr[data-run=b] td.name").click()
    until(page, "document.querySelectorAll('#runs tr.shown').length == 1")
    wait_for(page, lambda: {c["run"] for plot in page.evaluate(PLOTS) for c in plot["curves"]} == {"b"})


def test_runs_are_chosen_by_keys(shared):
    page = shared("a")
    page.locator("#runs tr.shown").focus()
    order = page.locator("#runs tbody tr").evaluate_all("rows => rows.map(row => row.dataset.run)")
    other = "ArrowUp" if order.index("b") < order.index("a") else "ArrowDown"
    page.keyboard.press(other)
    page.keyboard.press("Space")
    until(page, "document.querySelectorAll('#runs tr.shown').length == 2")
    page.keyboard.press("Enter")
    until(page, "document.querySelectorAll('#runs tr.shown').length == 1")
    assert page.locator("#runs tr.shown").get_attribute("data-run") == "b"


def test_the_diagram_is_drawn(lane_change, tmp_path, opened):
    with opened(tmp_path, "double_lane_change") as page:
        assert page.locator("#tab-diagram").get_attribute("aria-selected") == "true"
        until(page, "document.querySelector('#diagram img')?.naturalWidth > 300")
        page.locator("#tab-plots").click()
        assert "drawbar run double_lane_change" in page.locator("#plots-empty").inner_text()


def test_a_hostile_picture_does_nothing(shared):
    page = shared("picture")
    page.locator("#tab-diagram").click()
    until(page, "document.querySelector('#diagram img')?.naturalWidth == 400")


def test_hostile_names_stay_text(lane_change, tmp_path, opened):
    bad = "<img src=x onerror=alert(1)>$$x^2$$</script>"
    columns = tuple(Column(f"{bad}{i}", f"{bad}@t$index") for i in range(8))
    lane_change(
        "runs/<img src=x onerror=alert(1)>", columns=columns, report=None, diagram=bad, message=bad, outcome=bad
    )
    with opened(tmp_path) as page:
        assert bad in page.locator("#tree").inner_text()
        assert bad in page.locator("#runs").inner_text()
        page.mouse.move(800, 550)  # below the legend of long names
        page.mouse.move(810, 550)
        assert "onerror" in page.locator(".readout").inner_text()


def test_a_broken_run_is_one_sentence_and_the_page_goes_on(shared):
    page = shared("a")
    page.locator("tr[data-run=damaged] td.name").click()
    page.wait_for_selector(".note")
    assert "is damaged" in page.locator(".note").inner_text()
    assert page.locator("tr[data-run=unreadable] .tag").inner_text() == "unreadable"
    page.locator("tr[data-run=unreadable] td.name").click()
    until(page, "document.querySelector('.note').innerText.includes('run.json')")
    assert len(names(page)) == 3


def test_a_run_in_progress_grows_and_finishes(tmp_path, opened):
    with opened(tmp_path) as page:
        assert "No runs in runs yet" in page.locator("#plots-empty").inner_text()
        command = [sys.executable, "-m", "drawbar.orchestrator.cli.entry", "run", "double_lane_change_planar"]
        command += ["--pace", "3", "--no-page", "--backend", "interpreted", "--stop", "18"]
        with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as run:
            try:
                page.wait_for_selector("#runs .tag.running", timeout=60_000)
                until(page, f"{COLUMN}.children.length > 0")
                first = page.evaluate(PLOTS)[0]["end"]
                until(page, f"{COLUMN}.children[0].x_range.end > {first}")
                assert run.poll() is None, "it is still running"
                page.wait_for_selector("#runs .tag.ok", timeout=60_000)
                until(page, f"{COLUMN}.children[0].x_range.end == 18")
                until(page, "document.querySelector('#diagram img')?.src.includes('double_lane_change_planar-001')")
            finally:
                run.terminate()


def test_the_page_reports_that_the_server_ended(lane_change, tmp_path, chromium, serve):
    lane_change("runs/a")
    context = chromium.new_context(viewport={"width": 1280, "height": 800})
    page = context.new_page()
    with serve(tmp_path) as server:
        page.goto(server.url)
        page.wait_for_selector("body[data-ready]")
    page.wait_for_selector(".note.lost")
    assert len(names(page)) == 3, "what is shown stays"
    context.close()


def test_a_page_that_lost_its_connection_begins_anew(lane_change, tmp_path, chromium, serve):
    lane_change("runs/a")
    context = chromium.new_context(viewport={"width": 1280, "height": 800})
    page = context.new_page()
    page.add_init_script("""
        const Plain = WebSocket;
        window.sockets = [];
        window.WebSocket = class extends Plain { constructor(...words) { super(...words); sockets.push(this); } };
    """)
    with serve(tmp_path) as server:
        page.goto(server.url)
        page.wait_for_selector("body[data-ready]")
        with page.expect_navigation():
            page.evaluate("sockets[0].close()")
        page.wait_for_selector("body[data-ready]")
        assert len(names(page)) == 3
        assert page.locator(".note").count() == 0
        context.close()
