"""Every robot of example-robot-data, with fixed and with floating base, against Pinocchio to 1e-10."""

from __future__ import annotations

import warnings
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lagrangian as lg
from lagrangian.errors import MechanismWarning, ReaderWarning

pin = pytest.importorskip("pinocchio")

TOLERANCE = 1e-10
STATES = 4


def robots() -> list[Path]:
    """The package carries files only: they are found through its list of them."""
    try:
        files = metadata.files("example-robot-data") or []
    except metadata.PackageNotFoundError:
        return []
    return sorted(Path(str(f.locate())) for f in files if f.suffix == ".urdf")


# robots of every sort, whenever tests are run; the others are for the longer checks
OFTEN = {"panda", "ur5", "solo12", "talos_reduced", "anymal", "double_pendulum", "iris"}


def chosen() -> list[Any]:
    return [pytest.param(p, marks=() if p.stem in OFTEN else pytest.mark.slow, id=name(p)) for p in robots()]


def name(path: Path) -> str:
    return f"{path.parent.name}-{path.stem}" if path.parent.name != "urdf" else path.stem


class Translator:
    """Between Pinocchio's coordinates and ours.

    Pinocchio orders joints its own way, keeps a continuous joint as (cos, sin), a free one as (position, x, y, z, w) with
    (linear, angular) velocity; ours are in the file's order, with (w, x, y, z, position) and (angular, linear).
    """

    def __init__(self, model, mechanism: lg.Mechanism) -> None:
        self.model, self.mechanism = model, mechanism
        at_q = np.cumsum([0, *(j.kind.nq for j in mechanism.joints)])
        at_v = np.cumsum([0, *(j.kind.nv for j in mechanism.joints)])
        self.speeds = np.zeros(model.nv, dtype=int)  # our index of each of Pinocchio's speeds
        self.parts = []
        for j in range(1, model.njoints):
            k = mechanism.joint_index[model.names[j]]
            joint = model.joints[j]
            free = mechanism.joints[k].type == "free"
            order = [3, 4, 5, 0, 1, 2] if free else range(joint.nv)
            for a, b in enumerate(order):
                self.speeds[joint.idx_v + a] = at_v[k] + b
            self.parts.append((joint.idx_q, joint.nq, at_q[k], free))

    def q(self, ours: np.ndarray) -> np.ndarray:
        q = np.zeros(self.model.nq)
        for to, nq, start, free in self.parts:
            if free:
                w, x, y, z, *p = ours[start : start + 7]
                q[to : to + 7] = [*p, x, y, z, w]
            elif nq == 2:
                q[to : to + 2] = np.cos(ours[start]), np.sin(ours[start])
            else:
                q[to : to + nq] = ours[start : start + nq]
        return q

    def v(self, ours: np.ndarray) -> np.ndarray:
        return ours[self.speeds]

    def matrix(self, theirs: np.ndarray) -> np.ndarray:
        """Their matrix over speeds, in our order."""
        ours = np.zeros_like(theirs)
        ours[np.ix_(self.speeds, self.speeds)] = theirs
        return ours

    def vector(self, theirs: np.ndarray) -> np.ndarray:
        ours = np.zeros_like(theirs)
        ours[..., self.speeds] = theirs
        return ours


def check(ours: np.ndarray, theirs: np.ndarray, what: str, slack: float = 0.0) -> None:
    scale = max(float(np.abs(theirs).max(initial=0.0)), 1.0)
    worst = float(np.abs(np.asarray(ours) - theirs).max(initial=0.0)) / scale
    assert worst < max(TOLERANCE, slack), f"{what}: off by {worst:.1e}"


def lifting_energy(model) -> float:
    """The energy of all the robot's mass lifted by a metre."""
    return 9.81 * sum(inertia.mass for inertia in model.inertias)


