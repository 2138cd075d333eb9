"""The page of ``drawbar view`` with a run of a million samples a signal, in a real Chromium without a network.

    python tests/benchmarks/view.py --json

Three signals, 1,000,000 samples each. `load_s` is from the address to drawn plots, `zoom_s` from a change of the time
axis to finer curves drawn (the median of `ZOOMS`), `frame_s` until the old curves have followed. `server_cpu_s` and
`browser_cpu_s` are CPU seconds per zoom, from /proc. The floor is naive: the same three curves with all their samples
in a plain Bokeh page, in the same browser in the same run, whose zoom is done when it is drawn. The samples are waves
with noise, as measured ones are; the path of a million noisy segments takes a browser without a GPU half a minute.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from bokeh.layouts import column
from bokeh.models import Range1d
from bokeh.plotting import figure, output_file, save
from bokeh.resources import INLINE
from playwright.sync_api import Page, sync_playwright

from drawbar.orchestrator.runs.recorder import Column, Rate, Recorder
from drawbar.orchestrator.runs.run import Run
from drawbar.web.report.screenshot import find_browser

SIGNALS = {"vehicle.a_y": "m/s2", "tire.load": "N", "steering.angle": "rad"}
ZOOMS = 12
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking"]
FLAGS += ["--disable-component-update", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"]
# a change of the axis: ms until what is there has followed, ms until the finer data is drawn, points that are seen
ZOOM = """async ([figure, start, end, waits]) => {
    const frame = () => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
    const source = figure.renderers[0].data_source;
    const before = source.data, begun = performance.now();
    figure.x_range.setv({start, end});
    await frame();
    const followed = performance.now() - begun;
    while (waits && source.data === before) await new Promise(done => setTimeout(done, 1));
    await frame();
    const t = source.data.t;
    let seen = 0;
    for (let i = 0; i < t.length; i++) if (t[i] >= start && t[i] <= end) seen++;
    return [followed, performance.now() - begun, seen];
}"""
FIRST_PLOT = "() => Bokeh.documents[0].roots().find(root => root.children).children[0]"


def record(folder: Path, samples: int) -> None:
    """A run of noise and waves, with one spike of a single sample that no picture may lose."""
    noise = np.random.default_rng(0).standard_normal((samples, len(SIGNALS)))
    t = np.arange(samples) * 1e-3
    waves = np.column_stack([np.sin(0.02 * (i + 1) * t) for i in range(len(SIGNALS))]) + 0.1 * noise
    waves[samples // 3, 0] = 40.0
    columns = tuple(Column(name, unit) for name, unit in SIGNALS.items())
    recorder = Recorder(folder, {"diagram": "benchmark", "stop": float(t[-1])}, [Rate(Fraction(1, 1000), columns)])
    for first in range(0, samples, 16384):
        rows = slice(first, first + 16384)
        recorder.write(0, np.column_stack([t[rows], waves[rows]]))
    recorder.finish("ok", timing={"simulated_s": float(t[-1])})


def naive_page(folder: Path, file: Path) -> None:
    """All samples of all signals in a page, as one would do first."""
    run, x_range = Run(folder), Range1d(0.0, float(Run(folder).time(next(iter(SIGNALS)))[-1]))
    figures = []
    for name in SIGNALS:
        fig = figure(height=215, sizing_mode="stretch_width", x_range=x_range, output_backend="canvas")
        fig.line("t", "y", source={"t": run.time(name), "y": run[name].astype(np.float32)}, line_width=1.6)
        figures.append(fig)
    output_file(file, mode="inline")
    save(column(figures, sizing_mode="stretch_width"), resources=INLINE, title="naive")


def cpu(pid: int) -> float:
    """CPU seconds of a process so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def browser_cpu() -> float:
    """CPU seconds of the browser's processes, which descend from this one."""
    parents: dict[int, tuple[int, str]] = {}
    for place in Path("/proc").iterdir():
        if place.name.isdigit():
            try:
                head, _, rest = (place / "stat").read_text().rpartition(")")
            except OSError:  # it has just ended
                continue
            parents[int(place.name)] = (int(rest.split()[1]), head.partition("(")[2])
    total = 0.0
    for pid, (parent, name) in parents.items():
        while parent in parents and parent != os.getpid():
            parent = parents[parent][0]
        if parent == os.getpid() and "chrom" in name:
            total += cpu(pid)
    return total


