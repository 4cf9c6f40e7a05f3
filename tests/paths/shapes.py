"""Paths of every kind, to be checked for what all of them have in common."""

import numpy as np
from scipy.spatial.transform import Rotation

from lagrangian import paths

TIMINGS = ["quintic", "trapezoidal", "uniform"]


TURN = Rotation.from_rotvec((0.3, -0.8, 1.1))


def pose(position, rotation=None):
    T = np.eye(4)
    T[:3, 3] = position
    if rotation is not None:
        T[:3, :3] = rotation.as_matrix()
    return T


A, B = pose((0.1, 0.2, 0.3), Rotation.from_rotvec((0.2, 0.1, -0.4))), pose((0.6, -0.1, 0.5), TURN)


ROTATIONS = Rotation.from_rotvec([(0, 0, 0), (0.5, 0.1, 0), (0.7, 0.9, -0.2), (0.1, 1.4, 0.6)])


POSES = [pose(p, R) for p, R in zip([(0, 0, 0), (0.3, 0.1, 0), (0.5, 0.4, 0.2), (0.4, 0.8, 0.1)], ROTATIONS, strict=True)]


Q0, Q1 = np.array([0.1, -0.4, 0.7]), np.array([1.1, -0.9, 0.7])


POINTS = [(0, 0), (0.4, 0.3), (0.9, 0.1), (1.2, 0.6), (1.0, 1.0), (0.7, 0.9)]


def many():
    """Every way to make a path, with several timings."""
    for timing in TIMINGS:
        more = {"timing": timing}
        yield f"joint line, {timing}", paths.joint_line(Q0, Q1, 1.7, **more)
        yield f"joint spline, {timing}", paths.joint_spline([Q0, Q1, Q0 + 0.3, Q1 - 0.2], 1.7, **more)
        yield f"line, {timing}", paths.line((0.1, 0.2), (0.7, -0.4), 1.7, **more)
        yield f"line of poses, {timing}", paths.line(A, B, 1.7, **more)
        yield f"circle, {timing}", paths.circle((0.4, 0.1), 0.3, 1.7, turns=-0.8, **more)
        yield f"tilted circle, {timing}", paths.circle((0.4, 0.1, 2), 0.3, 1.7, normal=(1, 2, 3), orientation=(A, B), **more)
        yield f"arc, {timing}", paths.arc(A, (0.5, 0.5, 0.5), B, 1.7, **more)
        yield f"spline of poses, {timing}", paths.spline(POSES, 1.7, **more)
    for ends in ("natural", "clamped", "free", "periodic"):
        for degree in (3, 5):
            points = POINTS if ends != "periodic" else [*POINTS, POINTS[0]]
            yield f"{ends} spline of degree {degree}", paths.spline(points, 1.7, ends=ends, degree=degree)
    yield "spline at times", paths.spline(POSES, times=[1, 1.5, 2.5, 3])
    yield "joint spline at times", paths.joint_spline([Q0, Q1, Q0], times=[1, 1.5, 2.5], degree=5)
    yield "recorded", paths.interpolate(np.arange(8) / 4, np.sin(np.outer(np.arange(8), (1, 2))))
    yield "formula of joints", paths.formula({"a": "k*sin(2*t)", "b": "exp(-t)/(1+t^2)"}, 1.7, parameters={"k": 0.3}, start=0.5)
    yield "formula of a frame", paths.formula({"y": "tanh(t)*sqrt(1+t)", "z": "atan2(t, 2) + t^2.5"}, 1.7, frame="tip", start=0.5)
    yield (
        "function",
        paths.function(lambda t: (np.sin(t)[:, None], np.cos(t)[:, None], -np.sin(t)[:, None]), 1.7, names="a", start=0.5),
    )
    there = paths.line(A, B, 0.9)
    yield "sequence", paths.sequence(there, paths.dwell(there, 0.4), paths.line(B, A, 1.1, timing="trapezoidal"))


MANY = dict(many())


def differences(function, t, h=1e-4):
    """The derivative, of sixth order."""
    return sum(c * (function(t + k * h) - function(t - k * h)) for k, c in ((1, 45 / 60), (2, -9 / 60), (3, 1 / 60))) / h
