"""What docs/extending/export_target.md shows, in its order."""

# --- trace
import lagrangian as lg
from lagrangian.algorithms.inverse_dynamics import GRAVITY
from lagrangian.kernels.programs.sweeps import Sweeps, trace_unrolled
from lagrangian.kernels.trace.schedule import Schedule, schedule

dyn = lg.compile(lg.library("two_r"))
sweeps = Sweeps(GRAVITY, dyn.tree)
trace = trace_unrolled(GRAVITY, sweeps.structure)
program = schedule(trace, fused=False)
for name, result, arguments in program.operations[:5]:
    print(result, name, *arguments)

# --- writer
FORMULAS = {
    "add": "{} + {}",
    "sub": "{} - {}",
    "mul": "{} * {}",
    "div": "{} / {}",
    "neg": "-{}",
    "fma": "{} * {} + {}",
    "touch": "{} + 0 * {}",
    "choose": "{2} if {0} < {1} else {3}",
    "by_sign": "{1} if {0} > 0 else {2} if {0} < 0 else {0}",
}


def python_source(name: str, inputs: list[str], program: Schedule) -> str:
    values = {k: repr(x) for k, x in program.constants.items()}
    lines = [f"def {name}({', '.join(inputs)}):", "    out = {}"]
    for operation, result, arguments in program.operations:
        if operation == "output":
            position, value = arguments
            lines.append(f"    out[{position}] = {values[value]}")
            continue
        if operation in ("input", "angle"):
            formula = "{}[{}]".format(*arguments)
        else:
            given = [values[k] for k in arguments]
            called = f"math.{operation}({', '.join(given)})"
            formula = FORMULAS.get(operation, called).format(*given)
        values[result] = f"v{result}"
        lines.append(f"    v{result} = {formula}")
    return "\n".join([*lines, "    return [out[k] for k in range(len(out))]"])


source = python_source("gravity", ["q", "k"], program)
print("\n".join(source.splitlines()[:6]), "...")

# --- check
import math

space = {"math": math}
exec(source, space)
q = [0.3, -0.7]
k = sweeps.numbers.values.tolist()  # masses, lengths: what code reads
print([round(x, 6) for x in space["gravity"](q, k)])
print(dyn.gravity(q).round(6).tolist())
