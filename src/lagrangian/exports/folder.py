"""Where exports are written: a folder of several files, or one file. Nothing half-written is left behind."""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Mapping
from pathlib import Path

from lagrangian.errors import ArgumentError
from lagrangian.files import as_path, checked_target, write


def destination(path: str | os.PathLike[str], single: str) -> Path:
    """Where to write, looked at before the work is done; `single` is the ending of a target that is one file."""
    place = as_path(path)
    if "\0" in str(place):
        raise ArgumentError(f"{str(place)!r}: this is no name of a folder", concerns="path")
    if single and place.suffix.lower() == single:
        return checked_target(place)
    if place.exists() and not place.is_dir():
        raise ArgumentError(f"{place}: this is a file; a folder is needed", concerns="path")
    above = place.absolute().parent
    while not above.exists():
        above = above.parent
    if not above.is_dir():
        raise ArgumentError(f"{place}: {str(above)!r} is a file, and no folder to write in", concerns="path")
    return place


def write_all(place: Path, files: Mapping[str, str | bytes], single: str) -> tuple[Path, ...]:
    """Write files: a new folder appears with all of them, or not at all; in one that is there, each file is replaced whole."""
    if single and place.suffix.lower() == single:
        # files beside it take its name
        places = {place if Path(name).suffix == single else place.with_suffix(Path(name).suffix): name for name in files}
        return tuple(write(path, files[name]) for path, name in places.items())
    try:
        if place.exists():
            return tuple(write(place / name, content) for name, content in files.items())
        place.parent.mkdir(parents=True, exist_ok=True)
        aside = place.parent / f".lagrangian-{os.getpid()}-{secrets.token_hex(4)}"
        aside.mkdir()
        try:
            for name, content in files.items():
                write(aside / name, content)
            os.rename(aside, place)
        finally:
            shutil.rmtree(aside, ignore_errors=True)
    except OSError as error:
        raise ArgumentError(f"{place}: it cannot be written: {error.strerror or error}", concerns="path") from None
    return tuple(place / name for name in files)
