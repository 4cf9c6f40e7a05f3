"""The files of an acados model beside the plain C: header, source, a Python file for CasADi and acados, and CMake's lines.

The source puts states together, calls the plain functions, and gives their derivatives as matrices by columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from string import Template

from lagrangian.exports.targets.acados_interface import (
    DEFINE_MACRO,
    CasadiInterface,
    definition_lines,
    header_lines,
    sparsity_tables,
)
from lagrangian.exports.targets.acados_model import AcadosSizes
from lagrangian.exports.targets.c import CSourceFiles, comment_lines, comment_text

HEADER = Template("""\
/*
 * A model of $mechanism for acados, through the C interface that CasADi's generated code has.
 * The state is x = (q, qd), and the controls u are the joint forces along the speeds
$controls
 * The parameters p are those of ${name}_parameters, in that order; without p they have their default values.
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
COMMON = Template("""\
enum { N = $n, NX = $nx, NU = $nu };

/* The speed that each control acts along. */
static const int driven[] = {$driven};

/* Copy numbers; a null pointer stands for zeros. */
static void copy_or_zero(const double *from, int count, double *to)
{
    for (int i = 0; i < count; ++i) {
        to[i] = from ? from[i] : 0.0;
    }
}

/* The controls at their places among all joint forces. */
static void joint_forces(const double *u, double tau[N])
{
    copy_or_zero(0, N, tau);
    for (int j = 0; j < NU; ++j) {
        tau[driven[j]] = u ? u[j] : 0.0;
    }
}
""")
CONSTANTS = Template("""\
/* The parameters are numbers one after the other. */
typedef char parameters_are_numbers[sizeof(${name}_parameters) == $parameters * sizeof(double) ? 1 : -1];

/* The constants of some parameters; of the default ones if none are given. */
static const ${name}_constants *choose_constants(const double *p, ${name}_constants *prepared)
{
    if (!p) {
        return &${name}_default_constants;
    }
    ${name}_parameters parameters;
    memcpy(&parameters, p, sizeof parameters);
    ${name}_prepare(&parameters, prepared);
    return prepared;
}
""")
EXPLICIT = Template("""\
/* xdot = (qd, forward dynamics). */
static void explicit_ode(const double *state, const double *u, const double *p, double *xdot)
{
    double x[NX], tau[N];
    if (!xdot) {
        return;
    }
$constants    copy_or_zero(state, NX, x);
    joint_forces(u, tau);
    copy_or_zero(x + N, N, xdot);
    ${name}_forward_dynamics(x, x + N, tau, ${passed}xdot + N);
}

/* The derivatives of the accelerations by q, qd and the joint forces, row by row. */
static void derivatives(
    const double *state, const double *u, const double *p, double by_q[N*N], double by_qd[N*N], double by_tau[N*N])
{
    double x[NX], tau[N];
$constants    copy_or_zero(state, NX, x);
    joint_forces(u, tau);
    ${name}_forward_dynamics_derivatives(x, x + N, tau, ${passed}by_q, by_qd, by_tau);
}

/* A = d xdot / dx, B = d xdot / du. */
static void explicit_jacobian(const double *x, const double *u, const double *p, double *A, double *B)
{
    double by_q[N*N], by_qd[N*N], by_tau[N*N];
    derivatives(x, u, p, by_q, by_qd, by_tau);
    if (A) {
        copy_or_zero(0, NX*NX, A);
        for (int i = 0; i < N; ++i) {
            A[i + NX*(N + i)] = 1.0;
            for (int k = 0; k < N; ++k) {
                A[N + i + NX*k] = by_q[N*i + k];
                A[N + i + NX*(N + k)] = by_qd[N*i + k];
            }
        }
    }
    if (B) {
        copy_or_zero(0, NX*NU, B);
        for (int j = 0; j < NU; ++j) {
            for (int i = 0; i < N; ++i) {
                B[N + i + NX*j] = by_tau[N*i + driven[j]];
            }
        }
    }
}

