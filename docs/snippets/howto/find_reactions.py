"""What docs/howto/find_reactions.md shows, in its order."""

# --- run
import numpy as np

import lagrangian as lg

bar = lg.library("four_bar")
motion = lg.simulate(bar, 2, torque={"theta1": "3 - 0.2*qd_theta1"})
print(motion.reactions.shape)

# --- bearings
for k, joint in enumerate(bar.joints):
    force = np.linalg.norm(motion.reactions[:, k, 3:], axis=1)
    worst = force.argmax()
    print(f"{joint.name}: up to {force[worst]:.1f} N, at {motion.t[worst]:.3f} s")

# --- loop
pin = np.linalg.norm(motion.multipliers, axis=1)
print(f"{motion.constraint_names}: up to {pin.max():.1f} N")

# --- world
dyn = lg.compile(bar)
row = 500
R = dyn.pose(motion.q[row], "crank")[:3, :3]
force = R @ motion.reactions[row, 0, 3:]
print("on the crank, along the world's axes:", force.round(2), "N")

# --- state
q, qd = motion.q[row], motion.qd[row]
tau = motion.tau[row]
qdd = dyn.forward_dynamics(q, qd, tau)
forces = dyn.multipliers(q, qd, tau)
print(np.allclose(dyn.reactions(q, qd, qdd, multipliers=forces), motion.reactions[row]))

# --- check
pendulum = lg.library("pendulum")
swing = lg.simulate(pendulum)
m, L, g = (float(pendulum.parameters[name]) for name in ("m", "L", "g"))
lowest = np.abs(swing.qd[:, 0]).argmax()
pull = np.linalg.norm(swing.reactions[lowest, 0, 3:])
print(f"{pull:.2f} N, by hand {m * g + m * L * swing.qd[lowest, 0] ** 2:.2f} N")
