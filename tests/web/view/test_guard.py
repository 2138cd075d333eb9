"""Which requests the server of ``drawbar view`` answers; each refusal has its control."""

import asyncio

import pytest
from tornado.httpclient import HTTPClientError, HTTPRequest
from tornado.websocket import websocket_connect

from drawbar.web.view.guard import MAX_PAGES, Guard
from drawbar.web.view.handlers import SOCKET

PATHS = ("/", "/view.js", "/bokeh.min.js", "/picture.svg", SOCKET)
HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
}


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:{port}", "127.0.0.1", "127.0.0.1:1", "127.0.0.1.evil:{port}"]
)
def test_another_host_is_refused_on_every_route(get, server, path, host):
    assert get(path, host=host.format(port=server.port)).status == 403


def test_localhost_is_this_host(get, server):
    assert get("/", host=f"localhost:{server.port}").status == 200
    assert get("/", host=f"LOCALHOST:{server.port}").status == 200


@pytest.mark.parametrize("path", PATHS)
def test_without_the_cookie_nothing_is_answered(get, path):
    refused = get(path, cookie=None)
    assert refused.status == 403
    assert b"token" in refused.body


def test_the_cookie_of_another_server_or_user_is_none(get, connect, token, cookie, serve, folder, request_server):
    with serve(folder) as other:
        given = request_server(other.port, other.url.partition(str(other.port))[2])
        foreign = given.headers["Set-Cookie"].partition(";")[0].partition("=")[2]
    name = cookie.partition("=")[0]
    for value in (foreign, "", "x", cookie.partition("=")[2][:-1]):
        assert get("/", cookie=f"{name}={value}").status == 403
        assert connect(token, Cookie=f"{name}={value}") == (403, None)


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
def test_a_websocket_of_another_origin_is_refused(connect, token, server, origin):
    assert connect(token, Origin=origin and origin.format(port=server.port)) == (403, None)


def test_a_rebound_name_is_refused_though_origin_and_host_agree(connect, token, server):
    host = f"evil.example:{server.port}"
    assert connect(token, Origin=f"http://{host}", Host=host) == (403, None)


def test_a_page_of_another_origin_reads_nothing(get):
    assert get("/", Origin="http://evil.example").status == 403
    assert "Access-Control-Allow-Origin" not in get("/").headers


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
def test_there_is_no_way_to_other_files_or_routes(get, path):
    answer = get(path)
    assert answer.status == 404
    assert b"a secret" not in answer.body


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS", "TRACE"])
def test_only_get_and_head_are_allowed(get, method):
    assert get("/", method=method).status == 405


@pytest.mark.parametrize(("path", "status"), [("/", 200), ("/view.css", 200), ("/nothing", 404), ("/?token=x", 403)])
def test_every_answer_forbids_the_browser_what_the_page_does_not_need(get, server, path, status):
    answer = get(path)
    assert answer.status == status
    assert {name: answer.headers[name] for name in HEADERS} == HEADERS
    assert "Server" not in answer.headers
    policy = answer.headers["Content-Security-Policy"]
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    assert rules["default-src"] == rules["frame-ancestors"] == rules["base-uri"] == "'none'"
    assert rules["script-src"] == "'self'"
    assert rules["connect-src"] == f"'self' ws://127.0.0.1:{server.port}"


def test_the_policy_of_a_refused_host_does_not_repeat_it(get):
    policy = get("/", host="evil.example;script-src").headers.get("Content-Security-Policy", "")
    assert "evil" not in policy


def test_the_number_of_open_pages_is_limited(server, cookie, token, connect, until_closed):
    async def crowd():
        opened = []
        for _ in range(MAX_PAGES):
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
            await until_closed(connection)

    asyncio.run(crowd())
    assert connect(token)[0] == 101, "there is room again"


def test_a_one_time_token_opens_once():
    guard = Guard(1, [], SOCKET, lambda: 0)
    token = guard.one_time_token()
    assert [guard.accepts(token), guard.accepts(token)] == [True, False]
    assert [guard.accepts(guard.token), guard.accepts(guard.token)] == [True, True]