/* to = A S, for some columns. */
static void times_A(const double *by_q, const double *by_qd, const double *S, int columns, double *to)
{
    copy_or_zero(0, NX*columns, to);
    for (int j = 0; S && j < columns; ++j) {
        const double *s = S + NX*j;
        for (int i = 0; i < N; ++i) {
            to[i + NX*j] = s[N + i];
            for (int k = 0; k < N; ++k) {
                to[N + i + NX*j] += by_q[N*i + k]*s[k] + by_qd[N*i + k]*s[N + k];
            }
        }
    }
}

/* (x, Sx, Su, u, p) -> (xdot, A Sx, A Su + B) */
static void explicit_vde(const double **arg, double **res)
{
    double by_q[N*N], by_qd[N*N], by_tau[N*N];
    explicit_ode(arg[0], arg[3], arg[4], res[0]);
    derivatives(arg[0], arg[3], arg[4], by_q, by_qd, by_tau);
    if (res[1]) {
        times_A(by_q, by_qd, arg[1], NX, res[1]);
    }
    if (res[2]) {
        times_A(by_q, by_qd, arg[2], NU, res[2]);
        for (int j = 0; j < NU; ++j) {
            for (int i = 0; i < N; ++i) {
                res[2][N + i + NX*j] += by_tau[N*i + driven[j]];
            }
        }
    }
}

/* (x, lam, u, p) -> (A^T lam, B^T lam) */
static void explicit_adjoint(const double **arg, double *adj)
{
    double by_q[N*N], by_qd[N*N], by_tau[N*N], lam[NX];
    if (!adj) {
        return;
    }
    copy_or_zero(arg[1], NX, lam);
    derivatives(arg[0], arg[2], arg[3], by_q, by_qd, by_tau);
    copy_or_zero(0, NX + NU, adj);
    for (int i = 0; i < N; ++i) {
        adj[N + i] += lam[i];
        for (int k = 0; k < N; ++k) {
            adj[k] += by_q[N*i + k]*lam[N + i];
            adj[N + k] += by_qd[N*i + k]*lam[N + i];
        }
        for (int j = 0; j < NU; ++j) {
            adj[NX + j] += by_tau[N*i + driven[j]]*lam[N + i];
        }
    }
}
""")

# without constraints no mass matrix needs to be inverted
IMPLICIT = Template("""\
/* f = (qdot - qd, inverse dynamics - joint forces) of (x, xdot, u, z, t, p), and its derivatives; what is 0 is not wanted. */
static void implicit(const double **arg, double *f, double *by_x, double *by_xdot, double *by_u)
{
    double x[NX], xdot[NX], tau[N];
    const double *p = arg[5];
$constants    copy_or_zero(arg[0], NX, x);
    copy_or_zero(arg[1], NX, xdot);
    joint_forces(arg[2], tau);
    if (f) {
        ${name}_inverse_dynamics(x, x + N, xdot + N, ${passed}f + N);
        for (int i = 0; i < N; ++i) {
            f[i] = xdot[i] - x[N + i];
            f[N + i] -= tau[i];
        }
    }
    if (by_x || by_xdot) {
        double by_q[N*N], by_qd[N*N], by_qdd[N*N];
        ${name}_inverse_dynamics_derivatives(x, x + N, xdot + N, ${passed}by_q, by_qd, by_qdd);
        if (by_x) {
            copy_or_zero(0, NX*NX, by_x);
        }
        if (by_xdot) {
            copy_or_zero(0, NX*NX, by_xdot);
        }
        for (int i = 0; i < N; ++i) {
            if (by_x) {
                by_x[i + NX*(N + i)] = -1.0;
            }
            if (by_xdot) {
                by_xdot[i + NX*i] = 1.0;
            }
            for (int k = 0; k < N; ++k) {
                if (by_x) {
                    by_x[N + i + NX*k] = by_q[N*i + k];
                    by_x[N + i + NX*(N + k)] = by_qd[N*i + k];
                }
                if (by_xdot) {
                    by_xdot[N + i + NX*(N + k)] = by_qdd[N*i + k];
                }
            }
        }
    }
    if (by_u) {
        copy_or_zero(0, NX*NU, by_u);
        for (int j = 0; j < NU; ++j) {
            by_u[N + driven[j] + NX*j] = -1.0;
        }
    }
}
""")

# with constraints their forces are part of the forward dynamics
CONSTRAINED = Template("""\
/* f = xdot - (qd, forward dynamics) of (x, xdot, u, z, t, p), and its derivatives; what is 0 is not wanted. */
static void implicit(const double **arg, double *f, double *by_x, double *by_xdot, double *by_u)
{
    if (f) {
        explicit_ode(arg[0], arg[2], arg[5], f);
        for (int i = 0; i < NX; ++i) {
            f[i] = (arg[1] ? arg[1][i] : 0.0) - f[i];
        }
    }
    if (by_x || by_u) {
        explicit_jacobian(arg[0], arg[2], arg[5], by_x, by_u);
        for (int i = 0; by_x && i < NX*NX; ++i) {
            by_x[i] = -by_x[i];
        }
        for (int i = 0; by_u && i < NX*NU; ++i) {
            by_u[i] = -by_u[i];
        }
    }
    if (by_xdot) {
        copy_or_zero(0, NX*NX, by_xdot);
        for (int i = 0; i < NX; ++i) {
            by_xdot[i + NX*i] = 1.0;
        }
    }
}
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
P = $p  # the parameters, with their default values


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


