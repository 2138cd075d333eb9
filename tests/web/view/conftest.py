import asyncio
import json
import re
import subprocess
import sys
import time
from contextlib import contextmanager
from fractions import Fraction
from html import unescape
from http.client import HTTPConnection
from types import SimpleNamespace

import numpy as np
import pytest
from bokeh.document import Document
from bokeh.server.callbacks import PeriodicCallback, TimeoutCallback
from tornado.httpclient import HTTPClientError, HTTPRequest
from tornado.websocket import websocket_connect

from drawbar.orchestrator.runs.recorder import Column, Rate, Recorder
from drawbar.web.view.catalogue import Catalogue, Pictures
from drawbar.web.view.handlers import SOCKET
from drawbar.web.view.recording import RecordingCache
from drawbar.web.view.run_table import RunTable
from drawbar.web.view.session import Session


@contextmanager
def started(folder, *arguments):
    """Run ``drawbar view`` in a process of its own, which must end successfully and without output on SIGTERM."""
    command = [sys.executable, "-m", "drawbar.orchestrator.cli.entry", "view", *arguments, "--json"]
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        line = process.stdout.readline()
        assert line, process.stderr.read()
        yield SimpleNamespace(**json.loads(line), process=process)
    finally:
        process.terminate()
        output, errors = process.communicate(timeout=20)
    assert (process.returncode, output, errors) == (0, "", "")


@pytest.fixture(scope="session")
def serve():
    return started


def request(port, path, host=None, method="GET", **headers):
    """Return status, headers and body of the answer to a plain request."""
    connection = HTTPConnection("127.0.0.1", port, timeout=10)
    connection.putrequest(method, path, skip_host=True)
    for name, value in {"Host": host or f"127.0.0.1:{port}", **headers}.items():
        connection.putheader(name, value)
    connection.endheaders()
    response = connection.getresponse()
    body = response.read()
    connection.close()
    return SimpleNamespace(status=response.status, headers=response.headers, body=body)


@pytest.fixture(scope="session")
def request_server():
    return request


async def wait_until_closed(connection):
    """Read what the server sends until it closes the connection."""
    while await asyncio.wait_for(connection.read_message(), 10) is not None:
        pass
    connection.close()


@pytest.fixture(scope="session")
def until_closed():
    return wait_until_closed


def wait_until(page, what, seconds=20):
    """Wait until something holds in a page."""
    end = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < end
        page.wait_for_timeout(50)


@pytest.fixture(scope="session")
def wait_for():
    return wait_until


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("view")
    (place / "runs").mkdir()
    (place / "secret.txt").write_text("a secret")
    return place


@pytest.fixture(scope="module")
def server(folder, serve):
    with serve(folder) as running:
        yield running


@pytest.fixture(scope="module")
def cookie(server, request_server):
    """The cookie of a browser that has opened the address with the token."""
    given = request_server(server.port, server.url.partition(str(server.port))[2])
    assert given.status == 303
    return given.headers["Set-Cookie"].partition(";")[0]


@pytest.fixture
def get(server, cookie, request_server):
    """Sends a request as the page does, except for the given headers."""

    def request(path, cookie=cookie, **others):
        headers = {"Cookie": cookie, **others} if cookie else others
        return request_server(server.port, path, **headers)

    return request


@pytest.fixture
def token(get):
    """The signed session token that the page was given."""
    return unescape(re.search(rb'data-token="([^"]+)"', get("/").body)[1].decode())


@pytest.fixture
def connect(server, cookie):
    """Opens the WebSocket as the page does, except for the given headers; returns status and first message."""

    async def opened(token, send=None, **headers):
        usual = {"Origin": f"http://127.0.0.1:{server.port}", "Cookie": cookie}
        given = {name: value for name, value in {**usual, **headers}.items() if value is not None}
        request = HTTPRequest(f"ws://127.0.0.1:{server.port}{SOCKET}", headers=given, request_timeout=10)
        try:
            connection = await websocket_connect(request, subprotocols=["bokeh", token])
        except HTTPClientError as refusal:
            return refusal.code, None
        first = await asyncio.wait_for(connection.read_message(), 10)
        if first is None:
            connection.close()
            return 101, None
        if send is not None:
            await connection.write_message(send)
        else:
            connection.close()
        await wait_until_closed(connection)
        return 101, first if send is None else connection.close_code

    return lambda *words, **headers: asyncio.run(opened(*words, **headers))


@pytest.fixture
def open_page():
    """Opens a page without a browser: `send` acts as the page's scripts do, `refresh` as the clock does."""

    def opened(root, diagram=None, chosen=None):
        document = Document()
        catalogue = Catalogue(root)
        session = Session(document, catalogue, RecordingCache(), Pictures(diagram), RunTable(catalogue), chosen)
        number = iter(range(1_000_000))

        def send(**request):
            session.page.request = json.dumps({**request, "number": next(number)})

        def refresh():
            catalogue._next = 0.0  # tests do not wait until the folder may be read again
            next(c for c in document.session_callbacks if isinstance(c, PeriodicCallback)).callback()

        def state(name):
            return json.loads(getattr(session.page, name))

        def settle():
            """Call what was postponed, as the server's loop does."""
            for late in [c for c in document.session_callbacks if isinstance(c, TimeoutCallback)]:
                document.remove_timeout_callback(late)
                late.callback()

        def figures():
            return document.get_model_by_name("plots").children

        def shown():
            return [run["name"] for run in state("runs") if run["style"] is not None]

        return SimpleNamespace(
            session=session,
            send=send,
            refresh=refresh,
            state=state,
            settle=settle,
            document=document,
            figures=figures,
            shown=shown,
        )

    return opened


