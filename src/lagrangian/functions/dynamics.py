"""Equations of motion, energies and momenta, and exact derivatives of inverse and forward dynamics.

With r = M qdd + C qd + G + F - tau - Psi^T lambda and c = Psi qdd + gamma, derivatives of the accelerations follow from those of
r and c at fixed qdd and lambda, and from one linear system (Carpentier and Mansard 2018). Derivatives by q are along the speeds.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from lagrangian.algorithms import energy
from lagrangian.algorithms.constraints.constrained_dynamics import ConstrainedDynamics
from lagrangian.algorithms.coriolis import CORIOLIS_MATRIX
from lagrangian.algorithms.forward_dynamics import FORWARD_DYNAMICS
from lagrangian.algorithms.inverse_dynamics import BIAS, GRAVITY, INVERSE_DYNAMICS
from lagrangian.algorithms.link import is_zero
from lagrangian.algorithms.mass_matrix import MASS_MATRIX
from lagrangian.algorithms.regressor import REGRESSOR
from lagrangian.algorithms.tree import Tree
from lagrangian.algorithms.tree_factorisation import TreeLDL
from lagrangian.functions.function import CatalogueFunction, array_output, matrix_output, speed_output
from lagrangian.functions.mechanism_graph import MechanismGraph
from lagrangian.functions.routine import RoutineArgument
from lagrangian.functions.traced_parameter import node_of
from lagrangian.kernels.programs.derivatives import MAX_SPEEDS, residual_derivatives
from lagrangian.model import vector as v
from lagrangian.model.expression import functions as f


def inverse_dynamics(model: MechanismGraph, frame: str = "", **inputs: list[Any]) -> list[Any]:
    """Return tau for a motion, by default that of the inputs; `qdd=[]` means zero accelerations."""
    algorithm = BIAS if inputs.get("qdd") == [] else INVERSE_DYNAMICS
    inputs = {name: x for name, x in inputs.items() if x}
    tau = model.sweep(algorithm, **inputs)
    state = {name: x for name, x in inputs.items() if name in ("q", "qd")}
    if model.mechanism.springs:
        tau = [a - b for a, b in zip(tau, model.record(model.spring_programs.torque(), **state), strict=True)]
    for k, force in plane_friction(model, state.get("qd", model.input("qd", model.nv))).items():
        tau[k] = tau[k] + force
    return tau


def forward_dynamics(model: MechanismGraph, frame: str = "", **inputs: list[Any]) -> list[Any]:
    return accelerations(model, **inputs)[: model.nv]


def accelerations(model: MechanismGraph, **inputs: list[Any]) -> list[Any]:
    """Return qdd, followed by the multipliers if there are constraints."""
    state = {name: x for name, x in inputs.items() if name in ("q", "qd")}
    tau = inputs.get("tau", model.input("tau", model.nv))
    qd = state.get("qd", model.input("qd", model.nv))
    for k, force in plane_friction(model, qd).items():
        tau = [x - force if i == k else x for i, x in enumerate(tau)]
    if model.equation_count:  # springs are in that program
        return model.record(model.constraint_programs.acceleration(), **{**inputs, "tau": tau})
    if model.mechanism.springs:
        tau = [a + b for a, b in zip(tau, model.record(model.spring_programs.torque(), **state), strict=True)]
    return model.sweep(FORWARD_DYNAMICS, **{**state, "tau": tau})


def gravity(model: MechanismGraph, frame: str = "") -> list[Any]:
    G = model.sweep(GRAVITY)
    if not model.mechanism.springs:
        return G
    return [a - b for a, b in zip(G, model.record(model.spring_programs.elastic_torque()), strict=True)]


def bias(model: MechanismGraph, frame: str = "") -> list[Any]:
    return inverse_dynamics(model, qdd=[])


def friction(model: MechanismGraph, frame: str = "") -> list[Any]:
    qd = model.input("qd", model.nv)
    planes, forces = plane_friction(model, qd), []
    joint_frictions = [joint.friction for joint in model.mechanism.joints for _ in range(joint.kind.nv)]
    for k, (speed, joint_friction) in enumerate(zip(qd, joint_frictions, strict=True)):
        viscous, forth, back = (
            model.number(x or 0) for x in (joint_friction.viscous, joint_friction.coulomb, joint_friction.coulomb_negative)
        )
        dry = speed.by_sign(forth, -back) if not (is_zero(forth) and is_zero(back)) else 0
        forces.append(viscous * speed + planes.get(k, dry))
    if any(not is_zero(model.number(s.damping)) for s in model.mechanism.springs):
        forces = [a - b for a, b in zip(forces, model.record(model.spring_programs.viscous_torque()), strict=True)]
    return forces


def plane_friction(model: MechanismGraph, qd: list[Any]) -> dict[int, Any]:
    """Return the dry friction of speeds that share a plane: it acts against the direction of their velocity."""
    forces: dict[int, Any] = {}
    mechanism, iv = model.mechanism, 0
    for joint in mechanism.joints:
        if joint.friction_plane:
            plane = [iv + k for k in joint.friction_plane]
            speed = f.sqrt(sum((qd[k] * qd[k] for k in plane[1:]), qd[plane[0]] * qd[plane[0]]))
            limit = model.number(joint.friction.coulomb or 0)
            scale = limit / f.choose(0.0, speed, speed, 1.0)
            forces.update((k, scale * qd[k]) for k in plane)
        iv += joint.kind.nv
    return forces


def kinetic_energy(model: MechanismGraph, frame: str = "") -> list[Any]:
    return model.sweep(energy.KINETIC_ENERGY)


def potential_energy(model: MechanismGraph, frame: str = "") -> list[Any]:
    V = model.sweep(energy.POTENTIAL_ENERGY)
    return [V[0] + model.record(model.spring_programs.energy())[0]] if model.mechanism.springs else V


def regressor(model: MechanismGraph, frame: str = "") -> list[Any]:
    """Return Y of the bodies: the regressor of the links, with each body's parameters taken into the frame of its link."""
    tree, bodies, links = model.tree, model.mechanism.bodies, len(model.tree)
    Y = model.sweep(REGRESSOR)  # (nv, links, 10)
    columns = []
    assert tree.sample_tree is not None
    for body in bodies:
        link, placement = tree.sample_tree.body_places[body.name]
        for k in range(10):
            if link < 0:
                columns.append([0] * model.nv)
                continue
            link_parameters = _link_parameters([int(j == k) for j in range(10)], placement)
            rows = [Y[(i * links + link) * 10 : (i * links + link) * 10 + 10] for i in range(model.nv)]
            columns.append([sum(a * b for a, b in zip(row, link_parameters, strict=True) if not is_zero(b)) for row in rows])
    return [column[i] for i in range(model.nv) for column in columns]


