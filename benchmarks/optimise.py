"""How long designs take to be found, in a fresh process with an empty cache, with exact gradients.

    python benchmarks/optimise.py

A 2R arm is balanced by a spring and a counterweight, a four-bar over its turn by a spring whose anchor is found, too, and a
four-bar is led through nine points; all begin away from the best.
Beside the time stand the evaluations, and what is left of the goal.
"""

from __future__ import annotations

import os
import tempfile
import time

os.environ["LAGRANGIAN_CACHE"] = tempfile.mkdtemp()  # nothing is there yet

import numpy as np

import lagrangian as lg

ARM = """
name = "arm"
gravity = [0, "-g", 0]
parameters = { l1 = 0.5, l2 = 0.4, m1 = 3.0, m2 = 2.0, g = 9.81, c = 1.0, k = 100.0, a = 0.3 }

[[body]]
name = "upper"
mass = "m1"
center = ["l1/2", 0, 0]
inertia = [0, "m1*l1^2/12", "m1*l1^2/12"]

[[body]]
name = "lower"
mass = "m2 + c"
center = ["(m2*l2/2 - c*0.1)/(m2 + c)", 0, 0]

[[joint]]
name = "theta1"
type = "revolute"
child = "upper"

[[joint]]
name = "theta2"
type = "revolute"
parent = "upper"
child = "lower"
xyz = ["l1", 0, 0]

[[spring]]
name = "post"
a = "ground"
b = "upper"
a_point = [0, "a", 0]
b_point = ["l1", 0, 0]
stiffness = "k"
"""


def balance_spring() -> lg.Optimum:
    poses = [[a, b] for a in np.linspace(-1, 1.5, 6) for b in np.linspace(-1.5, 1.5, 6)]
    return lg.optimise(lg.loads(ARM), {"k": (0, 2000), "c": (0, 50)}, lg.goals.holding_torque(poses))


def balanced_linkage() -> lg.Optimum:
    spring = lg.PointSpring("post", "ground", "rocker", (0.4, 0.9, 0), (0.3, 0, 0), stiffness=20.0)
    linkage = lg.library("four_bar").replace(springs=(spring,))
    over = {"post.stiffness": (0, 400), "post.a_point.x": (-1, 2), "post.a_point.y": (-1, 2)}
    return lg.optimise(linkage, over, lg.goals.holding_torque({"theta1": np.linspace(0, 2 * np.pi, 25)}))


def synthesise_linkage() -> lg.Optimum:
    linkage, angles = lg.library("four_bar"), np.pi / 2 + np.linspace(0, 4.5, 9)
    l0, l1, l2, l3 = 1.0, 0.35, 1.0, 0.7
    end = l1 * np.exp(1j * angles)
    e = np.abs(l0 - end)
    turned = np.angle(l0 - end) + np.arccos((l2**2 + e**2 - l3**2) / (2 * l2 * e))
    middle = end + l2 / 2 * np.exp(1j * turned)
    points = np.stack([middle.real, middle.imag], axis=1)
    over = {"l1": (0.2, 0.5), "l2": (0.6, 1.4), "l3": (0.4, 1.0)}
    return lg.optimise(linkage, over, lg.goals.path_points("C", points, "theta1", angles))


DESIGNS = {
    "springs and counterweights of a 2R": balance_spring,
    "a spring of a four-bar": balanced_linkage,
    "a four-bar through nine points": synthesise_linkage,
}
for name, run in DESIGNS.items():
    start = time.perf_counter()
    result = run()
    took = time.perf_counter() - start
    print(f"{name}: {took:.2f} s, {result.evaluations} evaluations, {result.initial_value:.3g} before, {result.value:.1e} now")