def zooms(page: Page, end: float, server: int | None) -> dict[str, float]:
    """Zoom in and out again at places that were not seen yet; a server sends finer data."""
    figure = page.evaluate_handle(FIRST_PLOT)
    before = browser_cpu(), cpu(server) if server else 0.0
    found = []
    for i in range(ZOOMS):
        width = end / 10 ** (1 + i % 3)
        start = (end - width) * (0.07 + 0.8 * i / ZOOMS)
        found.append(page.evaluate(ZOOM, [figure, start, start + width, server is not None]))
    followed, drawn, _ = zip(*found, strict=True)
    return {
        "frame_s": statistics.median(followed) / 1e3,
        "zoom_s": statistics.median(drawn) / 1e3,
        "browser_cpu_s": (browser_cpu() - before[0]) / ZOOMS,
        "server_cpu_s": ((cpu(server) if server else 0.0) - before[1]) / ZOOMS,
    }


def opened(page: Page, url: str, ready: Callable[[], Any]) -> float:
    """Open a page; seconds until it is drawn."""
    begun = time.perf_counter()
    page.goto(url)
    while not ready():
        time.sleep(0.01)
    page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    return time.perf_counter() - begun


def measure(samples: int) -> dict[str, Any]:
    """Both pages in one browser."""
    with tempfile.TemporaryDirectory(prefix="drawbar-view-") as place, sync_playwright() as playwright:
        folder, file = Path(place) / "runs" / "million", Path(place) / "naive.html"
        record(folder, samples)
        naive_page(folder, file)
        end = (samples - 1) * 1e-3
        browser = playwright.chromium.launch(executable_path=find_browser(), args=FLAGS)
        size = {"width": 1280, "height": 800}
        command = [sys.executable, "-m", "drawbar.orchestrator.cli.entry", "view", "--json"]
        begun = time.perf_counter()
        view = subprocess.Popen(command, cwd=place, stdout=subprocess.PIPE, text=True)
        try:
            assert view.stdout is not None
            told = json.loads(view.stdout.readline())
            start_s = time.perf_counter() - begun
            page = browser.new_page(viewport=size)
            asked: list[str] = []
            page.on("request", lambda request: asked.append(request.url))
            base = browser_cpu(), cpu(view.pid)
            idle = "() => document.body?.dataset.ready == 'yes' && Bokeh.documents[0].is_idle"
            load_s = opened(page, told["url"], lambda: page.evaluate(idle))
            load_cpu = browser_cpu() - base[0], cpu(view.pid) - base[1]
            highest = page.evaluate_handle(FIRST_PLOT).evaluate(
                "({renderers: [r]}) => Math.max(...r.data_source.data[r.glyph.y.field])"
            )
            ours = zooms(page, end, view.pid)
            page.close()
        finally:
            view.terminate()
            view.wait(20)
        page = browser.new_page(viewport=size)
        idle = "() => window.Bokeh?.documents?.length == 1 && Bokeh.documents[0].is_idle"
        naive_load_s = opened(page, file.as_uri(), lambda: page.evaluate(idle))
        naive = zooms(page, end, None)
        browser.close()
    home = f"http://127.0.0.1:{told['port']}/"
    return {
        "samples": samples,
        "signals": len(SIGNALS),
        "start_s": start_s,
        "load_s": load_s,
        "load_browser_cpu_s": load_cpu[0],
        "load_server_cpu_s": load_cpu[1],
        **ours,
        "requests": len(asked),
        "outside_requests": sum(not url.startswith((home, "data:")) for url in asked),
        "spike_kept": highest == 40.0,
        "naive_load_s": naive_load_s,
        "naive_zoom_s": naive["zoom_s"],
        "naive_browser_cpu_s": naive["browser_cpu_s"],
        "load_ratio_to_naive": naive_load_s / load_s,
        "zoom_ratio_to_naive": naive["zoom_s"] / ours["zoom_s"],
        "frame_ratio_to_naive": naive["frame_s"] / ours["frame_s"],
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--samples", type=int, default=1_000_000, help="of each signal; default: %(default)d")
    options = parser.parse_args()
    found = measure(options.samples)
    if options.json:
        print(json.dumps(found))
    else:
        for name, value in found.items():
            print(f"{name:24} {value:.4g}" if isinstance(value, float) else f"{name:24} {value}")


if __name__ == "__main__":
    main()
