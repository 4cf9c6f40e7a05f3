"""Models of other programs of the same mechanism: its open tree, without friction and springs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from importlib import util
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import numpy as np

from lagrangian.errors import ArgumentError, unknown_name_message
from lagrangian.model.joint import Friction, Joint, JointSpring
from lagrangian.model.joints.joint_type import JointStep

if TYPE_CHECKING:
    from lagrangian.model.mechanism import Mechanism

MODULES = {"pinocchio": "pinocchio", "mujoco": "mujoco"}
INSTALL_COMMAND = "pip install pin mujoco"


class JointMismatchError(ArgumentError):
    """The error that another program finds other joints in the same file."""


class PeerModel(Protocol):
    """Functions of one state, in our coordinates and speeds."""

    name: str

    def mass_matrix(self, q: np.ndarray) -> np.ndarray: ...
    def bias(self, q: np.ndarray, qd: np.ndarray) -> np.ndarray: ...
    def inverse_dynamics(self, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray) -> np.ndarray: ...
    def forward_dynamics(self, q: np.ndarray, qd: np.ndarray, tau: np.ndarray) -> np.ndarray: ...
    def runners(self, q: np.ndarray, qd: np.ndarray, x: np.ndarray) -> dict[str, tuple[Callable[[], object], int]]:
        """Functions to time, each with the number of states that it goes through."""
        ...


def installed_peers(peer_name: str | None) -> list[str]:
    """The names of the peers that are installed, or of the one that is named; an error if that one is not installed."""
    if peer_name is not None and peer_name not in MODULES:
        raise ArgumentError(f"--peer: {unknown_name_message('peer', peer_name, MODULES)}")
    names = [peer_name] if peer_name else list(MODULES)
    available = [name for name in names if util.find_spec(MODULES[name]) is not None]
    if peer_name and not available:
        raise ArgumentError(f"{peer_name} is not installed; install it with {INSTALL_COMMAND}")
    return available


def build_peer_model(name: str, m: Mechanism) -> PeerModel:
    """The model of a plain mechanism in another program; an error names what that program does not have."""
    if name == "pinocchio":
        from lagrangian.peers.pinocchio import PinocchioModel

        return PinocchioModel(m)
    from lagrangian.peers.mujoco import MuJoCoModel

    return MuJoCoModel(m)


def read_same_file(name: str, m: Mechanism) -> tuple[PeerModel | None, str]:
    """The model that another program reads from the same file, which checks our reader too; or None, and the reason."""
    ending = Path(m.file).suffix.lower()
    if not Path(m.file).is_file() or ending not in (".urdf", ".xml", ".mjcf"):
        return None, ""
    if (name == "pinocchio") != (ending == ".urdf"):
        return None, f"only {'Pinocchio' if ending == '.urdf' else 'MuJoCo'} reads {ending} files"
    if name == "pinocchio":
        from lagrangian.peers.pinocchio import read_urdf

        return read_urdf(m)
    from lagrangian.peers.mujoco import read_mjcf

    return read_mjcf(m)


def check_same_joints(peer_name: str, theirs: list[str], ours: list[str]) -> None:
    """Joints that differ are an error: one of the readers is wrong, or leaves something out."""
    only_theirs, only_ours = sorted(set(theirs) - set(ours)), sorted(set(ours) - set(theirs))
    if only_theirs or only_ours:
        differences = [
            f"only {side} has {', '.join(names[:6])}"
            for side, names in ((peer_name, only_theirs), ("lagrangian", only_ours))
            if names
        ]
        raise JointMismatchError(f"the two programs read different joints from the file: {'; '.join(differences)}")


def plain_mechanism(m: Mechanism) -> tuple[Mechanism, list[str]]:
    """The mechanism with what all programs have in common, and what was left out."""
    left_out = []
    if any(float(x) for j in m.joints for x in (j.friction.viscous, j.friction.coulomb, *j.friction.breakaway)):
        left_out.append("friction")
    if m.springs or any(float(j.spring.stiffness) for j in m.joints):
        left_out.append("springs")
    if m.equation_count:
        left_out.append("loops and other constraints, except in the row with closed loops")
    return without_forces(m).replace(loops=(), constraints=()), left_out


def without_forces(m: Mechanism) -> Mechanism:
    """The mechanism without friction and springs."""
    joints = tuple(replace(j, friction=Friction(), spring=JointSpring()) for j in m.joints)
    return m.replace(joints=joints, springs=())


def moving_steps(joint: Joint) -> tuple[JointStep, ...]:
    """A joint as a chain of simple joints: none for a fixed joint, two or three for universal, gimbal and planar joints."""
    return tuple(step for step in joint.kind.steps(joint) if step.kind.nv)
