"""Who may talk to the server of ``drawbar view``, asked over plain sockets; each refusal has its control."""

import asyncio
import json
import re
import socket
from html import unescape

import pytest
from tornado.httpclient import HTTPClientError, HTTPRequest
from tornado.websocket import websocket_connect

from drawbar.web.view.guard import MESSAGE, PAGES, Guard

SOCKET = "/view/ws"
PATHS = ("/", "/view.js", "/bokeh.min.js", "/picture.svg", SOCKET)
HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
}


async def ended(connection):
    """Wait until the server has hung up, and read what it says until then."""
    while await asyncio.wait_for(connection.read_message(), 10) is not None:
        pass
    connection.close()


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
def cookie(server, ask_server):
    """What a browser has after it has opened the address with the token."""
    given = ask_server(server.port, server.url.partition(str(server.port))[2])
    assert given.status == 303
    return given.headers["Set-Cookie"].partition(";")[0]


@pytest.fixture
def ask(server, cookie, ask_server):
    """A request as the page would make it, unless something is said otherwise."""

    def request(path, cookie=cookie, **others):
        headers = {"Cookie": cookie, **others} if cookie else others
        return ask_server(server.port, path, **headers)

    return request


@pytest.fixture
def token(ask):
    """The signed session token that the page was given."""
    return unescape(re.search(rb'data-token="([^"]+)"', ask("/").body)[1].decode())


@pytest.fixture
def dial(server, cookie):
    """Opens the WebSocket as the page does, unless something is said otherwise; the status, and the first message."""

    async def connect(token, send=None, **headers):
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
        await ended(connection)
        return 101, first if send is None else connection.close_code

    return lambda *words, **headers: asyncio.run(connect(*words, **headers))


def test_the_page_is_answered_to_its_own_browser(ask, dial, token, cookie):
    assert ask("/").status == 200
    assert ask("/bokeh.min.js").headers["Content-Type"].startswith("text/javascript")
    status, first = dial(token)
    assert status == 101
    assert json.loads(first)["msgtype"] == "ACK"
    assert cookie.startswith("drawbar-")


def test_the_server_listens_on_loopback_only(server):
    socket.create_connection(("127.0.0.1", server.port), 5).close()
    with pytest.raises(OSError):
        socket.create_connection(("127.0.0.2", server.port), 5)


def test_a_server_on_all_addresses_would_be_seen():
    with socket.create_server(("0.0.0.0", 0)) as everywhere:
        socket.create_connection(("127.0.0.2", everywhere.getsockname()[1]), 5).close()


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:{port}", "127.0.0.1", "127.0.0.1:1", "127.0.0.1.evil:{port}"]
)
def test_another_host_is_refused_on_every_route(ask, server, path, host):
    assert ask(path, host=host.format(port=server.port)).status == 403


def test_localhost_is_this_host(ask, server):
    assert ask("/", host=f"localhost:{server.port}").status == 200
    assert ask("/", host=f"LOCALHOST:{server.port}").status == 200


@pytest.mark.parametrize("path", PATHS)
def test_without_the_cookie_nothing_is_answered(ask, path):
    refused = ask(path, cookie=None)
    assert refused.status == 403
    assert b"token" in refused.body


def test_a_wrong_token_gives_no_cookie(ask):
    for token in ("", "x" * 43, "%ff", "%00", "a&token=b"):
        answer = ask(f"/?token={token}", cookie=None)
        assert answer.status in (400, 403)
        assert "Set-Cookie" not in answer.headers


def test_the_token_becomes_a_cookie_that_scripts_and_other_sites_do_not_get(ask, server):
    answer = ask(server.url.partition(str(server.port))[2], cookie=None)
    assert (answer.status, answer.headers["Location"]) == (303, "/")
    words = answer.headers["Set-Cookie"].lower()
    assert "httponly" in words
    assert "samesite=strict" in words
    assert server.url.partition("token=")[2] not in answer.headers["Set-Cookie"], "the cookie does not tell the token"


def test_the_cookie_of_another_server_or_user_is_none(ask, dial, token, cookie, serve, folder, ask_server):
    with serve(folder) as other:
        given = ask_server(other.port, other.url.partition(str(other.port))[2])
        foreign = given.headers["Set-Cookie"].partition(";")[0].partition("=")[2]
    name = cookie.partition("=")[0]
    for value in (foreign, "", "x", cookie.partition("=")[2][:-1]):
        assert ask("/", cookie=f"{name}={value}").status == 403
        assert dial(token, Cookie=f"{name}={value}") == (403, None)