def _link_parameters(body_parameters: list[int], placement: Any) -> list[Any]:
    """Return a body's ten inertial parameters in the frame of its link, where the body has a placement."""
    R = tuple(tuple(node_of(x) for x in row) for row in placement.rotation)
    p = tuple(node_of(x) for x in placement.position)
    m, h, I = body_parameters[0], tuple(body_parameters[1:4]), tuple(body_parameters[4:])
    first_moment = v.mat_vec(R, h)  # type: ignore[arg-type]
    about = v.shift_inertia(v.sym_rotate(R, I), first_moment, m, p)  # type: ignore[arg-type]
    return [m, *v.add(first_moment, v.scale(m, p)), *about]


def _regressor_output(model: MechanismGraph) -> tuple[RoutineArgument, ...]:
    shape = (model.nv, 10 * len(model.mechanism.bodies))
    return (
        RoutineArgument("Y", shape, "Y with Y p = the joint forces; p are m, m c and the inertia about its origin of each body"),
    )


def inverse_dynamics_derivatives(model: MechanismGraph, frame: str = "") -> list[Any]:
    n = model.nv
    rows = _residual_derivatives(model, multipliers=[0.0] * model.equation_count)[:n]
    by_q, by_qd = [x for row in rows for x in row[:n]], [x for row in rows for x in row[n:]]
    return [*by_q, *by_qd, *model.sweep(MASS_MATRIX)]


