"""An MJCF with slides, hinges, balls and a free body, against MuJoCo to 1e-10."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import lagrangian as lg

mujoco = pytest.importorskip("mujoco")

TOLERANCE = 1e-10

MODEL = """
<mujoco>
  <compiler angle="radian"/>
  <option gravity="0.3 -0.2 -9.7"><flag contact="disable"/></option>
  <worldbody>
    <body name="cart" pos="0.1 0.2 0.3" euler="0.2 0.1 -0.3">
      <joint name="rail" type="slide" axis="1 0.2 0" damping="0.4" stiffness="3" springref="0.2" armature="0.05"/>
      <inertial mass="2" pos="0.01 0.02 0.03" fullinertia="0.02 0.03 0.025 0.001 -0.002 0.003"/>
      <body name="pole" pos="0.2 0 0.1" quat="0.9 0.1 0.2 0.3">
        <joint name="pivot" type="hinge" axis="0 1 0.3" pos="0.01 0.02 -0.05" damping="0.1" armature="0.02"/>
        <geom type="capsule" fromto="0 0 0 0.1 0 0.6" size="0.03" density="700"/>
        <body name="wrist" pos="0.1 0 0.6">
          <joint name="wrist" type="ball" pos="0 0.01 0.02" damping="0.05" armature="0.01"/>
          <geom type="box" size="0.05 0.08 0.1" mass="0.7" euler="0.3 0 0.1" pos="0.02 0 0.1"/>
          <body name="slider" pos="0 0 0.2">
            <joint name="x" type="slide" axis="0 0 1"/>
            <joint name="r" type="hinge" axis="1 0 0"/>
            <inertial mass="0.4" pos="0.1 0 0.02" quat="0.8 0.2 0.1 0.5" diaginertia="0.002 0.003 0.004"/>
            <site name="tip" pos="0.1 0.2 0.3"/>
          </body>
        </body>
      </body>
    </body>
    <body name="bird" pos="1 2 3" euler="0.4 0.5 0.6">
      <freejoint name="bird"/>
      <inertial mass="1.3" pos="0.02 0.03 0.04" fullinertia="0.05 0.06 0.07 0.004 0.005 -0.006"/>
      <body name="wing" pos="0.1 0.2 0.05">
        <joint name="wing" type="hinge" axis="0 0 1"/>
        <geom type="ellipsoid" size="0.1 0.2 0.05" mass="0.3" pos="0.1 0 0"/>
      </body>
    </body>
  </worldbody>
