"""Loops and other constraints, their multipliers, and the reactions of the joints."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lagrangian.algorithms import kinematics
from lagrangian.algorithms.closed.cholesky import Blocks, Sparse, product, sparse
from lagrangian.algorithms.closed.constrained import ROUNDING
from lagrangian.algorithms.inverse_dynamics import REACTIONS
from lagrangian.algorithms.link import is_zero
from lagrangian.configuration.mobility import mobility
from lagrangian.errors import LagrangianError
from lagrangian.exports.functions.dynamics import accelerations
from lagrangian.exports.functions.function import Function, unconstrained
from lagrangian.exports.model import Model
from lagrangian.exports.routine import Argument
from lagrangian.kernels.programs.closed import wrenches
from lagrangian.kernels.programs.springs import SpringPrograms
from lagrangian.kernels.programs.sweeps import Sweeps
from lagrangian.model import vector as v


def constraint_jacobian(model: Model, frame: str = "") -> list[Any]:
    found: list[Any] = [0] * (model.equations * model.nv)
    entries = model.of(model.closed.jacobian())
    for i, k, x in zip(*model.closed.pattern, entries, strict=True):
        found[i * model.nv + k] = x
    return found


def multipliers(model: Model, frame: str = "") -> list[Any]:
    """Of all multipliers with the same Psi^T lambda the smallest, where equations are redundant."""
    found = accelerations(model)[model.nv :]
    return least(model, found) if redundant(model) else found


def redundant(model: Model) -> bool:
    """Whether some equations follow from the others, as those of a planar linkage do whose pins are revolute loops."""
    try:
        return bool(mobility(model.mechanism).redundant)
    except LagrangianError:  # it does not assemble as it is: then nothing is known
        return True


def least(model: Model, found: list[Any]) -> list[Any]:
    """lambda = Psi y with Psi^T Psi y = Psi^T lambda: the smallest with the same forces along the speeds."""
    entries = model.of(model.closed.jacobian())
    rows: Sparse = [{} for _ in range(model.equations)]
    columns: dict[int, dict[int, Any]] = {}
    for i, k, x in zip(*model.closed.pattern, entries, strict=True):
        if not is_zero(x):
            rows[i][k] = columns.setdefault(k, {})[i] = x
    if not columns:  # no equation has a speed in it
        return found
    acting = sorted(columns)
    products = [[product(columns[k], columns[j]) for j in acting] for k in acting]
    n = len(acting)
    right = [product(columns[k], found) for k in acting]
    y = dict(zip(acting, Blocks(sparse(products), True, [ROUNDING**2] * n, ["Psi"] * n, None).solve(right), strict=True))
    return [product(row, y) for row in rows]


def reactions(model: Model, frame: str = "") -> list[Any]:
    """The wrench that each joint exerts on its child, in the joint's axes on the child's side."""
    mechanism, tree = model.mechanism, model.full_tree
    W = model.of(Sweeps(REACTIONS, tree))
    wrench = [(tuple(W[6 * i : 6 * i + 3]), tuple(W[6 * i + 3 : 6 * i + 6])) for i in range(len(tree))]
    loads = []
    if mechanism.springs:
        loads.append(model.of(SpringPrograms(mechanism, tree).wrenches()))
    if model.equations:
        loads.append(model.of(wrenches(mechanism, tree)))
    if loads:
        poses = model.of(Sweeps(kinematics.LINK_POSES, tree))
        for load in loads:
            _carried_off(wrench, tree, poses, load)
    found: list[Any] = []
    for joint in mechanism.joints:
        link, axes = tree.joint_link[joint.name]
        turn = v.transpose(tuple(tuple(float(x) for x in row) for row in axes))  # type: ignore[arg-type]
        moment, force = wrench[link]
        found += [*v.mat_vec(turn, moment), *v.mat_vec(turn, force)]
    return found


def _carried_off(wrench: list[Any], tree: Any, poses: list[Any], load: list[Any]) -> None:
    """Take what wrenches on links, about the world's origin, carry themselves off the joints between them and the ground."""
    for link in range(len(tree)):
        moment, force = tuple(load[6 * link : 6 * link + 3]), tuple(load[6 * link + 3 : 6 * link + 6])
        for i in tree.towards_ground(link):
            at = poses[12 * i : 12 * i + 12]
            R, x = (tuple(at[0:3]), tuple(at[3:6]), tuple(at[6:9])), tuple(at[9:12])
            about = v.sub(moment, v.cross(x, force))
            own_moment, own_force = wrench[i]
            back = v.transpose(R)
            wrench[i] = (v.sub(own_moment, v.mat_vec(back, about)), v.sub(own_force, v.mat_vec(back, force)))


def _of_equations(name: str, about: str) -> Callable[[Model], tuple[Argument, ...]]:
    return lambda model: (Argument(name, (model.equations,), about, model.closed.names),)


def _closure(model: Model) -> tuple[Argument, ...]:
    names = tuple(name for name, holonomic in zip(model.closed.names, model.closed.holonomic, strict=True) if holonomic)
    return (Argument("eta", (len(names),), "how far each equation of coordinates is from being kept", names),)


def _jacobian(model: Model) -> tuple[Argument, ...]:
    return (Argument("Psi", (model.equations, model.nv), "Psi of Psi qd + phi = 0, a row for every equation"),)


def _wrenches(model: Model) -> tuple[Argument, ...]:
    names = tuple(joint.name for joint in model.mechanism.joints)
    return (Argument("W", (len(names), 6), f"the moment, then the force, at each joint: {', '.join(names)}"),)


class _Reactions(Function):
    """Where there are constraints, their forces are an input."""

    def arguments(self, model: Model) -> tuple[Argument, ...]:
        found = super().arguments(model)
        return found if model.equations else tuple(x for x in found if x.name != "multipliers")


FUNCTIONS = (
    Function(
        "multipliers",
        "The forces lambda of the constraints: of loop joints on body a.",
        ("q", "qd", "tau"),
        _of_equations("multipliers", "the multipliers lambda"),
        multipliers,
        timed=True,
        refused=unconstrained,
    ),
    Function(
        "constraint_jacobian",
        "The constraint Jacobian Psi.",
        ("q",),
        _jacobian,
        constraint_jacobian,
        timed=True,
        refused=unconstrained,
    ),
    Function(
        "closure",
        "The violation of the loop-closure equations and of other equations of coordinates.",
        ("q",),
        _closure,
        lambda model, frame: model.of(model.closed.closure()),
        timed=True,
        refused=unconstrained,
    ),
    Function(
        "constraint_rate",
        "Psi qd + phi: zero for speeds that keep the constraints.",
        ("q", "qd"),
        _of_equations("rate", "the rates of the constraints"),
        lambda model, frame: model.of(model.closed.rate()),
        timed=True,
        refused=unconstrained,
    ),
    Function(
        "constraint_bias",
        "gamma of Psi qdd + gamma = 0.",
        ("q", "qd"),
        _of_equations("gamma", "the bias of the constraints"),
        lambda model, frame: model.of(model.closed.bias()),
        timed=True,
        refused=unconstrained,
    ),
    _Reactions(
        "reactions",
        "The wrench that each joint exerts on its child, in the joint's axes on the child's side.",
        ("q", "qd", "qdd", "multipliers"),
        _wrenches,
        reactions,
        timed=True,
    ),
)
