"""What was typed and is not saved yet, on disk: one draft for every file, or one for the untitled text of a folder."""

from __future__ import annotations

import contextlib
import hashlib
import json
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from lagrangian import files

OLDEST = 90 * 86400.0  # s after which a draft that nobody came back to is deleted
FIELDS = {"text": str, "format": str, "path": str, "revision": int, "basis": str, "written": float}


@dataclass(frozen=True)
class Draft:
    """A text as it was typed. `basis` is the digest of the file that it was begun from, "" if there was none."""

    text: str
    format: str
    path: str  # of the file, or of the folder of an untitled one
    revision: int
    basis: str
    written: float  # s since 1970


class Drafts:
    """The drafts in a folder of ours."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "drafts"
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        files.prune(self.folder)
        self._forget_old()

    def read(self, path: str) -> Draft | None:
        """The draft of a path, if there is a whole one."""
        with contextlib.suppress(OSError, ValueError, RecursionError):
            found = json.loads(self._place(path).read_text(encoding="utf-8", errors="surrogatepass"))
            if found.keys() == FIELDS.keys() and all(isinstance(found[k], kind) for k, kind in FIELDS.items()):
                return Draft(**found) if found["path"] == path else None
        return None

    def write(self, draft: Draft) -> None:
        """Whole, in place of the one before."""
        files.store(self._place(draft.path), json.dumps(asdict(draft)).encode("utf-8"))

    def forget(self, path: str) -> None:
        self._place(path).unlink(missing_ok=True)

    def _place(self, path: str) -> Path:
        return self.folder / f"{hashlib.sha256(path.encode('utf-8', 'surrogatepass')).hexdigest()[:32]}.json"

    def _forget_old(self) -> None:
        for place in self.folder.glob("*.json"):
            with contextlib.suppress(OSError):
                if time.time() - place.stat().st_mtime > OLDEST:
                    place.unlink()
