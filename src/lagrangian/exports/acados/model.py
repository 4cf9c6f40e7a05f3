"""The functions of a model of acados: an explicit and an implicit differential equation, and their derivatives.

The state is x = (q, qd), the controls u are the joint forces along the actuated speeds, and p are the adjustable parameters.
"""

from __future__ import annotations

from dataclasses import dataclass

from lagrangian.errors import ArgumentError, Part
from lagrangian.exports.acados.interface import Interface, Matrix
from lagrangian.exports.model import Model
from lagrangian.exports.targets.c import Sources

EXPLICIT = ("forward_dynamics", "forward_dynamics_derivatives")
IMPLICIT = ("inverse_dynamics", "inverse_dynamics_derivatives")


@dataclass(frozen=True)
class Sizes:
    """How many speeds there are, which of them are driven, and how many parameters."""

    n: int
    driven: tuple[int, ...]
    parameters: int

    @classmethod
    def of(cls, made: Sources) -> Sizes:
        actuated = [joint.actuated for joint in made.mechanism.joints for _ in range(joint.kind.nv)]
        driven = tuple(k for k, given in enumerate(actuated) if given)
        return cls(len(actuated), driven, len(made.fields) if made.constants else 0)


def refuse(model: Model) -> None:
    """What has no state (q, qd) with the rates of q as qd, and what depends on time."""
    for joint in model.mechanism.joints:
        if joint.kind.quaternion:
            raise ArgumentError(
                f"a {joint.type} joint has a quaternion, whose rates are not its speeds; a state of acados is q and its rates",
                where=(model.mechanism.name, Part("joint", joint.name)),
                concerns="mechanism",
                remedy="lagrangian.derive(mechanism).mechanism has angles in its place",
            )
    if model.timed:
        raise ArgumentError(
            "its constraints depend on time, which acados models cannot express",
            where=model.mechanism.name,
            concerns="mechanism",
        )
    if not model.nv:
        raise ArgumentError("no joint moves, so there is no state", where=model.mechanism.name, concerns="mechanism")


def interfaces(name: str, sizes: Sizes) -> list[Interface]:
    nx, nu = 2 * sizes.n, len(sizes.driven)
    x, u, p = Matrix("x", nx), Matrix("u", nu), Matrix("p", sizes.parameters, fixed=True)
    xdot, z, t = Matrix("xdot", nx), Matrix("z", 0), Matrix("t", 1)
    Sx, Su, lam = Matrix("Sx", nx, nx), Matrix("Su", nx, nu), Matrix("lam", nx)
    by_x, by_xdot, by_u, by_z = (Matrix(f"jac_{a}", nx, m) for a, m in (("x", nx), ("xdot", nx), ("u", nu), ("z", 0)))
    by_t, by_p = Matrix("jac_t", nx, 1, empty=True), Matrix("jac_p", nx, sizes.parameters, empty=True)
    f, state = Matrix("f", nx), (x, xdot, u, z, t, p)
    explicit = f"{name}_expl_ode_fun"
    implicit = f"{name}_impl_dae_fun"
    return [
        Interface(explicit, "The rates of the state.", (x, u, p), (xdot,), "explicit_ode(arg[0], arg[1], arg[2], res[0]);"),
        Interface(
            f"{name}_expl_vde_forw",
            "The rates of the state and of its derivatives Sx by the first state and Su by the controls: A Sx, A Su + B.",
            (x, Sx, Su, u, p),
            (xdot, Matrix("vdeX", nx, nx), Matrix("vdeU", nx, nu)),
            "explicit_vde(arg, res);",
        ),
        Interface(
            f"{name}_expl_vde_adj",
            "The transposed derivatives of the rates times lam: A^T lam, then B^T lam.",
            (x, lam, u, p),
            (Matrix("adj", nx + nu),),
            "explicit_adjoint(arg, res[0]);",
        ),
        Interface(
            f"jac_{explicit}",
            "The derivatives A and B of the rates, as CasADi asks for them; there are none by parameters.",
            (x, u, p, Matrix("out_xdot", nx, empty=True)),
            (by_x, by_u, by_p),
            "explicit_jacobian(arg[0], arg[1], arg[2], res[0], res[1]);",
        ),
        Interface(implicit, "The residual of the implicit equation.", state, (f,), "implicit(arg, res[0], 0, 0, 0);"),
        Interface(
            f"{implicit}_jac_x_xdot_z",
            "The residual, and its derivatives.",
            state,
            (f, by_x, by_xdot, by_z),
            "implicit(arg, res[0], res[1], res[2], 0);",
        ),
        Interface(
            f"{name}_impl_dae_jac_x_xdot_u_z",
            "The derivatives of the residual.",
            state,
            (by_x, by_xdot, by_u, by_z),
            "implicit(arg, 0, res[0], res[1], res[2]);",
        ),
        Interface(
            f"jac_{implicit}",
            "The derivatives of the residual, as CasADi asks for them; there are none by parameters.",
            (*state, Matrix("out_f", nx, empty=True)),
            (by_x, by_xdot, by_u, by_z, by_t, by_p),
            "implicit(arg, 0, res[0], res[1], res[2]);",
        ),
    ]
