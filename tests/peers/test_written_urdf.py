"""URDF that we write, read by Pinocchio: the same dynamics."""

from __future__ import annotations

import warnings
from dataclasses import replace
from importlib import metadata
from pathlib import Path

import numpy as np
import pytest

import lagrangian as lg
from tests.description.robot_file_round_trips import bare, off, quadruped_mechanism

pin = pytest.importorskip("pinocchio")
TOLERANCE = 1e-10


def robot(name: str) -> lg.Mechanism:
    """A robot of example-robot-data, with its base free."""
    try:
        files = [Path(str(f.locate())) for f in metadata.files("example-robot-data") or [] if f.name == f"{name}.urdf"]
    except metadata.PackageNotFoundError:
        files = []
    if not files:
        pytest.skip("example-robot-data is not installed")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lg.ReaderWarning)
        return lg.load(files[0], floating=True)


def plain(m: lg.Mechanism) -> lg.Mechanism:
    """What a URDF read by Pinocchio has in its rnea: no friction, rotors and springs."""
    nothing = {"friction": lg.Friction(), "rotor": lg.Rotor(), "spring": lg.JointSpring()}
    return bare(m, joints=[replace(j, **nothing) for j in m.joints], springs=(), loops=(), constraints=())


def state(model, m: lg.Mechanism, names, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Their q, and S with their speeds = S ours."""
    theirs, S = pin.neutral(model), np.zeros((model.nv, m.nv))
    iq = iv = 0
    for joint in m.joints:
        for k in range(1 if joint.kind.quaternion else joint.kind.nv):
            name = names[joint.coordinate_names[k]]
            j = model.joints[model.getJointId(name.removesuffix(".w") if joint.kind.quaternion else name)]
            if joint.type == "free":
                theirs[j.idx_q : j.idx_q + 7] = [*q[iq + 4 : iq + 7], *q[iq + 1 : iq + 4], q[iq]]
                S[j.idx_v : j.idx_v + 6, iv : iv + 6] = np.kron([[0, 1], [1, 0]], np.eye(3))
            elif j.nq == 2:  # an angle without limits
                theirs[j.idx_q : j.idx_q + 2] = [np.cos(q[iq + k]), np.sin(q[iq + k])]
                S[j.idx_v, iv + k] = 1
            else:
                theirs[j.idx_q], S[j.idx_v, iv + k] = q[iq + k], 1
        iq, iv = iq + joint.kind.nq, iv + joint.kind.nv
    return theirs, S


def largest_difference(m: lg.Mechanism) -> float:
    """The largest difference of mass matrix, torques and accelerations."""
    conversion = lg.convert(m, "urdf")
    model = pin.buildModelFromXML(conversion.text)
    data = model.createData()
    assert model.nv == m.nv
    dyn, rng, worst = lg.compile(m), np.random.default_rng(0), 0.0
    for _ in range(3):
        q = m.random_configuration(rng)
        qd, qdd, tau = (rng.normal(size=m.nv) for _ in range(3))
        p, S = state(model, m, conversion.coordinates, q)
        M = np.triu(pin.crba(model, data, p))
        M = M + np.triu(M, 1).T
        worst = max(
            worst,
            off(dyn.mass_matrix(q), S.T @ M @ S),
            off(dyn.inverse_dynamics(q, qd, qdd), S.T @ pin.rnea(model, data, p, S @ qd, S @ qdd)),
            off(dyn.forward_dynamics(q, qd, tau), S.T @ pin.aba(model, data, p, S @ qd, S @ tau)),
        )
    return worst


@pytest.mark.parametrize("name", ["panda", "puma560", "ur5", "lwr7", "scara", "stanford", "gantry_crane", "two_r", "stewart"])
def test_the_library(name: str) -> None:
    assert largest_difference(plain(lg.library(name))) < TOLERANCE


def test_a_quadruped() -> None:
    assert largest_difference(plain(quadruped_mechanism())) < TOLERANCE


@pytest.mark.parametrize("name", ["anymal", "talos_reduced"])
def test_robots_that_were_read(name: str) -> None:
    assert largest_difference(plain(robot(name))) < TOLERANCE
