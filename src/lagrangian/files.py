"""Files are written whole: beside their place, under a name of our own, and then renamed to it.

Who reads finds the old file or the new one, never a half of one: not on a full disk, not when the program is killed.
"""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import stat
import time
from collections.abc import Iterator
from pathlib import Path

from lagrangian.errors import ArgumentError

_OURS = re.compile(r"\.lagrangian-(\d+)-[0-9a-f]{8}(\.\w{1,8})?")
_SILENT = 60.0  # s without a change, after which the file of a process that is gone is a leftover
_OLD = 86400.0  # s; the process may have been one of another computer, or its number is another's now


def as_path(path: str | os.PathLike[str]) -> Path:
    """A path from what the caller gave."""
    if not isinstance(path, (str, os.PathLike)):
        raise ArgumentError(f"a path to a file is needed, not {type(path).__name__}", concerns="path")
    given = os.fspath(path)
    if not isinstance(given, str) or not given:
        raise ArgumentError(f"a path to a file is needed, not {given!r}", concerns="path")
    return Path(given)


def checked_target(path: str | os.PathLike[str]) -> Path:
    """Where a file is to go, looked at before what it is to hold is worked out: it has a folder, and is none."""
    target = as_path(path)
    if "\0" in str(target):
        raise ArgumentError(f"{str(target)!r}: this is not a file name", concerns="path")
    try:
        if target.is_dir():
            raise ArgumentError(f"{target}: this is a folder; a file's name is needed", concerns="path")
        if not target.parent.is_dir():
            raise ArgumentError(f"{target}: there is no folder {str(target.parent)!r} to write in", concerns="path")
    except OSError as error:
        raise _unwritten(target, error.strerror) from None
    return target


def write(path: str | os.PathLike[str], content: str | bytes) -> Path:
    """Write a file whole, in place of one that is there; what stands in the way is an error that names the file."""
    with replacing(path) as place:
        if place == Path(path):
            place.write_bytes(_encoded(content))
        else:
            _new(place, _encoded(content))
    return Path(path)


@contextlib.contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Where to write a file, for a program that does it itself; it takes its place when it is whole."""
    target = checked_target(path)
    try:
        before = _status(target)
        if _takes_what_comes(target, before):
            yield target
            return
        if before is not None and not os.access(target, os.W_OK):
            raise _unwritten(target, "it is read-only")
        whole = Path(os.path.realpath(target))  # a link stays one, and what it names is replaced
        prune(whole.parent)
        place = _beside(whole)
        try:
            yield place
            _put(place, whole, before)
        finally:
            place.unlink(missing_ok=True)
    except OSError as error:
        raise _unwritten(target, error.strerror or error) from None


def store(path: Path, content: bytes) -> None:
    """Write a file of our own, closed to others, whole; an OSError where that cannot be."""
    place = _beside(path)
    try:
        _new(place, content, 0o600)
        os.replace(place, path)
    finally:
        place.unlink(missing_ok=True)


def prune(folder: Path) -> None:
    """Delete what writers left here that were killed."""
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            found = _OURS.fullmatch(entry.name)
            if found is None:
                continue
            with contextlib.suppress(OSError):  # another may have done it
                silent = time.time() - entry.stat(follow_symlinks=False).st_mtime
                if silent > _OLD or (silent > _SILENT and not _alive(int(found[1]))):
                    os.unlink(entry.path)


def _beside(path: Path) -> Path:
    """A name that no other writer has, with the ending that programs go by."""
    ending = path.suffix if re.fullmatch(r"\.\w{1,8}", path.suffix, re.ASCII) else ""
    return path.parent / f".lagrangian-{os.getpid()}-{secrets.token_hex(4)}{ending}"


def _status(target: Path) -> os.stat_result | None:
    try:
        return target.stat()
    except FileNotFoundError:
        return None


def _takes_what_comes(target: Path, status: os.stat_result | None) -> bool:
    """A pipe or a device, which nothing can take the place of."""
    return status is not None and (not stat.S_ISREG(status.st_mode) or str(target.absolute()).startswith(("/dev/", "/proc/")))


def _new(place: Path, content: bytes, mode: int = 0o666) -> None:
    handle = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), mode)
    with os.fdopen(handle, "wb") as file:
        file.write(content)


def _put(place: Path, whole: Path, before: os.stat_result | None) -> None:
    """Rename what is on the disk, with the permissions, and if that is allowed the owner, of the file before."""
    with place.open("r+b") as file:
        os.fsync(file.fileno())
    if before is not None and os.name == "posix":
        with contextlib.suppress(OSError):
            os.chown(place, before.st_uid, before.st_gid)
        os.chmod(place, stat.S_IMODE(before.st_mode))
    os.replace(place, whole)


def _unwritten(target: Path, why: object) -> ArgumentError:
    return ArgumentError(f"{target}: it cannot be written: {why}", concerns="path")


def _alive(pid: int) -> bool:
    if os.name != "posix":
        return True
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:
        return True
    return True


def _encoded(content: str | bytes) -> bytes:
    """A file's name may have bytes that are no text: they are spelled."""
    return content if isinstance(content, bytes) else content.encode("utf-8", "backslashreplace")
