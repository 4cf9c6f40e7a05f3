"""Run a kernel over blocks of states, and check that the results of each are finite while the cache still has them."""

from __future__ import annotations

import ctypes
import functools
from typing import Any

from lagrangian.kernels.llvm import machine_code, object_cache
from lagrangian.kernels.llvm.target import CPUTarget

# flags that a run returns: an angle was too large for the code's own sine and cosine; a result is not finite
ANGLE_TOO_LARGE, RESULT_NOT_FINITE = 1, 2
BLOCK_BYTES = 16_384  # of results in a block

# The exponent of a double that is not finite is all ones: one more in it, and the sign bit is set.
NOT_FINITE_IR = """
declare i64 @llvm.vector.reduce.or.v8i64(<8 x i64>)

define internal i1 @not_finite(ptr %x, i64 %n) nounwind {
entry:
  %whole = and i64 %n, -8
  %several = icmp sgt i64 %whole, 0
  br i1 %several, label %wide, label %rest
wide:
  %k = phi i64 [0, %entry], [%k.next, %wide]
  %seen = phi <8 x i64> [zeroinitializer, %entry], [%seen.next, %wide]
  %eight.at = getelementptr i64, ptr %x, i64 %k
  %eight = load <8 x i64>, ptr %eight.at, align 8
  %exponents = and <8 x i64> %eight, splat (i64 9218868437227405312)
  %raised = add <8 x i64> %exponents, splat (i64 4503599627370496)
  %seen.next = or <8 x i64> %seen, %raised
  %k.next = add i64 %k, 8
  %wide.more = icmp slt i64 %k.next, %whole
  br i1 %wide.more, label %wide, label %folded
folded:
  %lanes = call i64 @llvm.vector.reduce.or.v8i64(<8 x i64> %seen.next)
  br label %rest
rest:
  %so.far = phi i64 [0, %entry], [%lanes, %folded]
  %more = icmp slt i64 %whole, %n
  br i1 %more, label %one, label %done
one:
  %i = phi i64 [%whole, %rest], [%i.next, %one]
  %had = phi i64 [%so.far, %rest], [%has, %one]
  %one.at = getelementptr i64, ptr %x, i64 %i
  %bits = load i64, ptr %one.at, align 8
  %exponent = and i64 %bits, 9218868437227405312
  %over = add i64 %exponent, 4503599627370496
  %has = or i64 %had, %over
  %i.next = add i64 %i, 1
  %one.more = icmp slt i64 %i.next, %n
  br i1 %one.more, label %one, label %done
done:
  %all = phi i64 [%so.far, %rest], [%has, %one]
  %found = icmp slt i64 %all, 0
  ret i1 %found
}
"""

# `pointers` are those of the arrays that have a row for each state, so many as `rows` says, of `strides` bytes each, and then of
# data that all states share; they are moved on.
_IR = f"""{NOT_FINITE_IR}
declare i64 @llvm.smin.i64(i64, i64)

define i64 @run(
  ptr %kernel, ptr %pointers, ptr %strides, i64 %rows, ptr %output, i64 %size, ptr %scratch, i64 %states, i64 %block) nounwind {{
entry:
  %some = icmp sgt i64 %states, 0
  br i1 %some, label %loop, label %exit
loop:
  %at = phi i64 [0, %entry], [%at.next, %next]
  %flags = phi i64 [0, %entry], [%flags.next, %next]
  %left = sub i64 %states, %at
  %n = call i64 @llvm.smin.i64(i64 %left, i64 %block)
  %first = mul i64 %at, %size
  %out = getelementptr double, ptr %output, i64 %first
  %large = call i64 %kernel(ptr %pointers, ptr %out, ptr %scratch, i64 %n)
  %numbers = mul i64 %n, %size
  %odd = call i1 @not_finite(ptr %out, i64 %numbers)
  %flag = select i1 %odd, i64 {RESULT_NOT_FINITE}, i64 0
  %both = or i64 %large, %flag
  %flags.next = or i64 %flags, %both
  br label %move
move:
  %i = phi i64 [0, %loop], [%i.next, %move]
  %pointer.at = getelementptr ptr, ptr %pointers, i64 %i
  %pointer = load ptr, ptr %pointer.at
  %stride.at = getelementptr i64, ptr %strides, i64 %i
  %stride = load i64, ptr %stride.at
  %bytes = mul i64 %stride, %n
  %moved = getelementptr i8, ptr %pointer, i64 %bytes
  store ptr %moved, ptr %pointer.at
  %i.next = add i64 %i, 1
  %moving = icmp slt i64 %i.next, %rows
  br i1 %moving, label %move, label %next
next:
  %at.next = add i64 %at, %n
  %more = icmp slt i64 %at.next, %states
  br i1 %more, label %loop, label %exit
exit:
  %result = phi i64 [0, %entry], [%flags.next, %next]
  ret i64 %result
}}
"""
_P, _N = ctypes.c_void_p, ctypes.c_int64


def block_length(size: int) -> int:
    """How many states of so many results make a block: whole vectors of any width."""
    return max(8, BLOCK_BYTES // (8 * max(1, size)) // 8 * 8)


@functools.cache
def block_runner(target: CPUTarget) -> tuple[machine_code.LoadedCode, Any]:
    """`run(kernel, pointers, strides, rows, output, size, scratch, states, block)`, with the code that it is."""
    _, data = object_cache.load_or_store(
        object_cache.key("blocks", _IR, target.key), lambda: ({}, machine_code.compile_object(_IR, target, passes=None))
    )
    code = machine_code.LoadedCode(data, target)
    return code, ctypes.CFUNCTYPE(_N, _P, _P, _P, _N, _P, _N, _P, _N, _N)(code.address("run"))
