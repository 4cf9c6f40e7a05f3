"""The live viewer, asked by pages of others in a real browser: they get nothing, and the right page works on."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

import pytest

import lagrangian as lg
from lagrangian.viewer.live import Viewer, view
from tests.browser.conftest import until

# what a page can try: to read, by either kind of fetch, by a frame, a script, and by a socket that would be told the scene
TRY = """
async ([address, protocol]) => {
  const found = {};
  const url = new URL(address);
  try { found.fetch = (await fetch(address)).status; } catch (e) { found.fetch = "refused"; }
  try { const r = await fetch(address, {mode: "no-cors"}); found.blind = r.type + r.status + (await r.text()).length; }
  catch (e) { found.blind = "refused"; }
  found.script = await new Promise((done) => {
    const script = document.createElement("script");
    script.onload = () => done("ran"); script.onerror = () => done("refused");
    script.src = address; document.head.append(script);
  });
  found.socket = await new Promise((done) => {
    const socket = new WebSocket("ws://" + url.host + url.pathname.replace(/[/]$/, ""), [protocol]);
    socket.onmessage = () => done("told");
    socket.onerror = () => done("refused");
  });
  return found;
}
"""
NOTHING = {"fetch": "refused", "blind": "refused", "script": "refused", "socket": "refused"}


@pytest.fixture(scope="module")
def viewer() -> Iterator[Viewer]:
    with view(lg.library("two_r"), browser=False, block=False) as live_viewer:
        yield live_viewer


@pytest.fixture(scope="module")
def elsewhere() -> Iterator[str]:
    """A page of somebody else."""

    class Page(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(b"<!doctype html><title>elsewhere</title>")

        def log_message(self, *_: Any) -> None:
            """Silent."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Page)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()


def try_access(browser_tab: Any, page: str, address: str) -> Any:
    import viser

    browser_tab.page.goto(page)
    return browser_tab.page.evaluate(TRY, [address, f"viser-v{viser.__version__}"])


def test_the_printed_address_works_also_when_it_is_loaded_again(browser_tab: Any, viewer: Viewer) -> None:
    browser_tab.page.goto(viewer.url)
    for _ in range(2):
        browser_tab.page.get_by_text("2 degrees of freedom").first.wait_for()
        assert until(browser_tab.page, lambda: browser_tab.page.title() == "two_r")
        browser_tab.page.reload()
    browser_tab.page.goto(viewer.url.replace("127.0.0.1", "localhost"))  # the same computer's other name
    browser_tab.page.get_by_text("2 degrees of freedom").first.wait_for()


def test_its_own_page_may_do_what_others_try(browser_tab: Any, viewer: Viewer) -> None:
    """So that the refusals below are the guard's and no fault of the attempt."""
    actual = try_access(browser_tab, viewer.url, viewer.url)
    assert (actual["fetch"], actual["socket"]) == (200, "told")


def test_a_page_of_a_foreign_origin_gets_nothing(browser_tab: Any, viewer: Viewer, elsewhere: str) -> None:
    """Even one that knows the token; and one that uses another name of this computer."""
    for address in (viewer.url, f"http://{urlsplit(viewer.url).netloc}/", viewer.url.replace("127.0.0.1", "localhost")):
        actual = try_access(browser_tab, elsewhere, address)
        assert actual == NOTHING, address
    other_name = elsewhere.replace("127.0.0.1", "localhost")
    assert try_access(browser_tab, other_name, viewer.url.replace("127.0.0.1", "localhost")) == NOTHING


def test_a_foreign_host_gets_nothing(browser_tab: Any, viewer: Viewer) -> None:
    """A name that leads to this computer, as a rebound name of a foreign page does: its origin and the host agree."""
    response = browser_tab.page.goto(viewer.url.replace("127.0.0.1", "evil.localhost"))
    assert response.status == 403
    assert browser_tab.page.locator("canvas").count() == 0
    here = viewer.url.replace("127.0.0.1", "evil.localhost")
    assert browser_tab.page.evaluate(TRY, [here, "viser-v0"])["socket"] == "refused"


def test_without_the_token_or_with_a_wrong_one_there_is_nothing(browser_tab: Any, viewer: Viewer) -> None:
    place = urlsplit(viewer.url)
    for path in ("/", "/" + "A" * len(place.path.strip("/")) + "/"):
        response = browser_tab.page.goto(f"http://{place.netloc}{path}")
        assert response.status == 403
        values = browser_tab.page.evaluate(TRY, [f"http://{place.netloc}{path}", "viser-v0"])
        assert (values["fetch"], values["socket"]) == (403, "refused")


def test_it_is_not_shown_inside_of_another_page(browser_tab: Any, viewer: Viewer, elsewhere: str) -> None:
    """Where clicks could be stolen."""
    browser_tab.page.goto(elsewhere)
    browser_tab.page.evaluate(
        "(url) => { const f = document.createElement('iframe'); f.src = url; document.body.append(f); }", viewer.url
    )
    assert until(browser_tab.page, lambda: any("frame-ancestors" in complaint for complaint in browser_tab.complaints))
