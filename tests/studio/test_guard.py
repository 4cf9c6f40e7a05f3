"""Who is not the page that the printed address opened gets nothing."""

from __future__ import annotations

import http.client
import socket

import pytest

from lagrangian.studio.app import HANDLERS
from tests.studio.conftest import ADDRESS, PORT, Inside, Server

PATHS = sorted({(method, path.replace("{name}", "two_r").replace("{number}", "1")) for method, path, _ in HANDLERS})
PATHS += [("GET", x) for x in ("/", "/page/js/main.js", "/vendored/uplot/uplot.js", "/player.js", "/player.css", "/nowhere")]


@pytest.mark.parametrize(("method", "path"), PATHS)
def test_without_the_token_nothing_is_answered(inside: Inside, method: str, path: str) -> None:
    for headers in ({}, {"X-Lagrangian-Token": "x" * 32}, {"Cookie": f"lagrangian-{PORT}=wrong"}):
        answer = inside.stranger.request(method, path, headers=headers, json={} if method != "GET" else None)
        assert (answer.status_code, answer.content) == (403, b"")
        assert "set-cookie" not in answer.headers
    assert inside.stranger.get(f"{path}?token={inside.guard.token}wrong").content == b""


FOREIGN = [
    {"Host": "evil.example"},
    {"Host": f"evil.example:{PORT}"},  # a name that was made to lead here
    {"Host": f"127.0.0.1:{PORT + 1}"},
    {"Host": "127.0.0.1"},
    {"Host": f"127.0.0.1.evil.example:{PORT}"},
    {"Host": f"user@127.0.0.1:{PORT}"},
    {"Origin": "http://evil.example"},
    {"Origin": "null"},
    {"Origin": f"http://127.0.0.1:{PORT + 1}"},  # another server of this computer
    {"Origin": f"https://127.0.0.1:{PORT}"},
    {"Origin": f"http://localhost:{PORT}"},  # while the host is 127.0.0.1
    {"Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "same-site"},
]


@pytest.mark.parametrize("headers", FOREIGN, ids=str)
def test_a_foreign_host_or_origin_gets_nothing_even_with_the_token(inside: Inside, headers: dict[str, str]) -> None:
    for path in ("/", "/api/document", "/player.js"):
        answer = inside.client.get(f"{path}?token={inside.guard.token}", headers=headers)
        assert (answer.status_code, answer.content) == (403, b"")
    answer = inside.client.put("/api/draft", json={"text": "stolen"}, headers=headers)
    assert (answer.status_code, answer.content) == (403, b"")
    assert "stolen" not in inside.get("/api/document")["text"]


def test_the_page_itself_is_admitted_by_its_cookie(inside: Inside) -> None:
    from starlette.testclient import TestClient

    browser = TestClient(inside.guard, base_url=ADDRESS)
    first = browser.get(f"/?token={inside.guard.token}")
    assert first.status_code in (200, 404)  # 404 where the page's files are not installed
    cookie = first.headers["set-cookie"]
    assert f"lagrangian-{PORT}=" in cookie
    assert all(word in cookie for word in ("HttpOnly", "SameSite=Strict"))
    for headers in ({}, {"Origin": ADDRESS}, {"Sec-Fetch-Site": "same-origin"}):
        assert browser.get("/api/alive", headers=headers).json() == {"alive": True}
    local = TestClient(inside.guard, base_url=f"http://localhost:{PORT}", headers={"X-Lagrangian-Token": inside.guard.token})
    assert local.get("/api/alive").status_code == 200


OTHERS = ['foo={"a":1}', "a=[1]", "x y", "flag", 'a="x;y', "é=1", "_xsrf=2|abc", "t=<x>", "", "=", "lagrangian-1=x"]


@pytest.mark.parametrize("other", OTHERS)
def test_cookies_of_other_programs_do_not_lock_the_page_out(inside: Inside, other: str) -> None:
    own = f"lagrangian-{PORT}={inside.guard.token}"
    for sent in (f"{other}; {own}", f"{own}; {other}", f"{other};{own}"):
        assert inside.stranger.get("/api/alive", headers={"Cookie": sent.encode()}).status_code == 200
    for sent in (f"{other}; {own}x", f"{other}; x{own}", f"{other}; lagrangian-{PORT}"):
        assert inside.stranger.get("/api/alive", headers={"Cookie": sent.encode()}).status_code == 403


def test_the_token_in_an_address_opens_pages_alone(inside: Inside) -> None:
    assert inside.stranger.get(f"/api/document?token={inside.guard.token}").status_code == 403


def test_pages_may_load_from_here_alone(inside: Inside) -> None:
    for path in ("/api/alive", "/player.js"):
        headers = inside.client.get(path).headers
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "script-src 'self' 'wasm-unsafe-eval';" in policy
        assert "frame-ancestors 'none'" in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["cross-origin-resource-policy"] == "same-origin"


def test_bodies_are_json_of_a_bounded_size(inside: Inside) -> None:
    plain = inside.client.post("/api/check", content=b'{"text": ""}', headers={"Content-Type": "text/plain"})
    assert plain.status_code == 415  # what a form of another page could send
    assert inside.client.post("/api/check", content=b"x" * 20_000_001).status_code == 403
    chunks = (b" " * 1_000_000 for _ in range(21))
    assert inside.client.post("/api/check", content=chunks, headers={"Content-Type": "application/json"}).status_code == 413
    for body in (b"[]", b"{", b"[" * 100_000, b"\xff"):
        assert inside.client.post("/api/check", content=body, headers={"Content-Type": "application/json"}).status_code == 400


@pytest.mark.parametrize(
    "path",
    ["/page/..%2fserve.py", "/page/%2e%2e/serve.py", "/page/../guard.py", "/vendored/SOURCES.toml", "/vendored/__init__.py",
     "/page//etc/passwd", "/page/..%5cserve.py", "/made/../x.html", "/made/x.html"],
)  # fmt: skip
def test_no_path_leads_out_of_the_pages_files(inside: Inside, path: str) -> None:
    assert inside.client.get(path).status_code == 404


def test_a_real_server_is_on_this_computer_alone_and_refuses_strangers(server: Server) -> None:
    for headers in ({}, {"Host": "evil.example"}, {"Connection": "Upgrade", "Upgrade": "websocket"}):
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
        connection.request("GET", "/", headers=headers)
        answer = connection.getresponse()
        assert (answer.status, answer.read()) == (403, b"")
        connection.close()
    assert server.client.get("/api/alive").json() == {"alive": True}
    others = {info[4][0] for info in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)} - {"127.0.0.1", "127.0.1.1"}
    for address in others:
        with socket.socket() as probe:
            probe.settimeout(2)
            assert probe.connect_ex((address, server.port)) != 0
