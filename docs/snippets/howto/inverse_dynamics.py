"""What docs/howto/inverse_dynamics.md shows, in its order."""

# --- circle
import numpy as np

import lagrangian as lg

arm = lg.library("two_r")
circle = lg.paths.circle((1.2, 1.2), 0.2, duration=10, timing="uniform")
motion = lg.inverse(arm, circle, frame="tip", q0={"theta2": -0.8})
print(motion)

# --- elbows
for q in lg.inverse_kinematics(arm, (1.4, 1.2), "tip", all_solutions=True):
    other = lg.inverse(arm, circle, frame="tip", q0=q)
    print(q.round(4), other.tau.min(axis=0).round(2), other.tau.max(axis=0).round(2))

# --- load
loaded = lg.inverse(
    arm, circle, "tip", wrenches={"tip": (0, 0, 0, 0, -15, 0)}, q0={"theta2": -0.8}
)
print(loaded.tau.max(axis=0).round(2), abs(loaded.energy_balance).max() < 1e-9)

# --- parallel
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

# --- reactions
bearing = motion.reactions[:, machine.joint_index["psi1"], 3:]
print(f"psi1: up to {np.linalg.norm(bearing, axis=1).max():.4g} N")
closing = [
    k for k, name in enumerate(motion.constraint_names) if name.startswith("closure1.")
]
pin = np.linalg.norm(motion.multipliers[:, closing], axis=1)
print(f"closure1: up to {pin.max():.4g} N")

# --- actuation
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

# --- replay
run = lg.simulate(machine, torque=motion.torque, rtol=1e-11, atol=1e-12, **motion.start)
print(f"{np.abs(run.q - motion.q).max() < 1e-8}: the path to 1e-8")

# --- files
motion = lg.inverse(arm, circle, frame="tip", q0={"theta2": -0.8})
motion.save("circle.nc")
read = lg.read("circle.nc")
heavy = arm.replace(bodies=[arm.bodies[0], arm.bodies[1].with_scaled_mass(1.5)])
print(
    np.abs(lg.inverse(arm, read).tau - motion.tau).max() < 1e-9,
    lg.inverse(heavy, read).tau.max(axis=0).round(2),
)
