"""A mechanism as a model of Pinocchio, whose links are the child sides of their joints."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from lagrangian.cli.peers.models import steps
from lagrangian.errors import ArgumentError
from lagrangian.model.joints.ball import Ball
from lagrangian.model.joints.free import Free
from lagrangian.model.joints.helical import Helical
from lagrangian.model.joints.joint_type import Step
from lagrangian.model.joints.prismatic import Prismatic
from lagrangian.model.joints.revolute import Revolute
from lagrangian.model.placement import Placement

if TYPE_CHECKING:
    from lagrangian.model.joint import Joint
    from lagrangian.model.mechanism import Mechanism

SOME = 64  # states of a loop in Python


class Pinocchio:
    """Pinocchio orders a free joint (position, x y z w; linear, angular), we (w x y z, position; angular, linear)."""

    def __init__(self, m: Mechanism) -> None:
        pin: Any = import_module("pinocchio")
        self.pin = pin
        self.name = f"Pinocchio {pin.__version__}"
        self.model = model = pin.Model()
        model.gravity.linear = np.array(m.gravity, dtype=float)
        self.ids = ids = {"ground": 0}
        self.from_joint = from_joint = {"ground": Placement()}  # bodies in the frames of the joints that carry them
        at_q = dict(zip((j.name for j in m.joints), np.cumsum([0, *(j.kind.nq for j in m.joints)]).tolist(), strict=False))
        at_v = dict(zip((j.name for j in m.joints), np.cumsum([0, *(j.kind.nv for j in m.joints)]).tolist(), strict=False))
        self._q: list[int] = []  # our index of each of their coordinates
        self._v: list[int] = []
        armature: list[float] = []
        for joint in m.outward():
            here, at = ids[joint.parent], from_joint[joint.parent] @ joint.placement
            iq, iv = at_q[joint.name], at_v[joint.name]
            for k, step in enumerate(steps(joint)):
                here = model.addJoint(here, self._made(step, joint), self._se3(at), f"{joint.name}.{k}")
                at = Placement()
                nq, nv = step.kind.nq, step.kind.nv
                self._q += [*range(iq + 4, iq + nq), iq + 1, iq + 2, iq + 3, iq] if step.kind.quaternion else [iq]
                self._v += [*range(iv + 3, iv + nv), *range(iv, iv + min(nv, 3))]
                armature += [float(joint.rotor.reflected)] * nv
                iq, iv = iq + nq, iv + nv
            ids[joint.child] = here
            from_joint[joint.child] = (Placement() if joint.kind.nv else at) @ joint.child_placement.inverse()
            body = m.body(joint.child)
            inertia = pin.Inertia(float(body.mass), np.array(body.center, dtype=float), body.inertia_matrix)
            model.appendBodyToJoint(here, inertia, self._se3(from_joint[joint.child]))
        model.armature = np.array(armature)
        self.data = model.createData()

    def _se3(self, at: Placement) -> Any:
        T = at.matrix()
        return self.pin.SE3(T[:3, :3], T[:3, 3])

    def _made(self, step: Step, joint: Joint) -> Any:
        pin, direction = self.pin, np.array(step.axis, dtype=float)
        match step.kind:
            case Ball():
                return pin.JointModelSpherical()
            case Free():
                return pin.JointModelFreeFlyer()
            case Helical():
                return pin.JointModelHelicalUnaligned(direction, float(joint.pitch))
            case Prismatic():
                return pin.JointModelPrismaticUnaligned(direction)
            case Revolute():
                return pin.JointModelRevoluteUnaligned(direction)
        raise ArgumentError(f"Pinocchio has no counterpart of the joint {joint.name!r}, which is {joint.type}")

    def _position(self, q: np.ndarray) -> np.ndarray:
        return q[self._q]

    def _ours(self, theirs: np.ndarray) -> np.ndarray:
        found = np.zeros(self.model.nv)
        found[self._v] = theirs
        return found

    def mass_matrix(self, q: np.ndarray) -> np.ndarray:
        M = np.triu(self.pin.crba(self.model, self.data, self._position(q)))
        found = np.zeros_like(M)
        found[np.ix_(self._v, self._v)] = M + np.triu(M, 1).T
        return found

    def bias(self, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        return self._ours(self.pin.nonLinearEffects(self.model, self.data, self._position(q), qd[self._v]))

    def inverse_dynamics(self, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray) -> np.ndarray:
        return self._ours(self.pin.rnea(self.model, self.data, self._position(q), qd[self._v], qdd[self._v]))

    def forward_dynamics(self, q: np.ndarray, qd: np.ndarray, tau: np.ndarray) -> np.ndarray:
        return self._ours(self.pin.aba(self.model, self.data, self._position(q), qd[self._v], tau[self._v]))

    def runners(self, q: np.ndarray, qd: np.ndarray, x: np.ndarray) -> dict[str, tuple[Callable[[], object], int]]:
        """Loops in C++ on one thread where Pinocchio has them, else in Python."""
        pin, model, data = self.pin, self.model, self.data
        qt, qdt, xt = (np.asfortranarray(a[:, order].T) for a, order in ((q, self._q), (qd, self._v), (x, self._v)))
        rows = [q[k][self._q].copy() for k in range(min(SOME, len(q)))]
        one = tuple(np.ascontiguousarray(a[:, 0]) for a in (qt, qdt, xt))

        def masses() -> None:
            for row in rows:
                pin.crba(model, data, row)

        found: dict[str, tuple[Callable[[], object], int]] = {
            "mass_matrix": (masses, len(rows)),
            "one inverse_dynamics": (lambda: pin.rnea(model, data, *one), 1),
            "one forward_dynamics": (lambda: pin.aba(model, data, *one), 1),
        }
        if hasattr(pin, "ModelPool") and hasattr(pin, "rneaInParallel"):
            pool, out = pin.ModelPool(model, 1), np.empty((model.nv, len(q)), order="F")
            found["inverse_dynamics"] = (lambda: pin.rneaInParallel(1, pool, qt, qdt, xt, out), len(q))
            found["forward_dynamics"] = (lambda: pin.abaInParallel(1, pool, qt, qdt, xt, out), len(q))
        return found
