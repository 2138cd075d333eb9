"""The answers of the server: the token becomes a cookie, texts are escaped, pictures are those of listed runs."""

import pytest


@pytest.mark.parametrize("name", ["..", "../secret.txt", "/etc/passwd", "runs", "%2e%2e", "x%00y", "a" * 5000])
def test_a_picture_is_that_of_a_listed_run_only(get, name):
    answer = get(f"/picture.svg?run={name}")
    assert answer.status in (400, 404)
    assert b"a secret" not in answer.body
    assert b"root:" not in answer.body


def test_the_text_of_a_title_is_no_html(serve, folder, request_server):
    hostile = folder / "<img src=x onerror=alert(1)>"
    hostile.mkdir()
    with serve(folder, str(hostile)) as running:
        given = request_server(running.port, running.url.partition(str(running.port))[2])
        page = request_server(running.port, "/", Cookie=given.headers["Set-Cookie"].partition(";")[0]).body.decode()
    assert "<img" not in page
    assert "&lt;img" in page


def test_the_token_becomes_a_cookie_that_scripts_and_other_sites_do_not_get(get, server):
    answer = get(server.url.partition(str(server.port))[2], cookie=None)
    assert (answer.status, answer.headers["Location"]) == (303, "/")
    words = answer.headers["Set-Cookie"].lower()
    assert "httponly" in words
    assert "samesite=strict" in words
    assert server.url.partition("token=")[2] not in answer.headers["Set-Cookie"], "the cookie does not tell the token"


def test_a_wrong_token_gives_no_cookie(get):
    for token in ("", "x" * 43, "%ff", "%00", "a&token=b"):
        answer = get(f"/?token={token}", cookie=None)
        assert answer.status in (400, 403)
        assert "Set-Cookie" not in answer.headers
