"""The C that connects the routines of a mechanism with the variables of its FMU: `fmu_model.h` and `fmu_model.c`.

The FMU of a mechanism with constraints also has tables and functions that the search for a consistent start reads.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from lagrangian.configuration.coordinates import periodic_coordinates, single_coordinates
from lagrangian.configuration.start import as_dynamics
from lagrangian.exports.fmi.content import NORMALISE, FmuModel
from lagrangian.exports.source.language import wrap_values
from lagrangian.exports.targets.c import comment_text
from lagrangian.functions.routine import Routine

DRIVEN, PERIODIC, QUATERNION = 1, 2, 4  # traits of coordinates
RANK_TOLERANCE = 1e-7  # of the largest slope: rows that depend on each other by less do
CONSTANTS_ARGUMENT = "const model_constants *constants"
STATE_ARGUMENTS = "double t, const double *x"
MODEL_FUNCTIONS = {
    "model_prepare": "void model_prepare(const double *parameters, model_constants *constants)",
    "model_forces": f"void model_forces({STATE_ARGUMENTS}, const double *values, const model_constants *constants, double *tau)",
    "model_rates": f"void model_rates({STATE_ARGUMENTS}, const double *tau, const model_constants *constants, double *rates)",
    "model_nearest": f"void model_nearest({STATE_ARGUMENTS}, const model_constants *constants, double *nearest)",
    "model_open": f"double model_open({STATE_ARGUMENTS}, const model_constants *constants, size_t *worst)",
    "model_outputs": f"void model_outputs({STATE_ARGUMENTS}, const double *tau, const model_constants *constants, double *y)",
}
MODEL_COMMENTS = {
    "model_prepare": "The constants that follow from the parameters.",
    "model_forces": "The joint forces: those of the description, and the inputs, which are among the values.",
    "model_rates": "The rates of the coordinates, and the accelerations.",
    "model_nearest": "The nearest state that keeps the constraints, by one step of Newton's method.",
    "model_open": "The largest violation of a constraint, and the number of that constraint.",
    "model_outputs": "All outputs but the accelerations, which are the first, and are known.",
}
START_FUNCTIONS = {
    "model_closure": f"void model_closure(double t, const double *x, {CONSTANTS_ARGUMENT}, double *eta)",
    "model_slopes": f"void model_slopes(double t, const double *x, {CONSTANTS_ARGUMENT}, double *psi)",
    "model_breaking": f"void model_breaking(double t, const double *x, {CONSTANTS_ARGUMENT}, double *rate)",
    "model_masses": f"void model_masses(const double *x, {CONSTANTS_ARGUMENT}, double *masses)",
    "model_moving": f"void model_moving(const double *x, const double *speeds, {CONSTANTS_ARGUMENT}, double *rates)",
}
START_COMMENTS = {
    "model_closure": "The violation of the equations of coordinates; x may contain coordinates only.",
    "model_slopes": "How equations change with the speeds, a row for each.",
    "model_breaking": "How fast the constraints are left.",
    "model_masses": "The mass matrix.",
    "model_moving": "The rates of the coordinates at these speeds.",
}

# the routine that each of them calls, and the name of its output in C
START_CALLS = {
    "model_closure": ("closure", "eta"),
    "model_slopes": ("constraint_jacobian", "psi"),
    "model_breaking": ("constraint_rate", "rate"),
    "model_masses": ("mass_matrix", "masses"),
    "model_moving": ("coordinate_rates", "rates"),
}
START_TABLE_NAMES = ("model_holonomic", "model_traits", "model_driven_speeds")

# names that source files share: the model's name goes before each, so that several FMUs can be linked into one program
PREFIXED_NAMES = (
    *("fmu_tell", "fmu_is_in", "fmu_start", "fmu_touch", "fmu_derivatives", "fmu_outputs", "fmu_rates", "fmu_close"),
    *("fmu_finite", "model_start", "model_names", "model_constraint_names", "model_prepare", "model_forces", "model_rates"),
    *("model_nearest", "model_open", "model_outputs", *START_TABLE_NAMES, *START_FUNCTIONS),
    *("fmu_assemble", "fmu_factor", "fmu_forward", "fmu_backward", "fmu_least", "fmu_largest", "fmu_unit_quaternions"),
    *("fmu_newton", "fmu_descent", "fmu_go", "fmu_reached", "fmu_speeds"),
)


def header(content: FmuModel, token: str) -> str:
    """The text of `fmu_model.h`."""
    variables, mechanism = content.variables, content.mechanism
    sizes = {
        "COORDINATES": mechanism.nq,
        "SPEEDS": mechanism.nv,
        "STATES": len(variables.states),
        "PARAMETERS": len(variables.parameters),
        "INPUTS": len(variables.inputs),
        "OUTPUTS": len(variables.outputs),
        **{name.upper(): place for name, place in variables.settings.items()},
        "PROJECTED": int(content.needs_projection),
        "TIMED": int("project" in content.routines and _takes_time(content.routines["project"])),
        **start_sizes(content),
    }
    constants = f"{content.identifier}_constants" if content.sources.constants else "struct { double none; }"
    lines = [
        f"/* What the FMU of {comment_text(mechanism.name)} has of its own: sizes, value references of settings, and functions. "
        "*/",
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
        *(f"#define {name} {content.identifier}_{name}" for name in PREFIXED_NAMES),
        "",
        f"typedef {constants} model_constants;",
        "",
        "extern const double model_start[];",
        "extern const char *const model_names[];",
        "extern const char *const model_constraint_names[];",
        "",
        *(start_declarations() if mechanism.equation_count else ()),
    ]
    for name, signature in _functions(content).items():
        lines += [f"/* {(MODEL_COMMENTS | START_COMMENTS)[name]} */", f"{signature};", ""]
    return "\n".join([*lines, "#endif /* FMU_MODEL_H */", ""])


def source(content: FmuModel) -> str:
    """The text of `fmu_model.c`."""
    values = [repr(x.start or 0.0) for x in content.variables.all_variables]
    values[0] = repr(content.span[0])
    names = [f'"{x.name}"' for x in content.variables.all_variables]
    lines = [
        '#include "fmu_model.h"',
        "",
        "#include <math.h>",
        "#include <string.h>",
        "",
        "const double model_start[] = {",
        *wrap_values(values, "    "),
        "};",
        "",
        "const char *const model_names[] = {",
        *wrap_values(names, "    "),
        "};",
        "",
        "const char *const model_constraint_names[] = {",
        *wrap_values([_string(name) for name in _constraints(content)] or ['""'], "    "),
        "};",
        "",
        *(start_tables(content) if content.mechanism.equation_count else ()),
    ]
    bodies = {
        "model_prepare": _prepare_body(content),
        "model_forces": _forces_body(content),
        "model_rates": _rates_body(content),
        "model_nearest": _nearest_body(content),
        "model_open": _open_body(content),
        "model_outputs": _outputs_body(content),
    }
    if content.mechanism.equation_count:
        bodies |= {
            name: [_call(content, routine, [output], {"qd": "speeds"} if name == "model_moving" else None)]
            for name, (routine, output) in START_CALLS.items()
        }
    for name, body in bodies.items():
        signature = _functions(content)[name]
        parameters = signature.partition("(")[2].removesuffix(")").split(", ")
        unused = [f"(void){parameter.split(' ')[-1].lstrip('*')};" for parameter in parameters]
        last = [body.pop()] if body and body[-1].startswith("return") else []
        lines += [signature, "{", *(f"    {line}" for line in (*body, *unused, *last)), "}", ""]
    return "\n".join(lines)


def _functions(content: FmuModel) -> dict[str, str]:
    return MODEL_FUNCTIONS | START_FUNCTIONS if content.mechanism.equation_count else MODEL_FUNCTIONS


def _takes_time(routine: Routine) -> bool:
    return any(x.name == "t" for x in routine.inputs)


def _string(text: str) -> str:
    """A C string for messages, in which # is written twice."""
    plain = comment_text(text).replace("#", "##").replace("\\", "\\\\").replace('"', '\\"')
    return f'"{plain}"'


