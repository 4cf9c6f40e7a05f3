"""The functions of a model of acados: an explicit and an implicit differential equation, and their derivatives.

The state is x = (q, qd), the controls u are the joint forces along the actuated speeds, and p are the adjustable parameters.
"""

from __future__ import annotations

from dataclasses import dataclass

from lagrangian.errors import ArgumentError, MechanismPart
from lagrangian.exports.targets.acados_interface import CasadiInterface, InterfaceMatrix
from lagrangian.exports.targets.c import CSourceFiles
from lagrangian.functions.mechanism_graph import MechanismGraph

EXPLICIT = ("forward_dynamics", "forward_dynamics_derivatives")
IMPLICIT = ("inverse_dynamics", "inverse_dynamics_derivatives")


@dataclass(frozen=True)
class AcadosSizes:
    """How many speeds there are, which of them are driven, and how many parameters."""

    n: int
    driven: tuple[int, ...]
    parameters: int

    @classmethod
    def from_sources(cls, source_files: CSourceFiles) -> AcadosSizes:
        actuated = [joint.actuated for joint in source_files.mechanism.joints for _ in range(joint.kind.nv)]
        driven = tuple(k for k, is_actuated in enumerate(actuated) if is_actuated)
        return cls(len(actuated), driven, len(source_files.fields) if source_files.constants else 0)


def check_supported(model: MechanismGraph) -> None:
    """Raise an error if the mechanism has no state (q, qd) in which qd are the rates of q, or if it depends on time."""
    for joint in model.mechanism.joints:
        if joint.kind.quaternion:
            raise ArgumentError(
                f"a {joint.type} joint has a quaternion, whose rates are not its speeds; a state of acados is q and its rates",
                where=(model.mechanism.name, MechanismPart("joint", joint.name)),
                concerns="mechanism",
                remedy="lagrangian.derive(mechanism).mechanism has angles in its place",
            )
    if model.depends_on_time:
        raise ArgumentError(
            "its constraints depend on time, which acados models cannot express",
            where=model.mechanism.name,
            concerns="mechanism",
        )
    if not model.nv:
        raise ArgumentError("no joint moves, so there is no state", where=model.mechanism.name, concerns="mechanism")


def interfaces(name: str, sizes: AcadosSizes) -> list[CasadiInterface]:
    nx, nu = 2 * sizes.n, len(sizes.driven)
    x, u, p = InterfaceMatrix("x", nx), InterfaceMatrix("u", nu), InterfaceMatrix("p", sizes.parameters, constant=True)
    xdot, z, t = InterfaceMatrix("xdot", nx), InterfaceMatrix("z", 0), InterfaceMatrix("t", 1)
    Sx, Su, lam = InterfaceMatrix("Sx", nx, nx), InterfaceMatrix("Su", nx, nu), InterfaceMatrix("lam", nx)
    by_x, by_xdot, by_u, by_z = (InterfaceMatrix(f"jac_{a}", nx, m) for a, m in (("x", nx), ("xdot", nx), ("u", nu), ("z", 0)))
    by_t, by_p = InterfaceMatrix("jac_t", nx, 1, empty=True), InterfaceMatrix("jac_p", nx, sizes.parameters, empty=True)
    f, state = InterfaceMatrix("f", nx), (x, xdot, u, z, t, p)
    explicit = f"{name}_expl_ode_fun"
    implicit = f"{name}_impl_dae_fun"
    return [
        CasadiInterface(explicit, "The rates of the state.", (x, u, p), (xdot,), "explicit_ode(arg[0], arg[1], arg[2], res[0]);"),
        CasadiInterface(
            f"{name}_expl_vde_forw",
            "The rates of the state and of its derivatives Sx by the first state and Su by the controls: A Sx, A Su + B.",
            (x, Sx, Su, u, p),
            (xdot, InterfaceMatrix("vdeX", nx, nx), InterfaceMatrix("vdeU", nx, nu)),
            "explicit_vde(arg, res);",
        ),
        CasadiInterface(
            f"{name}_expl_vde_adj",
            "The transposed derivatives of the rates times lam: A^T lam, then B^T lam.",
            (x, lam, u, p),
            (InterfaceMatrix("adj", nx + nu),),
            "explicit_adjoint(arg, res[0]);",
        ),
        CasadiInterface(
            f"jac_{explicit}",
            "The derivatives A and B of the rates, as CasADi asks for them; there are none by parameters.",
            (x, u, p, InterfaceMatrix("out_xdot", nx, empty=True)),
            (by_x, by_u, by_p),
            "explicit_jacobian(arg[0], arg[1], arg[2], res[0], res[1]);",
        ),
        CasadiInterface(implicit, "The residual of the implicit equation.", state, (f,), "implicit(arg, res[0], 0, 0, 0);"),
        CasadiInterface(
            f"{implicit}_jac_x_xdot_z",
            "The residual, and its derivatives.",
            state,
            (f, by_x, by_xdot, by_z),
            "implicit(arg, res[0], res[1], res[2], 0);",
        ),
        CasadiInterface(
            f"{name}_impl_dae_jac_x_xdot_u_z",
            "The derivatives of the residual.",
            state,
            (by_x, by_xdot, by_u, by_z),
            "implicit(arg, 0, res[0], res[1], res[2]);",
        ),
        CasadiInterface(
            f"jac_{implicit}",
            "The derivatives of the residual, as CasADi asks for them; there are none by parameters.",
            (*state, InterfaceMatrix("out_f", nx, empty=True)),
            (by_x, by_xdot, by_u, by_z, by_t, by_p),
            "implicit(arg, 0, res[0], res[1], res[2]);",
        ),
    ]
