"""WebAssembly: modules that a browser runs, made from the same LLVM text as native code, without a linker.

An object file, as LLVM writes it for WebAssembly, is almost a module. LLVM has resolved its relocations as if it were linked
alone, with its data from address 0 on. What is missing are a memory, a stack pointer and the names of the functions that can be
called from outside; functions of the mathematical library stay imported, from `env`. `link` adds these: it does what a linker
does, for one object (WebAssembly specification 2.0, chapter 5; "WebAssembly Object File Linking", tool-conventions).

Modules are kept among the objects of native code.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from lagrangian.kernels.llvm import machine_code, object_cache
from lagrangian.kernels.llvm.target import CPUTarget

TRIPLE = "wasm32-unknown-unknown"

# no fused multiply-add: its code does what native code for SSE2 does, operation for operation
TARGET = CPUTarget("wasm", "generic", "+bulk-memory", 1, False)
MAGIC = b"\0asm\1\0\0\0"
CUSTOM, TYPES, IMPORTS, FUNCTIONS, MEMORY, GLOBALS, EXPORTS, CODE, DATA, DATA_COUNT = 0, 1, 2, 3, 5, 6, 7, 10, 11, 12
FUNCTION, TABLE, MEMORIES, GLOBAL = range(4)  # kinds of imports and exports
SYMBOLS, UNDEFINED, EXPLICIT_NAME = 8, 0x10, 0x40  # of the section that names the functions
I32, I32_CONST, END = b"\x7f", b"\x41", b"\x0b"
STACK_POINTER = "__stack_pointer"
STACK = 1 << 18  # bytes: states of the largest mechanisms that are written out fit many times
PAGE = 1 << 16
ALIGNED = 64


def load_or_compile_wasm(
    name: str, exports: Sequence[str], make: Callable[[], tuple[dict[str, Any], str, int, Sequence[str]]]
) -> tuple[dict[str, Any], bytes]:
    """The header of a module, and the module: from the cache, or from what `make` gives.

    `make` gives the header, the text, the effort of the compiler, and LLVM's passes.
    """

    def build() -> tuple[dict[str, Any], bytes]:
        header, text, level, passes = make()
        return header, link(compile_wasm(mark_exports(text, exports), level, passes), exports)

    return object_cache.load_or_store(object_cache.key("wasm", TARGET.key, name, *exports), build)


def mark_exports(text: str, names: Sequence[str]) -> str:
    """The text, with these functions visible from outside."""
    for name in names:
        text = re.sub(rf"^define internal (\w+) @{re.escape(name)}\(", rf"define \1 @{name}(", text, flags=re.MULTILINE)
    return text


def compile_wasm(text: str, level: int, passes: Sequence[str]) -> bytes:
    """An object file for WebAssembly."""
    return machine_code.compile_object(text, TARGET, level, passes, _machine(level))


def link(contents: bytes, exports: Sequence[str]) -> bytes:
    """The module, which exports its `memory`, the functions named, and `heap`: the first address that nobody uses."""
    parsed = _read_object(contents)
    missing = [function_name for function_name in exports if function_name not in parsed.functions]
    if missing:
        raise LookupError(f"the object has no function {missing[0]!r}")
    imports = _function_imports(WasmReader(parsed.sections.get(IMPORTS, b"\0")))
    # data begin at 0; behind them is the stack, which grows downwards, and then what the page uses
    top = -(-(_data_end(parsed.sections.get(DATA)) + STACK) // ALIGNED) * ALIGNED
    constant = I32_CONST + encode_signed(top) + END
    new_sections = {
        IMPORTS: encode_vector(imports),
        MEMORY: encode_vector([b"\0" + encode_unsigned(-(-top // PAGE))]),
        # the stack pointer, which changes, and the heap
        GLOBALS: encode_vector([I32 + b"\1" + constant, I32 + b"\0" + constant]),
        EXPORTS: encode_vector(
            [
                encode_name("memory") + bytes([MEMORIES, 0]),
                encode_name("heap") + bytes([GLOBAL, 1]),
                *(
                    encode_name(function_name) + bytes([FUNCTION]) + encode_unsigned(parsed.functions[function_name])
                    for function_name in exports
                ),
            ]
        ),
    }
    order = (TYPES, IMPORTS, FUNCTIONS, MEMORY, GLOBALS, EXPORTS, DATA_COUNT, CODE, DATA)
    bodies = {**parsed.sections, **new_sections}
    return MAGIC + b"".join(bytes([k]) + encode_unsigned(len(bodies[k])) + bodies[k] for k in order if k in bodies)


def imports_of(module: bytes) -> list[str]:
    """The functions that a module needs from outside."""
    section = _read_object(module).sections.get(IMPORTS)
    return [entry.name for entry in _read_imports(WasmReader(section))] if section else []


class WasmReader:
    """Reads a part of a module from its beginning on. Integers are in LEB128: seven bits a byte, the lowest first."""

    def __init__(self, data: bytes) -> None:
        self.data, self.position = data, 0

    def __bool__(self) -> bool:
        """Whether there is more to read."""
        return self.position < len(self.data)

    def read_byte(self) -> int:
        self.position += 1
        return self.data[self.position - 1]

    def read_bytes(self, count: int) -> bytes:
        self.position += count
        return self.data[self.position - count : self.position]

    def read_unsigned(self) -> int:
        value, _ = self._read_leb()
        return value

    def read_signed(self) -> int:
        value, bits = self._read_leb()
        return value - (1 << bits) if value >> (bits - 1) else value

    def _read_leb(self) -> tuple[int, int]:
        """The bits of an integer, and how many there are."""
        value = shift = 0
        while True:
            byte = self.read_byte()
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value, shift

    def read_name(self) -> str:
        return self.read_bytes(self.read_unsigned()).decode()


def encode_unsigned(n: int) -> bytes:
    encoded = bytearray()
    while n >= 0x80:
        encoded.append(n & 0x7F | 0x80)
        n >>= 7
    return bytes([*encoded, n])


def encode_signed(n: int) -> bytes:
    encoded = bytearray()
    while not -0x40 <= n < 0x40:
        encoded.append(n & 0x7F | 0x80)
        n >>= 7
    return bytes([*encoded, n & 0x7F])


def encode_name(text: str) -> bytes:
    return encode_unsigned(len(text.encode())) + text.encode()


def encode_vector(items: Sequence[bytes]) -> bytes:
    """A list, after its length."""
    return encode_unsigned(len(items)) + b"".join(items)


@cache
def _machine(level: int) -> Any:
    llvm = machine_code.llvm()
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    target = llvm.Target.from_triple(TRIPLE)
    return target.create_target_machine(cpu=TARGET.cpu, features=TARGET.features, opt=level, reloc="static")


@dataclass
class _Object:
    """The sections of an object by their numbers, and where its functions are by their names."""

    sections: dict[int, bytes] = field(default_factory=dict)
    functions: dict[str, int] = field(default_factory=dict)


def _read_object(contents: bytes) -> _Object:
    if contents[:8] != MAGIC:
        raise ValueError("this is no WebAssembly")
    parsed, reader = _Object(), WasmReader(contents)
    reader.position = len(MAGIC)
    while reader:
        kind = reader.read_byte()
        body = reader.read_bytes(reader.read_unsigned())
        if kind != CUSTOM:
            parsed.sections[kind] = body
            continue
        custom = WasmReader(body)
        if custom.read_name() == "linking":
            parsed.functions = dict(_read_functions(custom))
    return parsed


def _read_functions(reader: WasmReader) -> Iterator[tuple[str, int]]:
    """The functions that an object defines, from the table of its symbols."""
    reader.read_unsigned()  # the version
    while reader:
        kind = reader.read_byte()
        part = WasmReader(reader.read_bytes(reader.read_unsigned()))
        if kind == SYMBOLS:
            yield from _read_symbols(part)


def _read_symbols(reader: WasmReader) -> Iterator[tuple[str, int]]:
    for _ in range(reader.read_unsigned()):
        kind, flags = reader.read_byte(), reader.read_unsigned()
        if kind == 1:  # data
            reader.read_name()
            if not flags & UNDEFINED:
                for _ in range(3):
                    reader.read_unsigned()
        elif kind == 3:  # a section
            reader.read_unsigned()
        else:
            index = reader.read_unsigned()
            if not flags & UNDEFINED or flags & EXPLICIT_NAME:
                function_name = reader.read_name()
                if kind == 0 and not flags & UNDEFINED:
                    yield function_name, index


@dataclass(frozen=True)
class _Import:
    name: str
    kind: int
    text: bytes


def _read_imports(reader: WasmReader) -> Iterator[_Import]:
    for _ in range(reader.read_unsigned()):
        begin = reader.position
        reader.read_name()
        import_name, kind = reader.read_name(), reader.read_byte()
        if kind == FUNCTION:
            reader.read_unsigned()
        elif kind == GLOBAL:
            reader.read_bytes(2)
        else:
            if kind == TABLE:
                reader.read_byte()
            if reader.read_byte() & 1:
                reader.read_unsigned()
            reader.read_unsigned()
        yield _Import(import_name, kind, reader.data[begin : reader.position])


def _function_imports(reader: WasmReader) -> list[bytes]:
    """The functions that stay imported. Memory and stack pointer become the module's own; a table is not needed."""
    function_entries, entries = [], list(_read_imports(reader))
    globals_ = [entry.name for entry in entries if entry.kind == GLOBAL]
    if globals_ not in ([], [STACK_POINTER]):  # its number is 0 before and after
        raise ValueError(f"the object needs {', '.join(globals_)}, which nothing gives it")
    for entry in entries:
        if entry.kind == TABLE:
            raise ValueError("the object calls functions by their addresses, which needs a table of them")
        if entry.kind == FUNCTION:
            function_entries.append(entry.text)
    return function_entries


def _data_end(section: bytes | None) -> int:
    """The first address behind the data."""
    end = 0
    reader = WasmReader(section or b"\0")
    for _ in range(reader.read_unsigned()):
        if reader.read_bytes(2) != b"\0" + I32_CONST:
            raise ValueError("data of the object have no fixed address")
        begin = reader.read_signed()
        reader.read_byte()  # the end of the expression
        size = reader.read_unsigned()
        reader.read_bytes(size)
        end = max(end, begin + size)
    return end
