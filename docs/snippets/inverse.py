"""What docs/inverse.md shows, in its order."""

# --- the-circle
import numpy as np

import lagrangian as lg

arm = lg.library("two_r")
circle = lg.paths.circle((1.2, 1.2), 0.2, duration=10, timing="uniform")
motion = lg.inverse(arm, circle, frame="tip", q0={"theta2": -0.8})
print(motion)

# --- the-circle-2
for q in lg.inverse_kinematics(arm, (1.4, 1.2), "tip", every=True):
    other = lg.inverse(arm, circle, frame="tip", q0=q)
    print(q.round(4), other.tau.min(axis=0).round(2), other.tau.max(axis=0).round(2))

# --- paths
puma = lg.library("puma560")
path = lg.paths.joint_line(
    "qz", "qn", mechanism=puma, timing="trapezoidal", speed=2.0, acceleration=8.0
)
print(path)
q, qd, qdd = path(0.7)
print(q.round(4), qd.round(4), qdd.round(4))
there = lg.paths.sequence(path, lg.paths.dwell(path, 0.2))
print(there.end, there.breaks)

# --- orientations
tumble = {"z": "0.5 + 0.1*t", "alpha": "0.8*t", "beta": "0.4*sin(2*t)"}
path = lg.paths.formula(tumble, 2.0, frame="tool", euler="ZYX")
print(path)
print("angular velocity at 0.5 s:", path(0.5)[1][:3].round(3))
try:
    lg.paths.formula({"qw": "cos(t)", "qz": "sin(2*t)"}, 1.0, frame="tool")
except lg.ArgumentError as error:
    print(error)

# --- paths-2
panda = lg.library("panda")
print(lg.paths.joint_line("ready", [1, -0.8, 0, -2.4, 0, 1.6, 0.8], mechanism=panda))

# --- paths-3
with open("path.csv", "w") as file:
    file.write("t,theta1,theta2\n")
    for t in np.linspace(0, 1, 21):
        file.write(f"{t},{np.sin(t)},{0.5 * t * t}\n")
print(lg.paths.read("path.csv"))
try:
    lg.paths.read("path.csv", frame="tip")
except lg.ArgumentError as error:
    print(error)

# --- kinematics
hand = puma.bodies[-1].name
pose = lg.compile(puma).pose(puma.poses["qn"], hand)
for q in lg.inverse_kinematics(puma, pose, hand, every=True):
    print(q.round(3))
stewart = lg.library("stewart")
raised = np.eye(4)
raised[:3, 3] = 0.1, 0.0, 2.1
q = lg.inverse_kinematics(stewart, raised, "platform")
print(q[[2, 5, 8, 11, 14, 17]].round(4))  # the lengths of the legs

# --- kinematics-2
for end in ((1.9, 1.2), (-1.2, -1.2)):
    try:
        lg.inverse(arm, lg.paths.line((1.2, 1.2), end, 1.0), "tip")
    except lg.ReachError as error:
        print(f"t = {error.t:.4f} s: {error}")

# --- parallel-mechanisms
machine = lg.library("three_rrr")
turn = {
    "platform.x": "0.05*cos(2*pi*t)",
    "platform.y": "0.05*sin(2*pi*t)",
    "platform.angle": "0.2*sin(2*pi*t)",
}
motion = lg.inverse(machine, lg.paths.formula(turn, 1.0))
print(motion)
driven = [machine.speed_names.index(name) for name in ("theta1", "theta2", "theta3")]
print(motion.tau[0, driven].round(6))
print(dict(zip(motion.constraint_names, motion.multipliers[0].round(4).tolist())))

# --- parallel-mechanisms-2
bearing = motion.reactions[:, machine.joint_index["psi1"], 3:]
print(f"psi1: up to {np.linalg.norm(bearing, axis=1).max():.4g} N")
closing = [
    k for k, name in enumerate(motion.constraint_names) if name.startswith("closure1.")
]
pin = np.linalg.norm(motion.multipliers[:, closing], axis=1)
print(f"closure1: up to {pin.max():.4g} N")

# --- parallel-mechanisms-3
from dataclasses import replace

passive = machine.replace(
    joints=[
        replace(j, actuated=j.name != "theta3" and j.actuated) for j in machine.joints
    ]
)
try:
    lg.inverse(passive, lg.paths.formula(turn, 1.0))
except lg.ActuationError as error:
    print(error)

# --- and-back
run = lg.simulate(machine, torque=motion.torque, rtol=1e-11, atol=1e-12, **motion.start)
print(f"{np.abs(run.q - motion.q).max() < 1e-8}: the path to 1e-8")

# --- and-back-2
motion = lg.inverse(arm, circle, frame="tip", q0={"theta2": -0.8})
motion.save("circle.nc")
read = lg.read("circle.nc")
heavy = arm.replace(bodies=[arm.bodies[0], arm.bodies[1].scaled(1.5)])
print(
    np.abs(lg.inverse(arm, read).tau - motion.tau).max() < 1e-9,
    lg.inverse(heavy, read).tau.max(axis=0).round(2),
)

# --- and-back-3
loaded = lg.inverse(
    arm, circle, "tip", wrenches={"tip": (0, 0, 0, 0, -15, 0)}, q0={"theta2": -0.8}
)
print(loaded.tau.max(axis=0).round(2), abs(loaded.balance).max() < 1e-9)
