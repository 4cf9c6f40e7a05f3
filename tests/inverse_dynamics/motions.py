"""Paths and checks that the tests of inverse dynamics share."""

import numpy as np

import lagrangian as lg
from lagrangian import paths

CIRCLE = paths.circle((1.2, 1.2), 0.2, 10.0, timing="uniform", frame="tip")


TWO_R = lg.library("two_r")


def rates(x, t):
    """By differences of sixth order, of rows at equal steps; three rows are lost at either end."""
    n = len(t)
    return sum(c * (x[3 + k : n - 3 + k] - x[3 - k : n - 3 - k]) for k, c in ((1, 0.75), (2, -0.15), (3, 1 / 60))) / (t[1] - t[0])


def consistent(motion, tolerance):
    """Speeds and accelerations are the derivatives of the coordinates."""
    scale = 1 + np.abs(motion.qdd).max()
    np.testing.assert_allclose(rates(motion.q, motion.t), motion.qd[3:-3], rtol=0, atol=tolerance * scale)
    np.testing.assert_allclose(rates(motion.qd, motion.t), motion.qdd[3:-3], rtol=0, atol=tolerance * scale)


PLATFORM = {"platform.x": "0.05*cos(2*pi*t)", "platform.y": "0.05*sin(2*pi*t)", "platform.angle": "0.2*sin(2*pi*t)"}


PUMA0 = np.array([0.1, -0.5, 0.4, 0.3, 0.2, 0.1])


PUMA1 = PUMA0 + np.array([0.5, 0.3, -0.4, 0.5, 0.4, -0.6])


THERE = paths.joint_line(PUMA0, PUMA1, 0.5, timing="trapezoidal")


HOME = lg.Transform.from_quaternion((0, 0, 2.0), (1, 0, 0, 0)).matrix()


AWAY = lg.Transform.from_quaternion((0.2, 0.1, 2.1), (1, 0.1, 0.05, -0.1)).matrix()


ROUND_TRIPS = {
    "two_r, quintic": ("two_r", paths.circle((1.2, 1.2), 0.2, 1.0), {"frame": "tip", "q0": [0.3, 0.8]}),
    "two_r, trapezoidal": ("two_r", paths.line((1.4, 1.0), (0.6, 1.2), 1.0, timing="trapezoidal"), {"frame": "tip"}),
    "puma560, there and back": ("puma560", paths.sequence(THERE, paths.joint_line(PUMA1, PUMA0, 0.5)), {}),
    "puma560, reversing": (
        "puma560",
        paths.formula({f"q{k + 1}": f"{x} + 0.3*sin(4*t + {k})" for k, x in enumerate(PUMA0)}, 1.0),
        {},
    ),
    "four_bar": ("four_bar", paths.formula({"theta1": "pi/2 + 1.5*sin(3*t)"}, 1.0, start=2.0).with_start_time(-1.0), {}),
    "five_bar": ("five_bar", paths.circle((-0.6, 0.25), 0.05, 1.0), {"frame": "tip"}),
    "three_rrr": ("three_rrr", paths.formula(PLATFORM, 0.5), {}),
    "delta": ("delta", paths.arc((0, 0, -1.0), (0.1, 0.1, -0.95), (0.2, 0, -1.0), 1.0), {"frame": "platform"}),
    "stewart": ("stewart", paths.line(HOME, AWAY, 1.0), {"frame": "platform"}),
}
