"""From LLVM text to a WebAssembly module, kept among the objects of native code."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from lagrangian.kernels.llvm import cache as objects
from lagrangian.kernels.llvm import jit
from lagrangian.kernels.llvm.target import Target
from lagrangian.kernels.wasm.link import link

TRIPLE = "wasm32-unknown-unknown"
# no fused multiply-add: its code does what native code for SSE2 does, operation for operation
TARGET = Target("wasm", "generic", "+bulk-memory", 1, False)


def module(
    name: str, exports: Sequence[str], make: Callable[[], tuple[dict[str, Any], str, int, Sequence[str]]]
) -> tuple[dict[str, Any], bytes]:
    """What is known of a module, and the module: from the cache, or from what `make` gives.

    That is a header, the text, the effort of the compiler, and LLVM's passes.
    """

    def made() -> tuple[dict[str, Any], bytes]:
        header, text, level, passes = make()
        return header, link(compiled(exported(text, exports), level, passes), exports)

    return objects.kept(objects.key("wasm", TARGET.key, name, *exports), made)


def exported(text: str, names: Sequence[str]) -> str:
    """The text, in which these functions can be seen from outside."""
    for name in names:
        text = re.sub(rf"^define internal (\w+) @{re.escape(name)}\(", rf"define \1 @{name}(", text, flags=re.MULTILINE)
    return text


def compiled(text: str, level: int, passes: Sequence[str]) -> bytes:
    """An object for WebAssembly."""
    return jit.compile_object(text, TARGET, level, passes, _machine(level))


@cache
def _machine(level: int) -> Any:
    llvm = jit.llvm()
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    target = llvm.Target.from_triple(TRIPLE)
    return target.create_target_machine(cpu=TARGET.cpu, features=TARGET.features, opt=level, reloc="static")
