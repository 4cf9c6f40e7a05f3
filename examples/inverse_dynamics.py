"""Compute the torques of a motion, choose motors for them, and control an arm with computed torque."""

import numpy as np

import lagrangian as lg

# The tip of a planar 2R arm follows a circle, with the elbow down and up.
arm = lg.library("two_r")
circle = lg.paths.circle((1.2, 1.2), 0.2, duration=10, timing="uniform")
for q0 in lg.inverse_kinematics(arm, (1.4, 1.2), "tip", all_solutions=True):
    motion = lg.inverse(arm, circle, frame="tip", q0=q0)
    low, high = motion.tau.min(axis=0), motion.tau.max(axis=0)
    print(f"theta2 {'>' if q0[1] > 0 else '<'} 0: tau1 {low[0]:.2f} to {high[0]:.2f}, tau2 {low[1]:.2f} to {high[1]:.2f} N m")

# A parallel robot: the motion of the platform is prescribed. The result has the torques of its three motors and all loop forces.
machine = lg.library("three_rrr")
turn = {"platform.x": "0.05*cos(2*pi*t)", "platform.y": "0.05*sin(2*pi*t)", "platform.angle": "0.2*sin(2*pi*t)"}
motion = lg.inverse(machine, lg.paths.formula(turn, duration=1.0))
print(f"\n{motion}")
again = lg.simulate(machine, torque=motion.torque, rtol=1e-11, atol=1e-12, **motion.start)
print("a simulation with these torques agrees to 1e-8:", bool(np.abs(again.q - motion.q).max() < 1e-8))

# Choose motors and gears for it. The inertia of the rotors is included.
sizing = lg.size_actuators(machine, motion)
print(f"\n{sizing}")

# Computed torque for a PUMA 560, with the right model and with a model whose links 2 and 3 are too heavy.
puma = lg.library("puma560")
start = np.array(puma.poses["qn"])
path = lg.paths.joint_line(start, start + np.array([0.8, -0.5, 0.6, 0.7, -0.4, 1.0]), duration=1.0)
heavy = puma.replace(bodies=[b.with_scaled_mass(1.2) if k in (1, 2) else b for k, b in enumerate(puma.bodies)])
for name, model in (("the right model", puma), ("links 2 and 3 too heavy by 20 %", heavy)):
    controller = lg.control.ComputedTorque(model, path)
    run = lg.simulate(puma, 1.0, q0=start, torque=controller.with_sampling(1e-3), t_eval=101)
    print(f"computed torque at 1 kHz, {name}: largest error {np.abs(run.q - path(run.t)[0]).max():.1e} rad")
