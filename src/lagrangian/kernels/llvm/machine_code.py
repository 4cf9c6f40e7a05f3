"""Compile LLVM IR, as text, to machine code in memory, by way of an object file that can be kept."""

from __future__ import annotations

import os
import weakref
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from lagrangian.kernels.llvm.target import CPUTarget


@cache
def llvm() -> Any:
    """The binding of llvmlite, ready to write code for this machine."""
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
    """The object file of IR, optimised by the named passes of LLVM, or by its whole pipeline with None.

    `level` is the effort of the assembler; `machine` may be another than this one.
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
    """Machine code loaded from an object file; it lives as long as this object, or its `keep_alive`, does."""

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
