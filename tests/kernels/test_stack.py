"""Vectors on the stack do not straddle cache lines, wherever the caller left the stack."""

from __future__ import annotations

import platform
import re

import pytest

import lagrangian as lg
from lagrangian.algorithms.forward_dynamics import FORWARD_DYNAMICS
from lagrangian.algorithms.tree import build_tree
from lagrangian.kernels.llvm import machine_code, target, unrolled
from lagrangian.kernels.programs.sweeps import TreeProgram, trace_unrolled
from lagrangian.kernels.rolled import kernel as rolled_kernel


@pytest.mark.skipif(platform.machine().lower() not in ("x86_64", "amd64"), reason="reads x86's assembly")
@pytest.mark.parametrize("form", ["unrolled", "rolled"])
def test_spilled_vectors_are_aligned(form: str) -> None:
    chosen = target.current()
    if chosen.width < 4:
        pytest.skip("the stack is always aligned for two doubles")
    tree = build_tree(lg.library("panda"))
    program = TreeProgram(FORWARD_DYNAMICS, tree)
    if form == "unrolled":
        trace = trace_unrolled(FORWARD_DYNAMICS, program.structure)
        inputs, numbers = (program.inputs, program.sizes, program.size), len(program.numbers)
        ir = unrolled.unrolled_code(trace, *inputs, chosen, chosen.width, numbers).ir
    else:
        ir = rolled_kernel.rolled_code(FORWARD_DYNAMICS, tree, program.inputs, program.sizes, chosen, chosen.width).ir
    assembly = machine_code._machine(chosen, 1).emit_assembly(machine_code.llvm().parse_assembly(ir))
    moves = re.findall(r"vmov([au])p[sd]\s+%[yz]mm\d+, -?\d*\(%r[sb]p\)", assembly)
    assert "a" in moves
    assert "u" not in moves
