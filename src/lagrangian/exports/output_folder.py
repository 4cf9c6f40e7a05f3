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
from lagrangian.files import as_path, as_target_path, write

MANIFEST = ".lagrangian-export.json"


def resolve_destination(path: str | os.PathLike[str], suffixes: tuple[str, ...], file_suffixes: tuple[str, ...] = ()) -> Path:
    """Return the folder or file to write to, after checking before the work is done that it can be one.

    `suffixes` are the endings of a target that is one file, and `file_suffixes` endings of files that a folder is not called by.
    """
    destination = as_path(path)
    if "\0" in str(destination):
        raise ArgumentError(f"{str(destination)!r}: this is not the name of a folder", concerns="path")
    if destination.suffix.lower() in suffixes:
        return as_target_path(destination)
    if destination.exists() and not destination.is_dir():
        raise ArgumentError(f"{destination}: this is a file; a folder is needed", concerns="path")
    if destination.suffix.lower() in file_suffixes and not destination.exists():
        needed = f"a file that ends in {suffixes[0]}, or a folder, is needed" if suffixes else "a folder is needed"
        raise ArgumentError(
            f"{destination}: the ending {destination.suffix} is not that of this target; {needed}", concerns="path"
        )
    ancestor = destination.absolute().parent
    while not ancestor.exists():
        ancestor = ancestor.parent
    if not ancestor.is_dir():
        raise ArgumentError(f"{destination}: {str(ancestor)!r} is a file, not a folder", concerns="path")
    return destination


def write_all(
    destination: Path, files: Mapping[str, str | bytes], suffixes: tuple[str, ...], manifest_key: str
) -> tuple[Path, ...]:
    """Write files: a new folder appears with all of them, or not at all; in one that is there, none is replaced if one cannot be.

    `manifest_key` tells the files of this mechanism for this target from others in the folder.
    """
    try:
        if destination.suffix.lower() in suffixes:
            # files beside it take its name
            renamed_files = {
                destination if Path(n).suffix == suffixes[0] else destination.with_suffix(Path(n).suffix): x
                for n, x in files.items()
            }
            return _write_atomically(renamed_files)
        if destination.exists():
            manifest = _read_manifest(destination)
            stale = _stale_files(destination, manifest.get(manifest_key, {}), files)
            paths = _write_atomically({destination / name: content for name, content in files.items()})
            for path in stale:
                path.unlink(missing_ok=True)
            write(destination / MANIFEST, _manifest_text({**manifest, manifest_key: _digests(files)}))
            return paths
        destination.parent.mkdir(parents=True, exist_ok=True)
        temporary = destination.parent / f".lagrangian-{os.getpid()}-{secrets.token_hex(4)}"
        temporary.mkdir()
        try:
            for name, content in {**files, MANIFEST: _manifest_text({manifest_key: _digests(files)})}.items():
                (temporary / name).parent.mkdir(parents=True, exist_ok=True)
                write(temporary / name, content)
            os.rename(temporary, destination)
        finally:
            shutil.rmtree(temporary, ignore_errors=True)
    except OSError as error:
        raise ArgumentError(f"{destination}: it cannot be written: {error.strerror or error}", concerns="path") from None
    return tuple(destination / name for name in files)


def _write_atomically(files: Mapping[Path, str | bytes]) -> tuple[Path, ...]:
    """Replace several files: all are looked at, and then written beside their places, before the first is replaced."""
    for path in files:
        path.parent.mkdir(parents=True, exist_ok=True)
        as_target_path(path)
    if len(files) == 1:
        return tuple(write(path, content) for path, content in files.items())
    token = f"{os.getpid()}-{secrets.token_hex(4)}"
    temporary_paths = {path: path.with_name(f".lagrangian-{token}{path.suffix}-{k}") for k, path in enumerate(files)}
    try:
        for path, content in files.items():
            write(temporary_paths[path], content)
        for path, temporary in temporary_paths.items():
            os.replace(temporary, path)
    finally:
        for temporary in temporary_paths.values():
            temporary.unlink(missing_ok=True)
    return tuple(files)


def _digest(content: str | bytes) -> str:
    data = content if isinstance(content, bytes) else content.encode("utf-8", "backslashreplace")
    return hashlib.sha256(data).hexdigest()


def _digests(files: Mapping[str, str | bytes]) -> dict[str, str]:
    return {name: _digest(content) for name, content in files.items()}


def _manifest_text(manifest: Mapping[str, Mapping[str, str]]) -> str:
    return json.dumps(manifest, indent=1) + "\n"


def _read_manifest(folder: Path) -> dict[str, dict[str, str]]:
    """Read the list of files in a folder; it is empty if there is none that can be read."""
    try:
        manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
        return {str(manifest_key): {str(n): str(d) for n, d in files.items()} for manifest_key, files in manifest.items()}
    except (OSError, ValueError, AttributeError):
        return {}


def _stale_files(folder: Path, digests: Mapping[str, str], files: Mapping[str, str | bytes]) -> list[Path]:
    """Files that an earlier export wrote here and that this one does not replace; one that was changed since is an error."""
    stale_paths = []
    for name, digest in digests.items():
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
        stale_paths.append(path)
    return stale_paths
