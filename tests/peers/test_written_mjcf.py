"""MJCF that we write, read by MuJoCo: the same dynamics, and loops that close."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import lagrangian as lg
from lagrangian.model.rotation import quaternion
from tests.description.robot_file_round_trips import bare, off, quadruped_mechanism
from tests.mechanisms import random_mechanism
from tests.peers.test_written_urdf import robot

mujoco = pytest.importorskip("mujoco")
TOLERANCE = 1e-10


def plain(m: lg.Mechanism) -> lg.Mechanism:
    """Without dry friction, which is a constraint of MuJoCo's, and without loops."""
    joints = [replace(j, friction=lg.Friction(j.friction.viscous)) for j in m.joints]
    return bare(m, joints=joints, loops=(), constraints=())


class Peer:
    """MuJoCo's model of a text of ours, without its constraints."""

    def __init__(self, m: lg.Mechanism) -> None:
        conversion = lg.convert(m, "mjcf")
        self.m, self.names = m, conversion.coordinates
        self.model = mujoco.MjModel.from_xml_string(conversion.text)
        self.model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
        self.data = mujoco.MjData(self.model)
        assert self.model.nv == m.nv

    def at(self, q: np.ndarray, qd: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Set a state; S with their speeds = S ours, and S' qd."""
        S, rate = np.zeros((self.model.nv, self.m.nv)), np.zeros(self.model.nv)
        iq = iv = 0
        for joint in self.m.joints:
            quaternions = joint.kind.quaternion
            for k in range(1 if quaternions else joint.kind.nv):
                name = self.names[joint.coordinate_names[k]]
                there = self.model.joint(name.removesuffix(".w") if quaternions else name)
                tq, tv = int(there.qposadr[0]), int(there.dofadr[0])
                if joint.type == "free":
                    R = quaternion.matrix(q[iq : iq + 4])
                    self.data.qpos[tq : tq + 7] = [*q[iq + 4 : iq + 7], *q[iq : iq + 4]]
                    S[tv : tv + 3, iv + 3 : iv + 6], S[tv + 3 : tv + 6, iv : iv + 3] = R, np.eye(3)
                    rate[tv : tv + 3] = R @ np.cross(qd[iv : iv + 3], qd[iv + 3 : iv + 6])
                elif quaternions:
                    self.data.qpos[tq : tq + 4] = q[iq : iq + 4]
                    S[tv : tv + 3, iv : iv + 3] = np.eye(3)
                else:
                    self.data.qpos[tq], S[tv, iv + k] = q[iq + k], 1
            iq, iv = iq + joint.kind.nq, iv + joint.kind.nv
        self.data.qvel[:] = S @ qd
        return S, rate

    def largest_difference(self) -> float:
        """The largest difference of mass matrix, torques and accelerations."""
        dyn, rng, worst = lg.compile(self.m), np.random.default_rng(0), 0.0
        for _ in range(3):
            q = self.m.random_configuration(rng)
            qd, qdd, tau = (rng.normal(size=self.m.nv) for _ in range(3))
            S, rate = self.at(q, qd)
            self.data.qacc[:] = S @ qdd + rate
            mujoco.mj_inverse(self.model, self.data)
            worst = max(worst, off(S.T @ self.data.qfrc_inverse, dyn.inverse_dynamics(q, qd, qdd)))
            self.data.qfrc_applied[:] = np.linalg.solve(S.T, tau)
            mujoco.mj_forward(self.model, self.data)
            worst = max(worst, off(np.linalg.solve(S, self.data.qacc - rate), dyn.forward_dynamics(q, qd, tau)))
            M = np.zeros((self.model.nv, self.model.nv))
            try:
                mujoco.mj_fullM(self.model, M, self.data.qM)
            except (AttributeError, TypeError):  # of newer versions
                mujoco.mj_fullM(self.model, self.data, M)
            worst = max(worst, off(S.T @ M @ S, dyn.mass_matrix(q)))
        return worst


@pytest.mark.parametrize(
    "name", ["panda", "ur5", "lwr7", "scara", "stanford", "two_r_point_masses", "gantry_crane", "heavy_top", "flyball_governor"]
)
def test_the_library(name: str) -> None:
    assert Peer(plain(lg.library(name))).largest_difference() < TOLERANCE


def test_a_quadruped() -> None:
    assert Peer(plain(quadruped_mechanism())).largest_difference() < TOLERANCE


@pytest.mark.parametrize("name", ["solo12", "a1"])
def test_robots_that_were_read(name: str) -> None:
    assert Peer(plain(robot(name))).largest_difference() < TOLERANCE


@pytest.mark.parametrize("name", ["anymal", "puma560"])
def test_what_is_no_real_body_is_taken_all_the_same(name: str) -> None:
    m = lg.library(name) if name in lg.library() else robot(name)
    assert mujoco.MjModel.from_xml_string(lg.convert(m, "mjcf").text).nv == m.nv


@pytest.mark.parametrize("seed", range(3))
def test_joints_of_every_kind(seed: int) -> None:
    m = plain(random_mechanism(["ball", "gimbal", "planar", "universal", "prismatic"], seed, passive=True))
    assert Peer(m).largest_difference() < TOLERANCE


@pytest.mark.parametrize("name", ["four_bar", "slider_crank", "stewart", "bricard"])
def test_loops_close(name: str) -> None:
    """As the model is written and all the while; accelerations agree as far as MuJoCo's constraints, which are soft, let them."""
    m = lg.library(name).replace(events=())
    m = m.replace(initial=replace(m.initial, qd=None, torque=()))
    model = mujoco.MjModel.from_xml_string(lg.convert(m, "mjcf").text)
    data = mujoco.MjData(model)
    if model.nkey and model.key(0).name == "initial":
        mujoco.mj_resetDataKeyframe(model, data, 0)
    mujoco.mj_forward(model, data)
    held = data.efc_type == mujoco.mjtConstraint.mjCNSTR_EQUALITY
    assert held.any()
    assert np.abs(data.efc_pos[held]).max() < 1e-9
    if not any(j.kind.quaternion for j in m.joints):
        ours = lg.compile(m).forward_dynamics(lg.assemble(m), np.zeros(m.nv), np.zeros(m.nv))
        theirs = [data.qacc[model.joint(c).dofadr[0]] for c in m.coordinate_names]
        assert off(theirs, ours) < 1e-2
    worst = 0.0
    for _ in range(250):
        mujoco.mj_step(model, data)
        held = data.efc_type == mujoco.mjtConstraint.mjCNSTR_EQUALITY
        worst = max(worst, np.abs(data.efc_pos[held]).max())
    assert worst < 2e-3
