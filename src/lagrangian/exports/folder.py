"""Where exports are written: a folder of several files, or one file. Nothing half-written is left behind.

A folder keeps a list of what was written of each mechanism for each target. A later export of the same removes what it does not
replace: functions of two exports that were mixed would read each other's constants.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import shutil
from collections.abc import Mapping
from pathlib import Path

from lagrangian.errors import ArgumentError
from lagrangian.files import as_path, checked_target, write

LIST = ".lagrangian-export.json"


def destination(path: str | os.PathLike[str], suffixes: tuple[str, ...], others: tuple[str, ...] = ()) -> Path:
    """Where to write, looked at before the work is done.

    `suffixes` are the endings of a target that is one file, and `others` endings of files that a folder is not called by.
    """
    place = as_path(path)
    if "\0" in str(place):
        raise ArgumentError(f"{str(place)!r}: this is not the name of a folder", concerns="path")
    if place.suffix.lower() in suffixes:
        return checked_target(place)
    if place.exists() and not place.is_dir():
        raise ArgumentError(f"{place}: this is a file; a folder is needed", concerns="path")
    if place.suffix.lower() in others and not place.exists():
        wanted = f"a file that ends in {suffixes[0]}, or a folder, is needed" if suffixes else "a folder is needed"
        raise ArgumentError(f"{place}: the ending {place.suffix} is not that of this target; {wanted}", concerns="path")
    above = place.absolute().parent
    while not above.exists():
        above = above.parent
    if not above.is_dir():
        raise ArgumentError(f"{place}: {str(above)!r} is a file, not a folder", concerns="path")
    return place


def write_all(place: Path, files: Mapping[str, str | bytes], suffixes: tuple[str, ...], what: str) -> tuple[Path, ...]:
    """Write files: a new folder appears with all of them, or not at all; in one that is there, none is replaced if one cannot be.

    `what` tells the files of this mechanism for this target from others in the folder.
    """
    try:
        if place.suffix.lower() in suffixes:
            # files beside it take its name
            named = {place if Path(n).suffix == suffixes[0] else place.with_suffix(Path(n).suffix): x for n, x in files.items()}
            return _together(named)
        if place.exists():
            before = _before(place)
            stale = _stale(place, before.get(what, {}), files)
            found = _together({place / name: content for name, content in files.items()})
            for path in stale:
                path.unlink(missing_ok=True)
            write(place / LIST, _listed({**before, what: _digests(files)}))
            return found
        place.parent.mkdir(parents=True, exist_ok=True)
        aside = place.parent / f".lagrangian-{os.getpid()}-{secrets.token_hex(4)}"
        aside.mkdir()
        try:
            for name, content in {**files, LIST: _listed({what: _digests(files)})}.items():
                (aside / name).parent.mkdir(parents=True, exist_ok=True)
                write(aside / name, content)
            os.rename(aside, place)
        finally:
            shutil.rmtree(aside, ignore_errors=True)
    except OSError as error:
        raise ArgumentError(f"{place}: it cannot be written: {error.strerror or error}", concerns="path") from None
    return tuple(place / name for name in files)


def _together(files: Mapping[Path, str | bytes]) -> tuple[Path, ...]:
    """Replace several files: all are looked at, and then written beside their places, before the first is replaced."""
    for path in files:
        path.parent.mkdir(parents=True, exist_ok=True)
        checked_target(path)
    if len(files) == 1:
        return tuple(write(path, content) for path, content in files.items())
    token = f"{os.getpid()}-{secrets.token_hex(4)}"
    aside = {path: path.with_name(f".lagrangian-{token}{path.suffix}-{k}") for k, path in enumerate(files)}
    try:
        for path, content in files.items():
            write(aside[path], content)
        for path, place in aside.items():
            os.replace(place, path)
    finally:
        for place in aside.values():
            place.unlink(missing_ok=True)
    return tuple(files)


def _digest(content: str | bytes) -> str:
    data = content if isinstance(content, bytes) else content.encode("utf-8", "backslashreplace")
    return hashlib.sha256(data).hexdigest()


def _digests(files: Mapping[str, str | bytes]) -> dict[str, str]:
    return {name: _digest(content) for name, content in files.items()}


def _listed(known: Mapping[str, Mapping[str, str]]) -> str:
    return json.dumps(known, indent=1) + "\n"


def _before(folder: Path) -> dict[str, dict[str, str]]:
    """What the list in a folder says; nothing where there is none that can be read."""
    try:
        known = json.loads((folder / LIST).read_text(encoding="utf-8"))
        return {str(what): {str(n): str(d) for n, d in files.items()} for what, files in known.items()}
    except (OSError, ValueError, AttributeError):
        return {}


def _stale(folder: Path, before: Mapping[str, str], files: Mapping[str, str | bytes]) -> list[Path]:
    """Files that an earlier export wrote here and that this one does not replace; one that was changed since is an error."""
    found = []
    for name, digest in before.items():
        path = folder / name
        inside = path.resolve().is_relative_to(folder.resolve())  # the list is a file, which anybody may have written
        if name in files or not inside or not path.is_file():
            continue
        if _digest(path.read_bytes()) != digest:
            raise ArgumentError(
                f"{path}: an earlier export wrote this file, and it was changed since; it would not fit the new files",
                concerns="path",
                remedy="move it away, or choose another folder",
            )
        found.append(path)
    return found
