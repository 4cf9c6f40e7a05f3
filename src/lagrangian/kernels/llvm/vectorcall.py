"""The microsecond path for one state: a C function, compiled once, that Python calls without any conversion layer.

It takes float64 vectors of the right length through the buffer protocol (stable ABI), runs the kernel, and returns a new array,
made by numpy's C function for it where its interface is one we know, else by calling `numpy.empty`. Anything else, such as
lists, batches, keywords or a wrong shape, and results that are not finite, it hands to the Python function behind it.

`self` of the function is a tuple: (Python function, numpy.empty, its arguments, address of the context, float64's dtype,
the word "dtype", then what must stay alive).
"""

from __future__ import annotations

import ctypes
import functools
import math
import os
import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from lagrangian.kernels.llvm import blocks, machine_code, object_cache, target

VARIABLE = "LAGRANGIAN_FASTCALL"
MAX_INPUTS = 6  # inputs
_FLAGS = 0x80 | 0x02  # METH_FASTCALL | METH_KEYWORDS
_SYMBOLS = (
    "PyTuple_GetItem",
    "PyLong_AsVoidPtr",
    "PyObject_GetAttr",
    "PyObject_GetBuffer",
    "PyBuffer_Release",
    "PyObject_Call",
    "PyObject_Vectorcall",
    "PyErr_Clear",
    "PyFloat_FromDouble",
    "Py_DecRef",
)


class CallContext:
    """What the entry needs to know, in words of 8 bytes. Until `kernel` is set, every call goes to the Python function.

    The words are a numpy array: unlike a ctypes structure, it is not emptied while a cycle of garbage is taken apart.
    """

    FIELDS = ("inputs", "scalar", "kernel", "scratch", "parameters", "table", "new", "get_pointer", "array_type", "dimensions")

    def __init__(self, sizes: Sequence[int], shape: tuple[int, ...]) -> None:
        new, get_pointer, array_type = _numpy_new()
        rows, columns = (*shape, 0, 0)[:2]
        bytes_of_inputs = [8 * n for n in sizes] + [0] * (MAX_INPUTS - len(sizes))
        words = [len(sizes), int(shape == ()), 0, 0, 0, 0, new, get_pointer, array_type, len(shape), rows, columns]
        self.words = np.array([*words, *bytes_of_inputs, math.prod(shape)], dtype=np.uint64)

    def set_code(self, kernel: int, scratch: int, parameters: int, table: int) -> None:
        """Set the code for one state and its data; the code last, since its being there is the sign that all is."""
        self.words[3:6] = scratch, parameters, table
        self.words[2] = kernel


