"""The folder you work in, the file that is open in it, and the draft of its text. Descriptions are saved in this folder alone.

A draft is what was typed and is not saved yet. It is kept on disk: one for every file, or one for the untitled text of a folder.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import threading
import time
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from lagrangian import files
from lagrangian.description.files import is_within, read_text
from lagrangian.description.load import FORMATS, format_of
from lagrangian.description.toml.starter import starter_text
from lagrangian.errors import ArgumentError, DescriptionError, unknown_name_message
from lagrangian.studio import open_files
from lagrangian.studio.request_error import RequestError

SUFFIXES = {"toml": (".toml",), "urdf": (".urdf", ".xml"), "mjcf": (".xml", ".mjcf"), "sdf": (".sdf", ".world")}
DRAWING_FORMAT = "drawing"  # a text that the page for drawing keeps: its draft lies beside that of the description
MAX_RECENT = 12
MAX_DRAFT_AGE = 90 * 86400.0  # s after which a draft that nobody came back to is deleted
DRAFT_FIELDS = {"text": str, "format": str, "path": str, "revision": int, "basis": str, "written": float}


def open_workspace(state: Path, source: str | None) -> StudioWorkspace:
    """The workspace for a file, a folder, or a name of the library; without any, that of the working folder."""
    if source is None:
        return StudioWorkspace(state, Path.cwd())
    path = Path(source)
    if path.is_dir():
        return StudioWorkspace(state, path)
    if not path.suffix and not path.exists() and source in open_files.library_names():
        return StudioWorkspace(state, Path.cwd(), text=open_files.library_text(source), draft_name=source)
    if path.suffix.lower() not in {x for suffixes in SUFFIXES.values() for x in suffixes}:
        raise ArgumentError(f"{source}: the studio opens .toml, .urdf, .xml, .mjcf and .sdf files, and mechanisms of the library")
    if not path.parent.is_dir():
        raise ArgumentError(f"{source}: there is no folder {str(path.parent)!r}")
    if path.exists():
        format_of(path, read_text(path))  # a file that cannot be read is an error before anything is served
    elif path.suffix.lower() == ".xml":
        raise DescriptionError(f"{source}: there is no such file")
    return StudioWorkspace(state, path.parent, path)


class StudioWorkspace:
    """One folder. `path` is the open file in it, None while the text has no name; the next session opens the same file again."""

    def __init__(self, state: Path, folder: Path, path: Path | None = None, text: str = "", draft_name: str = "") -> None:
        """`text` is what a text without a file begins with, and `draft_name` the name under which its draft is kept."""
        self.folder = folder.resolve()
        self._lock = threading.RLock()  # nobody else changes what is read, changed and written again
        self._draft_name = draft_name
        self.drafts = DraftStore(state)
        self._memory_path = state / f"folder-{hashlib.sha256(str(self.folder).encode()).hexdigest()[:32]}.json"
        self._initial_text = text  # what an untitled text begins with, if it has no draft
        self.path = path.resolve() if path is not None else (None if text else self._last_file())
        self._remember()

    # -- the document --------------------------------------------------------------------------------------------------

    def document(self) -> dict[str, Any]:
        """The open text: that of its draft, where there is a newer one than the file."""
        with self._lock:
            return self._document()

    def _document(self) -> dict[str, Any]:
        draft = self.drafts.read(self._path_key(self.path, self._draft_name))
        text, digest, format = self._on_disk()  # noqa: A001
        newer = draft is not None and draft.text != text
        if draft is not None and newer:
            text, format = draft.text, draft.format  # noqa: A001
        basis = draft.basis if draft is not None and newer else digest  # of the file that the text was begun from
        return {
            "text": text,
            "format": format,
            "path": self._relative_name(self.path) if self.path is not None else None,
            "called": self._draft_name if self.path is None else "",  # the name of the draft of a text without a file
            "saved": self.path is not None and bool(digest) and not newer,
            "draft": newer,
            "changed": basis != digest,  # the file has changed since the draft was begun
            "revision": draft.revision if draft is not None else 0,
            "digest": basis or None,  # a save sends it back, so that a file that has changed meanwhile is not overwritten
            "folder": str(self.folder),
            "recent": self._recent_files(),
        }

    def _on_disk(self) -> tuple[str, str, str]:
        """Text, digest and format of the file; what a new one begins with, if there is none yet."""
        if self.path is None:
            return self._initial_text, "", "toml"
        if not self.path.exists():
            new = format_of(self.path, "<robot>") if self.path.suffix.lower() != ".toml" else "toml"
            return (starter_text(self.path.stem, self.path.name) if new == "toml" else ""), "", new
        text = read_text(self.path)
        return text, text_digest(text), format_of(self.path, text)

    def open(self, name: str) -> dict[str, Any]:
        """Another file of the folder, or an untitled text if the name is empty."""
        path = self._resolve_inside(name) if name else None
        if path is not None and not path.is_file():
            raise RequestError(404, f"there is no file {name!r} in this folder")
        with self._lock:
            self._switch_to(path)
            return self._document()

    # -- the draft -----------------------------------------------------------------------------------------------------

    def write_draft(
        self,
        text: str,
        format: str,  # noqa: A002
        revision: int,
        basis: str,
        name: Any = ...,
        draft_name: str | None = None,
    ) -> int:
        """Keep the text that was typed, and return its new revision. A text older than the draft that is there is refused.

        `name` is its file, or None for a text without one (then `draft_name` is what the document calls it); without it, the
        text is that of the open file. The open file stays open.
        """
        _check_text(text, format, (*FORMATS, DRAWING_FORMAT))
        with self._lock:
            key = self._draft_key(name, draft_name, format)
            before = self.drafts.read(key)
            if before is not None and revision < before.revision and before.text != text:
                problem = "another page has changed this text in the meantime"
                raise RequestError(409, problem, "reload the page to see it", text=before.text, revision=before.revision)
            new = max(revision, before.revision if before is not None else 0) + 1
            self.drafts.write(Draft(text, format, key, new, basis, time.time()))
            return new

    def read_draft(self, name: str | None, format: str) -> dict[str, Any]:  # noqa: A002
        """The draft of a file, or of the text without one, as it was kept; `digest` is of the file that it was begun from."""
        _check_text("", format, (*FORMATS, DRAWING_FORMAT))
        with self._lock:
            draft = self.drafts.read(self._draft_key(name, "", format))
        if draft is None:
            return {"text": None, "revision": 0, "digest": None}
        return {"text": draft.text, "revision": draft.revision, "digest": draft.basis or None}

    def _draft_key(self, name: Any, draft_name: Any, format: str) -> str:  # noqa: A002
        """The key of the draft of a file, or of a text without one."""
        path = self.path if name is ... else self._resolve_inside(name) if name else None
        return self._path_key(path, self._draft_name if draft_name is None else str(draft_name), format)

    # -- saving --------------------------------------------------------------------------------------------------------

    def save(
        self,
        name: str,
        text: str,
        format: str,  # noqa: A002
        expected: str | None,
        drafts: Iterable[Mapping[str, Any]] = (),
    ) -> dict[str, Any]:
        """Write the file, unless somebody else has changed it since it was read.

        `drafts` are those under which the page kept the text, each with its revision. They are deleted unless another page has
        kept a newer one there, and so is a draft of the file with the same text.
        """
        _check_text(text, format, FORMATS)
        with self._lock:
            draft_keys = [
                (self._draft_key(x.get("path"), x.get("called"), x.get("format", "toml")), x.get("revision")) for x in drafts
            ]
            target = self._write(name, text, format, expected)
            draft_keys.append((self._path_key(target), -1))
            for key, revision in draft_keys:
                draft = self.drafts.read(key)
                if draft is not None and (draft.text == text or (isinstance(revision, int) and draft.revision <= revision)):
                    self.drafts.forget(key)
            self._switch_to(target)
            return {"path": self._relative_name(target), "saved": True, "digest": text_digest(text)}

    def _write(self, name: str, text: str, format: str, expected: str | None) -> Path:  # noqa: A002
        target = self._resolve_inside(name)
        if not target.suffix:
            target = target.with_name(target.name + SUFFIXES[format][0])
        if target.suffix.lower() not in SUFFIXES[format]:
            raise RequestError(400, f"{name}: a description in {format.upper()} ends in {' or '.join(SUFFIXES[format])}")
        exists = target.exists()
        current_digest = text_digest(read_text(target)) if exists else ""
        if current_digest and current_digest != expected and current_digest != text_digest(text):
            problem = f"{target.name} has changed on disk in the meantime" if expected else f"{target.name} exists already"
            remedy = "save under another name, or overwrite it"
            raise RequestError(409, problem, remedy, text=read_text(target), digest=current_digest)
        files.write(target, text)
        return target

    def resolve_path(self, name: str) -> Path:
        """The path of a file that a job writes into the folder."""
        return self._resolve_inside(name)

    def _switch_to(self, path: Path | None) -> None:
        if path != self.path:
            self.path, self._initial_text, self._draft_name = path, "", ""
            self._remember()

    # -- names, and what is remembered -----------------------------------------------------------------------------------

    def _resolve_inside(self, name: Any) -> Path:
        if not isinstance(name, str) or not name.strip() or "\0" in name or len(name) > 1000:
            raise RequestError(400, "a file name is needed, such as arm.toml")
        path = Path(os.path.realpath(self.folder / name))
        if not is_within(str(path), str(self.folder)) or path == self.folder:
            raise RequestError(400, f"{name!r} lies outside the folder {self.folder}", "choose a file in this folder")
        if not path.parent.is_dir():
            raise RequestError(400, f"the folder of {name!r} does not exist")
        return path

    def _path_key(self, path: Path | None, draft_name: str = "", format: str = "toml") -> str:  # noqa: A002
        key = str(path) if path is not None else f"{self.folder}{os.sep}{draft_name}"
        return f"{key}\0{DRAWING_FORMAT}" if format == DRAWING_FORMAT else key

    def _relative_name(self, path: Path) -> str:
        return path.relative_to(self.folder).as_posix() if is_within(str(path), str(self.folder)) else str(path)

    def _recent_files(self) -> list[str]:
        names = [name for name in self._read_memory().get("recent", []) if isinstance(name, str)]
        with contextlib.suppress(OSError):
            descriptions = sorted(
                p.name for p in self.folder.iterdir() if p.suffix.lower() in (".toml", ".urdf", ".mjcf", ".sdf")
            )
            names += [name for name in descriptions if name not in names]
        return [name for name in names if (self.folder / name).is_file()][:MAX_RECENT]

    def _read_memory(self) -> dict[str, Any]:
        with contextlib.suppress(OSError, ValueError, RecursionError):
            memory = json.loads(self._memory_path.read_text(encoding="utf-8"))
            if isinstance(memory, dict):
                return memory
        return {}

    def _last_file(self) -> Path | None:
        last = self._read_memory().get("last")
        with contextlib.suppress(RequestError, OSError):
            if isinstance(last, str) and last and (path := self._resolve_inside(last)).is_file():
                return path
        return None

    def _remember(self) -> None:
        last = self._relative_name(self.path) if self.path is not None else ""
        recent = [last, *(x for x in self._read_memory().get("recent", []) if x != last)] if last else []
        recent = recent or self._read_memory().get("recent", [])
        with contextlib.suppress(OSError):
            files.write_private(self._memory_path, json.dumps({"last": last, "recent": recent[:MAX_RECENT]}).encode())


def _check_text(text: Any, format: Any, formats: tuple[str, ...]) -> None:  # noqa: A002
    if not isinstance(text, str):
        raise RequestError(400, "a text is needed")
    if format not in formats:
        raise RequestError(400, unknown_name_message("format", format, formats))


def text_digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()


@dataclass(frozen=True)
class Draft:
    """A text as it was typed. `basis` is the digest of the file that it was begun from, "" if there was none."""

    text: str
    format: str
    path: str  # of the file, or of the folder of an untitled one
    revision: int
    basis: str
    written: float  # s since 1970


class DraftStore:
    """The drafts in the state folder of the studio."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "drafts"
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        files.delete_leftovers(self.folder)
        self._forget_old()

    def read(self, path: str) -> Draft | None:
        """The draft of a path; None if there is none, or none that is complete."""
        with contextlib.suppress(OSError, ValueError, RecursionError):
            fields = json.loads(self._draft_path(path).read_text(encoding="utf-8", errors="surrogatepass"))
            if fields.keys() == DRAFT_FIELDS.keys() and all(isinstance(fields[k], kind) for k, kind in DRAFT_FIELDS.items()):
                return Draft(**fields) if fields["path"] == path else None
        return None

    def write(self, draft: Draft) -> None:
        """Write a draft in place of the one before, all of it or nothing."""
        files.write_private(self._draft_path(draft.path), json.dumps(asdict(draft)).encode("utf-8"))

    def forget(self, path: str) -> None:
        self._draft_path(path).unlink(missing_ok=True)

    def _draft_path(self, path: str) -> Path:
        return self.folder / f"{hashlib.sha256(path.encode('utf-8', 'surrogatepass')).hexdigest()[:32]}.json"

    def _forget_old(self) -> None:
        for draft_path in self.folder.glob("*.json"):
            with contextlib.suppress(OSError):
                if time.time() - draft_path.stat().st_mtime > MAX_DRAFT_AGE:
                    draft_path.unlink()