def _constraints(content: FmuModel) -> Iterable[str]:
    if "constraint_rate" not in content.routines:
        return ()
    return (*content.routines["closure"].outputs[0].entries, *content.routines["constraint_rate"].outputs[0].entries)


def _call(content: FmuModel, name: str, outputs: Iterable[str], input_names: Mapping[str, str] | None = None) -> str:
    """A call of a routine of the catalogue, whose inputs have these names in C."""
    input_expressions = {"t": "t", "q": "x", "qd": "x + MODEL_COORDINATES", "tau": "tau", "qdd": "y", **(input_names or {})}
    routine = content.routines[name]
    arguments = [input_expressions[x.name] for x in routine.inputs]
    arguments += ["constants"] if content.sources.constants else []
    return f"{content.identifier}_{routine.name}({', '.join([*arguments, *outputs])});"


def _prepare_body(content: FmuModel) -> list[str]:
    if not content.sources.constants:
        return ["constants->none = 0.0;"]
    name = content.identifier
    fields = {p.name: field for p, field in zip(content.sources.package.parameters, content.sources.fields, strict=True)}
    lines = [f"{name}_parameters values = {name}_default_parameters;"]
    lines += [f"values.{fields[p.name]} = parameters[{k}];" for k, p in enumerate(content.parameters)]
    return [*lines, f"{name}_prepare(&values, constants);"]


