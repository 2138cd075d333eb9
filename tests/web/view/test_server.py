"""The server listens on loopback only, and closes connections of others."""

import json
import socket

import pytest

from drawbar.web.view.guard import MAX_MESSAGE


def test_the_page_is_answered_to_its_own_browser(get, connect, token, cookie):
    assert get("/").status == 200
    assert get("/bokeh.min.js").headers["Content-Type"].startswith("text/javascript")
    status, first = connect(token)
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


def test_a_message_that_is_too_long_closes_the_connection(connect, token):
    # no code where the connection was closed before all of it was sent
    assert connect(token, send="x" * (MAX_MESSAGE + 1))[1] in (1009, None)


def test_a_forged_session_is_closed_without_a_word(connect, token):
    assert connect(token)[1] is not None
    for forged in (token[:-6] + "AAAAAA", "bm90aGluZw", "."):
        status, first = connect(forged)
        assert (status, first) == (101, None) or status >= 400
