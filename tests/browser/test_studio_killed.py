"""Server and browser are killed while somebody types: what was typed is there again; and a page whose server has gone says so."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from tests.browser.conftest import CHROMIUM, FLAGS, until
from tests.browser.studios import at, becomes, begin, quiet, start_server, studio, text_of
from tests.processes import PATIENCE

REMARK = "# typed just before the lights went out\n"


def lonely_browser(folder: Path) -> tuple[subprocess.Popen[bytes], str]:
    """A Chromium that nobody but the test looks after, and the address by which it is driven."""
    folder.mkdir()
    own = ["--headless=new", "--remote-debugging-port=0", f"--user-data-dir={folder}"]
    process = subprocess.Popen([CHROMIUM, *FLAGS, *own], stderr=subprocess.DEVNULL, start_new_session=True)
    port_file, end = folder / "DevToolsActivePort", time.monotonic() + PATIENCE
    while not (port_file.exists() and port_file.read_text().count("\n")) and time.monotonic() < end:
        time.sleep(0.05)
    return process, f"http://127.0.0.1:{port_file.read_text().split()[0]}"


def kill(process: subprocess.Popen[bytes] | subprocess.Popen[str]) -> None:
    """At once, and all that it started."""
    os.killpg(process.pid, signal.SIGKILL)
    process.wait(PATIENCE)


@pytest.mark.skipif(os.name != "posix", reason="processes are killed by their group")
def test_nothing_is_lost_when_server_and_browser_are_killed(chromium, browser_tab, tmp_path):
    served = start_server(tmp_path / "work")
    process, address = lonely_browser(tmp_path / "profile")
    try:
        other = chromium.browser_type.connect_over_cdp(address)
        page = other.contexts[0].new_page()
        begin(page, served.address)
        at(page, "gravity")
        page.keyboard.type(REMARK)
        expected = text_of(page)
        assert REMARK in expected
        becomes(page, "document.getElementById('kept').dataset.state === 'draft'")  # the page says that it is kept
    finally:
        kill(served.process)
        kill(process)
    assert not list((tmp_path / "work").iterdir())  # it was never saved
    with studio(tmp_path / "work") as again:
        page = browser_tab.page
        page.goto(again.address)
        quiet(page)
        assert text_of(page) == expected
        assert "Draft" in page.locator("#kept").inner_text()


def test_a_page_without_its_server_says_so_and_keeps_what_is_typed(browser_tab, tmp_path):
    page = browser_tab.page
    served = start_server(tmp_path / "work")
    port = served.origin.split(":")[-1].strip("/")
    begin(page, served.address)
    kill(served.process)
    at(page, "gravity")
    page.keyboard.type(REMARK)
    becomes(page, "document.getElementById('kept').dataset.state === 'stopped'")
    assert "The server has stopped. Your text is safe." in page.locator("#kept").inner_text()
    with page.expect_download() as waiting:
        page.locator("#kept button").click()
    assert REMARK in Path(waiting.value.path()).read_text(encoding="utf-8")
    with studio(tmp_path / "work", "--port", port) as again:  # it does not know the page that the dead one made
        assert until(page, lambda: "Open the address" in page.locator("#kept").inner_text())
        assert REMARK in text_of(page)
        page.goto(again.address)
        quiet(page)
        assert REMARK in text_of(page)  # though it was typed when there was no server
        assert browser_tab.foreign((served.origin, "data:", "blob:")) == []


def test_what_is_typed_while_a_draft_is_under_way_is_kept_when_another_file_is_opened(browser_tab, tmp_path):
    page, folder = browser_tab.page, tmp_path / "work"
    folder.mkdir()
    for name in "ab":
        (folder / f"{name}.toml").write_text(f'name = "{name}"\n')
    with studio(folder, "a.toml") as served:
        page.goto(served.address)
        becomes(page, "window.studio?.doc.path === 'a.toml'")
        page.route("**/api/draft", lambda route: (page.wait_for_timeout(300), route.continue_()))
        page.evaluate(
            """async () => {
                const { doc } = studio, { editor } = doc;
                editor.replace(editor.text + "# first\\n");
                doc.draft();  // it is under way
                editor.replace(editor.text + "# second\\n");
                const opened = doc.open("b.toml");
                editor.replace(editor.text + "# third\\n");
                await opened;
            }"""
        )
        page.unroute("**/api/draft")
        assert text_of(page) == 'name = "b"\n'
        page.evaluate("studio.doc.open('a.toml')")
        assert text_of(page) == 'name = "a"\n# first\n# second\n# third\n'
        # and a text that has no file is not lost when another page saves one
        page.evaluate("studio.doc.start('# without a file', 'toml', 'new.toml')")
        becomes(page, "!studio.doc.waits")
        page.evaluate("studio.doc.settle()")
        save = """fetch("/api/save", { method: "POST", headers: { "Content-Type": "application/json" },
            body: JSON.stringify({ path: "linkage.toml", text: "x", format: "toml", expected: null }) }).then((x) => x.status)"""
        assert page.evaluate(save) == 200
        page.reload()
        becomes(page, "window.studio?.doc.path === 'linkage.toml'")
        page.evaluate("studio.doc.open('')")
        assert text_of(page) == "# without a file"
        page.evaluate("studio.doc.save('mine')")  # which the draft is of
        assert page.evaluate("fetch('/api/draft').then((x) => x.json()).then((x) => x.text)") is None
        message = page.evaluate("studio.doc.save('../x.toml').catch((error) => error.message)")
        assert "lies outside the folder" in message
        assert page.evaluate("studio.doc.server")
