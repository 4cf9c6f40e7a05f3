"""Files and drafts: nothing is lost, nothing of others is overwritten, nothing is written elsewhere."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path

import pytest

from lagrangian.errors import LagrangianError
from lagrangian.studio.request_error import RequestError
from lagrangian.studio.workspace import open_workspace
from tests.studio.conftest import Inside, Server, text


@pytest.fixture
def own(tmp_path: Path) -> Inside:
    folder = tmp_path / "work"
    folder.mkdir()
    return Inside(folder, tmp_path / "state")


def save(studio: Inside, path: str, status: int = 200, **more: object) -> dict[str, object]:
    asked = {"path": path, "text": "x = 1\n", "format": "toml", "expected": None, **more}
    response: dict[str, object] = studio.post("/api/save", asked, status)
    return response


def test_a_text_is_drafted_saved_and_opened_again(own: Inside) -> None:
    assert own.get("/api/document")["text"] == ""
    first = own.put("/api/draft", {"text": "a", "format": "toml", "path": None, "revision": 0})
    second = own.put("/api/draft", {"text": "ab é😀", "format": "toml", "path": None, "revision": first["revision"]})
    assert second["revision"] > first["revision"]
    document = own.get("/api/document")
    assert (document["text"], document["draft"], document["saved"], document["path"]) == ("ab é😀", True, False, None)
    assert save(own, "arm", text="ab é😀", drafts=[{"path": None, **second}])["path"] == "arm.toml"
    assert (own.folder / "arm.toml").read_text() == "ab é😀"
    document = own.get("/api/document")
    assert (document["path"], document["saved"], document["draft"], document["recent"]) == ("arm.toml", True, False, ["arm.toml"])
    assert own.post("/api/document", {"path": ""})["text"] == ""  # the draft is saved, and gone
    assert own.post("/api/document", {"path": "arm.toml"})["text"] == "ab é😀"
    own.post("/api/document", {"path": "nowhere.toml"}, 404)


def test_a_file_that_changed_meanwhile_is_not_overwritten(own: Inside) -> None:
    file = own.folder / "arm.toml"
    digest = save(own, "arm.toml", text="mine\n")["digest"]
    file.write_text("another's\n")
    refused = save(own, "arm.toml", 409, text="mine too\n", expected=digest)
    assert file.read_text() == "another's\n"
    assert refused["text"] == "another's\n"
    own.put("/api/draft", {"text": "mine too\n", "path": "arm.toml", "revision": 9, "digest": digest})
    document = own.get("/api/document")
    assert (document["text"], document["changed"]) == ("mine too\n", True)
    save(own, "arm.toml", text="mine too\n", expected=refused["digest"])  # asked for
    assert file.read_text() == "mine too\n"
    save(own, "arm.toml", 409, text="a new one of the same name\n")


def test_saving_asks_for_a_file_that_changed_under_a_draft_though_the_page_was_loaded_again(own: Inside) -> None:
    """The page gives back the digest that it was given with the text, as `digest` of a draft and as `expected` of a save."""
    file = own.folder / "arm.toml"
    digest = save(own, "arm.toml", text="first\n")["digest"]
    response = own.put("/api/draft", {"text": "mine\n", "path": "arm.toml", "revision": 0, "digest": digest})
    file.write_text("another's\n")
    for value in (own.get("/api/document"), own.post("/api/document", {"path": "arm.toml"})):
        assert (value["text"], value["changed"]) == ("mine\n", True)
        typed = {"text": "mine too\n", "path": "arm.toml", "revision": response["revision"], "digest": value["digest"]}
        response = own.put("/api/draft", typed)
        assert own.get("/api/document")["changed"]
        assert save(own, "arm.toml", 409, text="mine too\n", expected=value["digest"])["text"] == "another's\n"
    assert file.read_text() == "another's\n"


def test_an_older_page_does_not_overwrite_what_another_typed(own: Inside) -> None:
    stale = own.put("/api/draft", {"text": "one", "path": None, "revision": 0})["revision"]
    newer = own.put("/api/draft", {"text": "two", "path": None, "revision": stale})["revision"]
    refused = own.put("/api/draft", {"text": "of the old page", "path": None, "revision": stale}, 409)
    assert (refused["text"], refused["revision"]) == ("two", newer)
    assert own.get("/api/document")["text"] == "two"


def keep(studio: Inside, path: str | None, typed: str, **more: object) -> dict[str, object]:
    result: dict[str, object] = studio.put("/api/draft", {"text": typed, "format": "toml", "path": path, "revision": 0, **more})
    return result


def test_drafts_keep_the_format_that_earlier_versions_wrote(tmp_path: Path) -> None:
    """A draft is a JSON file that is named by the digest of its path; a drawing is a draft beside that of the description."""
    folder, state = tmp_path / "work", tmp_path / "state"
    folder.mkdir()
    (folder / "arm.toml").write_text("saved")
    (state / "drafts").mkdir(parents=True)
    for path, words, kind in (
        (f"{folder}{os.sep}arm.toml", "typed", "toml"),
        (f"{folder}{os.sep}", "untitled", "toml"),
        (f"{folder}{os.sep}\0drawing", "drawn", "drawing"),
    ):
        entry = {"text": words, "format": kind, "path": path, "revision": 3, "basis": "", "written": 1.75e9}
        (state / "drafts" / f"{hashlib.sha256(path.encode()).hexdigest()[:32]}.json").write_text(json.dumps(entry))
    studio = Inside(folder, state, folder / "arm.toml")
    document = studio.get("/api/document")
    assert (document["text"], document["draft"], document["revision"]) == ("typed", True, 3)
    assert studio.get("/api/draft?format=toml")["text"] == "untitled"
    assert studio.get("/api/draft?format=drawing")["text"] == "drawn"


def test_saving_deletes_the_draft_of_what_was_saved_and_no_other(own: Inside) -> None:
    mine = keep(own, None, "an arm without a file")
    drawn = keep(own, None, '{"pins": []}', format="drawing")
    save(own, "linkage.toml", drafts=[{"path": None, "format": "drawing", **drawn}])  # another page's
    assert own.get("/api/draft?format=drawing")["text"] is None
    assert own.get("/api/draft") == {"text": "an arm without a file", "digest": None, **mine}
    keep(own, "linkage.toml", "typed in it")
    assert save(own, "other.toml")["saved"]  # which was not open
    assert own.post("/api/document", {"path": "linkage.toml"})["text"] == "typed in it"
    assert own.post("/api/document", {"path": ""})["text"] == "an arm without a file"


def test_a_draft_that_another_page_kept_meanwhile_is_not_deleted_by_saving(own: Inside) -> None:
    mine = keep(own, None, "mine")
    theirs = keep(own, None, "theirs", **mine)
    save(own, "mine.toml", text="mine", drafts=[{"path": None, **mine}])
    assert own.get("/api/draft")["text"] == "theirs"
    save(own, "theirs.toml", text="theirs", drafts=[{"path": None, **theirs}])
    assert own.get("/api/draft")["text"] is None


def test_keeping_a_draft_does_not_open_another_file(own: Inside) -> None:
    save(own, "arm.toml")
    keep(own, None, "of another tab")
    assert own.get("/api/document")["path"] == "arm.toml"
    copy = keep(own, None, "of a copy of the library", called="four_bar")
    assert own.post("/api/document", {"path": ""})["text"] == "of another tab"
    save(own, "copy.toml", drafts=[{"path": None, "called": "four_bar", **copy}])
    assert own.post("/api/document", {"path": ""})["text"] == "of another tab"


def test_texts_are_kept_at_once_whatever_is_being_compiled(own: Inside) -> None:
    import threading

    from lagrangian.studio.app import THREADS

    studio, gate = own.guard.app.state.studio, threading.Event()  # type: ignore[attr-defined]
    compiling = [studio._threads.submit(gate.wait, 20) for _ in range(2 * THREADS)]
    try:
        keep(own, None, "typed meanwhile")
        save(own, "arm.toml")
        own.get("/api/document")
        assert not any(x.done() for x in compiling)
    finally:
        gate.set()


def test_of_two_pages_that_keep_at_once_one_is_reported(own: Inside, monkeypatch: pytest.MonkeyPatch) -> None:
    import time
    from concurrent.futures import ThreadPoolExecutor

    drafts = own.workspace.drafts
    read = drafts.read
    monkeypatch.setattr(drafts, "read", lambda path: (read(path), time.sleep(0.05))[0])
    own.workspace.write_draft("first", "toml", 0, "", None)

    def type_on(typed: str) -> bool:
        try:
            return bool(own.workspace.write_draft(typed, "toml", 1, "", None))
        except RequestError:
            return False

    with ThreadPoolExecutor(4) as threads:
        assert sorted(threads.map(type_on, "abcd")) == [False, False, False, True]


OUTSIDE = [
    "../evil.toml",
    "/evil.toml",
    "a/../../evil.toml",
    "link/evil.toml",
    "..",
    ".",
    " ",
    "\0.toml",
    "no/folder.toml",
]


@pytest.mark.parametrize("name", OUTSIDE)
def test_nothing_is_written_outside_the_folder(own: Inside, tmp_path: Path, name: str) -> None:
    (own.folder / "link").symlink_to(tmp_path, target_is_directory=True)
    before = sorted(p.name for p in tmp_path.iterdir())
    assert (
        own.client.post("/api/save", json={"path": name, "text": "x", "format": "toml"}).status_code == 400
    )  # not 403: that is for strangers
    assert own.client.post("/api/document", json={"path": name}).status_code in (400, 404)
    assert own.client.put("/api/draft", json={"path": name, "text": "x"}).status_code == 400
    assert own.client.get("/api/draft", params={"path": name}).status_code == 400
    assert sorted(p.name for p in tmp_path.iterdir()) == before
    assert not Path("/evil.toml").exists()


def test_a_link_to_a_file_elsewhere_is_not_written_through(own: Inside, tmp_path: Path) -> None:
    (tmp_path / "secret.toml").write_text("kept")
    (own.folder / "arm.toml").symlink_to(tmp_path / "secret.toml")
    save(own, "arm.toml", 400)
    assert (tmp_path / "secret.toml").read_text() == "kept"


def test_only_descriptions_are_written(own: Inside) -> None:
    for name in ("arm.py", "arm.html", "arm.urdf", "arm.toml.exe"):
        assert own.client.post("/api/save", json={"path": name, "text": "x", "format": "toml"}).status_code == 400
    assert list(own.folder.iterdir()) == []
    save(own, "robot.xml", text="<mujoco/>", format="mjcf")


@pytest.mark.parametrize("name", ["../../etc/passwd", "..%2f..%2fpyproject", "two_r.toml", "", "x" * 5000])
def test_the_library_gives_its_own_alone(own: Inside, name: str) -> None:
    assert own.client.get(f"/api/library/{name}").status_code in (200 if not name else 404, 404, 405, 307)


def test_the_library_and_templates_are_whole(own: Inside) -> None:
    listed = own.get("/api/library")
    assert len(listed) > 30
    assert all(e["name"] and e["summary"] for e in listed)
    assert own.get("/api/library/four_bar") == {"text": text("four_bar"), "format": "toml"}
    for template in own.get("/api/templates"):
        answer = own.check(template["text"])
        assert answer["ok"], (template["name"], answer["problems"])


@pytest.mark.parametrize("value", ["arm.py", "nowhere/arm.toml", "no.xml", "broken.toml"])
def test_what_cannot_be_opened_is_reported_before_anything_is_served(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("broken.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(LagrangianError):
        open_workspace(tmp_path, value)


def test_a_new_file_begins_with_the_starter_and_a_library_name_with_a_copy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    values = open_workspace(tmp_path, "my arm.toml").document()
    assert 'name = "my_arm"' in values["text"]
    assert not values["saved"]
    values = open_workspace(tmp_path, "four_bar").document()
    assert (values["text"], values["path"]) == (text("four_bar"), None)


def test_a_copy_of_the_library_does_not_hide_behind_an_older_draft(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    first = open_workspace(tmp_path, None)
    first.write_draft("typed before", "toml", 0, "", None)
    copy = open_workspace(tmp_path, "four_bar")
    assert copy.document()["text"] == text("four_bar")
    copy.write_draft("changed", "toml", 0, "", None)
    assert open_workspace(tmp_path, "four_bar").document()["text"] == "changed"
    assert open_workspace(tmp_path, None).document()["text"] == "typed before"


def test_a_disk_that_takes_nothing_is_reported(own: Inside, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device", "draft")

    monkeypatch.setattr("lagrangian.files.write_private", full)
    assert "No space left" in own.put("/api/draft", {"text": "x", "path": None, "revision": 0}, 500)["error"]


# -- killed -----------------------------------------------------------------------------------------------------------


def test_drafts_survive_the_death_of_the_server(tmp_path: Path) -> None:
    folder, state = tmp_path / "work", tmp_path / "state"
    folder.mkdir()
    (folder / "arm.toml").write_text(text("two_r"))
    server = Server(folder, state, "arm.toml")
    actual = server.client.get("/api/document").json()
    assert actual["text"] == text("two_r")
    revision, typed = actual["revision"], ""
    for k in range(40):
        typed = text("two_r") + f"# typed {'é' * k}\n"
        asked = {"text": typed, "format": "toml", "path": "arm.toml", "revision": revision, "digest": actual["digest"]}
        revision = server.client.put("/api/draft", json=asked).json()["revision"]
    server.kill()
    server.client.close()
    assert (folder / "arm.toml").read_text() == text("two_r")
    again = Server(folder, state)  # without the file's name: the last one is known
    document = again.client.get("/api/document").json()
    assert (document["text"], document["path"], document["draft"], document["changed"]) == (typed, "arm.toml", True, False)
    assert document["revision"] == revision
    # a page that was open meanwhile goes on where it was
    asked = {"text": typed + "#", "format": "toml", "path": "arm.toml", "revision": revision}
    assert again.client.put("/api/draft", json=asked).status_code == 200
    again.close()
    assert again.process.returncode == 0


def test_a_server_that_is_killed_while_it_writes_leaves_a_whole_draft(tmp_path: Path) -> None:
    import threading

    folder, state = tmp_path / "work", tmp_path / "state"
    folder.mkdir()
    server = Server(folder, state)
    whole = {f"{k:03d}" * 100_000 for k in range(300)}

    def type_on() -> None:
        import contextlib

        with contextlib.suppress(Exception):
            for k in range(300):
                asked = {"text": f"{k:03d}" * 100_000, "format": "toml", "path": None, "revision": k}
                server.client.put("/api/draft", json=asked)

    typing = threading.Thread(target=type_on)
    typing.start()
    while not [x for x in state.glob("studio/drafts/*.json") if not x.name.startswith(".")]:
        assert typing.is_alive()
    os.kill(server.process.pid, 9)
    typing.join()
    again = Server(folder, state)
    assert again.client.get("/api/document").json()["text"] in whole
    again.close()
