"""Threads that wait in machine code to help with one call: so little work that Python could not hand it over in time.

A helper is one of Python's threads, which never comes back from its call of `work` and so does not hold Python's lock. It waits
on a semaphore of the C library; a job is an address, put where the helper looks, whose first word is the function to call:

    i64 begin(ptr helpers, ptr job, i64 allowed)    offer a job to so many helpers: 1, or 0 if they are at another
    i64 end(ptr helpers)                            take it back from those that have not begun, and wait for the others

Whoever offers a job does all of it that nobody takes. So nothing depends on whether helpers come: a process that was forked has
none, and those of a busy machine come late.
"""

from __future__ import annotations

import ctypes
import threading
from functools import cache

import numpy as np

from lagrangian.kernels.llvm import machine_code, object_cache
from lagrangian.kernels.llvm.target import CPUTarget, is_x86

# words of the array: whether they are at work, how many they are, and addresses; then a line and a semaphore for each helper
BUSY, COUNT, BEGIN, END, POST, HEADER_WORDS, HELPER_WORDS = 0, 1, 2, 3, 4, 8, 16
JOB, DONE, SEMAPHORE = 0, 1, 8  # of a helper
MAX_HELPERS = 7
MAX_SPINS = 2000  # how often a helper looks for another job before it sleeps

_IR = f"""
define i64 @begin(ptr %helpers, ptr %job, i64 %allowed) nounwind {{
entry:
  %taken = cmpxchg ptr %helpers, i64 0, i64 1 acquire monotonic
  %free = extractvalue {{ i64, i1 }} %taken, 1
  br i1 %free, label %offer, label %none
none:
  ret i64 0
offer:
  %count.at = getelementptr i64, ptr %helpers, i64 {COUNT}
  %all = load i64, ptr %count.at
  %fewer = icmp slt i64 %allowed, %all
  %count = select i1 %fewer, i64 %allowed, i64 %all
  %post.at = getelementptr i64, ptr %helpers, i64 {POST}
  %post = load ptr, ptr %post.at
  %word = ptrtoint ptr %job to i64
  %any = icmp sgt i64 %count, 0
  br i1 %any, label %loop, label %done
loop:
  %k = phi i64 [0, %offer], [%k.next, %loop]
  %off = mul i64 %k, {HELPER_WORDS}
  %place = add i64 %off, {HEADER_WORDS}
  %mine = getelementptr i64, ptr %helpers, i64 %place
  %done.at = getelementptr i64, ptr %mine, i64 {DONE}
  store i64 0, ptr %done.at
  store atomic i64 %word, ptr %mine release, align 8
  %semaphore = getelementptr i64, ptr %mine, i64 {SEMAPHORE}
  %posted = call i32 %post(ptr %semaphore)
  %k.next = add i64 %k, 1
  %more = icmp slt i64 %k.next, %count
  br i1 %more, label %loop, label %done
done:
  ret i64 1
}}

define i64 @end(ptr %helpers) nounwind {{
entry:
  %count.at = getelementptr i64, ptr %helpers, i64 {COUNT}
  %count = load i64, ptr %count.at
  br label %loop
loop:
  %k = phi i64 [0, %entry], [%k.next, %next]
  %more = icmp slt i64 %k, %count
  br i1 %more, label %one, label %over
one:
  %off = mul i64 %k, {HELPER_WORDS}
  %place = add i64 %off, {HEADER_WORDS}
  %mine = getelementptr i64, ptr %helpers, i64 %place
  %done.at = getelementptr i64, ptr %mine, i64 {DONE}
  %back = atomicrmw xchg ptr %mine, i64 0 acq_rel
  %begun = icmp eq i64 %back, 0
  br i1 %begun, label %wait, label %unasked
unasked:
  store i64 -1, ptr %done.at
  br label %next
wait:
  PAUSE
  %done = load atomic i64, ptr %done.at acquire, align 8
  %still = icmp eq i64 %done, 0
  br i1 %still, label %wait, label %next
next:
  %k.next = add i64 %k, 1
  br label %loop
over:
  store atomic i64 0, ptr %helpers release, align 8
  ret i64 0
}}

define i64 @work(ptr %mine, i64 %number, ptr %wait) nounwind {{
entry:
  %where = alloca [2 x i64]
  %thread = getelementptr i64, ptr %where, i64 1
  %done.at = getelementptr i64, ptr %mine, i64 {DONE}
  %semaphore = getelementptr i64, ptr %mine, i64 {SEMAPHORE}
  br label %look
look:
  %spin = phi i64 [0, %entry], [%spin.next, %idle], [0, %sleep], [0, %call]
  %spin.next = add i64 %spin, 1
  %there = load atomic i64, ptr %mine monotonic, align 8
  %some = icmp ne i64 %there, 0
  br i1 %some, label %take, label %idle
idle:
  PAUSE
  %tired = icmp sge i64 %spin.next, {MAX_SPINS}
  br i1 %tired, label %sleep, label %look
sleep:
  %slept = call i32 %wait(ptr %semaphore)
  br label %look
take:
  %word = atomicrmw xchg ptr %mine, i64 0 acq_rel
  %mine.now = icmp ne i64 %word, 0
  br i1 %mine.now, label %call, label %idle
call:
  %job = inttoptr i64 %word to ptr
  %function = load ptr, ptr %job
  store i64 %number, ptr %thread
  %result = call i64 %function(ptr %job, ptr %where)
  store atomic i64 1, ptr %done.at release, align 8
  br label %look
}}
"""


