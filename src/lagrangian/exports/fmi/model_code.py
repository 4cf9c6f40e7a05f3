"""The C that connects the routines of a mechanism with the variables of its FMU: `fmu_model.h` and `fmu_model.c`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from lagrangian.exports.fmi import start_code
from lagrangian.exports.fmi.content import NORMALISE, Content
from lagrangian.exports.languages.language import wrapped
from lagrangian.exports.routine import Routine
from lagrangian.exports.targets.c import told

# what source files share: it gets the model's name before it, so that several FMUs can be linked into one program
SHARED = (
    *("fmu_tell", "fmu_is_in", "fmu_start", "fmu_touch", "fmu_derivatives", "fmu_outputs", "fmu_rates", "fmu_close"),
    *("fmu_finite", "model_start", "model_names", "model_constraint_names", "model_prepare", "model_forces", "model_rates"),
    *("model_nearest", "model_open", "model_outputs", *start_code.NAMES, *start_code.FUNCTIONS),
    *("fmu_assemble", "fmu_factor", "fmu_forward", "fmu_backward", "fmu_least", "fmu_largest", "fmu_unit_quaternions"),
    *("fmu_newton", "fmu_descent", "fmu_go", "fmu_reached", "fmu_speeds"),
)
TAKEN = "double t, const double *x"
FUNCTIONS = {
    "model_prepare": "void model_prepare(const double *parameters, model_constants *constants)",
    "model_forces": f"void model_forces({TAKEN}, const double *values, const model_constants *constants, double *tau)",
    "model_rates": f"void model_rates({TAKEN}, const double *tau, const model_constants *constants, double *rates)",
    "model_nearest": f"void model_nearest({TAKEN}, const model_constants *constants, double *nearest)",
    "model_open": f"double model_open({TAKEN}, const model_constants *constants, size_t *worst)",
    "model_outputs": f"void model_outputs({TAKEN}, const double *tau, const model_constants *constants, double *y)",
}
ABOUT = {
    "model_prepare": "The constants that follow from the parameters.",
    "model_forces": "The joint forces: those of the description, and the inputs, which are among the values.",
    "model_rates": "The rates of the coordinates, and the accelerations.",
    "model_nearest": "The nearest state that keeps the constraints, by one step of Newton's method.",
    "model_open": "The largest violation of a constraint, and the number of that constraint.",
    "model_outputs": "All outputs but the accelerations, which are the first, and are known.",
}


def header(content: Content, token: str) -> str:
    variables, mechanism = content.variables, content.mechanism
    sizes = {
        "COORDINATES": mechanism.nq,
        "SPEEDS": mechanism.nv,
        "STATES": len(variables.states),
        "PARAMETERS": len(variables.parameters),
        "INPUTS": len(variables.inputs),
        "OUTPUTS": len(variables.outputs),
        **{name.upper(): place for name, place in variables.settings.items()},
        "PROJECTED": int(content.projected),
        "TIMED": int("project" in content.routines and _timed(content.routines["project"])),
        **start_code.sizes(content),
    }
    constants = f"{content.identifier}_constants" if content.sources.constants else "struct { double none; }"
    lines = [
        f"/* What the FMU of {told(mechanism.name)} has of its own: sizes, value references of settings, and functions. */",
        "#ifndef FMU_MODEL_H",
        "#define FMU_MODEL_H",
        "",
        "#include <stddef.h>",
        "",
        f'#include "{content.identifier}.h"',
        "",
        f'#define MODEL_TOKEN "{token}"',
        *(f"#define MODEL_{name} {value}" for name, value in sizes.items()),
        "",
        *(f"#define {name} {content.identifier}_{name}" for name in SHARED),
        "",
        f"typedef {constants} model_constants;",
        "",
        "extern const double model_start[];",
        "extern const char *const model_names[];",
        "extern const char *const model_constraint_names[];",
        "",
        *(start_code.declarations() if mechanism.equations else ()),
    ]
    for name, signature in _functions(content).items():
        lines += [f"/* {(ABOUT | start_code.ABOUT)[name]} */", f"{signature};", ""]
    return "\n".join([*lines, "#endif /* FMU_MODEL_H */", ""])


def source(content: Content) -> str:
    values = [repr(x.start or 0.0) for x in content.variables.all]
    values[0] = repr(content.span[0])
    names = [f'"{x.name}"' for x in content.variables.all]
    lines = [
        '#include "fmu_model.h"',
        "",
        "#include <math.h>",
        "#include <string.h>",
        "",
        "const double model_start[] = {",
        *wrapped(values, "    "),
        "};",
        "",
        "const char *const model_names[] = {",
        *wrapped(names, "    "),
        "};",
        "",
        "const char *const model_constraint_names[] = {",
        *wrapped([_string(name) for name in _constraints(content)] or ['""'], "    "),
        "};",
        "",
        *(start_code.tables(content) if content.mechanism.equations else ()),
    ]
    bodies = {
        "model_prepare": _prepare(content),
        "model_forces": _forces(content),
        "model_rates": _rates(content),
        "model_nearest": _nearest(content),
        "model_open": _open(content),
        "model_outputs": _outputs(content),
    }
    if content.mechanism.equations:
        bodies |= {
            name: [_call(content, routine, [output], {"qd": "speeds"} if name == "model_moving" else None)]
            for name, (routine, output) in start_code.CALLS.items()
        }
    for name, body in bodies.items():
        signature = _functions(content)[name]
        given = signature.partition("(")[2].removesuffix(")").split(", ")
        unused = [f"(void){each.split(' ')[-1].lstrip('*')};" for each in given]
        last = [body.pop()] if body and body[-1].startswith("return") else []
        lines += [signature, "{", *(f"    {line}" for line in (*body, *unused, *last)), "}", ""]
    return "\n".join(lines)


def _functions(content: Content) -> dict[str, str]:
    return FUNCTIONS | start_code.FUNCTIONS if content.mechanism.equations else FUNCTIONS


def _timed(routine: Routine) -> bool:
    return any(x.name == "t" for x in routine.inputs)


def _string(text: str) -> str:
    """A text for messages, in which # is written twice."""
    plain = told(text).replace("#", "##").replace("\\", "\\\\").replace('"', '\\"')
    return f'"{plain}"'


