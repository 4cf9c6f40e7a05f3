"""From an object file, as LLVM writes it for WebAssembly, to a module that a browser loads: what a linker does, of one object.

An object is almost a module. LLVM has resolved its relocations as if it were linked alone, with its data from address 0 on. What
is missing are a memory, a stack pointer and the names of the functions that can be called from outside; functions of the
mathematical library stay imported, from `env`. (WebAssembly specification 2.0, chapter 5; "WebAssembly Object File Linking",
tool-conventions.)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from lagrangian.kernels.wasm.numbers import Reader, listed, name, signed, unsigned

MAGIC = b"\0asm\1\0\0\0"
CUSTOM, TYPES, IMPORTS, FUNCTIONS, MEMORY, GLOBALS, EXPORTS, CODE, DATA, DATA_COUNT = 0, 1, 2, 3, 5, 6, 7, 10, 11, 12
FUNCTION, TABLE, MEMORIES, GLOBAL = range(4)  # kinds of imports and exports
SYMBOLS, UNDEFINED, EXPLICIT_NAME = 8, 0x10, 0x40  # of the section that names the functions
I32, I32_CONST, END = b"\x7f", b"\x41", b"\x0b"
STACK_POINTER = "__stack_pointer"

STACK = 1 << 18  # bytes: states of the largest mechanisms that are written out fit many times
PAGE = 1 << 16
ALIGNED = 64


@dataclass
class _Object:
    """The sections of an object by their numbers, and where its functions are by their names."""

    sections: dict[int, bytes] = field(default_factory=dict)
    functions: dict[str, int] = field(default_factory=dict)


def link(contents: bytes, exports: Sequence[str]) -> bytes:
    """The module, which exports its `memory`, the functions named, and `heap`: the first address that nobody uses."""
    found = _read(contents)
    missing = [each for each in exports if each not in found.functions]
    if missing:
        raise LookupError(f"the object has no function {missing[0]!r}")
    imports = _imports(Reader(found.sections.get(IMPORTS, b"\0")))
    # data begin at 0; behind them is the stack, which grows downwards, and then what the page uses
    top = -(-(_data_end(found.sections.get(DATA)) + STACK) // ALIGNED) * ALIGNED
    constant = I32_CONST + signed(top) + END
    own = {
        IMPORTS: listed(imports),
        MEMORY: listed([b"\0" + unsigned(-(-top // PAGE))]),
        GLOBALS: listed([I32 + b"\1" + constant, I32 + b"\0" + constant]),  # the stack pointer, which changes, and the heap
        EXPORTS: listed(
            [
                name("memory") + bytes([MEMORIES, 0]),
                name("heap") + bytes([GLOBAL, 1]),
                *(name(each) + bytes([FUNCTION]) + unsigned(found.functions[each]) for each in exports),
            ]
        ),
    }
    order = (TYPES, IMPORTS, FUNCTIONS, MEMORY, GLOBALS, EXPORTS, DATA_COUNT, CODE, DATA)
    bodies = {**found.sections, **own}
    return MAGIC + b"".join(bytes([k]) + unsigned(len(bodies[k])) + bodies[k] for k in order if k in bodies)


def imported(module: bytes) -> list[str]:
    """The functions that a module needs from outside."""
    found = _read(module).sections.get(IMPORTS)
    return [entry.name for entry in _entries(Reader(found))] if found else []


def _read(contents: bytes) -> _Object:
    if contents[:8] != MAGIC:
        raise ValueError("this is no WebAssembly")
    found, reader = _Object(), Reader(contents)
    reader.at = len(MAGIC)
    while reader:
        kind = reader.byte()
        body = reader.bytes(reader.unsigned())
        if kind != CUSTOM:
            found.sections[kind] = body
            continue
        custom = Reader(body)
        if custom.name() == "linking":
            found.functions = dict(_functions(custom))
    return found


def _functions(reader: Reader) -> Iterator[tuple[str, int]]:
    """The functions that an object defines, from the table of its symbols."""
    reader.unsigned()  # the version
    while reader:
        kind = reader.byte()
        part = Reader(reader.bytes(reader.unsigned()))
        if kind == SYMBOLS:
            yield from _symbols(part)


def _symbols(reader: Reader) -> Iterator[tuple[str, int]]:
    for _ in range(reader.unsigned()):
        kind, flags = reader.byte(), reader.unsigned()
        if kind == 1:  # data
            reader.name()
            if not flags & UNDEFINED:
                for _ in range(3):
                    reader.unsigned()
        elif kind == 3:  # a section
            reader.unsigned()
        else:
            index = reader.unsigned()
            if not flags & UNDEFINED or flags & EXPLICIT_NAME:
                called = reader.name()
                if kind == 0 and not flags & UNDEFINED:
                    yield called, index


@dataclass(frozen=True)
class _Import:
    name: str
    kind: int
    text: bytes


def _entries(reader: Reader) -> Iterator[_Import]:
    for _ in range(reader.unsigned()):
        begin = reader.at
        reader.name()
        called, kind = reader.name(), reader.byte()
        if kind == FUNCTION:
            reader.unsigned()
        elif kind == GLOBAL:
            reader.bytes(2)
        else:
            if kind == TABLE:
                reader.byte()
            if reader.byte() & 1:
                reader.unsigned()
            reader.unsigned()
        yield _Import(called, kind, reader.data[begin : reader.at])


def _imports(reader: Reader) -> list[bytes]:
    """The functions that stay imported. Memory and stack pointer become the module's own; a table is not needed."""
    kept, entries = [], list(_entries(reader))
    globals_ = [each.name for each in entries if each.kind == GLOBAL]
    if globals_ not in ([], [STACK_POINTER]):  # its number is 0 before and after
        raise ValueError(f"the object needs {', '.join(globals_)}, which nothing gives it")
    for each in entries:
        if each.kind == TABLE:
            raise ValueError("the object calls functions by their addresses, which needs a table of them")
        if each.kind == FUNCTION:
            kept.append(each.text)
    return kept


def _data_end(section: bytes | None) -> int:
    """The first address behind the data."""
    end = 0
    reader = Reader(section or b"\0")
    for _ in range(reader.unsigned()):
        if reader.bytes(2) != b"\0" + I32_CONST:
            raise ValueError("data of the object have no fixed address")
        begin = reader.signed()
        reader.byte()  # the end of the expression
        size = reader.unsigned()
        reader.bytes(size)
        end = max(end, begin + size)
    return end
