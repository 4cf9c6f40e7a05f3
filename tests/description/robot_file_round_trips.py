"""Mechanisms written as URDF, MJCF or SDF, read again, and compared: coordinates are found by their names."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np

import lagrangian as lg
from lagrangian.model.rotation import quaternion

TOLERANCE = 1e-10


def again(mechanism, format, **options):  # noqa: A002
    """The file's text read by our own reader, and what the writer says."""
    conversion = lg.convert(mechanism, format)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lg.ReaderWarning)
        return lg.loads(conversion.text, format, **options), conversion


def bare(mechanism, **changes):
    """Without what says how a run begins."""
    return mechanism.replace(initial=lg.InitialState(), poses={}, events=(), **changes)


def off(ours, theirs):
    """The largest difference, relative where numbers are large."""
    ours, theirs = np.asarray(ours), np.asarray(theirs)
    return float(np.abs(ours - theirs).max(initial=0.0) / max(1.0, np.abs(theirs).max(initial=0.0)))


class Map:
    """From the coordinates and speeds of one mechanism to those of another that stands for it."""

    def __init__(self, one, other, names, offsets=None):
        self.one, self.other, self.names, self.offsets = one, other, names, offsets or {}
        missing = [c for c in one.coordinate_names if c not in names]
        assert not missing, missing

    def q(self, q):
        result = self.other.neutral()
        for name, x in zip(self.one.coordinate_names, q, strict=True):
            result[self.other.coordinate_names.index(self.names[name])] = x - self.offsets.get(name, 0.0)
        return result

    def speeds(self, q, qd):
        """S with their speeds = S ours, and S' qd."""
        S, rate = np.zeros((self.other.nv, self.one.nv)), np.zeros(self.other.nv)
        at = {c: (j, k) for j in self.other.joints for k, c in enumerate(j.coordinate_names)}
        start = {j.name: sum(i.kind.nv for i in self.other.joints[:n]) for n, j in enumerate(self.other.joints)}
        iq = iv = 0
        for joint in self.one.joints:
            nq, nv = joint.kind.nq, joint.kind.nv
            theirs = [at[self.names[c]] for c in joint.coordinate_names]
            if joint.type == "free" and theirs[-1][0].type == "prismatic":  # which slides along the axes of its parent
                R = quaternion.matrix(np.array(q[iq : iq + 4]))
                rows = [start[j.name] for j, _ in theirs[4:]]
                S[np.ix_(rows, range(iv + 3, iv + 6))] = R
                rate[rows] = R @ np.cross(qd[iv : iv + 3], qd[iv + 3 : iv + 6])
                S[start[theirs[0][0].name] : start[theirs[0][0].name] + 3, iv : iv + 3] = np.eye(3)
            elif joint.kind.quaternion:
                S[start[theirs[0][0].name] : start[theirs[0][0].name] + nv, iv : iv + nv] = np.eye(nv)
            else:
                for k, (j, index) in enumerate(theirs):
                    S[start[j.name] + index, iv + k] = 1.0
            iq, iv = iq + nq, iv + nv
        return S, rate


def differences(one, other, names, seed=1, loops=False, offsets=None):
    """How far the dynamics of two mechanisms are apart: mass matrix, gravity, torques, accelerations, friction."""
    to = Map(one, other, names, offsets)
    rng = np.random.default_rng(seed)
    wide = one.replace(joints=[replace(j, limits=lg.JointLimits()) for j in one.joints])
    q = wide.random_configuration(rng)
    qd, qdd, tau = (rng.normal(size=one.nv) for _ in range(3))
    a, b = lg.compile(one), lg.compile(other)
    if loops:
        q = lg.assemble(one)
        qd = lg.consistent_speeds(a, q, qd)
    p = to.q(q)
    S, rate = to.speeds(q, qd)
    results = {
        "mass matrix": off(S.T @ b.mass_matrix(p) @ S, a.mass_matrix(q)),
        "gravity": off(S.T @ b.gravity(p), a.gravity(q)),
        "torques": off(S.T @ b.inverse_dynamics(p, S @ qd, S @ qdd + rate), a.inverse_dynamics(q, qd, qdd)),
    }
    if S.shape[0] == S.shape[1]:
        force = np.linalg.solve(S.T, tau)
        there = np.linalg.solve(S, b.forward_dynamics(p, S @ qd, force) - rate)
        results["accelerations"] = off(there, a.forward_dynamics(q, qd, tau))
    return results


def assert_same_dynamics(one, other, names, **options):
    actual = differences(one, other, names, **options)
    assert max(actual.values()) < TOLERANCE, actual


# a quadruped of our own: a free base, hips that are universal joints, and knees
def quadruped_mechanism():
    rng = np.random.default_rng(3)
    bodies = [lg.Body("base", 12.0, (0.01, 0.0, 0.02), (0.2, 0.01, 0.0, 0.5, 0.02, 0.6))]
    joints = [lg.Joint("floating", "free", "ground", "base", actuated=False)]
    for leg in ("lf", "rf", "lh", "rh"):
        side, front = (1 if leg[0] == "l" else -1), (1 if leg[1] == "f" else -1)
        bodies.append(lg.Body(f"{leg}_thigh", 1.5, tuple(0.05 * rng.normal(size=3)), (0.01, 0.001, 0, 0.012, 0, 0.004)))
        bodies.append(lg.Body(f"{leg}_shank", 0.6, (0.0, 0.0, -0.12), (0.004, 0, 0, 0.004, 0.0002, 0.0008)))
        at = lg.Transform.from_rpy((0.3 * front, 0.15 * side, 0.0), (0.1 * side, 0.0, 0.2))
        joints.append(lg.Joint(f"{leg}_hip", "universal", "base", f"{leg}_thigh", at, axis="x", axis2="y"))
        down = lg.Transform(position=(0, 0.02 * side, -0.3))
        knee = {"axis": "y", "limits": lg.JointLimits(-2.6, 0.1, 12.0, 40.0), "friction": lg.Friction(0.05)}
        joints.append(lg.Joint(f"{leg}_knee", "revolute", f"{leg}_thigh", f"{leg}_shank", down, **knee))
    frames = [lg.Frame("foot", "lf_shank", lg.Transform(position=(0, 0, -0.28)))]
    return lg.Mechanism("quadruped", bodies, joints, frames=frames)
