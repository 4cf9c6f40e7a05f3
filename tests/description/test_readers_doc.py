"""The conversions of docs/reference/readers.md, run as they are printed there, against MuJoCo, Pinocchio and our own kernels."""

from pathlib import Path

import numpy as np
import pytest

import lagrangian as lg
from lagrangian.description.mjcf import reader as mjcf
from lagrangian.description.urdf import reader as urdf

DOC = Path(__file__).parents[2] / "docs" / "snippets" / "reference" / "readers.py"
MJCF = (
    '<mujoco><worldbody><body><freejoint/><inertial mass="2" pos=".1 .2 .3" fullinertia=".5 .6 .7 .01 .02 .03"/></body>'
    "</worldbody></mujoco>"
)
URDF = (
    '<robot name="r"><link name="a"><inertial><origin xyz=".1 .2 .3"/><mass value="2"/>'
    '<inertia ixx=".5" ixy=".01" ixz=".02" iyy=".6" iyz=".03" izz=".7"/></inertial></link></robot>'
)


@pytest.fixture(scope="module")
def document_functions():
    """The functions of the document."""
    names = {}
    exec(compile(DOC.read_text(encoding="utf-8"), str(DOC), "exec"), names)
    return names


def state(seed=1):
    rng = np.random.default_rng(seed)
    quaternion = rng.normal(size=4)
    return np.r_[quaternion / np.linalg.norm(quaternion), rng.normal(size=3)], rng.normal(size=6)


def test_the_mjcf_model_of_the_page_has_the_dynamics_of_mujoco(document_functions):
    mujoco = pytest.importorskip("mujoco")
    q, qd = state()
    qpos, qvel = document_functions["to_mujoco"](q, qd)
    for one, other in zip(document_functions["from_mujoco"](qpos, qvel), (q, qd), strict=True):
        np.testing.assert_allclose(one, other, atol=1e-15)
    model = mujoco.MjModel.from_xml_string(MJCF)
    data = mujoco.MjData(model)
    data.qpos[:], data.qvel[:] = qpos, qvel
    mujoco.mj_forward(model, data)
    velocity = np.zeros(6)
    mujoco.mj_objectVelocity(model, data, mujoco.mjtObj.mjOBJ_XBODY, 1, velocity, 1)
    np.testing.assert_allclose(velocity, qd, atol=1e-14)
    mujoco.mj_energyVel(model, data)
    mujoco.mj_energyPos(model, data)
    dyn = lg.compile(mjcf.read_text(MJCF))
    assert dyn.kinetic_energy(q, qd) == pytest.approx(data.energy[1], rel=1e-12)
    assert dyn.potential_energy(q) == pytest.approx(data.energy[0], rel=1e-12)


def test_the_urdf_of_the_page_has_the_dynamics_of_pinocchio(document_functions):
    pin = pytest.importorskip("pinocchio")
    q, qd = state(2)
    theirs = document_functions["to_pinocchio"](q, qd)
    for one, other in zip(document_functions["from_pinocchio"](*theirs), (q, qd), strict=True):
        np.testing.assert_array_equal(one, other)
    model = pin.buildModelFromXML(URDF, pin.JointModelFreeFlyer())
    data = model.createData()
    dyn = lg.compile(urdf.read_text(URDF, floating=True))
    assert dyn.kinetic_energy(q, qd) == pytest.approx(pin.computeKineticEnergy(model, data, *theirs), rel=1e-12)
    assert dyn.potential_energy(q) == pytest.approx(pin.computePotentialEnergy(model, data, theirs[0]), rel=1e-12)
    np.testing.assert_allclose(data.v[1].np, np.r_[qd[3:], qd[:3]])
    M = pin.crba(model, data, theirs[0])
    ours = np.r_[3:6, 0:3]  # their speeds in our order
    np.testing.assert_allclose(dyn.mass_matrix(q), M[np.ix_(ours, ours)], atol=1e-12)