@pytest.mark.parametrize(
    "origin",
    [
        "http://evil.example",
        "http://127.0.0.1",
        "http://127.0.0.1:1",
        "https://127.0.0.1:{port}",
        "null",
        "http://[",
        None,
    ],
)
def test_a_websocket_of_another_origin_is_refused(dial, token, server, origin):
    assert dial(token, Origin=origin and origin.format(port=server.port)) == (403, None)


def test_a_rebound_name_is_refused_though_origin_and_host_agree(dial, token, server):
    host = f"evil.example:{server.port}"
    assert dial(token, Origin=f"http://{host}", Host=host) == (403, None)


def test_a_page_of_another_origin_reads_nothing(ask):
    assert ask("/", Origin="http://evil.example").status == 403
    assert "Access-Control-Allow-Origin" not in ask("/").headers


def test_a_forged_session_is_closed_without_a_word(dial, token):
    assert dial(token)[1] is not None
    for forged in (token[:-6] + "AAAAAA", "bm90aGluZw", "."):
        status, first = dial(forged)
        assert (status, first) == (101, None) or status >= 400


def test_a_message_that_is_too_long_closes_the_connection(dial, token):
    # no code where the connection was closed before all of it was sent
    assert dial(token, send="x" * (MESSAGE + 1))[1] in (1009, None)


@pytest.mark.parametrize(
    "path",
    [
        "/../secret.txt",
        "/%2e%2e/secret.txt",
        "/..%2fsecret.txt",
        "//secret.txt",
        "/view.js/../../secret.txt",
        "/static/js/bokeh.js",
        "/static/../secret.txt",
        "/view",
        "/view/autoload.js",
        "/view/metadata",
        "/favicon.ico",
        "/runs/",
    ],
)
def test_there_is_no_way_to_other_files_or_routes(ask, path):
    answer = ask(path)
    assert answer.status == 404
    assert b"a secret" not in answer.body


@pytest.mark.parametrize("name", ["..", "../secret.txt", "/etc/passwd", "runs", "%2e%2e", "x%00y", "a" * 5000])
def test_a_picture_is_that_of_a_listed_run_only(ask, name):
    answer = ask(f"/picture.svg?run={name}")
    assert answer.status in (400, 404)
    assert b"a secret" not in answer.body
    assert b"root:" not in answer.body


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS", "TRACE"])
def test_nothing_can_be_sent(ask, method):
    assert ask("/", method=method).status == 405


@pytest.mark.parametrize(("path", "status"), [("/", 200), ("/view.css", 200), ("/nothing", 404), ("/?token=x", 403)])
def test_every_answer_forbids_the_browser_what_the_page_does_not_need(ask, server, path, status):
    answer = ask(path)
    assert answer.status == status
    assert {name: answer.headers[name] for name in HEADERS} == HEADERS
    assert "Server" not in answer.headers
    policy = answer.headers["Content-Security-Policy"]
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    assert rules["default-src"] == rules["frame-ancestors"] == rules["base-uri"] == "'none'"
    assert rules["script-src"] == "'self'"
    assert rules["connect-src"] == f"'self' ws://127.0.0.1:{server.port}"


def test_the_policy_of_a_refused_host_does_not_repeat_it(ask):
    policy = ask("/", host="evil.example;script-src").headers.get("Content-Security-Policy", "")
    assert "evil" not in policy


def test_the_text_of_a_title_is_no_html(serve, folder, ask_server):
    hostile = folder / "<img src=x onerror=alert(1)>"
    hostile.mkdir()
    with serve(folder, str(hostile)) as running:
        given = ask_server(running.port, running.url.partition(str(running.port))[2])
        page = ask_server(running.port, "/", Cookie=given.headers["Set-Cookie"].partition(";")[0]).body.decode()
    assert "<img" not in page
    assert "&lt;img" in page


def test_only_so_many_pages_are_open_at_once(server, cookie, token, dial):
    async def crowd():
        opened = []
        for _ in range(PAGES):
            request = HTTPRequest(
                f"ws://127.0.0.1:{server.port}{SOCKET}",
                headers={"Origin": f"http://127.0.0.1:{server.port}", "Cookie": cookie},
            )
            opened.append(await websocket_connect(request, subprotocols=["bokeh", token]))
            await asyncio.wait_for(opened[-1].read_message(), 10)
        with pytest.raises(HTTPClientError, match="503"):
            await websocket_connect(request, subprotocols=["bokeh", token])
        for connection in opened:
            connection.close()
            await ended(connection)

    asyncio.run(crowd())
    assert dial(token)[0] == 101, "there is room again"


def test_a_token_for_the_command_line_of_a_browser_opens_once():
    guard = Guard(1, [], SOCKET, lambda: 0)
    single = guard.single_token()
    assert [guard.takes(single), guard.takes(single)] == [True, False]
    assert [guard.takes(guard.token), guard.takes(guard.token)] == [True, True]
