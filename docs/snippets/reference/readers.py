"""The examples of docs/reference/readers.md, in its order."""

# --- free-joints-in-mujoco-and-pinocchio
import numpy as np

import lagrangian as lg


def from_mujoco(qpos, qvel):
    """A free joint's q and qd from MuJoCo's qpos and qvel."""
    position, wxyz = qpos[:3], qpos[3:]
    R = lg.Transform.from_quaternion(position, wxyz).matrix()[:3, :3]
    return np.r_[wxyz, position], np.r_[qvel[3:], R.T @ qvel[:3]]


def to_mujoco(q, qd):
    wxyz, position = q[:4], q[4:]
    R = lg.Transform.from_quaternion(position, wxyz).matrix()[:3, :3]
    return np.r_[position, wxyz], np.r_[R @ qd[3:], qd[:3]]


def from_pinocchio(q, v):
    """A free joint's q and qd from those of Pinocchio's free-flyer."""
    return np.r_[q[6], q[3:6], q[:3]], np.r_[v[3:], v[:3]]


def to_pinocchio(q, qd):
    return np.r_[q[4:], q[1:4], q[0]], np.r_[qd[3:], qd[:3]]
