"""Models of MuJoCo: one made of a mechanism, and one that MuJoCo reads from the same MJCF file."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any
from xml.sax.saxutils import quoteattr

import numpy as np

from lagrangian.errors import ArgumentError
from lagrangian.model.joints.ball import Ball
from lagrangian.model.joints.free import Free
from lagrangian.model.joints.joint_type import JointType
from lagrangian.model.joints.prismatic import Prismatic
from lagrangian.model.joints.revolute import Revolute
from lagrangian.model.placement import Transform
from lagrangian.model.rotation import quaternion
from lagrangian.peers.models import check_same_joints, moving_steps

if TYPE_CHECKING:
    from lagrangian.model.joint import Joint
    from lagrangian.model.mechanism import Mechanism

_KINDS: dict[type[JointType], str] = {Revolute: "hinge", Prismatic: "slide", Ball: "ball", Free: "free"}  # MuJoCo's words
_FLAGS = '<flag contact="disable" constraint="disable"/>'
MAX_STATES = 64  # that a loop in Python goes through


class MuJoCoModel:
    """A model of MuJoCo whose functions take and give our coordinates and speeds.

    Each body has the frame of the joint that carries it. MuJoCo orders a free joint (position, w x y z; linear along the world's
    axes, angular along the body's).
    """

    def __init__(self, m: Mechanism) -> None:
        mujoco: Any = import_module("mujoco")
        self.mujoco = mujoco
        self.name = f"MuJoCo {mujoco.__version__}"
        self.m = m
        self._children: dict[str, list[Joint]] = {}
        for joint in m.joints:
            self._children.setdefault(joint.parent, []).append(joint)
            supported = all(type(step.kind) in _KINDS for step in moving_steps(joint))
            if not supported or (any(isinstance(step.kind, Free) for step in moving_steps(joint)) and joint.parent != "ground"):
                raise ArgumentError(
                    f"MuJoCo has no counterpart of the joint {joint.name!r}, which is {joint.type} on {joint.parent}"
                )
        self._from_joint = {"ground": Transform()}
        gravity = _join_numbers(m.gravity)
        text = f'<mujoco><compiler angle="radian"/><option gravity="{gravity}">{_FLAGS}</option><worldbody>'
        try:
            self.model = mujoco.MjModel.from_xml_string(text + self._bodies_xml("ground") + "</worldbody></mujoco>")
        except (ValueError, RecursionError) as error:
            raise ArgumentError(f"MuJoCo cannot read the model: {error}") from None
        self._set_inertias()
        self.data = mujoco.MjData(self.model)
        mujoco.mj_setConst(self.model, self.data)
        self._set_indices()

    def _bodies_xml(self, parent: str) -> str:
        text = ""
        for joint in self._children.get(parent, ()):
            placement = self._from_joint[parent] @ joint.placement
            self._from_joint[joint.child] = joint.child_placement.inverse()
            T = placement.matrix()
            axes = _join_numbers([*T[:3, 0], *T[:3, 1]])
            text += f'<body name={quoteattr(joint.child)} pos="{_join_numbers(T[:3, 3])}" xyaxes="{axes}">'
            # a stand-in: the compiler refuses what has no inertia about some axis. Off all axes, so that it takes no short cut
            text += '<inertial mass="1" pos="0.1 0.2 0.3" quat="0.5 0.1 0.7 0.3" diaginertia="1 1.1 1.2"/>'
            for k, step in enumerate(moving_steps(joint)):
                name, rotor = quoteattr(f"{joint.name}/{k}"), f'armature="{float(joint.rotor.reflected_inertia)!r}"'
                text += f'<joint name={name} type="{_KINDS[type(step.kind)]}" axis="{_join_numbers(step.axis)}" {rotor}/>'
            text += self._bodies_xml(joint.child) + "</body>"
        return text

    def _set_inertias(self) -> None:
        """Set the inertias of the bodies, which need not be those of real bodies."""
        for joint in self.m.joints:
            body = self.m.body(joint.child)
            k = self.model.body(joint.child).id
            T = self._from_joint[joint.child].matrix()
            sizes, axes = np.linalg.eigh(T[:3, :3] @ body.inertia_matrix @ T[:3, :3].T)
            axes[:, 2] *= np.sign(np.linalg.det(axes))
            orientation = np.zeros(4)
            self.mujoco.mju_mat2Quat(orientation, axes.flatten())
            self.model.body_mass[k], self.model.body_inertia[k] = float(body.mass), sizes
            self.model.body_ipos[k] = T[:3, :3] @ np.array(body.center, dtype=float) + T[:3, 3]
            self.model.body_iquat[k] = orientation

    def _set_indices(self) -> None:
        """Find our index of each of their coordinates and speeds, and list free joints, whose axes turn, apart."""
        m, model = self.m, self.model
        self._q_index, self._v_index = np.zeros(model.nq, dtype=int), np.zeros(model.nv, dtype=int)
        self._free: list[tuple[int, int, int, np.ndarray]] = []
        iq = iv = 0
        for joint in m.joints:
            for k, step in enumerate(moving_steps(joint)):
                joint_id = self._joint_id(joint, k)
                tq, tv = model.jnt_qposadr[joint_id], model.jnt_dofadr[joint_id]
                nq, nv = step.kind.nq, step.kind.nv
                self._q_index[tq : tq + nq] = range(iq, iq + nq)
                self._v_index[tv : tv + nv] = range(iv, iv + nv)
                if isinstance(step.kind, Free):
                    self._v_index[tv : tv + 6] = [iv + 3, iv + 4, iv + 5, iv, iv + 1, iv + 2]
                    self._free.append((int(tq), int(tv), iq, joint.placement.matrix()))
                iq, iv = iq + nq, iv + nv

    def _joint_id(self, joint: Joint, step: int) -> int:
        """The number in MuJoCo's model of a step of one of our joints."""
        return int(self.model.joint(f"{joint.name}/{step}").id)

    def _peer_configuration(self, q: np.ndarray) -> np.ndarray:
        theirs = q[self._q_index]
        for tq, _, iq, T in self._free:
            orientation = np.zeros(4)
            self.mujoco.mju_mat2Quat(orientation, (T[:3, :3] @ _rotation_matrix(q[iq : iq + 4])).flatten())
            theirs[tq : tq + 7] = [*(T[:3, :3] @ q[iq + 4 : iq + 7] + T[:3, 3]), *orientation]
        return theirs

    def _speed_matrix(self, q: np.ndarray) -> np.ndarray:
        """The matrix S by which their speeds are S times ours."""
        S = np.zeros((self.model.nv, self.m.nv))
        S[np.arange(self.model.nv), self._v_index] = 1.0
        for _, tv, iq, T in self._free:
            rows = S[tv : tv + 3].copy()
            S[tv : tv + 3] = T[:3, :3] @ _rotation_matrix(q[iq : iq + 4]) @ rows
        return S

    def _speed_bias(self, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        """The vector S' qd."""
        rate = np.zeros(self.model.nv)
        for _, tv, iq, T in self._free:
            linear, angular = qd[self._v_index[tv : tv + 3]], qd[self._v_index[tv + 3 : tv + 6]]
            rate[tv : tv + 3] = T[:3, :3] @ _rotation_matrix(q[iq : iq + 4]) @ np.cross(angular, linear)
        return rate

    def _set_state(self, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        S = self._speed_matrix(q)
        self.data.qpos[:], self.data.qvel[:] = self._peer_configuration(q), S @ qd
        return S

    def mass_matrix(self, q: np.ndarray) -> np.ndarray:
        S = self._set_state(q, np.zeros(self.m.nv))
        self.mujoco.mj_forward(self.model, self.data)
        M = np.zeros((self.model.nv, self.model.nv))
        try:
            self.mujoco.mj_fullM(self.model, M, self.data.qM)
        except (AttributeError, TypeError):  # of newer versions
            self.mujoco.mj_fullM(self.model, self.data, M)
        mass_matrix: np.ndarray = S.T @ M @ S
        return mass_matrix

    def bias(self, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        return self.inverse_dynamics(q, qd, np.zeros(self.m.nv))

    def inverse_dynamics(self, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray) -> np.ndarray:
        S = self._set_state(q, qd)
        self.data.qacc[:] = S @ qdd + self._speed_bias(q, qd)
        self.mujoco.mj_inverse(self.model, self.data)
        torques: np.ndarray = S.T @ self.data.qfrc_inverse
        return torques

    def forward_dynamics(self, q: np.ndarray, qd: np.ndarray, tau: np.ndarray) -> np.ndarray:
        S = self._set_state(q, qd)
        inverse = np.linalg.inv(S)
        self.data.qfrc_applied[:] = inverse.T @ tau
        self.mujoco.mj_forward(self.model, self.data)
        accelerations: np.ndarray = inverse @ (self.data.qacc - self._speed_bias(q, qd))
        return accelerations

    def runners(self, q: np.ndarray, qd: np.ndarray, x: np.ndarray) -> dict[str, tuple[Callable[[], object], int]]:
        mujoco, model, data, n = self.mujoco, self.model, self.data, min(MAX_STATES, len(q))
        positions = [self._peer_configuration(q[k]) for k in range(n)]
        speeds, inputs = qd[:n, self._v_index], x[:n, self._v_index]

        def loop(function: Callable[..., Any], target: np.ndarray, count: int) -> Callable[[], object]:
            def run() -> None:
                for k in range(count):
                    data.qpos[:], data.qvel[:], target[:] = positions[k], speeds[k], inputs[k]
                    function(model, data)

            return run

        inverse, forward = (mujoco.mj_inverse, data.qacc), (mujoco.mj_forward, data.qfrc_applied)
        return {
            "inverse_dynamics": (loop(*inverse, n), n),
            "forward_dynamics": (loop(*forward, n), n),
            "one inverse_dynamics": (loop(*inverse, 1), 1),
            "one forward_dynamics": (loop(*forward, 1), 1),
        }


def read_mjcf(m: Mechanism) -> tuple[MuJoCoFileModel | None, str]:
    """The model that MuJoCo reads from an MJCF file, or None and the reason."""
    program: Any = import_module("mujoco")
    if any("free joint aligned" in note for note in m.notes):
        return None, "it aligns free joints with the inertia of the bodies they carry"
    try:
        model = program.MjModel.from_xml_path(m.file)
    except Exception as error:  # meshes that are not there, among others
        return None, f"it cannot read {m.file}: {str(error).strip()}"
    if any(not model.joint(k).name for k in range(model.njnt)):
        return None, "some joints have no name, so they cannot be matched"
    return MuJoCoFileModel(m, model), ""


class MuJoCoFileModel(MuJoCoModel):
    """A model that MuJoCo has read, without what ours leaves out: contacts, limits, actuators, springs and friction."""

    def __init__(self, m: Mechanism, model: Any) -> None:
        program: Any = import_module("mujoco")
        self.mujoco, self.m, self.model = program, m, model
        self.name = f"MuJoCo {program.__version__}"
        disable_bits = program.mjtDisableBit
        model.opt.disableflags |= (
            int(disable_bits.mjDSBL_CONTACT) | int(disable_bits.mjDSBL_CONSTRAINT) | int(disable_bits.mjDSBL_ACTUATION)
        )
        for force in (model.dof_damping, model.jnt_stiffness, model.tendon_stiffness, model.tendon_damping):
            force[:] = 0
        model.opt.density = model.opt.viscosity = 0
        check_same_joints(
            self.name, [model.joint(k).name for k in range(model.njnt)], [j.name for j in m.joints if moving_steps(j)]
        )
        self.data = program.MjData(model)
        self._set_indices()

    def _joint_id(self, joint: Joint, step: int) -> int:
        return int(self.model.joint(joint.name).id)


def _join_numbers(values: Any) -> str:
    return " ".join(repr(float(x)) for x in values)


def _rotation_matrix(wxyz: np.ndarray) -> np.ndarray:
    return quaternion.matrix(np.array(wxyz, dtype=float))
