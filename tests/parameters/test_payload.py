"""A payload on a robot that a file describes: against Pinocchio with the same mass added, and nothing is compiled again."""

from __future__ import annotations

import numpy as np
import pytest

import lagrangian as lg
from lagrangian.kernels.llvm import object_cache
from tests.peers.test_pinocchio import robots

pin = pytest.importorskip("pinocchio")

MASS, CENTER, INERTIA = 2.5, np.array([0.02, -0.03, 0.11]), np.diag([0.011, 0.013, 0.017])


@pytest.fixture(scope="module")
def panda():
    path = next(path for path in robots() if path.stem == "panda")
    return path, pin.buildModelFromUrdf(str(path))


def test_against_pinocchio(panda):
    path, model = panda
    robot = lg.load(path)
    frame = robot.bodies[-1].name
    place = model.getFrameId(frame)
    parent = model.frames[place].parentJoint
    loaded = robot.with_payload(frame, MASS, CENTER, INERTIA)
    inertia = pin.Inertia(MASS, CENTER, INERTIA)
    theirs = model.copy()
    theirs.inertias[parent] = theirs.inertias[parent] + model.frames[place].placement.act(inertia)
    data = theirs.createData()
    dyn = lg.compile(loaded)
    order = [robot.coordinate_names.index(name) for name in model.names[1:]]
    rng = np.random.default_rng(0)
    for _ in range(5):
        q, qd, qdd = rng.uniform(-1, 1, size=(3, robot.nv))
        tau = pin.rnea(theirs, data, q[order], qd[order], qdd[order])
        # Pinocchio's torques leave out the friction that the file gives its joints
        ours = dyn.inverse_dynamics(q, qd, qdd) - dyn.friction(qd)
        np.testing.assert_allclose(ours[order], tau, rtol=1e-10, atol=1e-10)
        M = pin.crba(theirs, data, q[order])
        np.testing.assert_allclose(dyn.mass_matrix(q)[np.ix_(order, order)], np.triu(M) + np.triu(M, 1).T, rtol=1e-10, atol=1e-12)


def test_another_payload_needs_no_other_code(panda, monkeypatch):
    robot = lg.load(panda[0])
    frame = robot.bodies[-1].name
    q = robot.neutral() + 0.1
    lg.compile(robot.with_payload(frame, 1.0, (0.01, 0.02, 0.03))).gravity(q)
    count = [0]
    original = object_cache.load_or_store
    monkeypatch.setattr(
        object_cache, "load_or_store", lambda *arguments: count.__setitem__(0, count[0] + 1) or original(*arguments)
    )
    G = [lg.compile(robot.with_payload(frame, m, (0.01, 0.02, 0.03))).gravity(q) for m in (1.0, 2.0, 3.0)]
    assert count[0] == 0
    np.testing.assert_allclose(G[2] - G[1], G[1] - G[0], rtol=1e-9, atol=1e-12)  # the weight is linear in the mass


def test_a_payload_that_swings():
    """A point on the end of a pendulum: the period of the two together, by the parallel-axis theorem."""
    rod = lg.Body("rod", 1.0, (0, 0, -0.5), (1 / 12, 1 / 12, 0))
    pendulum = lg.Mechanism(
        "pendulum", (rod,), (lg.Joint("q", "revolute", "ground", "rod", axis="x"),), frames=(lg.Frame("end", "rod", (0, 0, -1)),)
    )
    for mass in (0.5, 2.0):
        loaded = pendulum.with_payload("end", mass)
        frequency = lg.linearise(loaded, q=[0.0]).modes()[0].frequency
        inertia, moment = 1 / 3 + mass, 0.5 + mass
        assert frequency == pytest.approx(np.sqrt(9.81 * moment / inertia) / (2 * np.pi), rel=1e-12)
