"""The server of the page: Bokeh Server on loopback, behind the guard."""

from __future__ import annotations

import errno
import logging
import secrets
import signal
from collections.abc import Callable
from typing import Any

from bokeh.application import Application
from bokeh.application.handlers import FunctionHandler
from bokeh.server.server import Server
from tornado.ioloop import IOLoop

from drawbar.blocks.core.errors import UsageError
from drawbar.web.view.catalogue import Catalogue, Pictures
from drawbar.web.view.guard import MAX_MESSAGE, Guard, install
from drawbar.web.view.handlers import APP, PICTURE, SOCKET, WEEK, Context, assets, routes
from drawbar.web.view.recording import RecordingCache
from drawbar.web.view.run_table import RunTable
from drawbar.web.view.session import Session

ADDRESS = "127.0.0.1"
_UNUSED, _CHECK = 5_000, 2_500  # ms until a closed page is discarded, and between two checks


class ViewServer:
    """The server of a catalogue. It listens once created, and answers while `serve` runs.

    Raises `UsageError` if the port is in use or not allowed; port 0 stands for any free one.
    """

    def __init__(
        self,
        catalogue: Catalogue,
        pictures: Pictures,
        *,
        port: int = 0,
        chosen: str | None = None,
        title: str = "",
        hints: dict[str, str] | None = None,
        debug: bool = False,
    ) -> None:
        _set_log_levels(debug)
        recordings, table = RecordingCache(), RunTable(catalogue)

        def open_page(document: Any) -> None:
            document.title = f"{title} - Drawbar" if title else "Drawbar"
            Session(document, catalogue, recordings, pictures, table, chosen)

        key = secrets.token_bytes(32)
        context = Context(title, catalogue, pictures, key, hints or {})
        try:
            self._server = Server(
                {APP: Application(FunctionHandler(open_page))},
                address=ADDRESS,
                port=port,
                extra_patterns=routes(context),
                secret_key=key,
                sign_sessions=True,
                generate_session_ids=False,
                use_index=False,
                session_token_expiration=WEEK,
                websocket_max_message_size=MAX_MESSAGE,
                unused_session_lifetime_milliseconds=_UNUSED,
                check_unused_sessions_milliseconds=_CHECK,
            )
        except OSError as error:
            raise UsageError(
                f"port {port} {_reason(error)}; leave out --port for a free one, or name another"
            ) from None
        self.port: int = self._server.port
        application = self._server._tornado
        paths = {"/", PICTURE, *assets()}
        context.guard = self.guard = Guard(self.port, paths, SOCKET, lambda: len(application._clients))
        install(application, self.guard)
        application.websocket_origins.update(self.guard.hosts)  # Bokeh checks the Origin as well
        self._server.start()

    @property
    def url(self) -> str:
        """The address with the token, for people."""
        return f"http://{ADDRESS}:{self.port}/?token={self.guard.token}"

    @property
    def one_time_url(self) -> str:
        """The address with a token for one use, for a browser that is started from here."""
        return f"http://{ADDRESS}:{self.port}/?token={self.guard.one_time_token()}"

    def serve(self, ready: Callable[[], None] = lambda: None) -> None:
        """Answer until Ctrl-C or SIGTERM."""
        loop = IOLoop.current()

        def stop(number: int, frame: Any) -> None:
            loop.add_callback(loop.stop)

        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, stop)
        loop.add_callback(ready)
        loop.start()
        self._server.stop(wait=False)


def _reason(error: OSError) -> str:
    if error.errno == errno.EADDRINUSE:
        return "is in use by another program"
    return (
        "is reserved by the system"
        if error.errno in (errno.EACCES, errno.EPERM)
        else f"cannot be used: {error.strerror}"
    )


def _set_log_levels(debug: bool) -> None:
    """Silence messages about refused requests and closed pages unless `debug`; internal errors show on the page."""
    for name in ("bokeh", "tornado"):
        logging.getLogger(name).setLevel(logging.WARNING if debug else logging.CRITICAL)
    logging.getLogger("drawbar.view").setLevel(logging.WARNING if debug else logging.CRITICAL)
