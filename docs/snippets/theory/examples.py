"""The examples of docs/theory/examples.md, in its order."""

# --- circle
import numpy as np

import lagrangian as lg

arm = lg.library("two_r")
circle = lg.paths.circle((1.2, 1.2), 0.2, duration=10, timing="uniform")
for elbow, theta2 in (("up", -0.8), ("down", 0.8)):
    motion = lg.inverse(arm, circle, frame="tip", q0={"theta2": theta2})
    least, most = motion.tau[:, 0].min(), motion.tau[:, 0].max()
    print(f"elbow {elbow}: tau_1 from {least:.1f} to {most:.1f} N m")

# --- pendulum
motion = lg.simulate(arm, 10, ["-90deg", "45deg"], [0, 0], torque=0)
swing = np.rad2deg(np.ptp(motion.q[:, 0]))
print(f"theta_1 swings by {swing:.1f} deg")
print("energy constant to 1e-8:", np.allclose(motion.energy, motion.energy[0], rtol=1e-8))

# --- lock
bar = lg.library("deployable_four_bar")
motion = lg.simulate(bar)
size = np.abs(motion.multipliers).max(axis=1)
half = np.interp(6, motion.t, size)
print(f"at 12.25 s: theta_1 = {np.rad2deg(motion(12.25)[0][0]):.1f} deg")
print(f"locked at {motion.t[-1]:.3f} s: theta_1 = {np.rad2deg(motion.q[-1, 0]):.2f} deg")
print(
    f"lambda: {size[0]:.1f} N at 0 s, {half:.1f} N at 6 s, {size[-1]:.0f} N at the lock"
)
