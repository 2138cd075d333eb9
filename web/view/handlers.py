"""The request handlers of the server: the page, its scripts, BokehJS, and pictures of diagrams."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any

from bokeh.util.token import generate_jwt_token, generate_session_id
from tornado.web import RequestHandler

from drawbar.blocks.core.errors import DrawbarError
from drawbar.web.view.catalogue import Catalogue, Pictures
from drawbar.web.view.guard import Guard

APP = "/view"  # path of the Bokeh application, which serves its WebSocket below it
SOCKET = f"{APP}/ws"
PICTURE = "/picture.svg"
WEEK = 7 * 24 * 3600  # s; a page that was left open overnight can reconnect

_OWN = ("view.css", "view.js", "tree.js", "runs.js", "run_table.js", "run_filter.js", "kind.js", "keys.js", "dom.js")
_SHARED = ("readout.js", "readout.css")  # with the page of a run
_TYPES = {".css": "text/css", ".js": "text/javascript"}


@dataclass
class Context:
    """What the handlers serve; `guard` is set once the server listens."""

    title: str
    catalogue: Catalogue
    pictures: Pictures
    key: bytes
    hints: dict[str, str]
    guard: Guard | None = None


def assets() -> dict[str, tuple[str, bytes]]:
    """Return all files that may be requested, by path, with type and content; no other file is served."""
    import bokeh

    places = ((files("drawbar.web.view"), _OWN), (files("drawbar.web.report"), _SHARED))
    found = {f"/{n}": (_TYPES[Path(n).suffix], (place / n).read_bytes()) for place, names in places for n in names}
    script = Path(bokeh.__file__).parent / "server" / "static" / "js" / "bokeh.min.js"
    return {**found, "/bokeh.min.js": (_TYPES[".js"], script.read_bytes())}


class Index(RequestHandler):
    """The page; a token in the address is exchanged for the cookie."""

    def initialize(self, context: Context) -> None:
        """Store the context."""
        self._context = context

    def get(self) -> None:
        """Answer with the page, or redirect to the address without the token."""
        guard = self._context.guard
        assert guard is not None
        if "token" in self.request.query_arguments:
            if not guard.accepts(self.get_query_argument("token")):
                self.set_status(403)
                self.set_header("Content-Type", "text/plain; charset=UTF-8")
                self.finish("This token is not valid; open the address that drawbar view printed.\n")
                return
            self.set_cookie(guard.cookie_name, guard.cookie, httponly=True, samesite="Strict", path="/")
            self.redirect("/", status=303)
            return
        key = self._context.key
        session = generate_session_id(key, signed=True)
        token = generate_jwt_token(session, key, signed=True, expiration=WEEK)
        page = (files(__name__.rpartition(".")[0]) / "index.html").read_text("utf-8")
        values = {"title": self._context.title, "token": token, **self._context.hints}
        for name, value in values.items():
            page = page.replace(f"{{{{{name}}}}}", escape(value))
        self.set_header("Content-Type", "text/html; charset=UTF-8")
        self.set_header("Cache-Control", "no-store")
        self.finish(page.encode("utf-8", errors="replace"))  # a folder may have any name


class Asset(RequestHandler):
    """One of the files of `assets`."""

    def initialize(self, kind: str, content: bytes) -> None:
        """Store the file."""
        self._kind, self._content = kind, content

    def get(self) -> None:
        """Answer with the file."""
        self.set_header("Content-Type", f"{self._kind}; charset=UTF-8")
        self.finish(self._content)


class Picture(RequestHandler):
    """The picture of a run's diagram, or of the opened diagram; its file may be of unknown origin."""

    def initialize(self, context: Context) -> None:
        """Store the context."""
        self._context = context

    def get(self) -> None:
        """Answer with the picture, or with the reason why there is none."""
        name = self.get_query_argument("run", "")
        try:
            catalogue, pictures = self._context.catalogue, self._context.pictures
            text = pictures.of(catalogue.entry(name))[0] if name else pictures.opened()
        except DrawbarError as error:
            self.set_status(404)
            self.set_header("Content-Type", "text/plain; charset=UTF-8")
            self.finish(f"{error}\n")
            return
        # opened by itself, the picture must neither execute nor fetch anything
        policy = "default-src 'none'; style-src 'unsafe-inline'; sandbox; frame-ancestors 'none'"
        self.set_header("Content-Security-Policy", policy)
        self.set_header("Content-Type", "image/svg+xml; charset=UTF-8")
        self.finish(text)


def routes(context: Context) -> list[tuple[Any, ...]]:
    """Return the routes beside Bokeh's own."""
    return [
        (r"/", Index, {"context": context}),
        (PICTURE.replace(".", r"\."), Picture, {"context": context}),
        *(
            (path.replace(".", r"\."), Asset, {"kind": kind, "content": content})
            for path, (kind, content) in assets().items()
        ),
    ]
