"""Loops against Pinocchio's accelerations and MuJoCo's constraint Jacobians."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import lagrangian as lg
from tests.mechanisms import state, two_chains

TOLERANCE = 1e-10


def closed_at(mechanism: lg.Mechanism, q: np.ndarray) -> lg.Mechanism:
    """The frames on the loops' bodies b moved to where those on the bodies a are at q."""
    dyn = lg.compile(mechanism)
    loops = []
    for loop in mechanism.loops:
        A = dyn.pose(q, loop.a) @ loop.a_placement.matrix()
        loops.append(replace(loop, b_placement=lg.Transform.from_matrix(np.linalg.inv(dyn.pose(q, loop.b)) @ A)))
    return mechanism.replace(loops=loops)


def speeds(dyn: lg.Dynamics, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
    """The nearest ones that keep the loops closed."""
    return qd - np.linalg.pinv(dyn.constraint_jacobian(q), rcond=1e-9) @ dyn.constraint_rate(q, qd)


def close(ours: np.ndarray, theirs: np.ndarray, what: str) -> None:
    scale = max(1.0, float(np.abs(theirs).max(initial=0.0)))
    worst = np.abs(ours - theirs).max(initial=0.0) / scale
    assert worst < TOLERANCE, f"{what}: off by {worst:.1e}"


# -- Pinocchio -------------------------------------------------------------------------------------------------------


class Pinocchio:
    """Our mechanism as a model of Pinocchio, whose bodies are the child-side frames of their joints."""

    def __init__(self, mechanism: lg.Mechanism) -> None:
        self.pin = pin = pytest.importorskip("pinocchio")
        self.mechanism, self.model = mechanism, pin.Model()
        self.model.gravity.linear = np.array(mechanism.gravity, dtype=float)
        kinds = {
            "revolute": pin.JointModelRevoluteUnaligned,
            "prismatic": pin.JointModelPrismaticUnaligned,
            "ball": pin.JointModelSpherical,
            "free": pin.JointModelFreeFlyer,
        }
        self.ids, self.from_joint = {"ground": 0}, {"ground": lg.Transform()}
        for joint in mechanism.joints:
            kind = kinds[joint.type]
            result = kind() if joint.type in ("ball", "free") else kind(np.array(joint.axis, dtype=float))
            at = self.se3(self.from_joint[joint.parent] @ joint.placement)
            self.ids[joint.child] = self.model.addJoint(self.ids[joint.parent], result, at, joint.name)
            self.from_joint[joint.child] = joint.child_placement.inverse()
            body = mechanism.bodies[[b.name for b in mechanism.bodies].index(joint.child)]
            inertia = pin.Inertia(float(body.mass), np.array(body.center, dtype=float), body.inertia_matrix)
            self.model.appendBodyToJoint(self.ids[joint.child], inertia, self.se3(self.from_joint[joint.child]))
        self.data = self.model.createData()

    def se3(self, at: lg.Transform):
        T = at.matrix()
        return self.pin.SE3(T[:3, :3], T[:3, 3])

    def constraints(self):
        pin, models = self.pin, self.pin.StdVec_RigidConstraintModel()
        for loop in self.mechanism.loops:
            kind = pin.ContactType.CONTACT_6D if loop.type == "fixed" else pin.ContactType.CONTACT_3D
            ends = ((loop.a, loop.a_placement), (loop.b, loop.b_placement))
            (a, at_a), (b, at_b) = ((self.ids[body], self.se3(self.from_joint[body] @ at)) for body, at in ends)
            models.append(pin.RigidConstraintModel(kind, self.model, a, at_a, b, at_b, pin.ReferenceFrame.LOCAL))
        return models

    def states(self, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Their q, and our index of each of their speeds."""
        theirs, order = np.zeros(self.model.nq), np.zeros(self.model.nv, dtype=int)
        iq = iv = 0
        for joint in self.mechanism.joints:
            model_joint = self.model.joints[self.model.getJointId(joint.name)]
            part, where = q[iq : iq + joint.kind.nq], list(range(iv, iv + joint.kind.nv))
            if joint.type in ("ball", "free"):
                part, where = np.array([*part[4:], *part[1:4], part[0]]), where[3:] + where[:3]
            theirs[model_joint.idx_q : model_joint.idx_q + model_joint.nq] = part
            order[model_joint.idx_v : model_joint.idx_v + model_joint.nv] = where
            iq, iv = iq + joint.kind.nq, iv + joint.kind.nv
        return theirs, order

    def forward_dynamics(self, q: np.ndarray, qd: np.ndarray, tau: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Accelerations, and the force of the first constraint.

        At a closed configuration, at speeds that keep it so: their corrections of drift have nothing to add.
        """
        pin, models = self.pin, self.constraints()
        datas = pin.StdVec_RigidConstraintData()
        for model in models:
            datas.append(model.createData())
        theirs, order = self.states(q)
        pin.initConstraintDynamics(self.model, self.data, models, datas)
        settings = pin.ProximalSettings(1e-14, 0.0, 1)  # the constraints as they are, not softened
        values = np.zeros(self.model.nv)
        values[order] = pin.constraintDynamics(self.model, self.data, theirs, qd[order], tau[order], models, datas, settings)
        return values, datas[0].contact_force.linear


CHAINS = [
    (["revolute", "ball", "prismatic"], ["free"]),
    (["revolute"] * 3, ["prismatic", "revolute", "ball"]),
    (["free", "revolute"], ["ball", "revolute", "ball"]),
]


@pytest.mark.parametrize("kind", ["ball", "fixed"])
@pytest.mark.parametrize("chains", range(len(CHAINS)))
def test_accelerations_and_forces_are_those_of_pinocchio(kind: str, chains: int) -> None:
    """Accelerations, and the force on body a, which Pinocchio gives along the axes of the frame there."""
    mechanism = two_chains(*CHAINS[chains], kind, 20 + chains)
    q, qd, _, tau = state(mechanism, chains)
    closed = closed_at(mechanism, q)
    dyn, peer = lg.compile(closed), Pinocchio(closed)
    qd = speeds(dyn, q, 3 * qd)
    assert np.abs(dyn.constraint_bias(q, qd)).max() > 0.1
    qdd, force = peer.forward_dynamics(q, qd, tau)
    close(dyn.forward_dynamics(q, qd, tau), qdd, "accelerations")
    (loop,) = closed.loops
    A = (dyn.pose(q, loop.a) @ loop.a_placement.matrix())[:3, :3]
    close(dyn.multipliers(q, qd, tau)[:3], A @ force, "force")


def test_pinocchio_with_several_loops() -> None:
    mechanism = two_chains(["free", "revolute", "revolute"], ["ball", "prismatic", "ball"], "fixed", 5)
    loops = [mechanism.loops[0], lg.LoopJoint("p", "point", "b0", "ground"), lg.LoopJoint("s", "ball", "c0", "b1")]
    mechanism = mechanism.replace(loops=loops)
    q, qd, _, tau = state(mechanism, 0)
    closed = closed_at(mechanism, q)
    dyn = lg.compile(closed)
    assert np.linalg.matrix_rank(dyn.constraint_jacobian(q)) == 12
    qd = speeds(dyn, q, 3 * qd)
    close(dyn.forward_dynamics(q, qd, tau), Pinocchio(closed).forward_dynamics(q, qd, tau)[0], "accelerations")


# -- MuJoCo ----------------------------------------------------------------------------------------------------------

# its constraints are soft, so that accelerations differ; what they hold is the same
MODEL = """
<mujoco>
  <compiler angle="radian"/>
  <option jacobian="dense"><flag contact="disable"/></option>
  <default><geom type="box" size="0.1 0.2 0.3" density="500"/></default>
  <worldbody>
    <body name="a" pos="0.1 0.2 0.3" euler="0.2 0.1 -0.3">
      <joint name="a" type="hinge" axis="1 0.2 0" pos="0.1 0 0.2"/>
      <geom/>
      <body name="b" pos="0.2 0 0.4" quat="0.9 0.1 0.2 0.3">
        <joint name="b" type="ball" pos="0.01 0.02 -0.05"/>
        <geom/>
        <body name="c" pos="0.1 0 0.6">
          <joint name="c" type="slide" axis="0.3 0 1"/>
          <geom/>
        </body>
      </body>
    </body>
    <body name="d" pos="1 2 3" euler="0.4 0.5 0.6">
      <freejoint name="d"/>
      <geom/>
      <body name="e" pos="0.1 0.2 0.05" euler="0.1 0.2 0.3">
        <joint name="e" type="hinge" axis="0 0.5 1"/>
        <geom/>
      </body>
    </body>
  </worldbody>
  <equality>
    {equality}
  </equality>
</mujoco>
"""
EQUALITIES = {
    "connect": '<connect body1="c" body2="e" anchor="0.1 0.2 0.3"/>',
    "connect to the world": '<connect body1="b" anchor="0.3 -0.2 0.1"/>',
    "weld": '<weld body1="c" body2="d" anchor="0.1 0.1 -0.3"/>',
    "weld to the world": '<weld body1="e"/>',
}


def jacobian(path: Path, mechanism: lg.Mechanism, q: np.ndarray | None) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """MuJoCo's equality rows over our speeds, their residuals, and the configuration: as the model is written if not given."""
    mujoco = pytest.importorskip("mujoco")
    from tests.peers.test_mujoco import Translator

    model = mujoco.MjModel.from_xml_path(str(path))
    data, to = mujoco.MjData(model), Translator(model, mechanism)
    if q is None:
        q = mechanism.neutral()
        for kind, at, _, start, _ in to.joints:
            n = {"free": 7, "ball": 4}.get(kind, 1)
            part = model.qpos0[at : at + n]
            q[start : start + n] = [*part[3:], *part[:3]] if kind == "free" else part
    data.qpos[:] = to.q(q)
    mujoco.mj_forward(model, data)
    rows = [k for k in range(data.nefc) if data.efc_type[k] == mujoco.mjtConstraint.mjCNSTR_EQUALITY]
    J = np.reshape(data.efc_J, (data.nefc, model.nv))[rows]
    return J @ to.speeds(q), data.efc_pos[rows], q


@pytest.mark.parametrize("name", EQUALITIES)
def test_constraint_rows_are_those_of_mujoco(name: str, tmp_path: Path) -> None:
    """Where the loop is closed, both sets of rows forbid the same speeds; the point's rows are even the same ones."""
    file = tmp_path / "model.xml"
    file.write_text(MODEL.format(equality=EQUALITIES[name]))
    mechanism = lg.load(file)
    J, off, q = jacobian(file, mechanism, None)
    dyn = lg.compile(mechanism)
    Psi = dyn.constraint_jacobian(q)
    np.testing.assert_allclose(off, 0, atol=1e-12)
    np.testing.assert_allclose(dyn.closure(q), 0, atol=1e-12)
    assert J.shape == Psi.shape
    assert np.linalg.matrix_rank(Psi) == len(Psi)
    close(Psi @ np.linalg.pinv(J) @ J, Psi, "space of rows")
    close(Psi[:3], J[:3], "rows of the point")


def test_mujoco_couplings(tmp_path: Path) -> None:
    """Polynomials between joints, at any configuration: residual and row."""
    coefficients = (0.1, -1.5, 0.4, 0.3, -0.2)
    equality = (
        f'<joint joint1="e" joint2="c" polycoef="{" ".join(map(str, coefficients))}"/><joint joint1="a" polycoef="0.4 0 0 0 0"/>'
    )
    file = tmp_path / "model.xml"
    file.write_text(MODEL.format(equality=equality))
    mechanism = lg.load(file)
    dyn = lg.compile(mechanism)
    for seed in range(3):
        q, *_ = state(mechanism, seed)
        J, off, _ = jacobian(file, mechanism, q)
        close(dyn.closure(q), off, "residual")
        close(dyn.constraint_jacobian(q), J, "row")
