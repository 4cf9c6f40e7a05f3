"""Loops and other constraints, their multipliers, and the reactions of the joints."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lagrangian.algorithms import kinematics
from lagrangian.algorithms.constraints.cholesky import BlockLDL, Sparse, sparse, sparse_dot
from lagrangian.algorithms.constraints.constrained_dynamics import ROUNDING_TOLERANCE
from lagrangian.algorithms.inverse_dynamics import REACTIONS
from lagrangian.algorithms.link import is_zero
from lagrangian.configuration.mobility import mobility
from lagrangian.errors import LagrangianError
from lagrangian.functions.dynamics import accelerations
from lagrangian.functions.function import CatalogueFunction, constraint_refusal
from lagrangian.functions.mechanism_graph import MechanismGraph
from lagrangian.functions.routine import RoutineArgument
from lagrangian.kernels.programs.constraints import constraint_wrench_program
from lagrangian.kernels.programs.springs import SpringPrograms
from lagrangian.kernels.programs.sweeps import TreeProgram
from lagrangian.model import vector as v


def constraint_jacobian(model: MechanismGraph, frame: str = "") -> list[Any]:
    entries_of_psi: list[Any] = [0] * (model.equation_count * model.nv)
    entries = model.record(model.constraint_programs.jacobian())
    for i, k, x in zip(*model.constraint_programs.pattern, entries, strict=True):
        entries_of_psi[i * model.nv + k] = x
    return entries_of_psi


def multipliers(model: MechanismGraph, frame: str = "") -> list[Any]:
    """Return the multipliers; where equations are redundant, the smallest with the same Psi^T lambda."""
    forces = accelerations(model)[model.nv :]
    return minimum_norm_multipliers(model, forces) if has_redundant_equations(model) else forces


def has_redundant_equations(model: MechanismGraph) -> bool:
    """Whether some equations follow from others, as in a planar linkage whose loops close with revolute joints."""
    try:
        return bool(mobility(model.mechanism).redundant)
    except LagrangianError:  # it cannot be assembled, so that nothing is known
        return True


def minimum_norm_multipliers(model: MechanismGraph, forces: list[Any]) -> list[Any]:
    """Return lambda = Psi y with Psi^T Psi y = Psi^T lambda: the smallest with the same forces along the speeds."""
    entries = model.record(model.constraint_programs.jacobian())
    rows: Sparse = [{} for _ in range(model.equation_count)]
    columns: dict[int, dict[int, Any]] = {}
    for i, k, x in zip(*model.constraint_programs.pattern, entries, strict=True):
        if not is_zero(x):
            rows[i][k] = columns.setdefault(k, {})[i] = x
    if not columns:  # no equation has a speed in it
        return forces
    constrained_speeds = sorted(columns)
    products = [[sparse_dot(columns[k], columns[j]) for j in constrained_speeds] for k in constrained_speeds]
    n = len(constrained_speeds)
    right_hand_side = [sparse_dot(columns[k], forces) for k in constrained_speeds]
    y = dict(
        zip(
            constrained_speeds,
            BlockLDL(sparse(products), True, [ROUNDING_TOLERANCE**2] * n, ["Psi"] * n, None).solve(right_hand_side),
            strict=True,
        )
    )
    return [sparse_dot(row, y) for row in rows]


def reactions(model: MechanismGraph, frame: str = "") -> list[Any]:
    """Return the wrench that each joint exerts on its child, in the joint's axes on the child's side."""
    mechanism, tree = model.mechanism, model.full_tree
    W = model.record(TreeProgram(REACTIONS, tree))
    wrench = [(tuple(W[6 * i : 6 * i + 3]), tuple(W[6 * i + 3 : 6 * i + 6])) for i in range(len(tree))]
    loads = []
    if mechanism.springs:
        loads.append(model.record(SpringPrograms(mechanism, tree).wrenches()))
    if model.equation_count:
        loads.append(model.record(constraint_wrench_program(mechanism, tree)))
    if loads:
        poses = model.record(TreeProgram(kinematics.LINK_POSES, tree))
        for load in loads:
            _subtract_load(wrench, tree, poses, load)
    wrench_entries: list[Any] = []
    for joint in mechanism.joints:
        link, axes = tree.joint_link[joint.name]
        rotation = v.transpose(tuple(tuple(float(x) for x in row) for row in axes))  # type: ignore[arg-type]
        moment, force = wrench[link]
        wrench_entries += [*v.mat_vec(rotation, moment), *v.mat_vec(rotation, force)]
    return wrench_entries


def _subtract_load(wrench: list[Any], tree: Any, poses: list[Any], load: list[Any]) -> None:
    """Subtract wrenches on links, about the world's origin, from those of the joints between the links and the ground."""
    for link in range(len(tree)):
        moment, force = tuple(load[6 * link : 6 * link + 3]), tuple(load[6 * link + 3 : 6 * link + 6])
        for i in tree.path_to_root(link):
            pose = poses[12 * i : 12 * i + 12]
            R, x = (tuple(pose[0:3]), tuple(pose[3:6]), tuple(pose[6:9])), tuple(pose[9:12])
            moment_at_link = v.sub(moment, v.cross(x, force))
            link_moment, link_force = wrench[i]
            to_link = v.transpose(R)
            wrench[i] = (v.sub(link_moment, v.mat_vec(to_link, moment_at_link)), v.sub(link_force, v.mat_vec(to_link, force)))


