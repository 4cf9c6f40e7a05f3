"""Joint forces as a sum of parameters times known functions of the motion: tau = Y(q, qd, qdd) phi + what is taken as known.

phi holds the ten inertial parameters of each link (with the bodies fixed to it, in the frame of the body its joint moves) and,
where they are to be identified, of each joint the rotor's inertia r^2 J and the friction. All else the description has (springs,
and the rotors and friction that are not identified) is the known part.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lagrangian.cached import cached_property
from lagrangian.errors import Argument, ArgumentError, one_of
from lagrangian.identification.joint_parameters import BACKWARD, COULOMB, FORWARD, FRICTION, OFFSET, ROTOR, JointParameter
from lagrangian.kernels.dynamics import Dynamics
from lagrangian.kernels.programs.parameters import body_parameters
from lagrangian.model.mechanism import GROUND, Mechanism
from lagrangian.paths.argument_checks import different

PARAMETERS = ("m", "hx", "hy", "hz", "Ixx", "Ixy", "Ixz", "Iyy", "Iyz", "Izz")


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
class Link:
    """A body that a joint moves, and the bodies fixed to it, each with the matrix that takes its parameters into its frame."""

    body: int
    joint: int
    number: int  # of its last speed, from 1
    carried: tuple[tuple[int, np.ndarray], ...]


class Regression:
    """The terms of a mechanism, and their matrix."""

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
        of_friction = FRICTION[friction] if friction else ()
        parameters = [*([ROTOR] if rotors else []), *of_friction, *([OFFSET] if offset else [])]
        self.owners = _joints(mechanism, joints)
        self.links = _heavy(dyn, links(dyn))
        inertial = [
            Term(f"{p}{link.number}", link.body, k, float(x))
            for link in self.links
            for k, (p, x) in enumerate(zip(PARAMETERS, _lumped(mechanism, link), strict=True))
        ]
        numbers = np.cumsum([j.kind.nv for j in mechanism.joints])
        of_joints = [
            Term(parameter.named(numbers[j]), j, parameter, parameter.described(mechanism.joints[j]))
            for parameter in parameters
            for j in self.owners
            if parameter.meant(mechanism.joints[j])
        ]
        self.terms = (*inertial, *of_joints)
        self.described = np.array([term.value for term in self.terms])

    @cached_property
    def joint_parameters(self) -> dict[int, JointParameter]:
        """The terms that are of joints, by their numbers among all terms."""
        return {k: term.entry for k, term in enumerate(self.terms) if isinstance(term.entry, JointParameter)}

    @cached_property
    def speeds(self) -> list[slice]:
        """Of every joint, its place among the speeds."""
        ends = np.cumsum([j.kind.nv for j in self.dyn.mechanism.joints])
        return [slice(end - j.kind.nv, end) for end, j in zip(ends, self.dyn.mechanism.joints, strict=True)]

    def parts(self, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray, chosen: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
        """Y of the `chosen` terms, (rows, nv, chosen), and the known part.

        Known are the described joint forces that are no term's: springs, and the rotors and friction that are not identified.
        """
        Y = np.zeros((len(q), self.dyn.nv, len(chosen)))
        known = np.array(self.dyn.inverse_dynamics(q, qd, qdd))
        whole = self.dyn.regressor(q, qd, qdd)
        known -= whole @ self.dyn.inertial_parameters()
        for term in self.terms:
            if isinstance(term.entry, JointParameter):
                where, joint = self.speeds[term.owner], self.dyn.mechanism.joints[term.owner]
                for x in (FORWARD, BACKWARD) if term.entry is COULOMB else (term.entry,):
                    known[:, where] -= x.described(joint) * x.column(qd[:, where], qdd[:, where])
        self._fill(Y, whole, qd, qdd, chosen)
        return Y, known

    def matrix(self, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray, chosen: Sequence[int] | None = None) -> np.ndarray:
        """Y, (rows, nv, terms); or the `chosen` terms' columns of it."""
        picked = range(len(self.terms)) if chosen is None else chosen
        Y = np.zeros((len(q), self.dyn.nv, len(picked)))
        self._fill(Y, self.dyn.regressor(q, qd, qdd), qd, qdd, picked)
        return Y

    def _fill(self, Y: np.ndarray, whole: np.ndarray, qd: np.ndarray, qdd: np.ndarray, chosen: Sequence[int]) -> None:
        """Columns of terms, those of links from the regressor of all bodies."""
        for at, k in enumerate(chosen):
            term = self.terms[k]
            if isinstance(term.entry, int):
                Y[:, :, at] = whole[:, :, 10 * term.owner + term.entry]
            else:
                where = self.speeds[term.owner]
                Y[:, where, at] = term.entry.column(qd[:, where], qdd[:, where])


def links(dyn: Dynamics) -> list[Link]:
    """Of every joint that moves, outward."""
    mechanism = dyn.mechanism
    numbers = dict(zip((j.name for j in mechanism.joints), np.cumsum([j.kind.nv for j in mechanism.joints]), strict=True))
    _, moved = dyn.body_to_link()
    found = []
    for joint in mechanism.outward():
        if not joint.kind.nv:
            continue
        body = mechanism.body_index[joint.child]
        back = np.linalg.inv(moved[body])
        with_it = [b for b in range(len(mechanism.bodies)) if _carrier(mechanism, b) == body]
        carried = tuple((b, back @ moved[b]) for b in with_it)
        found.append(Link(body, mechanism.joint_index[joint.name], int(numbers[joint.name]), carried))
    return found


def _carrier(mechanism: Mechanism, body: int) -> int:
    """The body with a joint that moves, to which this one is fixed; -1 for the ground."""
    holders = {joint.child: joint for joint in mechanism.joints}
    name = mechanism.bodies[body].name
    while name != GROUND and not holders[name].kind.nv:
        name = holders[name].parent
    return -1 if name == GROUND else mechanism.body_index[name]


def _lumped(mechanism: Mechanism, link: Link) -> np.ndarray:
    return np.sum([matrix @ body_parameters(mechanism.bodies[b]) for b, matrix in link.carried], axis=0)


def _heavy(dyn: Dynamics, every: list[Link]) -> list[Link]:
    """Links without inertia among links that have some stay without; in a bare table of lengths all get parameters."""
    heavy = [link for link in every if _lumped(dyn.mechanism, link).any()]
    return heavy or every


def _joints(mechanism: Mechanism, names: Sequence[str] | None) -> list[int]:
    """Whose friction and rotors are terms: all that move; in a mechanism with loops the actuated ones, unless they are named."""
    moving = [k for k, j in enumerate(mechanism.joints) if j.kind.nv]
    if names is None:
        return [k for k in moving if not mechanism.equations or mechanism.joints[k].actuated]
    names = different(names, "joints") or ()
    known = [mechanism.joints[k].name for k in moving]
    for name in names:
        if name not in known:
            raise ArgumentError(one_of("joint that moves", name, known), where=Argument("joints"))
    return [k for k in moving if mechanism.joints[k].name in names]
