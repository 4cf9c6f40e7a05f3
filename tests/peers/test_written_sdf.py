"""SDF that we write, read by Drake: the same dynamics."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import lagrangian as lg
from tests.description.robot_file_round_trips import bare, off, quadruped_mechanism
from tests.peers.test_written_urdf import robot

pytest.importorskip("pydrake")
TOLERANCE = 1e-10


def plain(m: lg.Mechanism) -> lg.Mechanism:
    """Without dry friction, which Drake has not, and without loops."""
    joints = [replace(j, friction=lg.Friction(j.friction.viscous)) for j in m.joints]
    return bare(m, joints=joints, loops=(), constraints=())


def largest_difference(m: lg.Mechanism) -> float:
    """The largest difference of mass matrix and torques."""
    from pydrake.common.eigen_geometry import Quaternion
    from pydrake.math import RigidTransform, RollPitchYaw, RotationMatrix
    from pydrake.multibody.parsing import Parser
    from pydrake.multibody.plant import MultibodyPlant
    from pydrake.multibody.tree import MultibodyForces

    conversion = lg.convert(m, "sdf")
    plant = MultibodyPlant(0.0)
    Parser(plant).AddModelsFromString(conversion.text, "sdf")
    plant.mutable_gravity_field().set_gravity_vector([float(x) for x in m.gravity])
    plant.Finalize()
    assert plant.num_velocities() == m.nv
    context, dyn, rng, worst = plant.CreateDefaultContext(), lg.compile(m), np.random.default_rng(0), 0.0
    for _ in range(3):
        q = m.random_configuration(rng)
        qd, qdd = (rng.normal(size=m.nv) for _ in range(2))
        S, rate = np.zeros((m.nv, m.nv)), np.zeros(m.nv)
        iq = iv = 0
        for joint in m.joints:
            part = q[iq : iq + joint.kind.nq]
            if joint.type == "free":
                body = plant.GetBodyByName(joint.child)
                R = RotationMatrix(Quaternion(part[:4]))
                plant.SetFreeBodyPose(context, body, RigidTransform(R, part[4:]))
                at = body.floating_velocities_start_in_v()
                S[at : at + 6, iv : iv + 6] = np.kron(np.eye(2), R.matrix())
                rate[at + 3 : at + 6] = R.matrix() @ np.cross(qd[iv : iv + 3], qd[iv + 3 : iv + 6])
            elif joint.kind.nv:
                name = conversion.coordinates[joint.coordinate_names[0]].rpartition("::")[2]
                whole = name.removesuffix(".w" if joint.type == "ball" else ".1")
                if joint.type in ("ball", "universal"):
                    theirs = plant.GetJointByName(whole)
                    at = theirs.velocity_start()
                    R = RotationMatrix(Quaternion(part)) if joint.type == "ball" else None
                    theirs.set_angles(context, part if R is None else RollPitchYaw(R).vector())
                    S[at : at + joint.kind.nv, iv : iv + joint.kind.nv] = np.eye(joint.kind.nv) if R is None else R.matrix()
                else:
                    for k, c in enumerate(joint.coordinate_names):
                        theirs = plant.GetJointByName(conversion.coordinates[c].rpartition("::")[2])
                        positions = plant.GetPositions(context)
                        positions[theirs.position_start()] = part[k]
                        plant.SetPositions(context, positions)
                        S[theirs.velocity_start(), iv + k] = 1
            iq, iv = iq + joint.kind.nq, iv + joint.kind.nv
        plant.SetVelocities(context, S @ qd)
        forces = MultibodyForces(plant)
        plant.CalcForceElementsContribution(context, forces)
        torques = S.T @ plant.CalcInverseDynamics(context, S @ qdd + rate, forces)
        worst = max(worst, off(torques, dyn.inverse_dynamics(q, qd, qdd)))
        worst = max(worst, off(S.T @ plant.CalcMassMatrix(context) @ S, dyn.mass_matrix(q)))
    return worst


@pytest.mark.parametrize(
    "name", ["panda", "ur5", "lwr7", "scara", "stanford", "two_r", "two_r_point_masses", "gantry_crane", "heavy_top", "three_rrr"]
)
def test_the_library(name: str) -> None:
    assert largest_difference(plain(lg.library(name))) < TOLERANCE


def test_a_quadruped() -> None:
    m = plain(quadruped_mechanism())
    joints = [replace(j, rotor=lg.Rotor(1e-4, 9.0)) if j.type == "revolute" else j for j in m.joints]
    assert largest_difference(m.replace(joints=joints)) < TOLERANCE


@pytest.mark.parametrize("name", ["solo12", "a1"])
def test_robots_that_were_read(name: str) -> None:
    assert largest_difference(plain(robot(name))) < TOLERANCE