def forward_dynamics_derivatives(model: MechanismGraph, frame: str = "") -> list[Any]:
    n, m = model.nv, model.equation_count
    solution = accelerations(model)
    rows = _residual_derivatives(model, qdd=solution[:n], multipliers=solution[n:])
    solve = _acceleration_solver(model)
    columns = [solve([-row[k] for row in rows[:n]], [row[k] for row in rows[n:]]) for k in range(2 * n)]
    columns += [solve([int(i == k) for i in range(n)], [0] * m) for k in range(n)]
    return [columns[first + k][i] for first in (0, n, 2 * n) for i in range(n) for k in range(n)]


def _residual_derivatives(model: MechanismGraph, **inputs: list[Any]) -> list[list[Any]]:
    """Return the derivatives of r and c, by q and then by qd: a row for every speed and every equation."""
    t = {} if model.depends_on_time else {"t": [0.0]}
    entries = model.record(residual_derivatives(model.mechanism, model.tree), **inputs, **t)
    width = 2 * model.nv
    return [entries[k : k + width] for k in range(0, len(entries), max(1, width))]


def _acceleration_solver(model: MechanismGraph) -> Callable[[list[Any], list[Any]], list[Any]]:
    """Return the function that gives x of M x - Psi^T y = right, Psi x + bias = 0."""
    masses = _MassMatrixFactors(model.tree, model.sweep(MASS_MATRIX))
    if not model.equation_count:
        return lambda right, bias: masses.factors.solve(right)
    rows = [_Row(name, {}) for name in model.constraint_programs.names]
    for i, k, x in zip(*model.constraint_programs.pattern, model.record(model.constraint_programs.jacobian()), strict=True):
        rows[i].psi[k] = x
    weights = {name: model.number(w) for name, w in model.constraint_programs.weights.items()}
    system = ConstrainedDynamics(masses, rows, redundant=True, weights=weights)  # type: ignore[arg-type]
    acting = [i for i, row in enumerate(rows) if row.psi]
    return lambda right, bias: system.acceleration(right, [bias[i] for i in acting])[0]


class _MassMatrixFactors:
    """A mass matrix and its factors, which is what `ConstrainedDynamics` needs of a state."""

    def __init__(self, tree: Tree, mass_matrix: list[Any]) -> None:
        self.tree, self.mass_matrix = tree, mass_matrix
        self.factors = TreeLDL(tree, mass_matrix)


class _Row(NamedTuple):
    name: str
    psi: dict[int, Any]


def _derivative_refusal(model: MechanismGraph) -> str:
    if model.nv > MAX_SPEEDS:
        return f"it has {model.nv} speeds, and derivatives of more than {MAX_SPEEDS} are not written out"
    if model.friction.planar_speeds:
        return "dry friction in planes is not differentiated"
    return ""


def _derivative_outputs(name: str, quantity: str, last: str) -> Callable[[MechanismGraph], tuple[RoutineArgument, ...]]:
    def outputs(model: MechanismGraph) -> tuple[RoutineArgument, ...]:
        shape = (model.nv, model.nv)
        names = (f"{name}_q", "by q, along the speeds"), (f"{name}_qd", "by qd"), (f"{name}_{last}", f"by {last}")
        return tuple(RoutineArgument(label, shape, f"the derivative of {quantity} {by}") for label, by in names)

    return outputs