# Py_buffer: buf 0, obj 8, len 16, itemsize 24, readonly 32, ndim 36, ...; 80 bytes in all. The context is read as words of 8
# bytes in the order of CallContext.FIELDS, then the result's shape, the inputs' sizes in bytes, and the size of the result.
# 56 asks for a C-contiguous buffer, 57 for a writable one; 12 is numpy's NPY_DOUBLE. An object's type is its second word: of
# numpy's own classes, such as masked arrays, Python looks at what they hide.
_IR = f"""{blocks.NOT_FINITE_IR}
declare ptr @PyTuple_GetItem(ptr, i64)
declare ptr @PyLong_AsVoidPtr(ptr)
declare ptr @PyObject_GetAttr(ptr, ptr)
declare i32 @PyObject_GetBuffer(ptr, ptr, i32)
declare void @PyBuffer_Release(ptr)
declare ptr @PyObject_Call(ptr, ptr, ptr)
declare ptr @PyObject_Vectorcall(ptr, ptr, i64, ptr)
declare void @PyErr_Clear()
declare ptr @PyFloat_FromDouble(double)
declare void @Py_DecRef(ptr)

define internal void @release(ptr %views, i64 %count) {{
entry:
  %none = icmp eq i64 %count, 0
  br i1 %none, label %exit, label %loop
loop:
  %k = phi i64 [0, %entry], [%next, %loop]
  %off = mul i64 %k, 80
  %view = getelementptr i8, ptr %views, i64 %off
  call void @PyBuffer_Release(ptr %view)
  %next = add i64 %k, 1
  %more = icmp slt i64 %next, %count
  br i1 %more, label %loop, label %exit
exit:
  ret void
}}

define ptr @fastcall(ptr %self, ptr %args, i64 %nargs, ptr %kwnames) {{
entry:
  %views = alloca [{80 * (MAX_INPUTS + 1)} x i8], align 16
  %pointers = alloca [{MAX_INPUTS + 3} x ptr], align 16
  %number = alloca double, align 8
  %origin = alloca [2 x i64], align 8
  %ctx.object = call ptr @PyTuple_GetItem(ptr %self, i64 3)
  %ctx = call ptr @PyLong_AsVoidPtr(ptr %ctx.object)
  %inputs = load i64, ptr %ctx
  %same = icmp eq i64 %nargs, %inputs
  %plain = icmp eq ptr %kwnames, null
  %ctx.kernel = getelementptr i64, ptr %ctx, i64 2
  %kernel = load ptr, ptr %ctx.kernel
  %compiled = icmp ne ptr %kernel, null
  %fits = and i1 %same, %plain
  %good = and i1 %fits, %compiled
  br i1 %good, label %start, label %slow
start:
  %float64 = call ptr @PyTuple_GetItem(ptr %self, i64 4)
  %word = call ptr @PyTuple_GetItem(ptr %self, i64 5)
  %ctx.array = getelementptr i64, ptr %ctx, i64 8
  %array.type = load ptr, ptr %ctx.array
  %any.type = icmp eq ptr %array.type, null
  br label %arg
arg:
  %i = phi i64 [0, %start], [%i.next, %taken]
  %view.off = mul i64 %i, 80
  %view = getelementptr i8, ptr %views, i64 %view.off
  %arg.at = getelementptr ptr, ptr %args, i64 %i
  %object = load ptr, ptr %arg.at
  %kind.at = getelementptr ptr, ptr %object, i64 1
  %kind = load ptr, ptr %kind.at
  %is.array = icmp eq ptr %kind, %array.type
  %accepted = or i1 %is.array, %any.type
  br i1 %accepted, label %plain.array, label %refused
plain.array:
  %dtype = call ptr @PyObject_GetAttr(ptr %object, ptr %word)
  %has = icmp ne ptr %dtype, null
  br i1 %has, label %typed, label %refused
typed:
  call void @Py_DecRef(ptr %dtype)
  %is.float64 = icmp eq ptr %dtype, %float64
  br i1 %is.float64, label %view.it, label %refused
view.it:
  %status = call i32 @PyObject_GetBuffer(ptr %object, ptr %view, i32 56)
  %got = icmp eq i32 %status, 0
  br i1 %got, label %check, label %refused
refused:
  call void @PyErr_Clear()
  call void @release(ptr %views, i64 %i)
  br label %slow
check:
  %len.at = getelementptr i8, ptr %view, i64 16
  %len = load i64, ptr %len.at
  %want.off = add i64 %i, 12
  %want.at = getelementptr i64, ptr %ctx, i64 %want.off
  %want = load i64, ptr %want.at
  %len.ok = icmp eq i64 %len, %want
  %ndim.at = getelementptr i8, ptr %view, i64 36
  %ndim = load i32, ptr %ndim.at
  %ndim.ok = icmp eq i32 %ndim, 1
  %ok = and i1 %len.ok, %ndim.ok
  br i1 %ok, label %taken, label %wrong
wrong:
  %held = add i64 %i, 1
  call void @release(ptr %views, i64 %held)
  br label %slow
taken:
  %buf = load ptr, ptr %view
  %pointer.at = getelementptr ptr, ptr %pointers, i64 %i
  store ptr %buf, ptr %pointer.at
  %i.next = add i64 %i, 1
  %more = icmp slt i64 %i.next, %inputs
  br i1 %more, label %arg, label %ready
ready:
  %first = load ptr, ptr %pointers
  %angles.at = getelementptr ptr, ptr %pointers, i64 %inputs
  store ptr %first, ptr %angles.at
  %after = add i64 %inputs, 1
  %param.at = getelementptr ptr, ptr %pointers, i64 %after
  %ctx.param = getelementptr i64, ptr %ctx, i64 4
  %param = load ptr, ptr %ctx.param
  store ptr %param, ptr %param.at
  %after2 = add i64 %inputs, 2
  %table.at = getelementptr ptr, ptr %pointers, i64 %after2
  %ctx.table = getelementptr i64, ptr %ctx, i64 5
  %table = load ptr, ptr %ctx.table
  store ptr %table, ptr %table.at
  %ctx.scratch = getelementptr i64, ptr %ctx, i64 3
  %scratch = load ptr, ptr %ctx.scratch
  %ctx.scalar = getelementptr i64, ptr %ctx, i64 1
  %scalar = load i64, ptr %ctx.scalar
  %is.scalar = icmp ne i64 %scalar, 0
  br i1 %is.scalar, label %to.number, label %to.array
to.number:
  %large.n = call i64 %kernel(ptr %pointers, ptr %number, ptr %scratch, i64 1)
  call void @release(ptr %views, i64 %inputs)
  %small.n = icmp eq i64 %large.n, 0
  %odd.n = call i1 @not_finite(ptr %number, i64 1)
  %even.n = xor i1 %odd.n, true
  %fine.n = and i1 %small.n, %even.n
  br i1 %fine.n, label %give, label %slow
give:
  %value = load double, ptr %number
  %float = call ptr @PyFloat_FromDouble(double %value)
  ret ptr %float
to.array:
  %ctx.new = getelementptr i64, ptr %ctx, i64 6
  %new = load ptr, ptr %ctx.new
  %direct = icmp ne ptr %new, null
  br i1 %direct, label %by.numpy, label %by.python
by.numpy:
  %ctx.pointer = getelementptr i64, ptr %ctx, i64 7
  %get.pointer = load ptr, ptr %ctx.pointer
  %ctx.type = getelementptr i64, ptr %ctx, i64 8
  %type = load ptr, ptr %ctx.type
  %ctx.nd = getelementptr i64, ptr %ctx, i64 9
  %nd = load i32, ptr %ctx.nd
  %ctx.dims = getelementptr i64, ptr %ctx, i64 10
  %array.n = call ptr %new(ptr %type, i32 %nd, ptr %ctx.dims, i32 12, ptr null, ptr null, i32 0, i32 0, ptr null)
  %made.n = icmp ne ptr %array.n, null
  br i1 %made.n, label %point, label %fail
point:
  store [2 x i64] zeroinitializer, ptr %origin
  %out.n = call ptr %get.pointer(ptr %array.n, ptr %origin)
  br label %run
by.python:
  %empty = call ptr @PyTuple_GetItem(ptr %self, i64 1)
  %shape = call ptr @PyTuple_GetItem(ptr %self, i64 2)
  %array.p = call ptr @PyObject_Call(ptr %empty, ptr %shape, ptr null)
  %made.p = icmp ne ptr %array.p, null
  br i1 %made.p, label %open, label %fail
open:
  %out.off = mul i64 %inputs, 80
  %out.view = getelementptr i8, ptr %views, i64 %out.off
  %out.status = call i32 @PyObject_GetBuffer(ptr %array.p, ptr %out.view, i32 57)
  %opened = icmp eq i32 %out.status, 0
  br i1 %opened, label %opened.it, label %lost
opened.it:
  %out.p = load ptr, ptr %out.view
  br label %run
run:
  %array = phi ptr [%array.n, %point], [%array.p, %opened.it]
  %out = phi ptr [%out.n, %point], [%out.p, %opened.it]
  %held.views = phi i64 [%inputs, %point], [%after, %opened.it]
  %large = call i64 %kernel(ptr %pointers, ptr %out, ptr %scratch, i64 1)
  %ctx.size = getelementptr i64, ptr %ctx, i64 {12 + MAX_INPUTS}
  %size = load i64, ptr %ctx.size
  %odd = call i1 @not_finite(ptr %out, i64 %size)
  call void @release(ptr %views, i64 %held.views)
  %small = icmp eq i64 %large, 0
  %even = xor i1 %odd, true
  %fine = and i1 %small, %even
  br i1 %fine, label %done, label %again
done:
  ret ptr %array
again:
  call void @Py_DecRef(ptr %array)
  br label %slow
lost:
  call void @Py_DecRef(ptr %array.p)
  br label %fail
fail:
  call void @PyErr_Clear()
  call void @release(ptr %views, i64 %inputs)
  br label %slow
slow:
  %python = call ptr @PyTuple_GetItem(ptr %self, i64 0)
  %result = call ptr @PyObject_Vectorcall(ptr %python, ptr %args, i64 %nargs, ptr %kwnames)
  ret ptr %result
}}
"""


