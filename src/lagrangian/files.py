"""Files that are written whole: under a temporary name in the same folder, and then renamed.

A reader finds the old file or the new one, never half of one, even if the disk is full or the program is killed.
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

_TEMPORARY_NAME = re.compile(r"\.lagrangian-(\d+)-[0-9a-f]{8}(\.\w{1,8})?")
_STALE_AFTER = 60.0  # s without a change, after which the file of a process that is gone is a leftover
_ABANDONED_AFTER = 86400.0  # s; a process of this number may run on another computer, or may be another one now


def as_path(path: str | os.PathLike[str]) -> Path:
    """A path that the caller gave, as a `Path`."""
    if not isinstance(path, (str, os.PathLike)):
        raise ArgumentError(f"a path to a file is needed, not {type(path).__name__}", concerns="path")
    name = os.fspath(path)
    if not isinstance(name, str) or not name:
        raise ArgumentError(f"a path to a file is needed, not {name!r}", concerns="path")
    return Path(name)


def as_target_path(path: str | os.PathLike[str]) -> Path:
    """The path to write a file to, checked before its content is computed: its folder exists, and it is not a folder itself."""
    target = as_path(path)
    if "\0" in str(target):
        raise ArgumentError(f"{str(target)!r}: this is not a file name", concerns="path")
    try:
        if target.is_dir():
            raise ArgumentError(f"{target}: this is a folder; a file's name is needed", concerns="path")
        if not target.parent.is_dir():
            raise ArgumentError(f"{target}: there is no folder {str(target.parent)!r} to write in", concerns="path")
    except OSError as error:
        raise _write_error(target, error.strerror) from None
    return target


def write(path: str | os.PathLike[str], content: str | bytes) -> Path:
    """Write a file whole and replace an existing one; if that fails, the error names the file."""
    with replacing(path) as temporary:
        if temporary == Path(path):
            temporary.write_bytes(_encode(content))
        else:
            _create_file(temporary, _encode(content))
    return Path(path)


@contextlib.contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """A temporary path for a program that writes a file itself; the file is renamed to `path` when it is complete."""
    target = as_target_path(path)
    try:
        previous_status = _status(target)
        if _is_pipe_or_device(target, previous_status):
            yield target
            return
        if previous_status is not None and not os.access(target, os.W_OK):
            raise _write_error(target, "it is read-only")
        destination = Path(os.path.realpath(target))  # a symbolic link stays one, and its target is replaced
        delete_leftovers(destination.parent)
        temporary = _temporary_path(destination)
        try:
            yield temporary
            _move_into_place(temporary, destination, previous_status)
        finally:
            temporary.unlink(missing_ok=True)
    except OSError as error:
        raise _write_error(target, error.strerror or error) from None


def write_private(path: Path, content: bytes) -> None:
    """Write a file that only the user can read, whole; raise an OSError if that is impossible."""
    temporary = _temporary_path(path)
    try:
        _create_file(temporary, content, 0o600)
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def delete_leftovers(folder: Path) -> None:
    """Delete the temporary files of writers that were killed."""
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            match = _TEMPORARY_NAME.fullmatch(entry.name)
            if match is None:
                continue
            with contextlib.suppress(OSError):  # another process may have deleted it
                age = time.time() - entry.stat(follow_symlinks=False).st_mtime
                if age > _ABANDONED_AFTER or (age > _STALE_AFTER and not _is_process_running(int(match[1]))):
                    os.unlink(entry.path)


def _temporary_path(path: Path) -> Path:
    """A name that no other writer uses, with the same suffix, because programs choose a format by it."""
    ending = path.suffix if re.fullmatch(r"\.\w{1,8}", path.suffix, re.ASCII) else ""
    return path.parent / f".lagrangian-{os.getpid()}-{secrets.token_hex(4)}{ending}"


def _status(target: Path) -> os.stat_result | None:
    try:
        return target.stat()
    except FileNotFoundError:
        return None


def _is_pipe_or_device(target: Path, status: os.stat_result | None) -> bool:
    """Whether a path is a pipe or a device, which cannot be replaced by a file."""
    return status is not None and (not stat.S_ISREG(status.st_mode) or str(target.absolute()).startswith(("/dev/", "/proc/")))


def _create_file(temporary: Path, content: bytes, mode: int = 0o666) -> None:
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), mode)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)


def _move_into_place(temporary: Path, target: Path, previous_status: os.stat_result | None) -> None:
    """Rename a file once it is on the disk, with the permissions and, if that is allowed, the owner of the file it replaces."""
    with temporary.open("r+b") as file:
        os.fsync(file.fileno())
    if previous_status is not None and os.name == "posix":
        with contextlib.suppress(OSError):
            os.chown(temporary, previous_status.st_uid, previous_status.st_gid)
        os.chmod(temporary, stat.S_IMODE(previous_status.st_mode))
    os.replace(temporary, target)


def _write_error(target: Path, reason: object) -> ArgumentError:
    return ArgumentError(f"{target}: it cannot be written: {reason}", concerns="path")


def _is_process_running(pid: int) -> bool:
    if os.name != "posix":
        return True
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:
        return True
    return True


def _encode(content: str | bytes) -> bytes:
    """The content as bytes; characters that are not Unicode text, as a file name may have, are written as escapes."""
    return content if isinstance(content, bytes) else content.encode("utf-8", "backslashreplace")
