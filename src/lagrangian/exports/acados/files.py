"""The files beside the plain C: header, source, a Python file for CasADi and acados, and CMake's lines."""

from __future__ import annotations

from collections.abc import Sequence
from string import Template

from lagrangian.exports.acados.bodies import bodies
from lagrangian.exports.acados.interface import DEFINED, Interface, declared, defined, tables
from lagrangian.exports.acados.model import Sizes
from lagrangian.exports.targets.c import Sources, comment, told

HEADER = Template("""\
/*
 * A model of $mechanism for acados, through the C interface that CasADi's generated code has.
 * The state is x = (q, qd), and the controls u are the joint forces along the speeds
$controls
 * The parameters p are those of ${name}_parameters, in that order; without p they have their usual values.
 * Matrices are column by column.
 *
 * acados' C interface takes the functions as they are:
 *     external_function_param_casadi f;
 *     f.casadi_fun = &${name}_expl_vde_forw;
 *     f.casadi_work = &${name}_expl_vde_forw_work;
 *     f.casadi_sparsity_in = &${name}_expl_vde_forw_sparsity_in;
 *     f.casadi_sparsity_out = &${name}_expl_vde_forw_sparsity_out;
 *     f.casadi_n_in = &${name}_expl_vde_forw_n_in;
 *     f.casadi_n_out = &${name}_expl_vde_forw_n_out;
 *     external_function_param_casadi_create(&f, $parameters, &opts);
 * A library that casadi.external loads is compiled with CASADI_EXTERNAL defined; its whole numbers are longer.
 */
#ifndef ${guard}_ACADOS_H
#define ${guard}_ACADOS_H

#ifdef __cplusplus
extern "C" {
#endif

#ifdef CASADI_EXTERNAL
typedef long long int ${name}_int;
typedef int ${name}_mem;
#else
typedef int ${name}_int;
typedef void *${name}_mem;
#endif

#if defined(_WIN32) && defined(CASADI_EXTERNAL)
#define ${guard}_EXPORT __declspec(dllexport)
#else
#define ${guard}_EXPORT
#endif

$declared

#ifdef __cplusplus
}
#endif

#endif /* ${guard}_ACADOS_H */
""")

PYTHON = Template('''\
"""The model $name of acados, and its functions for CasADi, from the compiled library of this folder.

    cmake -S . -B build && cmake --build build

    import ${name}_acados
    ocp = AcadosOcp()
    ocp.model = ${name}_acados.acados_model()
    ocp.parameter_values = numpy.array(list(${name}_acados.P.values()))
    ocp.code_gen_options.model_external_shared_lib_dir = str(${name}_acados.LIBRARY.parent)
    ocp.code_gen_options.model_external_shared_lib_name = "${name}_acados"

Versions of acados before 0.5.5 have the last two in `ocp.solver_options`. Derivatives by the state and the controls are exact,
and of first order: use hessian_approx = "GAUSS_NEWTON", and in IPOPT hessian_approximation = "limited-memory". There are no
derivatives by the parameters; CasADi takes them as zero.
"""

from pathlib import Path

import casadi as ca

LIBRARY = Path(__file__).resolve().parent / "build" / "lib${name}_acados.so"
X = $x  # the state
U = $u  # the controls
P = $p  # the parameters, with their usual values


def function(name, library=LIBRARY):
    """A function of the library, such as "expl_ode_fun", as CasADi calls and differentiates it."""
    return ca.external(f"${name}_{name}", str(library))


def symbols():
    """x, u and p as symbols."""
    return ca.MX.sym("x", len(X)), ca.MX.sym("u", len(U)), ca.MX.sym("p", len(P))


def acados_model(library=LIBRARY):
    """The model, to be given to AcadosOcp or AcadosSim: explicit for ERK, implicit for IRK."""
    from acados_template import AcadosModel

    x, u, p = symbols()
    xdot = ca.MX.sym("xdot", len(X))
    model = AcadosModel()
    model.name = "${name}_model"  # another than that of the library's functions, which acados' own would hide
    model.x, model.xdot, model.u, model.p = x, xdot, u, p
    model.f_expl_expr = function("expl_ode_fun", library)(x, u, p)
    model.f_impl_expr = function("impl_dae_fun", library)(x, xdot, u, ca.DM.zeros(0, 1), 0, p)
    return model
''')

CMAKE = Template("""
# what casadi.external loads, and what acados links where its Python interface made the solver
add_library(${name}_acados SHARED ${name}_acados.c ${name}.c)
target_compile_definitions(${name}_acados PRIVATE CASADI_EXTERNAL)
if(NOT MSVC)
  target_link_libraries(${name}_acados PRIVATE m)
endif()
""")


def header(made: Sources, sizes: Sizes, found: Sequence[Interface]) -> str:
    speeds = ", ".join(made.package.speeds[k] for k in sizes.driven) or "none"
    return HEADER.substitute(
        mechanism=told(made.mechanism.name),
        name=made.prefix,
        guard=made.prefix.upper(),
        controls="\n".join(comment(f"{speeds}.")),
        parameters=sizes.parameters,
        declared="\n".join(declared(found, made.prefix)),
    )


def source(made: Sources, sizes: Sizes, found: Sequence[Interface]) -> str:
    name = made.prefix
    lines = [f'#include "{name}_acados.h"', "", f'#include "{name}.h"', ""]
    lines += ["#include <string.h>", ""] if made.constants else []
    lines += [bodies(made, sizes), *tables(found, name), "", DEFINED.format(name=name)]
    for each in found:
        lines += [f"/* {each.about}", f" * {each.told} */", *defined(each, name)]
    return "\n".join(lines)


def python(made: Sources, sizes: Sizes) -> str:
    speeds = made.package.speeds
    parameters = {p.name: p.value for p in made.package.parameters} if made.constants else {}
    return PYTHON.substitute(
        name=made.prefix,
        x=[*made.package.coordinates, *(f"{name}'" for name in speeds)],
        u=[speeds[k] for k in sizes.driven],
        p=parameters,
    )


def cmake(made: Sources) -> str:
    return CMAKE.substitute(name=made.prefix)
