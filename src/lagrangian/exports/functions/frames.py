"""Poses, velocities, accelerations and Jacobians of frames."""

from __future__ import annotations

from typing import Any

from lagrangian.algorithms import kinematics
from lagrangian.algorithms.sweep import Algorithm
from lagrangian.exports.functions.function import Function, array, speeds
from lagrangian.exports.model import Model
from lagrangian.exports.routine import Argument
from lagrangian.kernels.programs.sweeps import Sweeps

TWIST = ("wx", "wy", "wz", "vx", "vy", "vz")


def _of(algorithm: Algorithm) -> Any:
    return lambda model, frame: model.of(Sweeps(algorithm, model.path(frame)))


def _jacobian(model: Model) -> tuple[Argument, ...]:
    return (Argument("J", (6, model.nv), "J with (angular velocity, velocity of the origin) = J qd"),)


FUNCTIONS = (
    Function(
        "pose",
        "The frame's homogeneous matrix in the world.",
        ("q",),
        array("T", (4, 4), "the homogeneous matrix"),
        _of(kinematics.POSE_OF_FRAME),
        framed=True,
    ),
    Function(
        "velocity",
        "The frame's angular velocity and the velocity of its origin, along the world's axes.",
        ("q", "qd"),
        array("v", (6,), "the angular velocity, then the velocity", TWIST),
        _of(kinematics.VELOCITY),
        framed=True,
    ),
    Function(
        "acceleration",
        "The frame's angular acceleration and the acceleration of its origin, along the world's axes.",
        ("q", "qd", "qdd"),
        array("a", (6,), "the angular acceleration, then the acceleration", TWIST),
        _of(kinematics.ACCELERATION),
        framed=True,
    ),
    Function(
        "jacobian", "The frame's Jacobian J, along the world's axes.", ("q",), _jacobian, _of(kinematics.JACOBIAN), framed=True
    ),
    Function(
        "jacobian_dot_qd",
        "J' qd: the frame's acceleration where qdd = 0.",
        ("q", "qd"),
        array("a", (6,), "the angular acceleration, then the acceleration", TWIST),
        _of(kinematics.JACOBIAN_RATE),
        framed=True,
    ),
    Function(
        "external_torque",
        "J^T F: the joint forces that a wrench on the frame amounts to.",
        ("q", "wrench"),
        speeds("tau", "the joint forces"),
        _of(kinematics.EXTERNAL_TORQUE),
        framed=True,
    ),
)