def _constraints(content: Content) -> Iterable[str]:
    if "constraint_rate" not in content.routines:
        return ()
    return (*content.routines["closure"].outputs[0].entries, *content.routines["constraint_rate"].outputs[0].entries)


def _call(content: Content, name: str, outputs: Iterable[str], given: Mapping[str, str] | None = None) -> str:
    """A call of a routine of the catalogue, whose inputs have these names in C."""
    known = {"t": "t", "q": "x", "qd": "x + MODEL_COORDINATES", "tau": "tau", "qdd": "y", **(given or {})}
    routine = content.routines[name]
    passed = [known[x.name] for x in routine.inputs]
    passed += ["constants"] if content.sources.constants else []
    return f"{content.identifier}_{routine.name}({', '.join([*passed, *outputs])});"


def _prepare(content: Content) -> list[str]:
    if not content.sources.constants:
        return ["constants->none = 0.0;"]
    name = content.identifier
    fields = {p.name: field for p, field in zip(content.sources.package.parameters, content.sources.fields, strict=True)}
    lines = [f"{name}_parameters given = {name}_default_parameters;"]
    lines += [f"given.{fields[p.name]} = parameters[{k}];" for k, p in enumerate(content.parameters)]
    return [*lines, f"{name}_prepare(&given, constants);"]


def _forces(content: Content) -> list[str]:
    if "torque" in content.routines:
        lines = [_call(content, "torque", ["tau"])]
    else:
        lines = ["memset(tau, 0, MODEL_SPEEDS * sizeof *tau);"]
    first = content.variables.first("inputs")
    lines += [f"tau[{speed}] += values[{first + k}];" for k, speed in enumerate(content.variables.driven)]
    return [*lines, *_friction(content)] if "friction_speed" in content.variables.settings else lines


def _friction(content: Content) -> list[str]:
    """What takes the jump of dry friction at rest away: a force along the motion that fades as the speed grows.

    Friction is a part that grows with the speeds, and dry friction, which does not: it is 2 F(qd) - F(2 qd).
    """
    lines = [
        f"const double slow = values[{content.variables.settings['friction_speed']}];",
        "if (slow > 0.0) {",
        "    double twice[MODEL_SPEEDS], single[MODEL_SPEEDS], doubled[MODEL_SPEEDS];",
        "    for (size_t i = 0; i < MODEL_SPEEDS; ++i)",
        "        twice[i] = 2.0 * x[MODEL_COORDINATES + i];",
        f"    {_call(content, 'friction', ['single'])}",
        f"    {_call(content, 'friction', ['doubled'], {'qd': 'twice'})}",
    ]
    for k, speeds in content.sliding.items():
        squares = " + ".join(f"twice[{i}] * twice[{i}]" for i in speeds)
        lines.append(f"    tau[{k}] += (2.0 * single[{k}] - doubled[{k}]) * (1.0 - tanh(0.5 * sqrt({squares}) / slow));")
    return [*lines, "}"]


def _rates(content: Content) -> list[str]:
    return [
        _call(content, "coordinate_rates", ["rates"]),
        _call(content, "forward_dynamics", ["rates + MODEL_COORDINATES"]),
    ]


def _nearest(content: Content) -> list[str]:
    if "project" in content.routines:
        return [_call(content, "project", ["nearest", "nearest + MODEL_COORDINATES"])]
    lines = ["memcpy(nearest, x, MODEL_STATES * sizeof *x);"]
    return [*lines, _call(content, NORMALISE, ["nearest"])] if content.projected else lines


def _open(content: Content) -> list[str]:
    if "project" not in content.routines:
        return ["return 0.0;"]
    closure, rate = (content.routines[name].size for name in ("closure", "constraint_rate"))
    return [
        f"double off[{closure + rate}], most = 0.0;",
        _call(content, "closure", ["off"]),
        _call(content, "constraint_rate", [f"off + {closure}"]),
        f"for (size_t i = 0; i < {closure + rate}; ++i)",
        "    if (!(fabs(off[i]) <= most)) {",
        "        most = fabs(off[i]);",
        "        *worst = i;",
        "    }",
        "return most;",
    ]


def _outputs(content: Content) -> list[str]:
    """Routines write their numbers into y; where only some of them are outputs, into an array first."""
    places: dict[tuple[str, str], list[tuple[int, int]]] = {}
    for k, output in enumerate(content.outputs):
        places.setdefault((output.routine, output.argument), []).append((k, output.index))
    multipliers = places.get(("multipliers", "multipliers"), [(0, 0)])[0][0]
    lines: list[str] = []
    for name in dict.fromkeys(x.routine for x in content.outputs if x.routine != "forward_dynamics"):
        passed, arrays, copied = [], [], []
        for x in content.routines[name].outputs:
            found = places[name, x.name]
            if [index for _, index in found] == list(range(x.size)):
                passed.append(f"y + {found[0][0]}")
                continue
            passed.append(x.name)
            arrays.append(f"    double {x.name}[{x.size}];")
            copied += [f"    y[{k}] = {x.name}[{index}];" for k, index in found]
        call = _call(content, name, passed, {"multipliers": f"y + {multipliers}"})
        lines += ["{", *arrays, f"    {call}", *copied, "}"] if arrays else [call]
    return lines