@cache
def start_helpers(count: int, target: CPUTarget) -> np.ndarray | None:
    """Start `count` helper threads and return the array through which others address them.

    It is None if `count` is 0, or where the C library has no semaphores.
    """
    functions = _semaphores()
    if functions is None or count < 1:
        return None
    init, wait, post = functions
    _, contents = object_cache.load_or_store(
        object_cache.key("helpers", target.key), lambda: ({}, machine_code.compile_object(_ir(), target))
    )
    code = machine_code.LoadedCode(contents, target)
    buffer = np.zeros(HEADER_WORDS + HELPER_WORDS * count + 8, dtype=np.int64)
    first = -buffer.ctypes.data // 8 % 8  # where a line of the cache begins
    words = buffer[first : first + HEADER_WORDS + HELPER_WORDS * count]
    words[[COUNT, BEGIN, END, POST]] = count, code.address("begin"), code.address("end"), post
    work = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, ctypes.c_int64, ctypes.c_void_p)(code.address("work"))
    for k in range(count):
        words[HEADER_WORDS + HELPER_WORDS * k + DONE] = 1
        helper_address = words.ctypes.data + 8 * (HEADER_WORDS + HELPER_WORDS * k)
        if init(ctypes.c_void_p(helper_address + 8 * SEMAPHORE), 0, 0) != 0:
            return None
        threading.Thread(target=work, args=(helper_address, k + 1, wait), name=f"lagrangian helper {k + 1}", daemon=True).start()
    _KEEP_ALIVE.append((buffer, code, work))
    return words


_KEEP_ALIVE: list[object] = []  # what helpers use: they never end


def _ir() -> str:
    pause = "call void @llvm.x86.sse2.pause()" if is_x86() else ""
    return _IR.replace("PAUSE", pause) + ("\ndeclare void @llvm.x86.sse2.pause()\n" if pause else "")


def _semaphores() -> tuple[ctypes._NamedFuncPointer, int, int] | None:
    """POSIX semaphores without names: the function that initialises one, and the addresses of those that wait and post."""
    try:
        library = ctypes.CDLL(None)
        names = [library.sem_init, library.sem_wait, library.sem_post]
    except (OSError, AttributeError, TypeError):
        return None
    wait, post = (ctypes.cast(f, ctypes.c_void_p).value or 0 for f in names[1:])
    return names[0], wait, post
