"""Describe your own arm in three ways: in Python, as a Denavit-Hartenberg table, and as TOML."""

import math

import numpy as np

import lagrangian as lg

# 1. Bodies and joints in Python
upper = lg.Body.from_shapes(
    "upper", [lg.shapes.tube(0.03, 0.025, 0.5, density=2700, at=lg.Transform.from_rpy((0.25, 0, 0), (0, math.pi / 2, 0)))]
)
fore = lg.Body("fore", mass=1.2, center=(0.2, 0, 0), inertia=(0.001, 0, 0, 0.02, 0, 0.02))
arm = lg.Mechanism(
    "arm",
    [upper, fore],
    [
        lg.Joint("shoulder", "revolute", "ground", "upper", axis=(0, -1, 0), friction=lg.Friction(viscous=0.1)),
        lg.Joint("elbow", "revolute", "upper", "fore", lg.Transform(position=(0.5, 0, 0)), axis=(0, -1, 0)),
    ],
    frames=[lg.Frame("tip", "fore", lg.Transform(position=(0.4, 0, 0)))],
)
print(arm)

# 2. A Denavit-Hartenberg table. You have to name the convention.
table = lg.Mechanism.from_dh(
    [
        {"a": 0, "alpha": math.pi / 2, "mass": 0},
        {"a": 0.5, "alpha": 0, "mass": 1.0, "center": (0.25, 0, 0), "inertia": (0.001, 0.02, 0.02)},
    ],
    convention="modified",
)
print("\n", table, sep="")

# 3. A TOML file, with named parameters and expressions
text = """
name = "pendulum"
gravity = [0, -9.81, 0]

[parameters]
l = 0.5
m = 2.0

[[body]]
name = "link"
mass = "m"
center = ["l/2", 0, 0]
inertia = [0, "m*l^2/12", "m*l^2/12"]

[[joint]]
name = "theta"
type = "revolute"
child = "link"
axis = "z"
"""
pendulum = lg.loads(text)  # or lg.load("pendulum.toml")
print("\n", pendulum, sep="")
longer = lg.loads(text, parameters={"l": 1.0})  # with another length
print("\nI =", float(longer.body("link").inertia[5]))

# Compile the first arm, and compute where its tip is, the torques that hold a weight, and the loads on its bearing.
dyn = lg.compile(arm)
q, qd = np.array([0.3, -0.5]), np.zeros(2)
print("\ntip at", dyn.pose(q, "tip")[:3, 3].round(4))
print(
    "torques that hold a weight of 5 N at the tip:",
    dyn.inverse_dynamics(q, qd, qd, wrenches={"tip": [0, 0, 0, 0, 0, -5.0]}).round(4),
)
loads = dyn.reactions(q, qd, qd, wrenches={"tip": [0, 0, 0, 0, 0, -5.0]})
print("bearing loads at the shoulder (moment, force):", loads[0].round(4))