FUNCTIONS = (
    CatalogueFunction(
        "inverse_dynamics",
        "The joint forces of a motion: M qdd + C qd + G + F.",
        ("q", "qd", "qdd"),
        speed_output("tau", "the joint forces"),
        inverse_dynamics,
        algorithm=INVERSE_DYNAMICS,
    ),
    CatalogueFunction(
        "forward_dynamics",
        "The accelerations for joint forces; constraints are kept.",
        ("q", "qd", "tau"),
        speed_output("qdd", "the accelerations"),
        forward_dynamics,
        takes_time=True,
        algorithm=FORWARD_DYNAMICS,
    ),
    CatalogueFunction(
        "mass_matrix",
        "The mass matrix M, rotors included.",
        ("q",),
        matrix_output("M", "the mass matrix"),
        lambda model, frame: model.sweep(MASS_MATRIX),
        algorithm=MASS_MATRIX,
    ),
    CatalogueFunction(
        "coriolis_matrix",
        "The matrix C of the Christoffel symbols: M' - 2 C is skew.",
        ("q", "qd"),
        matrix_output("C", "the Coriolis matrix"),
        lambda model, frame: model.sweep(CORIOLIS_MATRIX),
        algorithm=CORIOLIS_MATRIX,
    ),
    CatalogueFunction(
        "gravity",
        "G = dV/dq, springs included.",
        ("q",),
        speed_output("G", "the forces of gravity and springs"),
        gravity,
        algorithm=GRAVITY,
    ),
    CatalogueFunction(
        "bias",
        "The joint forces at zero acceleration: C qd + G + F.",
        ("q", "qd"),
        speed_output("b", "the velocity-dependent, gravity and friction terms"),
        bias,
        algorithm=BIAS,
    ),
    CatalogueFunction(
        "friction", "The friction F of joints and dampers.", ("q", "qd"), speed_output("F", "the friction"), friction
    ),
    CatalogueFunction(
        "kinetic_energy",
        "The kinetic energy T = 1/2 qd' M qd.",
        ("q", "qd"),
        array_output("T", (), "the kinetic energy in J"),
        kinetic_energy,
        algorithm=energy.KINETIC_ENERGY,
    ),
    CatalogueFunction(
        "potential_energy",
        "The potential energy V of gravity and springs.",
        ("q",),
        array_output("V", (), "the potential energy in J"),
        potential_energy,
        algorithm=energy.POTENTIAL_ENERGY,
    ),
    CatalogueFunction(
        "center_of_mass",
        "The centre of mass of all moving bodies, in the world.",
        ("q",),
        array_output("c", (3,), "the centre of mass", ("x", "y", "z")),
        lambda model, frame: model.sweep(energy.CENTER_OF_MASS),
        algorithm=energy.CENTER_OF_MASS,
    ),
    CatalogueFunction(
        "momentum",
        "The angular momentum about the centre of mass, then the linear momentum.",
        ("q", "qd"),
        array_output("p", (6,), "the momentum"),
        lambda model, frame: model.sweep(energy.MOMENTUM),
        algorithm=energy.MOMENTUM,
    ),
    CatalogueFunction("regressor", "The regressor of the inertial parameters.", ("q", "qd", "qdd"), _regressor_output, regressor),
)
DERIVATIVE_FUNCTIONS = (
    CatalogueFunction(
        "inverse_dynamics_derivatives",
        "The derivatives of the joint forces by q, qd and qdd.",
        ("q", "qd", "qdd"),
        _derivative_outputs("tau", "tau", "qdd"),
        inverse_dynamics_derivatives,
        refusal=_derivative_refusal,
    ),
    CatalogueFunction(
        "forward_dynamics_derivatives",
        "The derivatives of the accelerations by q, qd and tau, with the constraints kept.",
        ("q", "qd", "tau"),
        _derivative_outputs("qdd", "qdd", "tau"),
        forward_dynamics_derivatives,
        takes_time=True,
        refusal=_derivative_refusal,
    ),
)
