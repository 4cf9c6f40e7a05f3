"""The live viewer answers to its own page alone, and to what that page can say."""

from __future__ import annotations

import http.client
import math
import socket
import threading
import time
from typing import Any
from urllib.parse import urlsplit

import msgspec
import numpy as np
import pytest

import lagrangian as lg
from lagrangian.viewer.live import Viewer, guard, server, view

viser = pytest.importorskip("viser")
from websockets.exceptions import InvalidStatus  # noqa: E402
from websockets.sync.client import connect  # noqa: E402


@pytest.fixture(scope="module")
def viewer() -> Any:
    with view(lg.library("two_r"), browser=False, block=False) as live_viewer:
        yield live_viewer


def status(viewer: Viewer, path: str, **headers: str) -> tuple[int, bytes]:
    """What a plain request gets."""
    place = urlsplit(viewer.url)
    connection = http.client.HTTPConnection(place.hostname, place.port, timeout=30)
    try:
        connection.request("GET", path, headers=headers)
        response = connection.getresponse()
        return response.status, response.read()
    finally:
        connection.close()


def talk(viewer: Viewer, path: str | None = None, **headers: str) -> Any:
    place = urlsplit(viewer.url)
    url = f"ws://{place.netloc}{place.path if path is None else path}"
    origin = headers.pop("Origin", f"http://{place.netloc}")
    return connect(url, subprotocols=[f"viser-v{viser.__version__}"], origin=origin, additional_headers=headers, open_timeout=30)


def test_the_page_and_the_socket_need_the_token(viewer: Viewer) -> None:
    path = urlsplit(viewer.url).path
    token = path.strip("/")
    assert len(token) >= 32
    assert status(viewer, path)[0] == 200
    assert b"<html" in status(viewer, path)[1]
    assert status(viewer, path.rstrip("/"))[0] == 200
    assert status(viewer, path + "../../../../etc/passwd")[0] == 404
    wrong = (
        "/",
        "/index.html",
        f"/{token[:-1]}/",
        f"/{token}x/",
        f"/?{token}",
        f"/x/{token}/",
        f"//{token}/",
        "/%2e%2e/",
        f"/{token.upper()}/",
    )
    for other in wrong:
        assert status(viewer, other) == (403, guard.REFUSAL.encode()), other
        with pytest.raises(InvalidStatus, match="403"):
            talk(viewer, other)
    with talk(viewer) as connection:
        assert len(connection.recv(timeout=30)) > 16  # the scene


def test_tokens_are_new_each_time(viewer: Viewer) -> None:
    assert len({guard.ViewerGuard().token for _ in range(20)}) == 20


FOREIGN = (
    "evil.example",
    "evil.localhost",
    "127.0.0.1.evil.example",
    "localhost.",
    "0.0.0.0",
    "evil.example:{port}",
    "user@127.0.0.1:{port}",
    "127.0.0.2",
    "[::1",
    "",
)


def test_a_foreign_host_gets_nothing(viewer: Viewer) -> None:
    place = urlsplit(viewer.url)
    for host in FOREIGN:
        named = host.format(port=place.port)
        assert status(viewer, place.path, Host=named)[0] == 403, named
    for host in ("localhost:{port}", "127.0.0.1:{port}", "[::1]:{port}", "localhost:9000"):  # the last is led here by ssh
        assert status(viewer, place.path, Host=host.format(port=place.port))[0] == 200, host


def test_a_foreign_origin_gets_nothing(viewer: Viewer) -> None:
    place = urlsplit(viewer.url)
    for origin in (
        "https://evil.example",
        "null",
        f"https://{place.netloc}",
        f"http://127.0.0.1:{place.port + 1}",
        "http://127.0.0.1",
        "file://",
    ):
        assert status(viewer, place.path, Origin=origin)[0] == 403, origin
        with pytest.raises(InvalidStatus, match="403"):
            talk(viewer, Origin=origin)
    assert status(viewer, place.path, Origin=f"http://{place.netloc}")[0] == 200


def test_two_hosts_or_no_http_at_all_are_refused_quietly(viewer: Viewer, capfd: Any) -> None:
    place = urlsplit(viewer.url)
    two = f"GET {place.path} HTTP/1.1\r\nHost: {place.netloc}\r\nHost: evil.example\r\n\r\n".encode()
    for raw in (two, b"\x00\xff\x00\xff\r\n\r\n", b"POST / HTTP/1.1\r\nHost: x\r\n\r\n", b"GET /" + b"a" * 20000):
        with socket.create_connection((place.hostname, place.port), timeout=30) as stranger:
            stranger.sendall(raw)
            stranger.shutdown(socket.SHUT_WR)
            answer = b""
            while more := stranger.recv(4096):
                answer += more
        assert b"200 OK" not in answer
    assert capfd.readouterr() == ("", "")


CAMERA = {
    "type": "ViewerCameraMessage",
    "wxyz": [1.0, 0, 0, 0],
    "position": [1.0, 1, 1],
    "fov": 1.0,
    "near": 0.1,
    "far": 10.0,
    "image_height": 800,
    "image_width": 1200,
    "look_at": [0.0, 0, 0],
    "up_direction": [0.0, 0, 1],
}


