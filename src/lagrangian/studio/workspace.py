"""The folder one works in, the file that is open in it, and its draft: read, kept, saved. Nothing is written outside of it."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import threading
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from lagrangian import files
from lagrangian.description.folder import within
from lagrangian.description.load import FORMATS, format_of
from lagrangian.description.text_file import read_text
from lagrangian.description.toml.starter import starter
from lagrangian.errors import ArgumentError, DescriptionError, one_of
from lagrangian.studio import shelf
from lagrangian.studio.drafts import Draft, Drafts
from lagrangian.studio.refused import Refused

SUFFIXES = {"toml": (".toml",), "urdf": (".urdf", ".xml"), "mjcf": (".xml", ".mjcf"), "sdf": (".sdf", ".world")}
DRAWING = "drawing"  # a text that the page for drawing keeps: its draft lies beside that of the description
RECENT = 12


class Workspace:
    """One folder. `path` is the open file in it, None while the text has no name; the last one opened is known again."""

    def __init__(self, state: Path, folder: Path, path: Path | None = None, text: str = "", called: str = "") -> None:
        """`text` is what a text without a file begins with, and `called` what its draft is kept under, apart from others."""
        self.folder = folder.resolve()
        self._lock = threading.RLock()  # what is read, changed and written again is nobody else's meanwhile
        self._called = called
        self.drafts = Drafts(state)
        self._memory = state / f"folder-{hashlib.sha256(str(self.folder).encode()).hexdigest()[:32]}.json"
        self._begun = text  # what an untitled text begins with, if it has no draft
        self.path = path.resolve() if path is not None else (None if text else self._last())
        self._remember()

    # -- the document --------------------------------------------------------------------------------------------------

    def document(self) -> dict[str, Any]:
        """The open text: that of its draft where there is one, which may be newer than the file."""
        with self._lock:
            return self._document()

    def _document(self) -> dict[str, Any]:
        draft = self.drafts.read(self._key(self.path, self._called))
        text, digest, format = self._on_disk()  # noqa: A001
        newer = draft is not None and draft.text != text
        if draft is not None and newer:
            text, format = draft.text, draft.format  # noqa: A001
        basis = draft.basis if draft is not None and newer else digest  # what the text shown was begun from
        return {
            "text": text,
            "format": format,
            "path": self._shown(self.path) if self.path is not None else None,
            "called": self._called if self.path is None else "",  # what a text without a file is kept under
            "saved": self.path is not None and bool(digest) and not newer,
            "draft": newer,
            "changed": basis != digest,  # the file is not the one that the draft was begun from
            "revision": draft.revision if draft is not None else 0,
            "digest": basis or None,  # a save gives it back, and asks if the file is another one now
            "folder": str(self.folder),
            "recent": self._recent(),
        }

    def _on_disk(self) -> tuple[str, str, str]:
        """Text, digest and format of the file; what a new one begins with, if there is none yet."""
        if self.path is None:
            return self._begun, "", "toml"
        if not self.path.exists():
            new = format_of(self.path, "<robot>") if self.path.suffix.lower() != ".toml" else "toml"
            return (starter(self.path.stem, self.path.name) if new == "toml" else ""), "", new
        text = read_text(self.path)
        return text, digest_of(text), format_of(self.path, text)

    def open(self, name: str) -> dict[str, Any]:
        """Another file of the folder, or an untitled text if the name is empty."""
        path = self._inside(name) if name else None
        if path is not None and not path.is_file():
            raise Refused(404, f"there is no file {name!r} in this folder")
        with self._lock:
            self._turn_to(path)
            return self._document()

    # -- the draft -----------------------------------------------------------------------------------------------------

    def keep(
        self,
        text: str,
        format: str,  # noqa: A002
        revision: int,
        basis: str,
        name: Any = ...,
        called: str | None = None,
    ) -> int:
        """Keep what was typed; its new revision. What is older than the draft that is there is refused.

        `name` is the file that it is of, None for a text without one (then `called` is what the document says); the one that
        is open, if the page does not say. What is open stays so.
        """
        _check(text, format, (*FORMATS, DRAWING))
        with self._lock:
            key = self._whose(name, called, format)
            before = self.drafts.read(key)
            if before is not None and revision < before.revision and before.text != text:
                told = "another page has changed this text in the meantime"
                raise Refused(409, told, "reload the page to see it", text=before.text, revision=before.revision)
            new = max(revision, before.revision if before is not None else 0) + 1
            self.drafts.write(Draft(text, format, key, new, basis, time.time()))
            return new

    def kept(self, name: str | None, format: str) -> dict[str, Any]:  # noqa: A002
        """The draft of a file, or of the text without one, as it was kept; `digest` is of the file that it was begun from."""
        _check("", format, (*FORMATS, DRAWING))
        with self._lock:
            found = self.drafts.read(self._whose(name, "", format))
        if found is None:
            return {"text": None, "revision": 0, "digest": None}
        return {"text": found.text, "revision": found.revision, "digest": found.basis or None}

    def _whose(self, name: Any, called: Any, format: str) -> str:  # noqa: A002
        """What the draft of a file, or of a text without one, is kept under."""
        path = self.path if name is ... else self._inside(name) if name else None
        return self._key(path, self._called if called is None else str(called), format)

    # -- saving --------------------------------------------------------------------------------------------------------

    def save(
        self,
        name: str,
        text: str,
        format: str,  # noqa: A002
        expected: str | None,
        drafts: Iterable[Mapping[str, Any]] = (),
    ) -> dict[str, Any]:
        """Write the file, unless it is not the one that was read: somebody else has changed it.

        `drafts` are those that the page kept the text under, each with its revision. They are deleted, unless another page has
        kept a newer one there; so is a draft of the file that says the same. No other is.
        """
        _check(text, format, FORMATS)
        with self._lock:
            known = [(self._whose(x.get("path"), x.get("called"), x.get("format", "toml")), x.get("revision")) for x in drafts]
            target = self._write(name, text, format, expected)
            known.append((self._key(target), -1))
            for key, revision in known:
                draft = self.drafts.read(key)
                if draft is not None and (draft.text == text or (isinstance(revision, int) and draft.revision <= revision)):
                    self.drafts.forget(key)
            self._turn_to(target)
            return {"path": self._shown(target), "saved": True, "digest": digest_of(text)}

    def _write(self, name: str, text: str, format: str, expected: str | None) -> Path:  # noqa: A002
        target = self._inside(name)
        if not target.suffix:
            target = target.with_name(target.name + SUFFIXES[format][0])
        if target.suffix.lower() not in SUFFIXES[format]:
            raise Refused(400, f"{name}: a description in {format.upper()} ends in {' or '.join(SUFFIXES[format])}")
        there = target.exists()
        now = digest_of(read_text(target)) if there else ""
        if now and now != expected and now != digest_of(text):
            told = f"{target.name} has changed on disk in the meantime" if expected else f"{target.name} exists already"
            remedy = "save under another name, or overwrite it"
            raise Refused(409, told, remedy, text=read_text(target), digest=now)
        files.write(target, text)
        return target

    def place(self, name: str) -> Path:
        """Where something that is made of the mechanism goes: in the folder."""
        return self._inside(name)

    def _turn_to(self, path: Path | None) -> None:
        if path != self.path:
            self.path, self._begun, self._called = path, "", ""
            self._remember()

    # -- beside --------------------------------------------------------------------------------------------------------

    def _inside(self, name: Any) -> Path:
        if not isinstance(name, str) or not name.strip() or "\0" in name or len(name) > 1000:
            raise Refused(400, "a file name is needed, such as arm.toml")
        place = Path(os.path.realpath(self.folder / name))
        if not within(str(place), str(self.folder)) or place == self.folder:
            raise Refused(400, f"{name!r} lies outside the folder {self.folder}", "choose a file in this folder")
        if not place.parent.is_dir():
            raise Refused(400, f"the folder of {name!r} does not exist")
        return place

    def _key(self, path: Path | None, called: str = "", format: str = "toml") -> str:  # noqa: A002
        of = str(path) if path is not None else f"{self.folder}{os.sep}{called}"
        return f"{of}\0{DRAWING}" if format == DRAWING else of

    def _shown(self, path: Path) -> str:
        return path.relative_to(self.folder).as_posix() if within(str(path), str(self.folder)) else str(path)

    def _recent(self) -> list[str]:
        found = [name for name in self._read_memory().get("recent", []) if isinstance(name, str)]
        with contextlib.suppress(OSError):
            known = sorted(p.name for p in self.folder.iterdir() if p.suffix.lower() in (".toml", ".urdf", ".mjcf", ".sdf"))
            found += [name for name in known if name not in found]
        return [name for name in found if (self.folder / name).is_file()][:RECENT]

    def _read_memory(self) -> dict[str, Any]:
        with contextlib.suppress(OSError, ValueError, RecursionError):
            found = json.loads(self._memory.read_text(encoding="utf-8"))
            if isinstance(found, dict):
                return found
        return {}

    def _last(self) -> Path | None:
        last = self._read_memory().get("last")
        with contextlib.suppress(Refused, OSError):
            if isinstance(last, str) and last and (place := self._inside(last)).is_file():
                return place
        return None

    def _remember(self) -> None:
        last = self._shown(self.path) if self.path is not None else ""
        recent = [last, *(x for x in self._read_memory().get("recent", []) if x != last)] if last else []
        recent = recent or self._read_memory().get("recent", [])
        with contextlib.suppress(OSError):
            files.store(self._memory, json.dumps({"last": last, "recent": recent[:RECENT]}).encode())


def _check(text: Any, format: Any, known: tuple[str, ...]) -> None:  # noqa: A002
    if not isinstance(text, str):
        raise Refused(400, "a text is needed")
    if format not in known:
        raise Refused(400, one_of("format", format, known))


def digest_of(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()


def opened(state: Path, given: str | None) -> Workspace:
    """The workspace of what the command was given: a file, a folder, a name of the library, or nothing."""
    if given is None:
        return Workspace(state, Path.cwd())
    path = Path(given)
    if path.is_dir():
        return Workspace(state, path)
    if not path.suffix and not path.exists() and given in shelf.names():
        return Workspace(state, Path.cwd(), text=shelf.text(given), called=given)
    if path.suffix.lower() not in {x for some in SUFFIXES.values() for x in some}:
        raise ArgumentError(f"{given}: the studio opens .toml, .urdf, .xml, .mjcf and .sdf files, and mechanisms of the library")
    if not path.parent.is_dir():
        raise ArgumentError(f"{given}: there is no folder {str(path.parent)!r}")
    if path.exists():
        format_of(path, read_text(path))  # what cannot be read is said before anything is served
    elif path.suffix.lower() == ".xml":
        raise DescriptionError(f"{given}: there is no such file")
    return Workspace(state, path.parent, path)
