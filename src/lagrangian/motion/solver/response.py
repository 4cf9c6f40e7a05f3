"""What a system answers to all that acts, at many states, as compiled code: see `System.response`.

i64 responses(ptr c, ptr times, ptr states, ptr u, ptr output)

`c` holds the number of states, each of which has its own u.
"""

from __future__ import annotations

from lagrangian.kernels.llvm.builder import INTEGER
from lagrangian.motion.integrators.method import Module
from lagrangian.motion.system.system import System

ARGUMENTS = ["c", "times", "states", "u", "output"]


def emit_responses(module: Module, system: System) -> None:
    b = module.function("responses", ARGUMENTS, internal=False)
    times, states, u, output = (b.array(name) for name in ARGUMENTS[1:])
    with b.count(b.array("c", INTEGER)[0]) as k:
        b.call(
            "response",
            times.part(k),
            states.part(k * system.size),
            u.part(k * system.inputs.size),
            output.part(k * system.responses),
        )
    b.leave(0)
    module.add(b)
