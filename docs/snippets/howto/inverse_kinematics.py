"""What docs/howto/inverse_kinematics.md shows, in its order."""

# --- one
import numpy as np

import lagrangian as lg

arm = lg.library("two_r")
q = lg.inverse_kinematics(arm, (1.4, 1.2), "tip", q0={"theta2": -0.8})
print(q.round(4))
print(lg.compile(arm).pose(q, "tip")[:2, 3].round(12))

# --- every
for q in lg.inverse_kinematics(arm, (1.4, 1.2), "tip", all_solutions=True):
    print(q.round(4))

# --- six
puma = lg.library("puma560")
hand = puma.bodies[-1].name
pose = lg.compile(puma).pose(puma.poses["qn"], hand)
for q in lg.inverse_kinematics(puma, pose, hand, all_solutions=True):
    print(q.round(3))

# --- parallel
stewart = lg.library("stewart")
raised = np.eye(4)
raised[:3, 3] = 0.1, 0.0, 2.1
q = lg.inverse_kinematics(stewart, raised, "platform")
print(q[[2, 5, 8, 11, 14, 17]].round(4))  # the lengths of the legs

# --- directions
panda = lg.library("panda")
print(lg.inverse_kinematics(panda, (0.5, 0.2, 0.4), "tool", q0="ready").round(3))
down = np.diag([1.0, -1.0, -1.0, 1.0])  # the tool points down
down[:3, 3] = 0.5, 0.2, 0.4
free = ("wx", "wy", "x", "y", "z")  # any angle about the vertical
q = lg.inverse_kinematics(panda, down, "tool", q0="ready", directions=free)
print(q.round(3))

# --- error
try:
    lg.inverse_kinematics(arm, (1.9, 1.2), "tip")
except lg.UnreachableError as error:
    print(error)

# --- along
for end in ((1.9, 1.2), (-1.2, -1.2)):
    try:
        lg.inverse(arm, lg.paths.line((1.2, 1.2), end, 1.0), "tip")
    except lg.UnreachableError as error:
        print(f"t = {error.t:.4f} s: {error}")
