import json
import subprocess
import sys
from contextlib import contextmanager
from http.client import HTTPConnection
from types import SimpleNamespace

import pytest
from bokeh.document import Document
from bokeh.server.callbacks import PeriodicCallback, TimeoutCallback

from drawbar.web.view.catalogue import Catalogue
from drawbar.web.view.pictures import Pictures
from drawbar.web.view.recording import Shelf
from drawbar.web.view.session import Session


@contextmanager
def started(folder, *words):
    """``drawbar view`` in a process of its own, which must end quietly and well when it is asked to."""
    command = [sys.executable, "-m", "drawbar.orchestrator.cli.entry", "view", *words, "--json"]
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        line = process.stdout.readline()
        assert line, process.stderr.read()
        yield SimpleNamespace(**json.loads(line), process=process)
    finally:
        process.terminate()
        rest, complaints = process.communicate(timeout=20)
    assert (process.returncode, rest, complaints) == (0, "", "")


@pytest.fixture(scope="session")
def serve():
    return started


def answer(port, path, host=None, method="GET", **headers):
    """What the server says to a plain request: status, headers, body."""
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
def ask_server():
    return answer


@pytest.fixture
def opened_page():
    """A page without a browser: `ask` does what the page's scripts would, `tick` what the clock would."""

    def open_page(root, diagram=None, chosen=None):
        document = Document()
        catalogue = Catalogue(root)
        session = Session(document, catalogue, Shelf(), Pictures(diagram), chosen)
        number = iter(range(1_000_000))

        def ask(**question):
            session.page.ask = json.dumps({**question, "number": next(number)})

        def tick():
            catalogue._next = 0.0  # tests do not wait for the next look
            next(c for c in document.session_callbacks if isinstance(c, PeriodicCallback)).callback()

        def told(name):
            return json.loads(getattr(session.page, name))

        def settle():
            """Do what was put off, as the server's loop would."""
            for late in [c for c in document.session_callbacks if isinstance(c, TimeoutCallback)]:
                document.remove_timeout_callback(late)
                late.callback()

        return SimpleNamespace(session=session, ask=ask, tick=tick, told=told, settle=settle, document=document)

    return open_page
