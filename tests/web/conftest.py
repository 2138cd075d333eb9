import stat
import sys
from fractions import Fraction

import numpy as np
import pytest

from drawbar.orchestrator.runs.recorder import Column, Rate, Recorder, folder_name
from drawbar.web.report.screenshot import find_browser

# no network but this machine
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
]

REPORT = {
    "source": "a paper",
    "judge": {"column": "adams", "tolerance": 0.2},
    "responses": {
        "wheel_load_fl": {
            "signal": "vehicle.wheel_load[1]",
            "relative_to": "start",
            "unit": "1",
            "label": "wheel load over static, front left",
            "published": {"adams": [1.5, 0.5], "roams": [1.6, 0.5]},
        },
        "lateral_acceleration": {
            "signal": "vehicle.a_y",
            "factor": 0.10197162129779283,
            "unit": "g",
            "label": "lateral acceleration",
            "published": {"adams": [0.5, -0.5], "roams": [0.6, -0.6]},
        },
    },
    "plots": [
        {"title": "Path", "kind": "map", "x": "vehicle.x", "y": "vehicle.y"},
        {
            "title": "Wheel loads",
            "signals": ["vehicle.wheel_load"],
            "labels": ["front left", "front right", "rear left", "rear right"],
        },
        {"title": "Lateral acceleration", "signals": ["vehicle.a_y"]},
        {"title": "Steering", "signals": ["vehicle.steer"]},
    ],
}
SCENE = [
    {"kind": "points", "name": "cones", "x": [45, 74, 99, 128], "y": [-1.3, 2.2, 2.2, -1.3]},
    {"kind": "line", "name": "reference", "x": [0, 45, 74, 99, 128, 180], "y": [0, 0, 3.6, 3.6, 0, 0]},
]
COLUMNS = (
    Column("vehicle.x", "m"),
    Column("vehicle.y", "m"),
    *(Column(f"vehicle.wheel_load[{i}]", "N") for i in (1, 2, 3, 4)),
    Column("vehicle.a_y", "m/s2"),
    Column("vehicle.steer", "rad"),
)
SLOW = (Column("driver.gear", "1", "Integer"), Column("brake.on", "1", "Boolean"))


def recorder_in(root):
    """Return what records something like a double lane change of 12 s at 15 m/s; peak lateral acceleration in m/s2."""

    def record(name="run", samples=1201, finish=True, scene=SCENE, report=REPORT, columns=COLUMNS, peak=4.9, **info):
        t = np.linspace(0.0, 12.0, samples)
        y = 1.8 * (np.tanh(2.2 * (t - 4)) - np.tanh(2.2 * (t - 7.5)))
        bumps = ((3.6, 1), (4.4, -1), (7.1, -1), (7.9, 1))
        a_y = peak * sum(sign * np.exp(-6 * (t - at) ** 2) for at, sign in bumps)
        loads = [4905 - 480 * a_y, 4905 + 480 * a_y, 6310 - 900 * a_y, 6310 + 900 * a_y]
        rows = np.column_stack([t, 15 * t, y, *loads, a_y, a_y / 80])
        content = {
            "diagram": "double_lane_change",
            "parameters": {"vehicle.mass": 2286.0},
            "stop": 12.0,
            "scene": scene,
        }
        content |= {"report": report} if report else {}
        recorder = Recorder(
            root / name, {**content, **info}, [Rate(Fraction(12, samples - 1), columns), Rate(Fraction(1, 4), SLOW)]
        )
        for first in range(0, samples, 500_000):
            recorder.write(0, rows[first : first + 500_000])
        recorder.write(1, np.array([[0.0, 1.0, 0.0], [6.0, 2.0, 1.0], [12.0, 1.0, 0.0]]))
        if finish:
            recorder.finish("ok", timing={"wall_s": 0.83, "real_time_factor": 14.5})
        return root / name

    return record


@pytest.fixture
def lane_change(tmp_path):
    """Records a double lane change in the folder of the test."""
    return recorder_in(tmp_path)


@pytest.fixture(scope="module")
def shared_lane_change(tmp_path_factory):
    """Records a double lane change in a folder that the tests of a file share; they leave it as it is."""
    root = tmp_path_factory.mktemp("shared")
    record = recorder_in(root)
    record.root = root
    return record


@pytest.fixture
def with_cases(lane_change):
    """Records a run whose report has cases with higher peaks, and these in its folder."""

    def record(*names, **info):
        cases = [{"name": name, "set": {"vehicle.speed": 16.0 + i}} for i, name in enumerate(names)]
        cases[0]["judge"] = {"column": "roams", "tolerance": 0.1}
        folder = lane_change(report={**REPORT, "cases": cases})
        for i, name in enumerate(names):
            case = f"{folder.name}/cases/{folder_name(name)}"
            lane_change(case, peak=5.9 + i, report=None, **{"parameters": {"vehicle": {"speed": 16.0 + i}}, **info})
        return folder

    return record


@pytest.fixture(scope="module")
def chromium():
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_browser(), args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def program(tmp_path):
    """Makes an executable file that runs the given Python text, in place of a browser."""

    def make(text):
        path = tmp_path / "fake-browser"
        path.write_text(f"#!{sys.executable}\n{text}\n")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return str(path)

    return make
