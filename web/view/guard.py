"""Access to the page's server: the browser of this machine, from the page itself, with the start-up token.

A server on loopback is open to every program and every web page of the machine. Therefore each request, including those
to Bokeh's own routes, is checked: the Host must be ours (else a foreign name that resolves to 127.0.0.1 would do), an
Origin must be ours (no other page may open the WebSocket), the path must be on a short list, and the cookie must be the
one that this start of the server issued for its token. Answers carry headers that forbid everything else.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any
from urllib.parse import urlsplit

from tornado.httputil import HTTPHeaders, HTTPServerRequest
from tornado.web import OutputTransform, RequestHandler

MAX_PAGES = 24  # open at the same time; each holds plots in memory
MAX_MESSAGE = 1 << 20  # bytes of a WebSocket message; the requests of a page are short

# Bokeh writes style elements; scripts come from files of this server only, and none is compiled from text
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; "
    "connect-src 'self' ws://{host}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


class Guard:
    """The rules of one server, as the module describes them; `port` is known once it listens."""

    def __init__(self, port: int, paths: Iterable[str], socket: str, connections: Callable[[], int]) -> None:
        self.hosts = {f"{name}:{port}" for name in ("127.0.0.1", "localhost")}
        self.cookie_name = f"drawbar-{port}"  # cookies are not separated by port
        self.cookie = secrets.token_urlsafe(32)
        self.token = secrets.token_urlsafe(32)
        self._one_time: set[str] = set()
        self._paths, self._socket, self._connections = {*paths, socket}, socket, connections

    def one_time_token(self) -> str:
        """Return a token for one use, for the command line of the browser, which other users may read."""
        token = secrets.token_urlsafe(32)
        self._one_time.add(token)
        return token

    def accepts(self, token: str) -> bool:
        """Return whether a token opens the page; a token for one use does so once."""
        single = [t for t in self._one_time if _same(t, token)]
        self._one_time.difference_update(single)
        return bool(single) or _same(self.token, token)

    def refusal(self, request: HTTPServerRequest) -> tuple[int, str] | None:
        """Return status and sentence for a request that must not be answered; None for a valid one."""
        if request.host.lower() not in self.hosts:
            return 403, "This server answers requests to 127.0.0.1 only."
        origin = request.headers.get("Origin") or request.headers.get("Sec-Websocket-Origin")
        if origin is not None and not self._is_ours(origin):
            return 403, "Requests are accepted from the page of drawbar view only."
        if request.headers.get("Upgrade") and origin is None:
            return 403, "A WebSocket needs an Origin."
        if request.method not in ("GET", "HEAD"):
            return 405, "This server accepts GET and HEAD requests only."
        if request.path not in self._paths:
            return 404, "There is no such page."
        if request.path == "/" and "token" in request.query_arguments:
            return None  # the page itself checks the token
        if not self._has_cookie(request):
            return 403, "Open the address that drawbar view printed, with its token."
        if request.path == self._socket and self._connections() >= MAX_PAGES:
            return 503, f"{MAX_PAGES} pages are already open, the maximum; close one."
        return None

    def _is_ours(self, origin: str) -> bool:
        try:
            parts = urlsplit(origin)
        except ValueError:
            return False
        return parts.scheme == "http" and parts.netloc.lower() in self.hosts

    def _has_cookie(self, request: HTTPServerRequest) -> bool:
        morsel = request.cookies.get(self.cookie_name)
        return morsel is not None and _same(self.cookie, morsel.value)


def _same(secret: str, given: str) -> bool:
    return hmac.compare_digest(secret.encode(), given.encode())


class Refused(RequestHandler):
    """The answer to every request that the guard refuses."""

    def initialize(self, status: int, sentence: str) -> None:
        """Store the status and the sentence."""
        self._status, self._sentence = status, sentence

    def prepare(self) -> None:
        """Answer, whatever the method."""
        self.set_status(self._status)
        self.set_header("Content-Type", "text/plain; charset=UTF-8")
        self.finish(self._sentence + "\n")

    def check_xsrf_cookie(self) -> None:
        """Skip the check for forged requests: a refused request changes nothing."""


class Headers(OutputTransform):
    """The headers of every answer; they restrict the browser and do not identify the server."""

    def __init__(self, request: HTTPServerRequest, guard: Guard) -> None:
        self._host = request.host if request.host.lower() in guard.hosts else min(guard.hosts)

    def transform_first_chunk(
        self, status_code: int, headers: HTTPHeaders, chunk: bytes, finishing: bool
    ) -> tuple[int, HTTPHeaders, bytes]:
        """Add the headers before the first byte."""
        for name in ("Server", "Access-Control-Allow-Origin"):
            if name in headers:
                del headers[name]
        headers["X-Content-Type-Options"] = "nosniff"
        headers["X-Frame-Options"] = "DENY"
        headers["Referrer-Policy"] = "no-referrer"
        headers["Cross-Origin-Resource-Policy"] = "same-origin"
        headers["Cross-Origin-Opener-Policy"] = "same-origin"
        if "Content-Security-Policy" not in headers:
            headers["Content-Security-Policy"] = POLICY.format(host=self._host)
        if "Cache-Control" not in headers:
            headers["Cache-Control"] = "no-cache"
        return status_code, headers, chunk


def install(application: Any, guard: Guard) -> None:
    """Put the guard before every route of a Tornado application."""
    inner = application.find_handler

    def find_handler(request: HTTPServerRequest, **kwargs: Any) -> Any:
        refusal = guard.refusal(request)
        if refusal is None:
            return inner(request, **kwargs)
        status, sentence = refusal
        return application.get_handler_delegate(request, Refused, {"status": status, "sentence": sentence})

    application.find_handler = find_handler
    application.add_transform(partial(Headers, guard=guard))
