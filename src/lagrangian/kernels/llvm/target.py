"""The processor that kernels are compiled for, and its vector width.

`LAGRANGIAN_CPU` = `native` (default), `avx512`, `avx2` or `sse2` chooses another than the machine's own.
"""

from __future__ import annotations

import os
import platform
from dataclasses import dataclass
from functools import cache

from lagrangian.errors import ArgumentError, unknown_name_message

VARIABLE = "LAGRANGIAN_CPU"


@dataclass(frozen=True)
class CPUTarget:
    """`width` doubles to a vector; `fma` if a fused multiply-add is one instruction."""

    name: str
    cpu: str
    features: str
    width: int
    fma: bool

    @property
    def key(self) -> str:
        """All of it as text, for the cache."""
        return f"{self.cpu}|{self.features}|{self.width}|{self.fma}"


def is_x86() -> bool:
    """Whether this machine's processor is one of Intel's family."""
    return platform.machine().lower() in ("x86_64", "amd64", "i686", "x86")


def current() -> CPUTarget:
    """The target in force, from the environment."""
    return _select_target(os.environ.get(VARIABLE, "native").strip().lower() or "native")


@cache
def _select_target(choice: str) -> CPUTarget:
    import llvmlite.binding as llvm

    named_targets = {
        "avx512": CPUTarget("avx512", "skylake-avx512", "+avx512f,+avx512dq,+avx512vl,+fma", 8, True),
        "avx2": CPUTarget("avx2", "haswell", "+avx2,+fma", 4, True),
        "sse2": CPUTarget("sse2", "x86-64", "+sse2", 2, False),
    }
    if choice != "native" and choice not in named_targets:
        raise ArgumentError(f"{VARIABLE}: {unknown_name_message('target', choice, ['native', *named_targets])}")
    features = llvm.get_host_cpu_features()
    if choice != "native":
        if not is_x86():
            raise ArgumentError(f"{VARIABLE}={choice} needs an x86-64 processor; this is {platform.machine()}")
        needs = {"avx512": ("avx512f", "avx512dq", "avx512vl"), "avx2": ("avx2", "fma"), "sse2": ()}[choice]
        missing = [f for f in needs if not features.get(f)]
        if missing:
            raise ArgumentError(f"{VARIABLE}={choice}: this processor has no {', '.join(missing)}; use native or sse2")
        return named_targets[choice]
    host, flags = llvm.get_host_cpu_name(), features.flatten()
    if not is_x86():
        return CPUTarget("native", host, flags, 2, True)
    width = (
        8
        if features.get("avx512f") and features.get("avx512dq") and features.get("avx512vl")
        else 4
        if features.get("avx")
        else 2
    )
    return CPUTarget("native", host, flags, width, bool(features.get("fma")))
