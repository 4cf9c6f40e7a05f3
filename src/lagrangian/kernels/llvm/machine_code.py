"""From IR text to machine code in memory, by way of an object file that can be kept."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import stat
import weakref
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from lagrangian import files
from lagrangian.kernels.llvm.target import CPUTarget


@cache
def llvm() -> Any:
    """llvmlite, ready to write code for this machine."""
    import llvmlite.binding as binding

    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    _hold_lock_across_forks(binding)
    return binding


def _hold_lock_across_forks(binding: Any) -> None:
    """Let a fork wait until no other thread is in LLVM: a child would find its lock held by a thread that it does not have."""
    lock = getattr(binding.ffi.lib, "_lock", None)
    if lock is None or not hasattr(os, "register_at_fork"):
        return

    def release() -> None:
        lock.__exit__(None, None, None)

    os.register_at_fork(before=lock.__enter__, after_in_parent=release, after_in_child=release)


@cache
def _machine(target: CPUTarget, level: int) -> Any:
    triple = llvm().Target.from_default_triple()
    return triple.create_target_machine(cpu=target.cpu, features=target.features, opt=level, reloc="pic", jit=True)


# In loops over links, these passes give what LLVM's whole pipelines give, as fast and bit for bit the same, in half the time.
PASSES = ("sroa", "instruction_combine", "simplify_cfg")
# The same for integrators: their loops over the coordinates are short, and not every function reads all that it is given
UNROLLING_PASSES = (
    *("sroa", "dead_arg_elimination", "loop_simplify", "lcssa", "loop_rotate", "loop_unroll"),
    *("instruction_combine", "simplify_cfg"),
)


def compile_object(
    ir: str, target: CPUTarget, level: int = 1, passes: Sequence[str] | None = PASSES, machine: Any = None
) -> bytes:
    """Optimise by the named passes of LLVM, or by its whole pipeline with None, and assemble with the effort of that level.

    Another `machine` than this one may be given.
    """
    binding, native = llvm(), machine is None
    machine = _machine(target, level) if native else machine
    options = binding.create_pipeline_tuning_options(speed_level=level)
    options.slp_vectorization = False
    options.loop_vectorization = False
    # constants belong to a context, and would stay in the one that all modules share unless they are given another
    with binding.create_context() as context, binding.parse_assembly(ir, context) as module:
        if not native:
            module.triple, module.data_layout = machine.triple, str(machine.target_data)
        with binding.create_pass_builder(machine, options) as builder:
            manager = builder.getModulePassManager() if passes is None else binding.create_new_module_pass_manager()
            try:
                for name in passes or ():
                    getattr(manager, f"add_{name}_pass")()
                manager.run(module, builder)
            finally:
                _dispose(manager)
        code: bytes = machine.emit_object(module)
        return code


def _dispose(manager: Any) -> None:
    """Free a pass manager: its own `close` finds the empty method of another base class, and each would stay for good."""
    from llvmlite.binding.newpassmanagers import NewPassManager

    NewPassManager._dispose(manager)
    manager.detach()


# Engines are held here and not by the objects that use them: in a cycle of garbage, Python may finalise an engine, and so unmap
# its code, while other finalisers can still call it. An array is not part of cycles: it goes when the last reference to it does.
_ENGINES: dict[int, Any] = {}


class LoadedCode:
    """Machine code loaded from an object file; it lives as long as this, or `life`, does."""

    def __init__(self, data: bytes, target: CPUTarget) -> None:
        binding = llvm()
        machine = binding.Target.from_default_triple().create_target_machine(
            cpu=target.cpu, features=target.features, reloc="pic", jit=True
        )
        engine = binding.create_mcjit_compiler(binding.parse_assembly(""), machine)
        contents = binding.ObjectFileRef.from_data(data)
        engine.add_object_file(contents)
        engine.finalize_object()
        self.keep_alive = np.empty(0)
        key = id(self.keep_alive)
        _ENGINES[key] = (engine, contents)
        weakref.finalize(self.keep_alive, _ENGINES.pop, key)

    def address(self, name: str) -> int:
        engine, _ = _ENGINES[id(self.keep_alive)]
        address: int = engine.get_function_address(name)
        if not address:
            raise LookupError(f"the object has no function {name!r}")
        return address


def add_symbol(name: str, address: int) -> None:
    """Make a C function known by name to the code that is loaded later."""
    llvm().add_symbol(name, address)


# MERGED lagrangian.kernels.llvm.cache: Compiled objects kept between runs. A cached object is code: it lies in a folder that
# only its owner can enter, under a name that is a hash of all that went into it, and a hash of it and its name is checked
# before it is loaded. `LAGRANGIAN_CACHE` names another folder, or `off`.

VARIABLE = "LAGRANGIAN_CACHE"
MAX_BYTES = 512 * 1024 * 1024  # bytes in all; the oldest go first
_free_bytes: dict[Path, int] = {}  # bytes that may be stored in a folder before its size is looked at again
_MAGIC = b"lagrangian kernel 2\n"


def folder() -> Path | None:
    """The cache folder; None if caching is off or no private one can be had."""
    setting = os.environ.get(VARIABLE, "")
    if setting.lower() in ("off", "0", "no", "none"):
        return None
    base = Path(setting) if setting else Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache") / "lagrangian"
    return _private_folder(base)


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
        files.write_private(base / f"{name}.kernel", _MAGIC + _digest(name, content) + content)
        _make_room(base, len(content))


def _make_room(base: Path, size: int) -> None:
    """Account for stored bytes; looking through thousands of objects takes as long as compiling one, so it is done rarely."""
    _free_bytes[base] = _free_bytes.get(base, 0) - size
    if _free_bytes[base] < 0:
        _free_bytes[base] = _prune(base)


def _prune(base: Path) -> int:
    """Delete the oldest objects of a folder that is too large, and tell how much to store before it is looked through again.

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


# MERGED lagrangian.kernels.llvm.loaded: Machine code that this process has loaded, by the name of its object: mechanisms of
# one structure share it.

MAX_MODULES = 128  # that are remembered; what somebody still uses lives on without
_modules: OrderedDict[tuple[str, CPUTarget], tuple[dict[str, Any], LoadedCode]] = OrderedDict()


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