def header(source_files: CSourceFiles, sizes: AcadosSizes, interface_functions: Sequence[CasadiInterface]) -> str:
    """The text of the header."""
    speeds = ", ".join(source_files.package.speeds[k] for k in sizes.driven) or "none"
    return HEADER.substitute(
        mechanism=comment_text(source_files.mechanism.name),
        name=source_files.prefix,
        guard=source_files.prefix.upper(),
        controls="\n".join(comment_lines(f"{speeds}.")),
        parameters=sizes.parameters,
        declared="\n".join(header_lines(interface_functions, source_files.prefix)),
    )


def source(source_files: CSourceFiles, sizes: AcadosSizes, interface_functions: Sequence[CasadiInterface]) -> str:
    """The text of the C source."""
    name = source_files.prefix
    lines = [f'#include "{name}_acados.h"', "", f'#include "{name}.h"', ""]
    lines += ["#include <string.h>", ""] if source_files.constants else []
    lines += [
        function_bodies(source_files, sizes),
        *sparsity_tables(interface_functions, name),
        "",
        DEFINE_MACRO.format(name=name),
    ]
    for interface in interface_functions:
        lines += [f"/* {interface.about}", f" * {interface.signature} */", *definition_lines(interface, name)]
    return "\n".join(lines)


def function_bodies(source_files: CSourceFiles, sizes: AcadosSizes) -> str:
    """The C functions that the functions of the interface call."""
    name = source_files.prefix
    constants = "    (void)p;\n"
    if source_files.constants:
        constants = f"    {name}_constants prepared;\n    const {name}_constants *constants = choose_constants(p, &prepared);\n"
    substitutions = {
        "name": name,
        "n": sizes.n,
        "nx": 2 * sizes.n,
        "nu": len(sizes.driven),
        "driven": ", ".join(map(str, sizes.driven or (0,))),
        "parameters": sizes.parameters,
        "constants": constants,
        "passed": "constants, " if source_files.constants else "",
    }
    parts = [
        COMMON,
        *([CONSTANTS] if source_files.constants else []),
        EXPLICIT,
        CONSTRAINED if source_files.mechanism.equation_count else IMPLICIT,
    ]
    return "\n".join(part.substitute(substitutions) for part in parts)


def python(source_files: CSourceFiles, sizes: AcadosSizes) -> str:
    """The text of the Python file."""
    speeds = source_files.package.speeds
    parameters = {p.name: p.value for p in source_files.package.parameters} if source_files.constants else {}
    return PYTHON.substitute(
        name=source_files.prefix,
        x=[*source_files.package.coordinates, *(f"{name}'" for name in speeds)],
        u=[speeds[k] for k in sizes.driven],
        p=parameters,
    )


def cmake(source_files: CSourceFiles) -> str:
    """The lines that CMake needs besides those of the plain C."""
    return CMAKE.substitute(name=source_files.prefix)
