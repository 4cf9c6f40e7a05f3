"""Accelerations of an MJCF model by MuJoCo's matrices, its equality constraints held exactly, to compare with ours."""

import numpy as np
from scipy.spatial.transform import Rotation
from tests.description.mjcf_models import mujoco, quiet, random_pose, to_mujoco

import lagrangian as lg
from lagrangian.model.expression.functions import evaluate

EQUALITY = int(mujoco.mjtConstraint.mjCNSTR_EQUALITY)


def reference(text):
    """MuJoCo's model, without contacts, limits and dry friction."""
    model = mujoco.MjModel.from_xml_string(text)
    model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONTACT) | int(mujoco.mjtDisableBit.mjDSBL_LIMIT)
    model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_FRICTIONLOSS)
    model.opt.jacobian = mujoco.mjtJacobian.mjJAC_DENSE
    return model


def equality_rows(model, data):
    J = np.reshape(data.efc_J, (-1, model.nv))
    return J[np.asarray(data.efc_type) == EQUALITY]


def rows_at(model, data, qpos, qvel, h):
    """The rows of the equality constraints a time h later along the speeds."""
    other = mujoco.MjData(model)
    moved = qpos.copy()
    mujoco.mj_integratePos(model, moved, qvel, h)
    other.qpos[:] = moved
    mujoco.mj_forward(model, other)
    return equality_rows(model, other)


def accelerations(model, qpos, qvel, ctrl=None):
    """qacc of M qacc = f + J^T lambda, J qacc + J' qvel = 0."""
    data = mujoco.MjData(model)
    data.qpos[:], data.qvel[:] = qpos, qvel
    if ctrl is not None:
        data.ctrl[:] = ctrl
    mujoco.mj_forward(model, data)
    M = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, data, M)
    f = data.qfrc_passive + data.qfrc_actuator - data.qfrc_bias
    J = equality_rows(model, data)
    if not len(J):
        return np.linalg.solve(M, f)
    h = 1e-3
    near, far = ((rows_at(model, data, qpos, qvel, k * h) - rows_at(model, data, qpos, qvel, -k * h)) for k in (1, 2))
    gamma = (8 * near - far) / (12 * h) @ qvel
    n, k = len(M), len(J)
    kkt = np.block([[M, -J.T], [J, np.zeros((k, k))]])
    return np.linalg.lstsq(kkt, np.r_[f, -gamma], rcond=1e-12)[0][:n]


def torques(m, q, qd, t=0.0):
    """What the mechanism's own torques are in a state."""
    names = {**dict(zip(m.coordinate_names, map(float, q), strict=True)), "t": t}
    names |= {f"qd_{name}": float(x) for name, x in zip(m.speed_names, qd, strict=True)}
    own = dict(m.initial.torque)
    return np.array([float(evaluate(own.get(name, 0.0), names)) for name in m.speed_names])


def velocities(m, q, qd, qdd=None):
    """Speeds as MuJoCo has them, or with `qdd` accelerations."""
    result, iq, iv = [], 0, 0
    for j in m.joints:
        own, at = np.array(qd[iv : iv + j.kind.nv], float), q[iq : iq + j.kind.nq]
        if j.type == "free":
            R = Rotation.from_quat([*at[1:4], at[0]]).as_matrix()
            w, v = own[:3], own[3:]
            if qdd is None:
                own = np.r_[R @ v, w]
            else:
                of = np.array(qdd[iv : iv + 6])
                own = np.r_[R @ (of[3:] + np.cross(w, v)), of[:3]]
        elif qdd is not None:
            own = np.array(qdd[iv : iv + j.kind.nv], float)
        result.append(own)
        iq, iv = iq + j.kind.nq, iv + j.kind.nv
    return np.concatenate(result)


def compare(text, seed=0, scale=1.0, tolerance=1e-8, parameters=None, ctrl=None):
    """The mechanism, after its accelerations in a random state were found to be MuJoCo's."""
    m = quiet(text, parameters)
    model, rng = reference(text), np.random.default_rng(seed)
    q, qd = random_pose(m, rng) * scale, rng.normal(size=m.nv)
    for j, at in zip(m.joints, np.cumsum([0, *(j.kind.nq for j in m.joints)]), strict=False):
        if j.kind.quaternion:
            q[at : at + 4] /= np.linalg.norm(q[at : at + 4])
    dyn = lg.compile(m)
    if m.equation_count:
        q = lg.assemble(m, q)
        qd = lg.consistent_speeds(m, q, qd)
    ours = velocities(m, q, qd, dyn.forward_dynamics(q, qd, torques(m, q, qd)))
    theirs = accelerations(model, to_mujoco(m, q), velocities(m, q, qd), ctrl)
    np.testing.assert_allclose(ours, theirs, atol=tolerance * max(1.0, np.abs(theirs).max()))
    return m
