"""Compiled objects kept between runs.

A cached object is code: it lies in a folder that only its owner can enter, under a name that is a hash of all that went into it,
and its own hash is checked before it is loaded. `LAGRANGIAN_CACHE` names another folder, or `off`.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

VARIABLE = "LAGRANGIAN_CACHE"
LIMIT = 512 * 1024 * 1024  # bytes in all; the oldest go first
_MAGIC = b"lagrangian kernel 1\n"


def folder() -> Path | None:
    """The cache folder, made private; None if caching is off or no such folder can be had."""
    chosen = os.environ.get(VARIABLE, "")
    if chosen.lower() in ("off", "0", "no", "none"):
        return None
    base = Path(chosen) if chosen else Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "lagrangian"
    return _private(base)


@cache
def _private(base: Path) -> Path | None:
    try:
        base.mkdir(mode=0o700, parents=True, exist_ok=True)
        status = base.lstat()
    except (OSError, RuntimeError):
        return None
    if not stat.S_ISDIR(status.st_mode) or not os.access(base, os.W_OK | os.X_OK):
        return None
    if os.name == "posix" and (status.st_uid != os.getuid() or status.st_mode & 0o077):
        # somebody else could have put code here; tighten it if it is ours, else do without
        if status.st_uid != os.getuid():
            return None
        base.chmod(0o700)
    return base


@cache
def source_digest() -> bytes:
    """A digest of the code that makes kernels: a new version never loads an old version's objects."""
    package = Path(__file__).parent.parent
    digest = hashlib.sha256()
    for part in ("model", "algorithms", "kernels"):
        for path in sorted((package / part).glob("*.py")):
            digest.update(path.read_bytes())
    return digest.digest()


def key(*parts: object) -> str:
    import llvmlite

    digest = hashlib.sha256(source_digest())
    digest.update(repr((llvmlite.__version__, parts)).encode())
    return digest.hexdigest()


def load(name: str) -> tuple[dict[str, Any], bytes] | None:
    """The header and object stored under a key, if they are there and whole."""
    base = folder()
    if base is None:
        return None
    path = base / f"{name}.kernel"
    try:
        data = path.read_bytes()
    except OSError:
        return None
    if not data.startswith(_MAGIC) or data[len(_MAGIC) : len(_MAGIC) + 32] != hashlib.sha256(data[len(_MAGIC) + 32 :]).digest():
        path.unlink(missing_ok=True)  # cut short or altered: made anew
        return None
    head, _, code = data[len(_MAGIC) + 32 :].partition(b"\n")
    return json.loads(head), code


def store(name: str, header: dict[str, Any], code: bytes) -> None:
    """Keep an object; a full disk or a read-only folder is no error."""
    base = folder()
    if base is None:
        return
    content = json.dumps(header).encode() + b"\n" + code
    try:
        handle, temporary = tempfile.mkstemp(dir=base)
        with os.fdopen(handle, "wb") as file:
            file.write(_MAGIC + hashlib.sha256(content).digest() + content)
        os.replace(temporary, base / f"{name}.kernel")
        _prune(base)
    except OSError:
        return


def _prune(base: Path) -> None:
    files = []
    for path in base.glob("*.kernel"):
        try:
            status = path.stat()
        except OSError:
            continue
        files.append((status.st_mtime, status.st_size, path))
    total = sum(size for _, size, _ in files)
    for _, size, path in sorted(files):
        if total <= LIMIT:
            break
        path.unlink(missing_ok=True)
        total -= size