</mujoco>
"""


class Translator:
    """Between MuJoCo's coordinates and ours: its free joint is (position, quaternion), (world linear, body angular)."""

    def __init__(self, model, mechanism: lg.Mechanism) -> None:
        self.model, self.mechanism = model, mechanism
        at_q = dict(zip((j.name for j in mechanism.joints), np.cumsum([0, *(j.kind.nq for j in mechanism.joints)]), strict=False))
        at_v = dict(zip((j.name for j in mechanism.joints), np.cumsum([0, *(j.kind.nv for j in mechanism.joints)]), strict=False))
        self.joints = [
            (mechanism.joints[mechanism.joint_index[model.joint(k).name]].type, model.jnt_qposadr[k], model.jnt_dofadr[k],
             at_q[model.joint(k).name], at_v[model.joint(k).name])
            for k in range(model.njnt)
        ]  # fmt: skip

    def q(self, ours: np.ndarray) -> np.ndarray:
        q = np.zeros(self.model.nq)
        for kind, to, _, start, _ in self.joints:
            if kind == "free":
                q[to : to + 7] = [*ours[start + 4 : start + 7], *ours[start : start + 4]]
            else:
                n = 4 if kind == "ball" else 1
                q[to : to + n] = ours[start : start + n]
        return q

    def speeds(self, q: np.ndarray) -> np.ndarray:
        """S(q) with their speeds = S ours."""
        S = np.zeros((self.model.nv, self.mechanism.nv))
        for kind, _, to, start_q, start in self.joints:
            if kind == "free":
                R = np.zeros(9)
                mujoco.mju_quat2Mat(R, q[start_q : start_q + 4])
                S[to : to + 3, start + 3 : start + 6] = R.reshape(3, 3)
                S[to + 3 : to + 6, start : start + 3] = np.eye(3)
            else:
                n = 3 if kind == "ball" else 1
                S[to : to + n, start : start + n] = np.eye(n)
        return S

    def speeds_rate(self, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        """S' qd: their acceleration when ours is zero; only the free joint's frame turns."""
        rate = np.zeros(self.model.nv)
        for kind, _, to, start_q, start in self.joints:
            if kind == "free":
                R = np.zeros(9)
                mujoco.mju_quat2Mat(R, q[start_q : start_q + 4])
                rate[to : to + 3] = R.reshape(3, 3) @ np.cross(qd[start : start + 3], qd[start + 3 : start + 6])
        return rate


def close(ours: np.ndarray, theirs: np.ndarray, what: str) -> None:
    scale = max(1.0, float(np.abs(theirs).max()))
    assert np.abs(ours - theirs).max() / scale < TOLERANCE, what


def full_mass_matrix(model, data) -> np.ndarray:
    M = np.zeros((model.nv, model.nv))
    try:
        mujoco.mj_fullM(model, M, data.qM)
    except (AttributeError, TypeError):
        mujoco.mj_fullM(model, data, M)
    return M


@pytest.mark.parametrize("form", ["unrolled", "rolled"])
def test_all_of_its_joints(form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if form == "rolled":
        monkeypatch.setattr("lagrangian.kernels.programs.sweeps.MAX_UNROLLED_LINKS", -1)
    file = tmp_path / "model.xml"
    file.write_text(MODEL)
    mechanism = lg.load(file)
    model = mujoco.MjModel.from_xml_path(str(file))
    data = mujoco.MjData(model)
    dyn, to = lg.compile(mechanism), Translator(model, mechanism)
    rng = np.random.default_rng(1)
    for _ in range(5):
        q = mechanism.random_configuration(rng)
        qd, qdd = rng.normal(size=(2, mechanism.nv))
        S = to.speeds(q)
        data.qpos[:], data.qvel[:], data.qacc[:] = to.q(q), S @ qd, S @ qdd + to.speeds_rate(q, qd)
        mujoco.mj_inverse(model, data)
        close(dyn.inverse_dynamics(q, qd, qdd), S.T @ data.qfrc_inverse, "inverse dynamics")
        close(dyn.mass_matrix(q), S.T @ full_mass_matrix(model, data) @ S, "mass matrix")
        # their bias holds gravity and velocity products; at rest, gravity alone
        h = dyn.coriolis_matrix(q, qd) @ qd + dyn.mass_matrix(q) @ np.zeros(mechanism.nv)
        data.qfrc_applied[:] = np.linalg.pinv(S.T) @ (tau := rng.normal(size=mechanism.nv))
        mujoco.mj_forward(model, data)
        close(S @ dyn.forward_dynamics(q, qd, tau) + to.speeds_rate(q, qd), data.qacc, "forward dynamics")
        spring = -S.T @ data.qfrc_spring
        M_rate = S.T @ full_mass_matrix(model, data) @ to.speeds_rate(q, qd)
        close(h + dyn.gravity(q), S.T @ data.qfrc_bias + spring + M_rate, "velocity products and gravity")
        mujoco.mj_energyPos(model, data)
        mujoco.mj_energyVel(model, data)
        close(np.array(dyn.kinetic_energy(q, qd)), data.energy[1], "kinetic energy")
        close(np.array(dyn.potential_energy(q)), data.energy[0], "potential energy")
        J = np.zeros((6, model.nv))
        mujoco.mj_jacSite(model, data, J[3:], J[:3], model.site("tip").id)
        close(dyn.jacobian(q, "tip"), J @ S, "Jacobian")
        close(dyn.pose(q, "tip")[:3, 3], data.site("tip").xpos, "position")
        close(dyn.friction(qd), -S.T @ data.qfrc_damper, "damping")
