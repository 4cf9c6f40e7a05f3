"""The studio asks before something is lost, and what it says of a file does not hide the page."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.browser.conftest import BrowserTab
from tests.browser.studios import Served, at, becomes, quiet, studio
from tests.studio.conftest import text

FILE, THEIRS = "arm.toml", "# somebody else's line\n"
MINE = "# my line"

URDF = """<?xml version="1.0"?>
<robot name="swing">
  <link name="base"/>
  <link name="bob"><inertial><origin xyz="0 0 -1"/><mass value="2"/>
    <inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial>
    <collision><geometry><sphere radius="1"/></geometry></collision></link>
  <joint name="hinge" type="continuous"><parent link="base"/><child link="bob"/><axis xyz="0 1 0"/>
    <dynamics D="1" K="7000"/></joint>
</robot>
"""


@pytest.fixture
def studio_server(tmp_path) -> Iterator[Served]:
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / FILE).write_text(text("two_r"))
    with studio(folder, FILE) as server:
        yield server


def type_a_line(browser_tab: BrowserTab, studio_server: Served) -> None:
    """An unsaved line in the file's text, kept as a draft."""
    page = browser_tab.page
    page.goto(studio_server.address)
    quiet(page)
    at(page, "[")
    page.keyboard.type(f"{MINE}\n")
    becomes(page, "document.getElementById('kept').dataset.state === 'draft'")


def test_save_asks_for_a_file_that_changed_while_the_page_was_away(browser_tab, studio_server):
    page, file = browser_tab.page, studio_server.folder / FILE
    type_a_line(browser_tab, studio_server)
    changed = THEIRS + file.read_text()
    file.write_text(changed)
    page.reload()
    quiet(page)
    page.keyboard.press("Control+s")
    box = page.locator("dialog")
    box.wait_for()
    assert box.locator(".lines .theirs").all_inner_texts() == [f"− {THEIRS.strip()}"]
    assert [x.strip() for x in box.locator(".lines .mine").all_inner_texts()] == [f"+ {MINE}"]
    page.keyboard.press("Enter")  # the button that has the focus is Cancel
    box.wait_for(state="detached")
    assert file.read_text() == changed
    page.keyboard.press("Control+s")
    page.get_by_role("button", name="Overwrite with this text").click()
    becomes(page, "document.getElementById('kept').dataset.state === 'saved'")
    assert MINE in file.read_text()
    assert THEIRS not in file.read_text()


def test_what_another_tab_typed_stays_until_one_chooses(browser_tab, studio_server, chromium):
    type_a_line(browser_tab, studio_server)
    page, other = browser_tab.page, chromium.new_page()
    other.goto(studio_server.address)
    quiet(other)
    at(other, "[")
    other.keyboard.type("# of the other tab\n")
    becomes(other, "!studio.doc.waits")
    page.keyboard.type("# more\n")
    box = page.locator("dialog")
    box.wait_for()
    assert "− # of the other tab" in box.locator(".lines .theirs").all_inner_texts()
    page.keyboard.press("Enter")
    box.wait_for(state="detached")
    assert "# of the other tab" in other.evaluate("fetch('/api/document').then((a) => a.json()).then((d) => d.text)")
    assert page.locator("#kept").inner_text() == "another page has changed this text in the meantime"
    refused = page.evaluate("studio.doc.start('', 'toml', 'new.toml').then(() => '', (error) => error.message)")
    assert "another page has changed this text" in refused, "until one has chosen, nothing takes its place"
    other.close()


def test_what_a_urdf_has_that_is_not_used_is_one_note(browser_tab, studio_server):
    page = browser_tab.page
    page.goto(studio_server.address)
    quiet(page)
    page.locator("#picker").set_input_files({"name": "swing.urdf", "mimeType": "text/xml", "buffer": URDF.encode()})
    note = page.locator(".note")
    note.wait_for()
    assert note.count() == 1
    assert "2 parts of the URDF are not used." in note.inner_text()
    note.locator("summary").click()
    said = note.locator("li").all_inner_texts()
    assert len(said) == len(set(said)) == 2
    assert all(x.startswith(("'D' and 'K' of", "<collision>")) for x in said)
    quiet(page)
    line = URDF[: URDF.index("<dynamics")].count("\n") + 1
    assert page.locator(".problem b").all_inner_texts() == [f"Line {line}"]
    note.get_by_label("Close the note").click()
    note.wait_for(state="detached")
    assert browser_tab.complaints == []
