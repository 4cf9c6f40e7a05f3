"""Compiled objects that are kept: on disk between runs, and in this process by the names of their objects.

A cached object is code. It therefore lies in a folder that only its owner can enter, under a name that is a hash of all that
went into it; and a hash of the object and its name is checked before it is loaded. `LAGRANGIAN_CACHE` names another folder,
or `off`.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import stat
from collections import OrderedDict
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

from lagrangian import files
from lagrangian.kernels.llvm.machine_code import LoadedCode
from lagrangian.kernels.llvm.target import CPUTarget

VARIABLE = "LAGRANGIAN_CACHE"

# packages whose code decides what is compiled. Names of objects contain descriptions, structures and settings, but not how
# operations are found and written: that is `model` to `motion` for mechanisms and their motions, `equations` and `closed_form`
# for the closed form, and `functions` and `page_motion` for pages.
SOURCE_PACKAGES = (
    *("model", "algorithms", "kernels", "configuration", "motion"),
    *("equations", "closed_form", "functions", "page_motion"),
)
MAX_MODULES = 128  # that are remembered; what somebody still uses lives on without
MAX_BYTES = 512 * 1024 * 1024  # bytes in all; the oldest go first
_MAGIC = b"lagrangian kernel 2\n"
_modules: OrderedDict[tuple[str, CPUTarget], tuple[dict[str, Any], LoadedCode]] = OrderedDict()
_free_bytes: dict[Path, int] = {}  # bytes that may be stored in a folder before its size is looked at again


def key(*parts: str | bytes | int) -> str:
    """A name for what the parts and the code that makes kernels determine."""
    import llvmlite

    digest = hashlib.sha256(source_digest())
    for part in (llvmlite.__version__, *parts):
        data = part if isinstance(part, bytes) else str(part).encode()
        digest.update(len(data).to_bytes(8, "little") + data)
    return digest.hexdigest()


@cache
def source_digest() -> bytes:
    """A digest of the code that decides what is compiled: a new version never loads an old version's objects."""
    return digest_packages(Path(__file__).parents[2])


def digest_packages(root: Path) -> bytes:
    """A digest of the modules of `SOURCE_PACKAGES` under a folder; a package that is not there is an error."""
    digest = hashlib.sha256()
    for package in SOURCE_PACKAGES:
        walked = os.walk(root / package)  # half the time of `Path.rglob`, which every process would spend
        paths = sorted(
            os.path.join(folder_path, name) for folder_path, _, names in walked for name in names if name.endswith(".py")
        )
        if not paths:
            raise FileNotFoundError(f"{root / package} has no modules, though they decide what is compiled: see SOURCE_PACKAGES")
        for path in paths:
            with open(path, "rb", buffering=0) as file:
                digest.update(file.read())
    return digest.digest()


def load_or_compile(
    name: str, target: CPUTarget, make: Callable[[], tuple[dict[str, Any], bytes]]
) -> tuple[dict[str, Any], LoadedCode]:
    """The header and the code of an object: remembered, or from the cache of objects, or made."""
    key = (name, target)
    module = _modules.get(key)
    if module is None:
        header, contents = load_or_store(name, make)
        module = _modules[key] = header, LoadedCode(contents, target)
        while len(_modules) > MAX_MODULES:
            _modules.popitem(last=False)
    else:
        _modules.move_to_end(key)
    return module


def load_or_store(name: str, make: Callable[[], tuple[dict[str, Any], bytes]]) -> tuple[dict[str, Any], bytes]:
    """The header and object stored under a key; made, and stored, if there is none."""
    entry = load(name)
    if entry is None:
        entry = make()
        store(name, *entry)
    return entry


def load(name: str) -> tuple[dict[str, Any], bytes] | None:
    """The header and object stored under a key, if they are there and whole."""
    base = folder()
    if base is None:
        return None
    path = base / f"{name}.kernel"
    try:
        with path.open("rb") as file:
            if not _is_ours(os.fstat(file.fileno())):
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


def store(name: str, header: dict[str, Any], code: bytes) -> None:
    """Keep an object; a full disk or a read-only folder is no error."""
    base = folder()
    if base is None:
        return
    content = json.dumps(header).encode() + b"\n" + code
    with contextlib.suppress(OSError):
        files.write_private(base / f"{name}.kernel", _MAGIC + _digest(name, content) + content)
        _make_room(base, len(content))


def folder() -> Path | None:
    """The cache folder; None if caching is off or no private one can be had."""
    setting = os.environ.get(VARIABLE, "")
    if setting.lower() in ("off", "0", "no", "none"):
        return None
    base = Path(setting) if setting else Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache") / "lagrangian"
    return _private_folder(base)


def _digest(name: str, content: bytes) -> bytes:
    """The hash of an object with its name, since a whole object under another's name would compute something else."""
    return hashlib.sha256(f"{name}\n".encode() + content).digest()


def _make_room(base: Path, size: int) -> None:
    """Account for stored bytes; looking through thousands of objects takes as long as compiling one, so it is done rarely."""
    _free_bytes[base] = _free_bytes.get(base, 0) - size
    if _free_bytes[base] < 0:
        _free_bytes[base] = _prune(base)


def _prune(base: Path) -> int:
    """Delete the oldest objects of a folder that is too large; return how many bytes to store before it is looked through again.

    Other processes store too, so that it is looked through again long before the rest would be full.
    """
    files.delete_leftovers(base)
    with os.scandir(base) as entries:
        objects = sorted(_objects(entries))
    total, spare = sum(size for _, size, _ in objects), MAX_BYTES // 16
    if total > MAX_BYTES:
        for _, size, path in objects:
            if total <= MAX_BYTES - spare:
                break
            Path(path).unlink(missing_ok=True)
            total -= size
    return min(MAX_BYTES - total, spare)


def _objects(entries: Iterator[os.DirEntry[str]]) -> Iterator[tuple[float, int, str]]:
    """Age, size and path of the objects among a folder's entries."""
    for entry in entries:
        if entry.name.endswith(".kernel"):
            with contextlib.suppress(OSError):  # another process may have deleted it
                status = entry.stat()
                yield status.st_mtime, status.st_size, entry.path


@cache
def _private_folder(base: Path) -> Path | None:
    """`kernels` in the folder, ours and closed to others; one that others could write in is not used, for what it may hold."""
    try:
        folder_path = base.expanduser() / "kernels"
        folder_path.mkdir(mode=0o700, parents=True, exist_ok=True)
        status = folder_path.lstat()
    except (OSError, RuntimeError):
        return None
    if not stat.S_ISDIR(status.st_mode) or not os.access(folder_path, os.W_OK | os.X_OK):
        return None
    return folder_path if _is_ours(status) else None


def _is_ours(status: os.stat_result) -> bool:
    """Whether a file belongs to this user, and nobody else can write to it."""
    return os.name != "posix" or (status.st_uid == os.getuid() and not status.st_mode & 0o022)