class Watched:
    """A page, and what was requested and reported while it was open."""

    def __init__(self, browser, server):
        self.context = browser.new_context(viewport={"width": 1280, "height": 800}, reduced_motion="reduce")
        self.page, self.home = self.context.new_page(), f"127.0.0.1:{server.port}"
        self.requests, self.errors, self.sockets = [], [], []
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("websocket", lambda socket: self.sockets.append(socket.url))
        self.page.on("console", lambda m: m.type in ("error", "warning") and self.errors.append(m.text))
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("dialog", lambda dialog: (self.errors.append(dialog.message), dialog.dismiss()))
        self.page.goto(server.url)
        self.page.wait_for_selector("body[data-ready]")
        self.page.requests = self.requests

    def check(self):
        """Fail if anything else was requested than this server, or an error was reported."""
        self.page.wait_for_timeout(100)
        assert [u for u in self.requests if not u.startswith(("data:", "blob:", f"http://{self.home}/"))] == []
        assert set(self.sockets) == {f"ws://{self.home}/view/ws"}
        assert self.errors == []

    def forget(self):
        """Forget what a test provoked."""
        self.errors.clear()
        self.requests[:] = [url for url in self.requests if url.startswith(f"http://{self.home}/")]


@pytest.fixture
def opened(chromium, serve):
    """Serves a folder and opens its page; when the test ends nothing else was requested and no error was reported."""

    @contextmanager
    def open_page(folder, *words):
        with serve(folder, *words) as server:
            watched = Watched(chromium, server)
            yield watched.page
            try:
                watched.check()
            finally:
                watched.context.close()

    return open_page


@pytest.fixture(scope="module")
def shared_page(chromium, serve, shared_lane_change):
    """The page of runs that the tests of a file share: a server and a load of the page take 5 s of a processor."""
    record = shared_lane_change
    record("runs/long", samples=300_001)
    record("runs/a", peak=4.0)
    record("runs/b", peak=5.0)
    radar = Recorder(
        record.root / "runs/radar",
        {"diagram": "d"},
        [Rate(Fraction(1), (Column("radar.range", "m", variability="discrete"),))],
    )
    radar.write(0, np.array([[0.0, 10.0], [1.0, 20.0], [2.0, 40.0]]))
    radar.finish("ok")
    hostile = '<svg xmlns="http://www.w3.org/2000/svg" width="400" height="400" onload="alert(1)">'
    hostile += '<script>alert(2)</script><image href="http://127.0.0.1:1/x.png"/></svg>'
    (record("runs/picture", samples=13) / "diagram.svg").write_text(hostile)
    next((record("runs/damaged", samples=13) / "signals/1s").iterdir()).write_bytes(b"PAR1 damaged")
    (record("runs/unreadable", samples=13) / "run.json").write_text("{")
    with serve(record.root, "runs/a") as server:
        watched = Watched(chromium, server)
        watched.runs = record.root / "runs"
        yield watched
        watched.context.close()


# everything that a test may have chosen, as a reader undoes it
RESET = """() => {
    sessionStorage.clear();
    document.getElementById('keys').close();
    for (const id of ['filter', 'run-filter']) {
        document.getElementById(id).value = '';
        document.getElementById(id).dispatchEvent(new Event('input'));
    }
    document.activeElement.blur();
    document.getElementById('tab-plots').click();
    document.querySelector('main').scrollTo(0, 0);
}"""
REQUEST = """request => {
    Bokeh.documents[0].get_model_by_name('page').request = JSON.stringify({...request, number: Math.random()});
}"""
# number and name of the shown runs, number of plots and of notes
SHOWN = """() => {
    const shown = [...document.querySelectorAll('#runs tr.shown')];
    const plots = Bokeh.documents[0].get_model_by_name('plots').children;
    return [shown.length, shown[0]?.dataset.run, plots.length, document.querySelectorAll('#notes > p').length];
}"""


@pytest.fixture
def shared(shared_page):
    """Returns the shared page as if it had just been opened with a run; the test must leave no error."""

    def begin(run="a"):
        page = shared_page.page
        page.set_viewport_size({"width": 1280, "height": 800})
        page.emulate_media(color_scheme="light")
        page.mouse.move(5, 5)
        page.evaluate(RESET)
        page.evaluate(REQUEST, {"action": "restore", "runs": [run], "plots": [], "kind": {"name": "time"}})
        wait_until(page, lambda: page.evaluate(SHOWN)[:3] == [1, run, 0])
        page.evaluate(REQUEST, {"action": "zoom", "by": 0})
        page.wait_for_timeout(50)
        page.evaluate(REQUEST, {"action": "show", "run": run, "alone": True})
        wait_until(page, lambda: page.evaluate(SHOWN)[2] > 0)
        assert page.evaluate(SHOWN)[3] == 0
        return page

    begin.watched = shared_page
    begin.runs = shared_page.runs
    yield begin
    try:
        shared_page.check()
    finally:
        shared_page.forget()
