"""Equations of motion, energies and momenta."""

from __future__ import annotations

from typing import Any

from lagrangian.algorithms import energy
from lagrangian.algorithms.coriolis import CORIOLIS_MATRIX
from lagrangian.algorithms.forward_dynamics import FORWARD_DYNAMICS
from lagrangian.algorithms.inverse_dynamics import BIAS, GRAVITY, INVERSE_DYNAMICS
from lagrangian.algorithms.link import is_zero
from lagrangian.algorithms.mass_matrix import MASS_MATRIX
from lagrangian.algorithms.regressor import REGRESSOR
from lagrangian.exports.functions.function import Function, array, matrix, speeds
from lagrangian.exports.model import Model
from lagrangian.exports.routine import Argument
from lagrangian.exports.traced_parameter import node_of
from lagrangian.model import vector as v
from lagrangian.model.expression import functions as f


def plane_friction(model: Model, qd: list[Any]) -> dict[int, Any]:
    """The dry friction of speeds that rub together in a plane: it is against the direction of their velocity."""
    found: dict[int, Any] = {}
    mechanism, iv = model.mechanism, 0
    for joint in mechanism.joints:
        if joint.rubbing_plane:
            plane = [iv + k for k in joint.rubbing_plane]
            size = f.sqrt(sum((qd[k] * qd[k] for k in plane[1:]), qd[plane[0]] * qd[plane[0]]))
            limit = model.number(joint.friction.coulomb or 0)
            scale = limit / f.choose(0.0, size, size, 1.0)
            found.update((k, scale * qd[k]) for k in plane)
        iv += joint.kind.nv
    return found


def inverse_dynamics(model: Model, frame: str = "", **given: list[Any]) -> list[Any]:
    """tau for a motion, by default that of the inputs; also without qdd."""
    algorithm = BIAS if given.get("qdd") == [] else INVERSE_DYNAMICS
    given = {name: x for name, x in given.items() if x}
    tau = model.sweep(algorithm, **given)
    state = {name: x for name, x in given.items() if name in ("q", "qd")}
    if model.mechanism.springs:
        tau = [a - b for a, b in zip(tau, model.of(model.springs.torque(), **state), strict=True)]
    for k, force in plane_friction(model, state.get("qd", model.input("qd", model.nv))).items():
        tau[k] = tau[k] + force
    return tau


def forward_dynamics(model: Model, frame: str = "", **given: list[Any]) -> list[Any]:
    return accelerations(model, **given)[: model.nv]


def accelerations(model: Model, **given: list[Any]) -> list[Any]:
    """qdd, and where there are constraints the multipliers behind it."""
    state = {name: x for name, x in given.items() if name in ("q", "qd")}
    tau = given.get("tau", model.input("tau", model.nv))
    qd = state.get("qd", model.input("qd", model.nv))
    for k, force in plane_friction(model, qd).items():
        tau = [x - force if i == k else x for i, x in enumerate(tau)]
    if model.equations:  # springs are in that program
        return model.of(model.closed.acceleration(), **{**given, "tau": tau})
    if model.mechanism.springs:
        tau = [a + b for a, b in zip(tau, model.of(model.springs.torque(), **state), strict=True)]
    return model.sweep(FORWARD_DYNAMICS, **{**state, "tau": tau})


def gravity(model: Model, frame: str = "") -> list[Any]:
    G = model.sweep(GRAVITY)
    if not model.mechanism.springs:
        return G
    return [a - b for a, b in zip(G, model.of(model.springs.elastic_torque()), strict=True)]


def bias(model: Model, frame: str = "") -> list[Any]:
    return inverse_dynamics(model, qdd=[])


def friction(model: Model, frame: str = "") -> list[Any]:
    qd = model.input("qd", model.nv)
    planes, found = plane_friction(model, qd), []
    each = [joint.friction for joint in model.mechanism.joints for _ in range(joint.kind.nv)]
    for k, (speed, given) in enumerate(zip(qd, each, strict=True)):
        viscous, forth, back = (model.number(x or 0) for x in (given.viscous, given.coulomb, given.coulomb_negative))
        dry = speed.by_sign(forth, -back) if not (is_zero(forth) and is_zero(back)) else 0
        found.append(viscous * speed + planes.get(k, dry))
    if any(not is_zero(model.number(s.damping)) for s in model.mechanism.springs):
        found = [a - b for a, b in zip(found, model.of(model.springs.viscous_torque()), strict=True)]
    return found


def kinetic_energy(model: Model, frame: str = "") -> list[Any]:
    return model.sweep(energy.KINETIC_ENERGY)


def potential_energy(model: Model, frame: str = "") -> list[Any]:
    V = model.sweep(energy.POTENTIAL_ENERGY)
    return [V[0] + model.of(model.springs.energy())[0]] if model.mechanism.springs else V


