"""What docs/howto/from_dh.md shows, in its order."""

# --- table
from math import pi

import lagrangian as lg

base = {"mass": 8.0, "center": (0, -0.1, 0), "inertia": (0.09, 0.05, 0.09)}
upper = {"mass": 5.0, "center": (-0.25, 0, 0), "inertia": (0.01, 0.11, 0.11)}
fore = {"mass": 3.0, "center": (-0.2, 0, 0), "inertia": (0.005, 0.04, 0.04)}
rows = [
    lg.DHParameters("R", d=0.4, alpha=pi / 2, name="turn", **base),
    lg.DHParameters("R", a=0.5, name="lift", **upper),
    lg.DHParameters("R", a=0.4, name="bend", **fore),
]
arm = lg.Mechanism.from_dh(
    rows, convention="standard", tool=lg.Transform(position=(0.1, 0, 0)), name="elbow arm"
)
print(arm)

# --- check
dyn = lg.compile(arm)
print(dyn.pose([0, 0, pi / 2], "tool").round(4) + 0.0)

# --- equations
eom = lg.derive(arm)
print("M11 =", eom.M[0, 0])
print("M23 =", eom.M[1, 2])
print("G2 =", eom.G[1])

# --- names
l, m = lg.parameter("l", 0.5), lg.parameter("m", 2.0)
I = m * l**2 / 12
pendulum = lg.Mechanism.from_dh(
    [lg.DHParameters("R", a=l, mass=m, center=(-l / 2, 0, 0), inertia=(0, I, I))],
    convention="standard",
    gravity=(0, -9.81, 0),
)
print(lg.derive(pendulum).M)

# --- file
text = """
[dh]
convention = "modified"
tool = { xyz = ["l2", 0, 0] }

[parameters]
l1 = 0.5
l2 = 0.4

[[dh.row]]
mass = 2.0
center = ["l1/2", 0, 0]
inertia = [0, 0.04, 0.04]

[[dh.row]]
a = "l1"
mass = 1.5
center = ["l2/2", 0, 0]
inertia = [0, 0.02, 0.02]
"""
print(lg.compile(lg.loads(text)).pose([0, 0], "tool")[:3, 3])
