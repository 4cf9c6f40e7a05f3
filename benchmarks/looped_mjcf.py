"""Looped robots of MJCF files against MuJoCo: mobility, assembly, a second of motion, and accelerations.

    python benchmarks/looped_mjcf.py FOLDER                  # the Robotiq grippers and Cassie of mujoco_menagerie below FOLDER
    python benchmarks/looped_mjcf.py FOLDER --file 2f85.xml  # every file of this name below FOLDER; it may be repeated
    python benchmarks/looped_mjcf.py FOLDER --states 20      # at more random states; --no-motion leaves the second of motion out

MuJoCo lets its constraints give, and ours hold exactly. Accelerations are therefore compared with those of a dense KKT system of
MuJoCo's own matrices: its mass matrix, its bias, passive and actuator forces, and the rows J of its equality constraints,

    M qacc - J^T lambda = f,    J qacc = -J' qvel,

where J' qvel is found by differences of J along the motion. States are random, assembled, with speeds that keep the loops closed.
Contacts, limits and dry friction are switched off for it on both sides.
"""

from __future__ import annotations

import argparse
import time
import warnings
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
from scipy.spatial.transform import Rotation

import lagrangian as lg
from lagrangian.model.expression.functions import evaluate

FILES = ("robotiq_2f85/2f85.xml", "robotiq_2f85_v4/2f85.xml", "agility_cassie/cassie.xml")
OFF = ("mjDSBL_CONTACT", "mjDSBL_LIMIT", "mjDSBL_FRICTIONLOSS")
STEP = 1e-3  # s, of the differences of J


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--file", action="append", help="the end of a path below the folder")
    parser.add_argument("--states", type=int, default=10)
    parser.add_argument("--no-motion", action="store_true")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    head = f"{'file':<28} {'speeds':>6} {'equations':>9} {'mobility':>8} {'assembled to':>12} {'accelerations off by':>20}"
    print(f"{head}  1 s of motion")
    for name in options.file or FILES:
        for path in sorted(p for p in options.folder.rglob("*.xml") if p.as_posix().endswith("/" + name)):
            try:
                print(_row(path, options.states, not options.no_motion), flush=True)
            except lg.LagrangianError as error:
                print(f"{_short(path):<28} {error}", flush=True)


def _short(path: Path) -> str:
    return "/".join(path.parts[-2:])


def _row(path: Path, states: int, moves: bool) -> str:
    m = lg.load(path)
    dyn, mobility = lg.compile(m), lg.mobility(m)
    reference = _reference(path)
    rng = np.random.default_rng(0)
    closed, off = 0.0, 0.0
    start = np.array(m.initial.q) if m.initial.q is not None else m.neutral()
    for _ in range(states):
        q = lg.assemble(m, _integrate(m, start, 0.1 * rng.normal(size=m.nv)))
        qd = lg.consistent_speeds(m, q, rng.normal(size=m.nv))
        closed = max(closed, float(np.abs(dyn.closure(q)).max(initial=0.0)))
        dry = _coulomb(m, qd)
        ours = velocities(m, q, qd, dyn.forward_dynamics(q, qd, torques(m, q, qd) + dry))
        theirs = accelerations(reference, positions(m, q), velocities(m, q, qd))
        off = max(off, float(np.abs(ours - theirs).max() / max(1.0, np.abs(theirs).max())))
    message = _motion(m) if moves else ""
    return f"{_short(path):<28} {m.nv:>6} {m.equation_count:>9} {mobility.degrees:>8} {closed:>12.1e} {off:>20.1e}  {message}"


def _motion(m: lg.Mechanism) -> str:
    begin = time.perf_counter()
    motion = lg.simulate(m, 1.0)
    first = time.perf_counter() - begin
    begin = time.perf_counter()
    lg.simulate(m, 1.0)
    again = time.perf_counter() - begin
    ended = "reached" if motion.success else motion.message
    drift = np.abs(lg.compile(m).closure(motion.q)).max(initial=0.0)
    return f"{ended} in {first:.1f} s, again in {again:.2f} s, loops open by {drift:.1e}"


# -- a state as MuJoCo has it ------------------------------------------------------------------------------------------


