"""Models of Pinocchio: one made of a mechanism, and one that Pinocchio reads from the same URDF file."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from lagrangian.errors import ArgumentError
from lagrangian.model.joints.ball import Ball
from lagrangian.model.joints.free import Free
from lagrangian.model.joints.helical import Helical
from lagrangian.model.joints.joint_type import JointStep, JointType
from lagrangian.model.joints.planar import Planar
from lagrangian.model.joints.prismatic import Prismatic
from lagrangian.model.joints.revolute import Revolute
from lagrangian.model.placement import Transform
from lagrangian.peers.models import check_same_joints, moving_steps

if TYPE_CHECKING:
    from lagrangian.model.joint import Joint
    from lagrangian.model.mechanism import Mechanism


MAX_STATES = 64  # that a loop in Python goes through


class PinocchioModel:
    """A model of Pinocchio whose functions take and give our coordinates and speeds.

    Each link has the frame of the joint that carries it. Pinocchio orders a free joint (position, x y z w; linear, angular), we
    (w x y z, position; angular, linear).
    """

    def __init__(self, m: Mechanism) -> None:
        pin: Any = import_module("pinocchio")
        self.pin = pin
        self.name = f"Pinocchio {pin.__version__}"
        self.model = model = pin.Model()
        model.gravity.linear = np.array(m.gravity, dtype=float)
        self.ids = ids = {"ground": 0}
        self.from_joint = from_joint = {"ground": Transform()}  # bodies in the frames of the joints that carry them
        first_q = dict(zip((j.name for j in m.joints), np.cumsum([0, *(j.kind.nq for j in m.joints)]).tolist(), strict=False))
        first_v = dict(zip((j.name for j in m.joints), np.cumsum([0, *(j.kind.nv for j in m.joints)]).tolist(), strict=False))
        self.q_index: list[int] = []  # our index of each of their coordinates
        self.v_index: list[int] = []
        armature: list[float] = []
        for joint in m.outward_joints():
            parent_id, placement = ids[joint.parent], from_joint[joint.parent] @ joint.placement
            iq, iv = first_q[joint.name], first_v[joint.name]
            for k, step in enumerate(moving_steps(joint)):
                parent_id = model.addJoint(parent_id, self._joint_model(step, joint), self.se3(placement), f"{joint.name}.{k}")
                placement = Transform()
                nq, nv = step.kind.nq, step.kind.nv
                self.q_index += [*range(iq + 4, iq + nq), iq + 1, iq + 2, iq + 3, iq] if step.kind.quaternion else [iq]
                self.v_index += [*range(iv + 3, iv + nv), *range(iv, iv + min(nv, 3))]
                armature += [float(joint.rotor.reflected_inertia)] * nv
                iq, iv = iq + nq, iv + nv
            ids[joint.child] = parent_id
            from_joint[joint.child] = (Transform() if joint.kind.nv else placement) @ joint.child_placement.inverse()
            body = m.body(joint.child)
            inertia = pin.Inertia(float(body.mass), np.array(body.center, dtype=float), body.inertia_matrix)
            model.appendBodyToJoint(parent_id, inertia, self.se3(from_joint[joint.child]))
        model.armature = np.array(armature)
        self.data = model.createData()

    def se3(self, placement: Transform) -> Any:
        T = placement.matrix()
        return self.pin.SE3(T[:3, :3], T[:3, 3])

    def _joint_model(self, step: JointStep, joint: Joint) -> Any:
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

    def _peer_configuration(self, q: np.ndarray) -> np.ndarray:
        return q[self.q_index]

    def to_own_order(self, values: np.ndarray) -> np.ndarray:
        ordered = np.zeros(self.model.nv)
        ordered[self.v_index] = values
        return ordered

    def mass_matrix(self, q: np.ndarray) -> np.ndarray:
        M = np.triu(self.pin.crba(self.model, self.data, self._peer_configuration(q)))
        ordered = np.zeros_like(M)
        ordered[np.ix_(self.v_index, self.v_index)] = M + np.triu(M, 1).T
        return ordered

    def bias(self, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        return self.to_own_order(self.pin.nonLinearEffects(self.model, self.data, self._peer_configuration(q), qd[self.v_index]))

    def inverse_dynamics(self, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray) -> np.ndarray:
        return self.to_own_order(
            self.pin.rnea(self.model, self.data, self._peer_configuration(q), qd[self.v_index], qdd[self.v_index])
        )

    def forward_dynamics(self, q: np.ndarray, qd: np.ndarray, tau: np.ndarray) -> np.ndarray:
        return self.to_own_order(
            self.pin.aba(self.model, self.data, self._peer_configuration(q), qd[self.v_index], tau[self.v_index])
        )

    def runners(self, q: np.ndarray, qd: np.ndarray, x: np.ndarray) -> dict[str, tuple[Callable[[], object], int]]:
        """Functions to time: loops in C++ on one thread where Pinocchio has them, else in Python."""
        pin, model, data = self.pin, self.model, self.data
        qt, qdt, xt = (
            np.asfortranarray(a[:, order].T) for a, order in ((q, self.q_index), (qd, self.v_index), (x, self.v_index))
        )
        rows = [q[k][self.q_index].copy() for k in range(min(MAX_STATES, len(q)))]
        single_state = tuple(np.ascontiguousarray(a[:, 0]) for a in (qt, qdt, xt))

        def masses() -> None:
            for row in rows:
                pin.crba(model, data, row)

        runners: dict[str, tuple[Callable[[], object], int]] = {
            "mass_matrix": (masses, len(rows)),
            "one inverse_dynamics": (lambda: pin.rnea(model, data, *single_state), 1),
            "one forward_dynamics": (lambda: pin.aba(model, data, *single_state), 1),
        }
        if hasattr(pin, "ModelPool") and hasattr(pin, "rneaInParallel"):
            pool, out = pin.ModelPool(model, 1), np.empty((model.nv, len(q)), order="F")
            runners["inverse_dynamics"] = (lambda: pin.rneaInParallel(1, pool, qt, qdt, xt, out), len(q))
            runners["forward_dynamics"] = (lambda: pin.abaInParallel(1, pool, qt, qdt, xt, out), len(q))
        return runners


def read_urdf(m: Mechanism) -> tuple[PinocchioFileModel | None, str]:
    """The model that Pinocchio reads from a URDF file, or None and the reason."""
    pin: Any = import_module("pinocchio")
    if any(isinstance(j.kind, Planar) for j in m.joints):
        return None, "its planar joints slide along axes that turn with them"
    root = isinstance(m.joints[0].kind, Free) and m.joints[0].parent == "ground"
    try:
        model = pin.buildModelFromUrdf(m.file, pin.JointModelFreeFlyer()) if root else pin.buildModelFromUrdf(m.file)
    except Exception as error:  # of C++, of any kind
        return None, f"it cannot read {m.file}: {str(error).strip() or type(error).__name__}"
    theirs = {str(model.names[k]): model.joints[k].nv for k in range(1 + root, model.njoints)}
    if any(theirs.get(j.name, j.kind.nv) != j.kind.nv for j in m.joints[root:]):
        return None, "it does not read the YAML file beside the URDF file, which changes some joints"
    return PinocchioFileModel(m, model, root), ""


class PinocchioFileModel(PinocchioModel):
    """A model that Pinocchio has read, in which continuous joints have (cos, sin) for a coordinate."""

    def __init__(self, m: Mechanism, model: Any, root: bool) -> None:
        self.pin: Any = import_module("pinocchio")
        self.name = f"Pinocchio {self.pin.__version__}"
        self.model, self.data = model, model.createData()
        ours = {j.name: k for k, j in enumerate(m.joints)}
        first_q, first_v = (np.cumsum([0, *(getattr(j.kind, n) for j in m.joints)]) for n in ("nq", "nv"))
        check_same_joints(
            self.name, [str(x) for x in list(model.names)[1 + root :]], [j.name for j in m.joints[root:] if j.kind.nv]
        )
        self.v_index = [0] * model.nv
        self._coordinate_blocks: list[tuple[int, int, int, JointType]] = []
        for j in range(1, model.njoints):
            k, joint = 0 if root and j == 1 else ours[model.names[j]], model.joints[j]
            kind, iv = m.joints[k].kind, int(first_v[k])
            order = [3, 4, 5, 0, 1, 2] if isinstance(kind, Free) else range(joint.nv)
            self.v_index[joint.idx_v : joint.idx_v + joint.nv] = [iv + b for b in order]
            self._coordinate_blocks.append((joint.idx_q, joint.nq, int(first_q[k]), kind))

    def _peer_configuration(self, q: np.ndarray) -> np.ndarray:
        theirs = np.zeros(self.model.nq)
        for target, nq, source, kind in self._coordinate_blocks:
            if kind.quaternion:
                w, x, y, z, *p = q[source : source + nq]
                theirs[target : target + nq] = [*p, x, y, z, w]
            elif nq == 2:
                theirs[target : target + 2] = np.cos(q[source]), np.sin(q[source])
            else:
                theirs[target : target + nq] = q[source : source + nq]
        return theirs
