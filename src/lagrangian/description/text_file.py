"""The text of a file a user names, or a clear error: nothing is read without bound."""

from __future__ import annotations

import os
from pathlib import Path

from lagrangian.errors import DescriptionError
from lagrangian.files import as_path

MAX_BYTES = 16_000_000


def read_text(path: str | os.PathLike[str]) -> str:
    """The text of a UTF-8 file; a byte-order mark at its start is dropped."""
    file = as_path(path)
    try:
        if file.is_dir():
            raise DescriptionError(f"{file}: this is a directory; name a file in it")
        if not file.exists():
            raise DescriptionError(f"{file}: there is no such file{_near(file)}")
        if not file.is_file():  # a pipe or a device could give bytes for ever
            raise DescriptionError(f"{file}: this is not a regular file")
        with file.open("rb") as stream:
            data = stream.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        if isinstance(error, DescriptionError):
            raise
        reason = getattr(error, "strerror", None) or error
        raise DescriptionError(f"{str(file)!r}: it cannot be read: {reason}") from None
    if len(data) > MAX_BYTES:
        raise DescriptionError(f"{file}: the file is larger than the {MAX_BYTES // 1_000_000} MB that are allowed")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        byte = f"byte 0x{data[error.start]:02x}"
        raise DescriptionError(f"{file}: line {line} is not UTF-8 text ({byte}); save it as UTF-8") from None


def _near(file: Path) -> str:
    """Files of the same kind that are there instead."""
    try:
        names = sorted(p.name for p in file.parent.iterdir() if p.suffix == file.suffix)[:8]
    except OSError:
        return f"; there is no folder {str(file.parent)!r} either"
    return f". The folder {str(file.parent)!r} contains {', '.join(names)}" if names else ""