def regressor(model: Model, frame: str = "") -> list[Any]:
    """Y of the bodies: the links' regressor, with each body's parameters taken into the frame of its link."""
    tree, bodies, links = model.tree, model.mechanism.bodies, len(model.tree)
    Y = model.sweep(REGRESSOR)  # (nv, links, 10)
    columns = []
    assert tree.lanes is not None
    for body in bodies:
        link, at = tree.lanes.place[body.name]
        for k in range(10):
            if link < 0:
                columns.append([0] * model.nv)
                continue
            moved = _moved([int(j == k) for j in range(10)], at)
            rows = [Y[(i * links + link) * 10 : (i * links + link) * 10 + 10] for i in range(model.nv)]
            columns.append([_sum(a * b for a, b in zip(row, moved, strict=True) if not is_zero(b)) for row in rows])
    return [column[i] for i in range(model.nv) for column in columns]


def _sum(terms: Any) -> Any:
    total: Any = 0
    for x in terms:
        total = total + x
    return total


def _moved(unit: list[int], at: Any) -> list[Any]:
    """A body's ten inertial parameters in the frame of its link, where the body stands `at`."""
    R = tuple(tuple(node_of(x) for x in row) for row in at.rotation)
    p = tuple(node_of(x) for x in at.position)
    m, h, I = unit[0], tuple(unit[1:4]), tuple(unit[4:])
    turned = v.mat_vec(R, h)  # type: ignore[arg-type]
    about = v.shift_inertia(v.sym_rotate(R, I), turned, m, p)  # type: ignore[arg-type]
    return [m, *v.add(turned, v.scale(m, p)), *about]


def _of_bodies(model: Model) -> tuple[Argument, ...]:
    shape = (model.nv, 10 * len(model.mechanism.bodies))
    return (Argument("Y", shape, "Y with Y p = the joint forces; p are m, m c and the inertia about its origin of each body"),)


FUNCTIONS = (
    Function(
        "inverse_dynamics",
        "The joint forces of a motion: M qdd + C qd + G + F.",
        ("q", "qd", "qdd"),
        speeds("tau", "the joint forces"),
        inverse_dynamics,
        algorithm=INVERSE_DYNAMICS,
    ),
    Function(
        "forward_dynamics",
        "The accelerations for joint forces; constraints are kept.",
        ("q", "qd", "tau"),
        speeds("qdd", "the accelerations"),
        forward_dynamics,
        timed=True,
        algorithm=FORWARD_DYNAMICS,
    ),
    Function(
        "mass_matrix",
        "The mass matrix M, rotors included.",
        ("q",),
        matrix("M", "the mass matrix"),
        lambda model, frame: model.sweep(MASS_MATRIX),
        algorithm=MASS_MATRIX,
    ),
    Function(
        "coriolis_matrix",
        "The matrix C of the Christoffel symbols: M' - 2 C is skew.",
        ("q", "qd"),
        matrix("C", "the Coriolis matrix"),
        lambda model, frame: model.sweep(CORIOLIS_MATRIX),
        algorithm=CORIOLIS_MATRIX,
    ),
    Function(
        "gravity",
        "G = dV/dq, springs included.",
        ("q",),
        speeds("G", "the forces of gravity and springs"),
        gravity,
        algorithm=GRAVITY,
    ),
    Function(
        "bias",
        "The joint forces at zero acceleration: C qd + G + F.",
        ("q", "qd"),
        speeds("b", "the velocity-dependent, gravity and friction terms"),
        bias,
        algorithm=BIAS,
    ),
    Function("friction", "The friction F of joints and dampers.", ("q", "qd"), speeds("F", "the friction"), friction),
    Function(
        "kinetic_energy",
        "The kinetic energy T = 1/2 qd' M qd.",
        ("q", "qd"),
        array("T", (), "the kinetic energy in J"),
        kinetic_energy,
        algorithm=energy.KINETIC_ENERGY,
    ),
    Function(
        "potential_energy",
        "The potential energy V of gravity and springs.",
        ("q",),
        array("V", (), "the potential energy in J"),
        potential_energy,
        algorithm=energy.POTENTIAL_ENERGY,
    ),
    Function(
        "center_of_mass",
        "The centre of mass of all moving bodies, in the world.",
        ("q",),
        array("c", (3,), "the centre of mass", ("x", "y", "z")),
        lambda model, frame: model.sweep(energy.CENTER_OF_MASS),
        algorithm=energy.CENTER_OF_MASS,
    ),
    Function(
        "momentum",
        "The angular momentum about the centre of mass, then the linear momentum.",
        ("q", "qd"),
        array("p", (6,), "the momentum"),
        lambda model, frame: model.sweep(energy.MOMENTUM),
        algorithm=energy.MOMENTUM,
    ),
    Function("regressor", "The regressor of the inertial parameters.", ("q", "qd", "qdd"), _of_bodies, regressor),
)
