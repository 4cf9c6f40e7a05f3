"""What a system answers to all that acts, at many states, as compiled code: see `System.response`.

i64 responses(ptr c, ptr times, ptr states, ptr u, ptr output)

`c` holds the number of states, each of which has its own u.
"""

from __future__ import annotations

from lagrangian.kernels.llvm.ir import INTEGER
from lagrangian.motion.integrators.method import Module
from lagrangian.motion.system.system import System

ARGUMENTS = ["c", "times", "states", "u", "output"]


def emit_responses(module: Module, system: System) -> None:
    b = module.function("responses", ARGUMENTS, internal=False)
    times, states, u, output = (b.array(name) for name in ARGUMENTS[1:])
    with b.for_range(b.array("c", INTEGER)[0]) as k:
        b.call(
            "response",
            times.offset(k),
            states.offset(k * system.size),
            u.offset(k * system.inputs.size),
            output.offset(k * system.responses),
        )
    b.return_status(0)
    module.add(b)
