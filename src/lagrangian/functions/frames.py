"""Poses, velocities, accelerations and Jacobians of frames."""

from __future__ import annotations

from typing import Any

from lagrangian.algorithms import kinematics
from lagrangian.algorithms.sweep import Algorithm
from lagrangian.functions.function import CatalogueFunction, array_output, speed_output
from lagrangian.functions.mechanism_graph import MechanismGraph
from lagrangian.functions.routine import RoutineArgument
from lagrangian.kernels.programs.sweeps import TreeProgram

TWIST = ("wx", "wy", "wz", "vx", "vy", "vz")


def _over_frame_path(algorithm: Algorithm) -> Any:
    return lambda model, frame: model.record(TreeProgram(algorithm, model.path_to_frame(frame)))


def _jacobian_output(model: MechanismGraph) -> tuple[RoutineArgument, ...]:
    return (RoutineArgument("J", (6, model.nv), "J with (angular velocity, velocity of the origin) = J qd"),)


FUNCTIONS = (
    CatalogueFunction(
        "pose",
        "The frame's homogeneous matrix in the world.",
        ("q",),
        array_output("T", (4, 4), "the homogeneous matrix"),
        _over_frame_path(kinematics.POSE_OF_FRAME),
        of_frame=True,
    ),
    CatalogueFunction(
        "velocity",
        "The frame's angular velocity and the velocity of its origin, along the world's axes.",
        ("q", "qd"),
        array_output("v", (6,), "the angular velocity, then the velocity", TWIST),
        _over_frame_path(kinematics.VELOCITY),
        of_frame=True,
    ),
    CatalogueFunction(
        "acceleration",
        "The frame's angular acceleration and the acceleration of its origin, along the world's axes.",
        ("q", "qd", "qdd"),
        array_output("a", (6,), "the angular acceleration, then the acceleration", TWIST),
        _over_frame_path(kinematics.ACCELERATION),
        of_frame=True,
    ),
    CatalogueFunction(
        "jacobian",
        "The frame's Jacobian J, along the world's axes.",
        ("q",),
        _jacobian_output,
        _over_frame_path(kinematics.JACOBIAN),
        of_frame=True,
    ),
    CatalogueFunction(
        "jacobian_dot_qd",
        "J' qd: the frame's acceleration where qdd = 0.",
        ("q", "qd"),
        array_output("a", (6,), "the angular acceleration, then the acceleration", TWIST),
        _over_frame_path(kinematics.JACOBIAN_DOT_QD),
        of_frame=True,
    ),
    CatalogueFunction(
        "external_torque",
        "J^T F: the joint forces that a wrench on the frame amounts to.",
        ("q", "wrench"),
        speed_output("tau", "the joint forces"),
        _over_frame_path(kinematics.EXTERNAL_TORQUE),
        of_frame=True,
    ),
)