@functools.cache
def _entry_point() -> tuple[machine_code.LoadedCode, int] | None:
    """The compiled entry, or None where this interpreter cannot have it."""
    if sys.implementation.name != "cpython" or ctypes.sizeof(ctypes.c_void_p) != 8:
        return None
    if not getattr(sys, "_is_gil_enabled", lambda: True)():
        return None  # the entry's scratch is shared between calls, which the lock keeps apart
    try:
        for name in _SYMBOLS:
            machine_code.add_symbol(name, ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p).value or 0)
        cpu_target = target.current()
        name = object_cache.key("fastcall", _IR, cpu_target.key)
        _, data = object_cache.load_or_store(name, lambda: ({}, machine_code.compile_object(_IR, cpu_target, passes=None)))
        code = machine_code.LoadedCode(data, cpu_target)
        return code, code.address("fastcall")
    except (AttributeError, LookupError, OSError, RuntimeError):
        return None


@functools.cache
def _numpy_new() -> tuple[int, int, int]:
    """PyArray_New, PyArray_GetPtr and the array type, from numpy's table for C code; zeros if it is not one we know."""
    try:
        pointer = ctypes.pythonapi.PyCapsule_GetPointer
        pointer.restype, pointer.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)
        core = getattr(np, "_core", None) or np.core
        table = ctypes.cast(pointer(core._multiarray_umath._ARRAY_API, None), ctypes.POINTER(ctypes.c_void_p))
        version = ctypes.CFUNCTYPE(ctypes.c_uint)(table[0])()
        if version not in (0x1000009, 0x2000000) or table[2] != id(np.ndarray):
            return 0, 0, 0
        return table[93] or 0, table[160] or 0, id(np.ndarray)
    except (AttributeError, TypeError, ValueError):
        return 0, 0, 0


def wrap_function(
    python: Callable[..., Any], *, name: str, doc: str, sizes: Sequence[int], shape: tuple[int, ...], owner: object
) -> tuple[Callable[..., Any], CallContext | None]:
    """`python` with the fast entry in front of it, and the entry's context; what its addresses point to belongs to `owner`."""
    entry = _entry_point() if os.environ.get(VARIABLE, "1") != "0" and 0 < len(sizes) <= MAX_INPUTS and len(shape) <= 2 else None
    if entry is None:
        return python, None
    code, address = entry
    context = CallContext(sizes, shape)
    # PyMethodDef: name, function, flags, documentation
    texts = name.encode(), doc.encode()
    pointers = [ctypes.cast(ctypes.c_char_p(text), ctypes.c_void_p).value or 0 for text in texts]
    method = np.array([pointers[0], address, _FLAGS, pointers[1]], dtype=np.uint64)
    references = (context.words, method, texts, code.keep_alive, owner)
    self_tuple = (python, np.empty, (shape,), context.words.ctypes.data, np.dtype("f8"), "dtype", references)
    make = ctypes.pythonapi.PyCFunction_NewEx
    make.restype = ctypes.py_object
    make.argtypes = (ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p)
    return make(method.ctypes.data, self_tuple, None), context
