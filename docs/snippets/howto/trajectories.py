"""What docs/howto/trajectories.md shows, in its order."""

# --- path
import numpy as np

import lagrangian as lg

puma = lg.library("puma560")
path = lg.paths.joint_line(
    "qz", "qn", mechanism=puma, timing="trapezoidal", speed=2.0, acceleration=8.0
)
print(path)
q, qd, qdd = path(0.7)
print(q.round(4), qd.round(4), qdd.round(4))
there = lg.paths.sequence(path, lg.paths.dwell(path, 0.2))
print(there.end, there.discontinuities)

# --- limits
panda = lg.library("panda")
print(lg.paths.joint_line("ready", [1, -0.8, 0, -2.4, 0, 1.6, 0.8], mechanism=panda))

# --- frame
line = lg.paths.line((1.2, 0.4), (0.4, 1.2), speed=0.5, acceleration=2.0, frame="tip")
print(line)
pose, velocity, acceleration = line(1.0)  # 4x4; angular part first
print(pose[:2, 3].round(4), velocity[3:5].round(4))

# --- orientations
tumble = {"z": "0.5 + 0.1*t", "alpha": "0.8*t", "beta": "0.4*sin(2*t)"}
path = lg.paths.formula(tumble, 2.0, frame="tool", euler="ZYX")
print(path)
print("angular velocity at 0.5 s:", path(0.5)[1][:3].round(3))
try:
    lg.paths.formula({"qw": "cos(t)", "qz": "sin(2*t)"}, 1.0, frame="tool")
except lg.ArgumentError as error:
    print(error)

# --- table
with open("path.csv", "w") as file:
    file.write("t,theta1,theta2\n")
    for t in np.linspace(0, 1, 21):
        file.write(f"{t},{np.sin(t)},{0.5 * t * t}\n")
print(lg.paths.read("path.csv"))
try:
    lg.paths.read("path.csv", frame="tip")
except lg.ArgumentError as error:
    print(error)
