"""What is identified of a joint beside the inertia of its link: the rotor, friction, and an offset of the measured force."""

from __future__ import annotations

from enum import Enum

import numpy as np

from lagrangian.model.joint import Joint


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

    def meant(self, joint: Joint) -> bool:
        """Whether it means something at this joint: what its type refuses is not identified."""
        return _OF[self] not in joint.kind.refuses

    @property
    def dry(self) -> bool:
        """Whether it is dry friction, of which nothing is known where the joint is at rest."""
        return self in (COULOMB, FORWARD, BACKWARD)

    @property
    def positive(self) -> bool:
        """Whether it is a property of the mechanism, and cannot be negative; an offset is one of the measurement."""
        return self is not OFFSET

    def named(self, number: int) -> str:
        """What it is called at the joint of this number, such as `Fc3+`."""
        letters, direction = _LETTERS[self]
        return f"{letters}{number}{direction}"

    def described(self, joint: Joint) -> float:
        """Its value in the description."""
        friction = joint.friction
        forward, backward = float(friction.coulomb), float(friction.coulomb_negative)  # type: ignore[arg-type]
        match self:
            case JointParameter.ROTOR:
                return float(joint.rotor.reflected)
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
        """What it is multiplied by."""
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
# what of a joint it describes
_OF = {ROTOR: "rotor", VISCOUS: "friction", COULOMB: "friction", FORWARD: "friction", BACKWARD: "friction", OFFSET: ""}

# what the argument `friction` of `identify` may be, and what is estimated then
FRICTION = {"viscous": (VISCOUS,), "coulomb": (VISCOUS, COULOMB), "asymmetric": (VISCOUS, FORWARD, BACKWARD)}
