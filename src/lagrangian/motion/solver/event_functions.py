"""The values of all events of a system, as a compiled function: those that are compiled, then those of Python.

void events(ptr time, ptr state, ptr u, ptr output)
"""

from __future__ import annotations

from lagrangian.kernels.llvm.ir import Array, FunctionBuilder
from lagrangian.motion.integrators.method import Module
from lagrangian.motion.system.inputs import HELD, PER_JOINT
from lagrangian.motion.system.system import System


def emit_events(module: Module, system: System) -> None:
    table = system.table
    b = module.function("events", ["time", "state", "u", "output"])
    time, state, u, output = (b.array(name) for name in b.arguments)
    if table.compiled:
        response = b.local_array(system.responses if table.has_forces else 1)
        if table.has_forces:
            _respond(b, module, system, (time, state, u), response)
        b.call("event_values", time, state, u, response, output)
    if table.functions:
        b.call_pointer(u.offset(system.inputs.event_function), time, state, output.offset(len(table.compiled)))
    b.return_status()
    module.add(b)


def _respond(b: FunctionBuilder, module: Module, system: System, given: tuple[Array, Array, Array], response: Array) -> None:
    """What events read of the system's response. Where nothing is held, and no contact is watched, nothing holds."""
    b.for_each(system.responses, lambda i: response.__setitem__(i, 0.0))
    held = b.variable(1.0 if system.table.has_contacts else 0.0)
    joints = given[2].offset(system.inputs.joint(0) + HELD)
    b.for_each(len(system.holdable), lambda j: held.set(held.get() + joints[j * PER_JOINT]))
    holds = held.get() > 0.0
    with b.if_then(b.any(holds)):
        if module.callback:
            b.call("ask", *given)
        found = response if module.width == 1 else b.local_array(system.responses)
        b.call("response", *given, found)
        if module.width > 1:
            b.copy_where(holds, found, response, system.responses)