def _equation_output(name: str, about: str) -> Callable[[MechanismGraph], tuple[RoutineArgument, ...]]:
    return lambda model: (RoutineArgument(name, (model.equation_count,), about, model.constraint_programs.names),)


def _closure_output(model: MechanismGraph) -> tuple[RoutineArgument, ...]:
    names = tuple(
        name
        for name, holonomic in zip(model.constraint_programs.names, model.constraint_programs.holonomic, strict=True)
        if holonomic
    )
    return (RoutineArgument("eta", (len(names),), "how far each equation of coordinates is from being kept", names),)


def _jacobian_output(model: MechanismGraph) -> tuple[RoutineArgument, ...]:
    return (RoutineArgument("Psi", (model.equation_count, model.nv), "Psi of Psi qd + phi = 0, a row for every equation"),)


def _wrench_output(model: MechanismGraph) -> tuple[RoutineArgument, ...]:
    names = tuple(joint.name for joint in model.mechanism.joints)
    return (RoutineArgument("W", (len(names), 6), f"the moment, then the force, at each joint: {', '.join(names)}"),)


class _ReactionsFunction(CatalogueFunction):
    """A function that takes the multipliers of constraints as an input, if there are any."""

    def arguments(self, model: MechanismGraph) -> tuple[RoutineArgument, ...]:
        inputs = super().arguments(model)
        return inputs if model.equation_count else tuple(x for x in inputs if x.name != "multipliers")


FUNCTIONS = (
    CatalogueFunction(
        "multipliers",
        "The forces lambda of the constraints: of loop joints on body a.",
        ("q", "qd", "tau"),
        _equation_output("multipliers", "the multipliers lambda"),
        multipliers,
        takes_time=True,
        refusal=constraint_refusal,
    ),
    CatalogueFunction(
        "constraint_jacobian",
        "The constraint Jacobian Psi.",
        ("q",),
        _jacobian_output,
        constraint_jacobian,
        takes_time=True,
        refusal=constraint_refusal,
    ),
    CatalogueFunction(
        "closure",
        "The violation of the loop-closure equations and of other equations of coordinates.",
        ("q",),
        _closure_output,
        lambda model, frame: model.record(model.constraint_programs.closure()),
        takes_time=True,
        refusal=constraint_refusal,
    ),
    CatalogueFunction(
        "constraint_rate",
        "Psi qd + phi: zero for speeds that keep the constraints.",
        ("q", "qd"),
        _equation_output("rate", "the rates of the constraints"),
        lambda model, frame: model.record(model.constraint_programs.rate()),
        takes_time=True,
        refusal=constraint_refusal,
    ),
    CatalogueFunction(
        "constraint_bias",
        "gamma of Psi qdd + gamma = 0.",
        ("q", "qd"),
        _equation_output("gamma", "the bias of the constraints"),
        lambda model, frame: model.record(model.constraint_programs.bias()),
        takes_time=True,
        refusal=constraint_refusal,
    ),
    _ReactionsFunction(
        "reactions",
        "The wrench that each joint exerts on its child, in the joint's axes on the child's side.",
        ("q", "qd", "qdd", "multipliers"),
        _wrench_output,
        reactions,
        takes_time=True,
    ),
)
