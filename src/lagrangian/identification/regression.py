"""Joint forces as a sum of parameters times known functions of the motion: tau = Y(q, qd, qdd) phi + what is taken as known.

phi holds the ten inertial parameters of each link (with the bodies fixed to it, in the frame of the body its joint moves) and,
where they are to be identified, parameters of each joint: the rotor's inertia r^2 J, friction, and an offset of the measured
force. All else in the description (springs, and the rotors and friction that are not identified) is the known part.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

import numpy as np

from lagrangian.arguments import distinct_names
from lagrangian.cached import cached_property
from lagrangian.errors import ArgumentError, ArgumentName, unknown_name_message
from lagrangian.kernels.dynamics import Dynamics
from lagrangian.kernels.inertial_parameters import body_parameters
from lagrangian.model.joint import Joint
from lagrangian.model.mechanism import GROUND, Mechanism

PARAMETER_NAMES = ("m", "hx", "hy", "hz", "Ixx", "Ixy", "Ixz", "Iyy", "Iyz", "Izz")


class Regression:
    """The terms of a mechanism and the matrix Y of their factors."""

    def __init__(
        self,
        dyn: Dynamics,
        *,
        friction: str = "",
        offset: bool = False,
        rotors: bool = False,
        joints: Sequence[str] | None = None,
    ) -> None:
        self.dyn = dyn
        mechanism = dyn.mechanism
        friction_parameters = FRICTION_MODELS[friction] if friction else ()
        parameters = [*([ROTOR] if rotors else []), *friction_parameters, *([OFFSET] if offset else [])]
        self.owners = _owner_joints(mechanism, joints)
        self.links = _links_with_inertia(dyn, moving_links(dyn))
        inertial = [
            Term(f"{p}{link.number}", link.body, k, float(x))
            for link in self.links
            for k, (p, x) in enumerate(zip(PARAMETER_NAMES, _lumped_parameters(mechanism, link), strict=True))
        ]
        numbers = np.cumsum([j.kind.nv for j in mechanism.joints])
        joint_terms = [
            Term(parameter.label(numbers[j]), j, parameter, parameter.described_value(mechanism.joints[j]))
            for parameter in parameters
            for j in self.owners
            if parameter.applies_to(mechanism.joints[j])
        ]
        self.terms = (*inertial, *joint_terms)
        self.described_values = np.array([term.value for term in self.terms])

    @cached_property
    def joint_parameters(self) -> dict[int, JointParameter]:
        """The terms of joints, by their indices among all terms."""
        return {k: term.entry for k, term in enumerate(self.terms) if isinstance(term.entry, JointParameter)}

    @cached_property
    def speeds(self) -> list[slice]:
        """The indices of the speeds of every joint."""
        ends = np.cumsum([j.kind.nv for j in self.dyn.mechanism.joints])
        return [slice(end - j.kind.nv, end) for end, j in zip(ends, self.dyn.mechanism.joints, strict=True)]

    def regressor_and_known_forces(
        self, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray, columns: Sequence[int]
    ) -> tuple[np.ndarray, np.ndarray]:
        """The given columns of Y, (rows, nv, columns), and the known forces.

        Known are the described joint forces that are no term's: springs, and the rotors and friction that are not identified.
        """
        Y = np.zeros((len(q), self.dyn.nv, len(columns)))
        known_forces = np.array(self.dyn.inverse_dynamics(q, qd, qdd))
        body_regressor = self.dyn.regressor(q, qd, qdd)
        known_forces -= body_regressor @ self.dyn.inertial_parameters()
        for term in self.terms:
            if isinstance(term.entry, JointParameter):
                speeds, joint = self.speeds[term.owner], self.dyn.mechanism.joints[term.owner]
                for parameter in (FORWARD, BACKWARD) if term.entry is COULOMB else (term.entry,):
                    known_forces[:, speeds] -= parameter.described_value(joint) * parameter.column(qd[:, speeds], qdd[:, speeds])
        self._fill(Y, body_regressor, qd, qdd, columns)
        return Y, known_forces

    def regressor(self, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray, columns: Sequence[int] | None = None) -> np.ndarray:
        """The matrix Y, (rows, nv, terms), or its given columns."""
        selected = range(len(self.terms)) if columns is None else columns
        Y = np.zeros((len(q), self.dyn.nv, len(selected)))
        self._fill(Y, self.dyn.regressor(q, qd, qdd), qd, qdd, selected)
        return Y

    def _fill(self, Y: np.ndarray, body_regressor: np.ndarray, qd: np.ndarray, qdd: np.ndarray, columns: Sequence[int]) -> None:
        """Fill in the columns of terms, those of links from the regressor of all bodies."""
        for column, k in enumerate(columns):
            term = self.terms[k]
            if isinstance(term.entry, int):
                Y[:, :, column] = body_regressor[:, :, 10 * term.owner + term.entry]
            else:
                speeds = self.speeds[term.owner]
                Y[:, speeds, column] = term.entry.column(qd[:, speeds], qdd[:, speeds])


def _owner_joints(mechanism: Mechanism, names: Sequence[str] | None) -> list[int]:
    """The joints whose friction and rotors are terms: all that move, with loops the actuated ones, or those that are named."""
    moving = [k for k, j in enumerate(mechanism.joints) if j.kind.nv]
    if names is None:
        return [k for k in moving if not mechanism.equation_count or mechanism.joints[k].actuated]
    names = distinct_names(names, "joints") or ()
    moving_names = [mechanism.joints[k].name for k in moving]
    for name in names:
        if name not in moving_names:
            raise ArgumentError(unknown_name_message("joint that moves", name, moving_names), where=ArgumentName("joints"))
    return [k for k in moving if mechanism.joints[k].name in names]


def _links_with_inertia(dyn: Dynamics, all_links: list[RegressorLink]) -> list[RegressorLink]:
    """The links that get parameters: those with inertia, or all links if none has any, as in a bare table of lengths."""
    heavy = [link for link in all_links if _lumped_parameters(dyn.mechanism, link).any()]
    return heavy or all_links


def _lumped_parameters(mechanism: Mechanism, link: RegressorLink) -> np.ndarray:
    return np.sum([matrix @ body_parameters(mechanism.bodies[b]) for b, matrix in link.bodies], axis=0)


@dataclass(frozen=True)
class Term:
    """A parameter: of a link (`owner` is its body's index, `entry` one of the ten) or of a joint (`owner` is its index)."""

    name: str
    owner: int
    entry: int | JointParameter
    value: float  # as described

    @property
    def inertial(self) -> bool:
        return isinstance(self.entry, int)


@dataclass(frozen=True)
class RegressorLink:
    """A body that a joint moves, and the bodies fixed to it, each with the matrix that takes its parameters into its frame."""

    body: int
    joint: int
    number: int  # of its last speed, from 1
    bodies: tuple[tuple[int, np.ndarray], ...]


def moving_links(dyn: Dynamics) -> list[RegressorLink]:
    """The link of every joint that moves, from the ground outward."""
    mechanism = dyn.mechanism
    numbers = dict(zip((j.name for j in mechanism.joints), np.cumsum([j.kind.nv for j in mechanism.joints]), strict=True))
    _, placements = dyn.body_to_link()
    links = []
    for joint in mechanism.outward_joints():
        if not joint.kind.nv:
            continue
        body = mechanism.body_index[joint.child]
        inverse_placement = np.linalg.inv(placements[body])
        rigid_bodies = [b for b in range(len(mechanism.bodies)) if _carrying_body(mechanism, b) == body]
        bodies = tuple((b, inverse_placement @ placements[b]) for b in rigid_bodies)
        links.append(RegressorLink(body, mechanism.joint_index[joint.name], int(numbers[joint.name]), bodies))
    return links


def _carrying_body(mechanism: Mechanism, body: int) -> int:
    """The body with a joint that moves, to which this one is fixed; -1 for the ground."""
    parent_joints = {joint.child: joint for joint in mechanism.joints}
    name = mechanism.bodies[body].name
    while name != GROUND and not parent_joints[name].kind.nv:
        name = parent_joints[name].parent
    return -1 if name == GROUND else mechanism.body_index[name]


class JointParameter(Enum):
    """A parameter that adds `value * column(qd, qdd)` to the force of its joint."""

    ROTOR = "rotor inertia"
    VISCOUS = "viscous friction"
    COULOMB = "Coulomb friction"
    FORWARD = "Coulomb friction, speed > 0"
    BACKWARD = "Coulomb friction, speed < 0"
    OFFSET = "offset of the measured force"

    @property
    def meaning(self) -> str:
        return self.value

    def applies_to(self, joint: Joint) -> bool:
        """Whether the parameter exists at this joint, whose type may refuse it."""
        return _DESCRIBED_ENTRY[self] not in joint.kind.refuses

    @property
    def dry(self) -> bool:
        """Whether the parameter is dry friction, whose force is unknown while the joint is at rest."""
        return self in (COULOMB, FORWARD, BACKWARD)

    @property
    def positive(self) -> bool:
        """Whether the parameter cannot be negative, as a property of the mechanism; an offset belongs to the measurement."""
        return self is not OFFSET

    def label(self, number: int) -> str:
        """The name of the parameter at the joint of this number, such as `Fc3+`."""
        letters, direction = _LETTERS[self]
        return f"{letters}{number}{direction}"

    def described_value(self, joint: Joint) -> float:
        """The value of the parameter in the description."""
        friction = joint.friction
        forward, backward = float(friction.coulomb), float(friction.coulomb_negative)  # type: ignore[arg-type]
        match self:
            case JointParameter.ROTOR:
                return float(joint.rotor.reflected_inertia)
            case JointParameter.VISCOUS:
                return float(friction.viscous)
            case JointParameter.COULOMB:
                return 0.5 * (forward + backward)
            case JointParameter.FORWARD:
                return forward
            case JointParameter.BACKWARD:
                return backward
            case JointParameter.OFFSET:
                return 0.0

    def column(self, qd: np.ndarray, qdd: np.ndarray) -> np.ndarray:
        """The factor of the parameter in the joint's force."""
        match self:
            case JointParameter.ROTOR:
                return qdd
            case JointParameter.VISCOUS:
                return qd
            case JointParameter.COULOMB:
                return np.sign(qd)
            case JointParameter.FORWARD:
                return (qd > 0).astype(float)
            case JointParameter.BACKWARD:
                return -(qd < 0).astype(float)
            case JointParameter.OFFSET:
                return np.ones_like(qd)


ROTOR, VISCOUS, COULOMB, FORWARD, BACKWARD, OFFSET = JointParameter
_LETTERS = {
    ROTOR: ("Ja", ""),
    VISCOUS: ("Fv", ""),
    COULOMB: ("Fc", ""),
    FORWARD: ("Fc", "+"),
    BACKWARD: ("Fc", "-"),
    OFFSET: ("Fo", ""),
}

# the entry of a joint's description that holds the parameter
_DESCRIBED_ENTRY = {
    ROTOR: "rotor",
    VISCOUS: "friction",
    COULOMB: "friction",
    FORWARD: "friction",
    BACKWARD: "friction",
    OFFSET: "",
}

# what the argument `friction` of `identify` may be, and what is estimated then
FRICTION_MODELS = {"viscous": (VISCOUS,), "coulomb": (VISCOUS, COULOMB), "asymmetric": (VISCOUS, FORWARD, BACKWARD)}
