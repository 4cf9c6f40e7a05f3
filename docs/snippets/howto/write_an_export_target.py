"""The examples of docs/howto/write_an_export_target.md, in its order."""

# --- routine
import lagrangian as lg
from lagrangian.functions.catalogue import package

generated = package(lg.library("two_r"), ["gravity"], parameters=["m2", "l1"])
(gravity,) = generated.routines
print(gravity.name, [x.name for x in gravity.inputs], [x.name for x in gravity.outputs])
for number, node in enumerate(gravity.body.trace.nodes[:6]):
    print(number, *node)

# --- language
from lagrangian.exports.source.language import ExpressionText, Language


class JavaScript(Language):
    """Functions take arrays and fill arrays."""

    close = "}"

    def __init__(self):
        self.functions = {
            name: f"Math.{name}" for name in ("sin", "cos", "sqrt", "atan2")
        }

    def element(self, array, index):
        return f"{array}[{index}]"

    def choice(self, condition, x, y):
        return ExpressionText(f"({condition} ? {x} : {y})")

    def constant(self, name, text):
        return f"const {name} = {text};"

    def variable(self, name, text):
        return f"let {name} = {text};"

    integer, counter = constant, variable

    def assignment(self, place, text):
        return f"{place} = {text};"

    def array(self, name, size):
        return f"const {name} = new Float64Array({size});"

    def loop(self, name, count, backward=False):
        if backward:
            return f"for (let {name} = {count - 1}; {name} >= 0; --{name}) {{"
        return f"for (let {name} = 0; {name} < {count}; ++{name}) {{"

    def while_loop(self, condition):
        return f"while ({condition}) {{"

    def branch(self, condition, first):
        return f"{'' if first else '} else '}if ({condition}) {{"

    def table(self, name, values, integers):
        return [f"const {name} = [{', '.join(map(str, values))}];"]

    def opening(self, routine):
        arguments = [x.name for x in (*routine.inputs, *routine.outputs)]
        return [f"function {routine.name}({', '.join([*arguments, 'k'])}) {{"]

    def closing(self, routine):
        return ["}"]

    def call(self, routine, inputs, outputs):
        return [f"{routine.name}({', '.join([*inputs, *outputs, 'k'])});"]


# --- written
from lagrangian.exports.source.writer import routine_lines

print("\n".join(routine_lines(JavaScript(), gravity, {})))

# --- target
from lagrangian.exports.reference_values import evaluate_constants
from lagrangian.exports.targets import register
from lagrangian.exports.targets.target import ExportedFiles, ExportTarget, TargetOption


class JavaScriptFile(ExportTarget):
    name = "javascript"
    about = "one file of JavaScript functions"
    file_suffix = ".js"
    options = {"strict": TargetOption("whether it begins with 'use strict'", True)}

    def make(self, mechanism, request):
        generated = self.package(mechanism, request)
        called = {routine.name: routine for routine in generated.routines}
        lines = ["'use strict';"] if self.option(request, "strict") else []
        lines.append(
            f"const constants = [{', '.join(map(repr, evaluate_constants(generated)))}];"
        )
        for routine in generated.routines:
            lines += [
                f"// {routine.about}",
                *routine_lines(JavaScript(), routine, called),
            ]
        return ExportedFiles(
            {f"{mechanism.name}.js": "\n".join(lines) + "\n"}, notes=generated.notes
        )


register(JavaScriptFile())
written = lg.export(lg.library("two_r"), "javascript", "two_r.js", functions=["step"])
print(written)

# --- functions
import mpmath

from lagrangian.exports.targets.target import ExportTarget
from lagrangian.functions.routine import StraightLineCode
from lagrangian.kernels.trace.node import PREPARED
from lagrangian.kernels.trace.replay import SCALARS, replay

OPERATIONS = {
    **SCALARS,
    "sin": mpmath.sin,
    "cos": mpmath.cos,
    "sqrt": mpmath.sqrt,
    "choose": lambda a, b, x, y: x if a < b else y,
}


class ManyDigits(ExportTarget):
    name = "mpmath"
    about = "functions of numbers with as many digits as mpmath is set to"

    def make(self, mechanism, request):
        generated = self.package(mechanism, request)
        return ExportedFiles(
            functions={r.name: self.function(generated, r) for r in generated.routines}
        )

    def function(self, generated, routine):
        if not isinstance(routine.body, StraightLineCode):
            raise lg.ArgumentError(f"{routine.name} is not straight-line code")

        def evaluate(*arrays):
            values = {x.name: array for x, array in zip(routine.inputs, arrays)}
            p = [mpmath.mpf(x.value) for x in generated.parameters]
            k = replay(generated.preparation, lambda name, index: p[index], OPERATIONS)
            values[PREPARED] = k
            read = lambda name, index: values[name][index]  # noqa: E731
            return replay(routine.body.trace, read, OPERATIONS)

        return evaluate


register(ManyDigits())
with mpmath.workdps(30):
    many = lg.export(lg.library("two_r"), "mpmath", functions=["gravity"])
    for x in many.gravity([mpmath.mpf("0.3"), mpmath.mpf("-0.7")]):
        print(x)
print(lg.compile(lg.library("two_r")).gravity([0.3, -0.7]))