def _integrate(m: lg.Mechanism, q: np.ndarray, step: np.ndarray) -> np.ndarray:
    """Coordinates moved a little; quaternions are left as they are."""
    result, iq, iv = q.astype(float), 0, 0
    for joint in m.joints:
        if joint.kind.nq == 1:
            result[iq] += step[iv]
        iq, iv = iq + joint.kind.nq, iv + joint.kind.nv
    return result


def positions(m: lg.Mechanism, q: np.ndarray) -> np.ndarray:
    """qpos: a free joint's position before its quaternion."""
    result, at = [], 0
    for joint in m.joints:
        part = q[at : at + joint.kind.nq]
        result.append(np.r_[part[4:], part[:4]] if joint.type == "free" else part)
        at += joint.kind.nq
    return np.concatenate(result)


def velocities(m: lg.Mechanism, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray | None = None) -> np.ndarray:
    """qvel, or with `qdd` qacc: a free joint's are linear in the world, then angular in the body."""
    result, iq, iv = [], 0, 0
    for joint in m.joints:
        own = (qd if qdd is None else qdd)[iv : iv + joint.kind.nv]
        if joint.type == "free":
            R = Rotation.from_quat([*q[iq + 1 : iq + 4], q[iq]]).as_matrix()
            turning = np.zeros(3) if qdd is None else np.cross(qd[iv : iv + 3], qd[iv + 3 : iv + 6])
            own = np.r_[R @ (own[3:] + turning), own[:3]]
        result.append(own)
        iq, iv = iq + joint.kind.nq, iv + joint.kind.nv
    return np.concatenate(result)


def torques(m: lg.Mechanism, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
    """Those of the file's actuators."""
    names: dict[str, Any] = {**dict(zip(m.coordinate_names, map(float, q), strict=True)), "t": 0.0}
    names |= {f"qd_{name}": float(x) for name, x in zip(m.speed_names, qd, strict=True)}
    own = dict(m.initial.torque)
    return np.array([float(evaluate(own.get(name, 0.0), names)) for name in m.speed_names])


def _coulomb(m: lg.Mechanism, qd: np.ndarray) -> np.ndarray:
    """What dry friction takes, to be given back."""
    dry = np.concatenate([np.full(j.kind.nv, float(j.friction.coulomb)) for j in m.joints])
    return dry * np.sign(qd)


# -- MuJoCo's side -----------------------------------------------------------------------------------------------------


def _reference(path: Path) -> Any:
    model = mujoco.MjModel.from_xml_path(str(path))
    for flag in OFF:
        model.opt.disableflags |= int(getattr(mujoco.mjtDisableBit, flag))
    model.opt.jacobian = mujoco.mjtJacobian.mjJAC_DENSE
    return model


def _rows(model: Any, qpos: np.ndarray, qvel: np.ndarray, ahead: float) -> np.ndarray:
    """J of the equality constraints, some time ahead along the speeds."""
    data = mujoco.MjData(model)
    there = qpos.copy()
    mujoco.mj_integratePos(model, there, qvel, ahead)
    data.qpos[:] = there
    mujoco.mj_forward(model, data)
    J = np.reshape(data.efc_J, (-1, model.nv))
    return J[np.asarray(data.efc_type) == int(mujoco.mjtConstraint.mjCNSTR_EQUALITY)]


def accelerations(model: Any, qpos: np.ndarray, qvel: np.ndarray) -> np.ndarray:
    """qacc of the KKT system; rows that follow from others do not matter to it."""
    data = mujoco.MjData(model)
    data.qpos[:], data.qvel[:] = qpos, qvel
    mujoco.mj_forward(model, data)
    M = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, data, M)
    f = data.qfrc_passive + data.qfrc_actuator - data.qfrc_bias
    J = _rows(model, qpos, qvel, 0.0)
    near, far = (_rows(model, qpos, qvel, k * STEP) - _rows(model, qpos, qvel, -k * STEP) for k in (1, 2))
    gamma = (8 * near - far) / (12 * STEP) @ qvel
    kkt = np.block([[M, -J.T], [J, np.zeros((len(J), len(J)))]])
    return np.linalg.lstsq(kkt, np.r_[f, -gamma], rcond=1e-13)[0][: model.nv]


if __name__ == "__main__":
    main()