def compare(path: Path, floating: bool) -> None:
    try:
        model = pin.buildModelFromUrdf(str(path), pin.JointModelFreeFlyer()) if floating else pin.buildModelFromUrdf(str(path))
    except Exception as error:
        pytest.skip(f"Pinocchio does not load it: {error}")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ReaderWarning)
        mechanism = lg.load(path, floating=floating)
    if model.nv == 0:
        pytest.skip("nothing moves")
    # Pinocchio loads friction and damping and does not use them; it reads no rotors from a URDF
    plain = [
        lg.Joint(j.name, j.type, j.parent, j.child, j.placement, j.child_placement, type_entries=j.type_entries)
        for j in mechanism.joints
    ]
    mechanism = lg.Mechanism(mechanism.name, mechanism.bodies, plain, frames=mechanism.frames)
    assert mechanism.nv == model.nv
    data, to, dyn = model.createData(), Translator(model, mechanism), lg.compile(mechanism)
    rng = np.random.default_rng(0)
    q = np.array([mechanism.random_configuration(rng) for _ in range(STATES)])
    qd, qdd = rng.normal(size=(2, STATES, model.nv))
    ID, M, C, G = dyn.inverse_dynamics(q, qd, qdd), dyn.mass_matrix(q), dyn.coriolis_matrix(q, qd), dyn.gravity(q)
    K, V = dyn.kinetic_energy(q, qd), dyn.potential_energy(q)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MechanismWarning)
        FD = dyn.forward_dynamics(q, qd, ID)
    bodies = [mechanism.bodies[k].name for k in {0, len(mechanism.bodies) // 2, len(mechanism.bodies) - 1}]
    frames = {body: (model.getFrameId(body, pin.FrameType.BODY), dyn.jacobian(q, body), dyn.pose(q, body)) for body in bodies}
    for k in range(STATES):
        pq, pv, pa = to.q(q[k]), to.v(qd[k]), to.v(qdd[k])
        check(ID[k], to.vector(pin.rnea(model, data, pq, pv, pa)), "inverse dynamics")
        upper = np.triu(pin.crba(model, data, pq))
        theirs = to.matrix(upper + np.triu(upper, 1).T)
        check(M[k], theirs, "mass matrix")
        check(C[k], to.matrix(pin.computeCoriolisMatrix(model, data, pq, pv)), "Coriolis matrix")
        check(G[k], to.vector(pin.computeGeneralizedGravity(model, data, pq)), "gravity")
        check(K[k], np.array(pin.computeKineticEnergy(model, data, pq, pv)), "kinetic energy")
        # a small difference of large heights: Pinocchio turns by 1.57079632679 where a quarter turn is meant, and we do not
        check(V[k], np.array(pin.computePotentialEnergy(model, data, pq)), "potential energy", 2e-11 * lifting_energy(model))
        theirs_qdd = to.vector(pin.aba(model, data, pq, pv, to.v(ID[k])))
        if not np.diag(theirs).all():  # a joint that moves no mass: there is no answer, and neither makes one up
            assert np.isnan(FD[k]).any()
            assert np.isnan(theirs_qdd).any()
        else:
            # the forces were made from qdd: on an ill-conditioned robot (floating iCub: 6e8) Pinocchio itself is off by 2e-9,
            # and no two can agree better than the worse of them
            off = float(np.abs(theirs_qdd - qdd[k]).max())
            check(FD[k], theirs_qdd, "forward dynamics", 2 * off)
            check(FD[k], qdd[k], "forward dynamics of inverse dynamics", 2 * off)
        pin.framesForwardKinematics(model, data, pq)
        for frame, J, T in frames.values():
            pJ = to.vector(pin.computeFrameJacobian(model, data, pq, frame, pin.ReferenceFrame.LOCAL_WORLD_ALIGNED))
            check(J[k], pJ[[3, 4, 5, 0, 1, 2]], "Jacobian")
            check(T[k], data.oMf[frame].homogeneous, "pose")


@pytest.mark.parametrize("path", chosen())
def test_fixed_base(path: Path) -> None:
    compare(path, floating=False)


@pytest.mark.parametrize("path", chosen())
def test_floating_base(path: Path, rolled_only: None) -> None:
    compare(path, floating=True)


SMALL = ("solo12", "hyq_no_sensors", "anymal", "ur5_robot", "panda", "double_pendulum", "kinova")


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(p, marks=() if p.stem in ("panda", "double_pendulum") else pytest.mark.slow, id=name(p))
        for p in robots()
        if p.stem in SMALL
    ],
)
def test_floating_base_unrolled(path: Path) -> None:
    compare(path, floating=True)


def test_there_are_enough_robots() -> None:
    assert len(robots()) >= 68