def test_what_is_no_message_of_the_page_is_dropped_quietly(viewer: Viewer, capfd: Any, monkeypatch: Any) -> None:
    tunnels: list[Any] = []
    monkeypatch.setattr("viser._viser.ViserTunnel", lambda *args: tunnels.append(args))
    slider = viewer._panel.sliders["theta1"]
    uuid = slider._impl.uuid
    values = (math.nan, math.inf, -math.inf, 1e308, 2**63, "1", None, True, [1], {"a": 1}, b"1", 1e9)
    hostile: list[Any] = [{"type": "GuiUpdateMessage", "uuid": uuid, "updates": {"value": value}} for value in values]
    hostile += [
        {"type": "ShareUrlRequest"},
        {"type": "ShareUrlDisconnect"},
        {"type": "RunJavascriptMessage", "source": "alert(1)"},
        {"type": "FileTransferStartUpload", "source_component_uuid": uuid, "transfer_uuid": "1", "filename": "../x"},
        {"type": "GuiUpdateMessage", "uuid": uuid, "updates": {"removed": True}},
        {"type": "GuiUpdateMessage", "uuid": uuid, "updates": {"update_cb": []}},
        {"type": "GuiUpdateMessage", "uuid": "nobody", "updates": {"value": 1}},
        {"type": "GuiUpdateMessage", "uuid": [1], "updates": {"value": 1}},
        {"type": "GuiUpdateMessage", "uuid": uuid, "updates": [1]},
        {"type": "GuiUpdateMessage"},
        {"type": "NoSuchMessage"},
        {"type": ["GuiUpdateMessage"]},
        {**CAMERA, "fov": math.nan},
        {**CAMERA, "wxyz": [1, 2]},
        {**CAMERA, "position": "abc"},
        {**CAMERA, "more": 1},
        [1, 2],
        7,
        None,
    ]
    before = viewer.q
    with talk(viewer) as connection:
        connection.send(msgspec.msgpack.encode(CAMERA))
        for message in hostile:
            connection.send(msgspec.msgpack.encode(message))
        for raw in (b"", b"\xc1", b"\xff" * 100, b"\x91" * 5000, "a text", b"\xd9\x02\xff\xff"):
            connection.send(raw)
        connection.send(msgspec.msgpack.encode({"type": "GuiUpdateMessage", "uuid": uuid, "updates": {"value": 12.5}}))
        end = time.monotonic() + 60
        while abs(viewer.q[0] - math.radians(12.5)) > 1e-9 and time.monotonic() < end:  # this one is heard, after all those
            time.sleep(0.02)
        assert viewer.q == pytest.approx([math.radians(12.5), before[1]], abs=1e-9)
    assert tunnels == []
    assert viewer._server._share_tunnel is None
    assert capfd.readouterr() == ("", "")


def test_nothing_is_shared_even_when_asked_from_here(viewer: Viewer, monkeypatch: Any) -> None:
    monkeypatch.setattr("viser._viser.ViserTunnel", lambda *args: pytest.fail("a tunnel was made"))
    assert viewer._server.request_share_url() is None


def test_a_message_that_is_too_long_ends_the_connection_quietly(viewer: Viewer, capfd: Any) -> None:
    with talk(viewer) as connection:
        connection.send(b"x" * (guard.MAX_MESSAGE_BYTES + 1))
        end = time.monotonic() + 60
        while connection.close_code is None and time.monotonic() < end:
            time.sleep(0.02)
        assert connection.close_code == 1009  # too big
    assert capfd.readouterr() == ("", "")


def test_a_viser_that_cannot_be_guarded_is_refused(monkeypatch: Any) -> None:
    """A version that serves in another way: the guard is not asked, and what would be open is closed."""
    monkeypatch.setattr(guard.ViewerGuard, "serve", lambda self, original: original)
    threads = threading.active_count()
    with pytest.raises(lg.LagrangianError, match=r"viser .* cannot protect its page"):
        server.serve(None, "open")
    end = time.monotonic() + 30
    while threading.active_count() > threads and time.monotonic() < end:
        time.sleep(0.02)
    assert threading.active_count() <= threads  # it was stopped


def test_another_server_of_this_process_is_left_alone() -> None:
    said = []
    original = lambda handler, *where, **options: said.append((handler, options))  # noqa: E731
    handler = lambda connection: None  # noqa: E731
    guard.ViewerGuard().serve(original)(handler, "127.0.0.1", 0, max_size=7)
    assert said == [(handler, {"max_size": 7, "process_request": None})]


def test_values_fit_their_controls() -> None:
    class Control:
        def __init__(self, **entries: Any) -> None:
            self.__dict__.update(entries)

    slider, box, choice = Control(value=1.0, min=0.0, max=2.0), Control(value=True), Control(value="a", options=("a", "b"))
    assert [guard.can_have_value(slider, x) for x in (0, 1.5, 2, 2.1, -0.1, np.nan, True, "1")] == [True] * 3 + [False] * 5
    assert [guard.can_have_value(box, x) for x in (True, False, 1, "x", None)] == [True] * 2 + [False] * 3
    assert [guard.can_have_value(choice, x) for x in ("b", "c", 1, ["a"])] == [True, False, False, False]
