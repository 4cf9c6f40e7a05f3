"""Compiled objects kept between runs.

A cached object is code: it lies in a folder that only its owner can enter, under a name that is a hash of all that went into it,
and a hash of it and its name is checked before it is loaded. `LAGRANGIAN_CACHE` names another folder, or `off`.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import stat
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

from lagrangian import files

VARIABLE = "LAGRANGIAN_CACHE"
LIMIT = 512 * 1024 * 1024  # bytes in all; the oldest go first
_free: dict[Path, int] = {}  # bytes that may be stored in a folder before its size is looked at again
_MAGIC = b"lagrangian kernel 2\n"


def folder() -> Path | None:
    """The cache folder; None if caching is off or no private one can be had."""
    chosen = os.environ.get(VARIABLE, "")
    if chosen.lower() in ("off", "0", "no", "none"):
        return None
    base = Path(chosen) if chosen else Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache") / "lagrangian"
    return _private(base)


@cache
def _private(base: Path) -> Path | None:
    """`kernels` in the folder, ours and closed to others; one that others could write in is not used, for what it may hold."""
    try:
        place = base.expanduser() / "kernels"
        place.mkdir(mode=0o700, parents=True, exist_ok=True)
        status = place.lstat()
    except (OSError, RuntimeError):
        return None
    if not stat.S_ISDIR(status.st_mode) or not os.access(place, os.W_OK | os.X_OK):
        return None
    return place if _ours(status) else None


def _ours(status: os.stat_result) -> bool:
    """Owned by us, and writable by nobody else."""
    return os.name != "posix" or (status.st_uid == os.getuid() and not status.st_mode & 0o022)


@cache
def source_digest() -> bytes:
    """A digest of the code that makes kernels: a new version never loads an old version's objects."""
    package = Path(__file__).parents[2]
    digest = hashlib.sha256()
    for part in ("model", "algorithms", "kernels", "configuration", "motion"):
        for path in sorted((package / part).rglob("*.py")):
            digest.update(path.read_bytes())
    return digest.digest()


def key(*parts: str | bytes | int) -> str:
    """A name for what the parts and the code that makes kernels determine."""
    import llvmlite

    digest = hashlib.sha256(source_digest())
    for part in (llvmlite.__version__, *parts):
        data = part if isinstance(part, bytes) else str(part).encode()
        digest.update(len(data).to_bytes(8, "little") + data)
    return digest.hexdigest()


def kept(name: str, make: Callable[[], tuple[dict[str, Any], bytes]]) -> tuple[dict[str, Any], bytes]:
    """The header and object stored under a key; made, and stored, if there is none."""
    found = load(name)
    if found is None:
        found = make()
        store(name, *found)
    return found


def load(name: str) -> tuple[dict[str, Any], bytes] | None:
    """The header and object stored under a key, if they are there and whole."""
    base = folder()
    if base is None:
        return None
    path = base / f"{name}.kernel"
    try:
        with path.open("rb") as file:
            if not _ours(os.fstat(file.fileno())):
                return None
            data = file.read()
    except OSError:
        return None
    content = data[len(_MAGIC) + 32 :]
    if not data.startswith(_MAGIC) or data[len(_MAGIC) : len(_MAGIC) + 32] != _digest(name, content):
        with contextlib.suppress(OSError):
            path.unlink(missing_ok=True)  # cut short, altered, or of another name: made anew
        return None
    head, _, code = content.partition(b"\n")
    return json.loads(head), code


def _digest(name: str, content: bytes) -> bytes:
    """Of an object and its name: a whole object under another's name would compute something else."""
    return hashlib.sha256(f"{name}\n".encode() + content).digest()


def store(name: str, header: dict[str, Any], code: bytes) -> None:
    """Keep an object; a full disk or a read-only folder is no error."""
    base = folder()
    if base is None:
        return
    content = json.dumps(header).encode() + b"\n" + code
    with contextlib.suppress(OSError):
        files.store(base / f"{name}.kernel", _MAGIC + _digest(name, content) + content)
        _make_room(base, len(content))


def _make_room(base: Path, size: int) -> None:
    """Account for stored bytes; looking through thousands of objects takes as long as compiling one, so it is done rarely."""
    _free[base] = _free.get(base, 0) - size
    if _free[base] < 0:
        _free[base] = _prune(base)


def _prune(base: Path) -> int:
    """Delete the oldest objects of a folder that is too large, and tell how much to store before it is looked through again.

    Other processes store too, so that it is looked through again long before the rest would be full.
    """
    files.prune(base)
    with os.scandir(base) as entries:
        objects = sorted(_objects(entries))
    total, spare = sum(size for _, size, _ in objects), LIMIT // 16
    if total > LIMIT:
        for _, size, path in objects:
            if total <= LIMIT - spare:
                break
            Path(path).unlink(missing_ok=True)
            total -= size
    return min(LIMIT - total, spare)


def _objects(entries: Iterator[os.DirEntry[str]]) -> Iterator[tuple[float, int, str]]:
    """Age, size and path of the objects among a folder's entries."""
    for entry in entries:
        if entry.name.endswith(".kernel"):
            with contextlib.suppress(OSError):  # another process may have deleted it
                status = entry.stat()
                yield status.st_mtime, status.st_size, entry.path