def _forces_body(content: FmuModel) -> list[str]:
    if "torque" in content.routines:
        lines = [_call(content, "torque", ["tau"])]
    else:
        lines = ["memset(tau, 0, MODEL_SPEEDS * sizeof *tau);"]
    first = content.variables.first_reference("inputs")
    lines += [f"tau[{speed}] += values[{first + k}];" for k, speed in enumerate(content.variables.input_speeds)]
    return [*lines, *_friction_lines(content)] if "friction_speed" in content.variables.settings else lines


def _friction_lines(content: FmuModel) -> list[str]:
    """Lines that remove the jump of dry friction at rest: they add a force along the motion that fades as the speed grows.

    Friction is a part that grows with the speeds, and dry friction, which does not: dry friction is 2 F(qd) - F(2 qd).
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
    for k, speeds in content.friction_groups.items():
        squares = " + ".join(f"twice[{i}] * twice[{i}]" for i in speeds)
        lines.append(f"    tau[{k}] += (2.0 * single[{k}] - doubled[{k}]) * (1.0 - tanh(0.5 * sqrt({squares}) / slow));")
    return [*lines, "}"]


def _rates_body(content: FmuModel) -> list[str]:
    return [
        _call(content, "coordinate_rates", ["rates"]),
        _call(content, "forward_dynamics", ["rates + MODEL_COORDINATES"]),
    ]


def _nearest_body(content: FmuModel) -> list[str]:
    if "project" in content.routines:
        return [_call(content, "project", ["nearest", "nearest + MODEL_COORDINATES"])]
    lines = ["memcpy(nearest, x, MODEL_STATES * sizeof *x);"]
    return [*lines, _call(content, NORMALISE, ["nearest"])] if content.needs_projection else lines


def _open_body(content: FmuModel) -> list[str]:
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


def _outputs_body(content: FmuModel) -> list[str]:
    """Calls of the routines, which write their numbers into y, or into an array first where only some of them are outputs."""
    places: dict[tuple[str, str], list[tuple[int, int]]] = {}
    for k, output in enumerate(content.outputs):
        places.setdefault((output.routine, output.argument), []).append((k, output.index))
    multipliers = places.get(("multipliers", "multipliers"), [(0, 0)])[0][0]
    lines: list[str] = []
    for name in dict.fromkeys(x.routine for x in content.outputs if x.routine != "forward_dynamics"):
        arguments, arrays, copy_lines = [], [], []
        for x in content.routines[name].outputs:
            output_places = places[name, x.name]
            if [index for _, index in output_places] == list(range(x.size)):
                arguments.append(f"y + {output_places[0][0]}")
                continue
            arguments.append(x.name)
            arrays.append(f"    double {x.name}[{x.size}];")
            copy_lines += [f"    y[{k}] = {x.name}[{index}];" for k, index in output_places]
        call = _call(content, name, arguments, {"multipliers": f"y + {multipliers}"})
        lines += ["{", *arrays, f"    {call}", *copy_lines, "}"] if arrays else [call]
    return lines


def start_sizes(content: FmuModel) -> dict[str, int]:
    """The macros for the search for a consistent start, by name."""
    equations = content.mechanism.equation_count
    macros = {"EQUATIONS": equations, "CLOSURES": content.routines["closure"].outputs[0].size if equations else 0}
    return {**macros, "DRIVEN": DRIVEN, "PERIODIC": PERIODIC, "QUATERNION": QUATERNION} if equations else macros


def start_declarations() -> list[str]:
    """The declarations of the tables that the search for a consistent start reads."""
    return [
        "extern const size_t model_holonomic[];           /* the row in the slopes of each equation of coordinates */",
        "extern const unsigned char model_traits[];        /* of coordinates: whether MODEL_DRIVEN, MODEL_PERIODIC ... */",
        "extern const unsigned char model_driven_speeds[]; /* whether each speed stays where it can */",
        "",
    ]


def start_tables(content: FmuModel) -> list[str]:
    """The tables that the search for a consistent start reads."""
    mechanism = content.mechanism
    dyn = as_dynamics(mechanism)
    start = np.array([x.start for x in content.variables.states[: mechanism.nq]], dtype=float)
    psi = dyn.constraint_jacobian(start, content.span[0])
    places = single_coordinates(mechanism)
    driven = [places[name] for joint in mechanism.joints if joint.actuated for name in joint.coordinate_names if name in places]
    speeds = [speed for _, speed in driven]
    standing, moving = _independent_speeds(psi[dyn.holonomic], speeds), _independent_speeds(psi, speeds)
    traits = np.zeros(mechanism.nq, dtype=int)
    traits[[coordinate for coordinate, speed in driven if speed in standing]] |= DRIVEN
    traits[periodic_coordinates(mechanism)] |= PERIODIC
    first = 0
    for joint in mechanism.joints:
        if joint.kind.quaternion:
            traits[first] |= QUATERNION
        first += joint.kind.nq
    rows = np.flatnonzero(dyn.holonomic).tolist()
    return [
        *_table("const size_t model_holonomic[]", rows or [0]),
        *_table("const unsigned char model_traits[]", traits.tolist()),
        *_table("const unsigned char model_driven_speeds[]", [int(k in moving) for k in range(mechanism.nv)]),
    ]


def _table(name: str, values: Iterable[int]) -> list[str]:
    return [f"{name} = {{", *wrap_values([str(x) for x in values], "    "), "};", ""]


def _independent_speeds(psi: np.ndarray, speeds: Iterable[int]) -> set[int]:
    """The speeds that can be prescribed, one after the other: the other speeds keep the constraints as well as all do."""
    is_dependent, independent = np.ones(psi.shape[1], dtype=bool), set[int]()
    for speed in speeds:
        is_dependent[speed] = False
        if _rank(psi[:, is_dependent]) == _rank(psi):
            independent.add(speed)
        else:
            is_dependent[speed] = True
    return independent


def _rank(psi: np.ndarray) -> int:
    return int(np.linalg.matrix_rank(psi, tol=RANK_TOLERANCE * float(np.abs(psi).max(initial=0.0)))) if psi.size else 0
