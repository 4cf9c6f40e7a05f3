"""Models that Pinocchio and MuJoCo read from a description by themselves, with their joints matched to ours by name."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from lagrangian.model.joints.free import Free
from lagrangian.model.joints.joint_type import JointType
from lagrangian.model.joints.planar import Planar
from lagrangian.peers.models import JointMismatchError, moving_steps
from lagrangian.peers.mujoco import MuJoCoModel
from lagrangian.peers.pinocchio import PinocchioModel

if TYPE_CHECKING:
    from lagrangian.model.joint import Joint
    from lagrangian.model.mechanism import Mechanism


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
        _check_same_joints(
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
        _check_same_joints(
            self.name, [model.joint(k).name for k in range(model.njnt)], [j.name for j in m.joints if moving_steps(j)]
        )
        self.data = program.MjData(model)
        self._set_indices()

    def _joint_id(self, joint: Joint, step: int) -> int:
        return int(self.model.joint(joint.name).id)


def _check_same_joints(peer_name: str, theirs: list[str], ours: list[str]) -> None:
    """Joints that differ are an error: one of the readers is wrong, or leaves something out."""
    only_theirs, only_ours = sorted(set(theirs) - set(ours)), sorted(set(ours) - set(theirs))
    if only_theirs or only_ours:
        differences = [
            f"only {side} has {', '.join(names[:6])}"
            for side, names in ((peer_name, only_theirs), ("lagrangian", only_ours))
            if names
        ]
        raise JointMismatchError(f"the two programs read different joints from the file: {'; '.join(differences)}")
