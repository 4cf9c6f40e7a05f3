"""Balance a pendulum on a cart with LQR: linearise about the upright position, compute the gains, simulate.

Give the name of a picture to draw the result: `python lqr_cart_pendulum.py picture.png`.
"""

import sys

import numpy as np
from scipy.linalg import solve_continuous_are

import lagrangian as lg

cart = lg.library("cart_pendulum")  # theta = 0 hangs down
upright = lg.equilibrium(cart, [0, 3.0])
A, B = (system := lg.linearise(cart, upright)).A, system.B
print("poles without control:", np.sort_complex(np.linalg.eigvals(A)).round(2))

# The weights follow Bryson's rule: the largest acceptable x [m], theta [rad], their rates, and the force [N].
Q, R = np.diag(1 / np.array([0.3, 0.3, 3.0, 3.0]) ** 2), np.array([[1 / 3.0**2]])
K = np.linalg.solve(R, B.T @ solve_continuous_are(A, B, Q, R))
print("gains K:", K.round(2))
print("poles with control:   ", np.sort_complex(np.linalg.eigvals(A - B @ K)).round(2))


def force(t, q, qd):
    """The force on the cart; no motor drives the pendulum."""
    return [-(K @ np.concatenate([q - upright, qd])).item(), 0.0]


# The gains come from the linear model; the simulation is nonlinear. From which tilt does the pendulum recover?
for tilt in (10, 30, 50, 70):
    start = upright - [0, np.radians(tilt)]
    motion = lg.simulate(cart, 5, q0=start, torque=force, events="cos(theta)", t_eval=501)  # stop when it is level
    largest = np.abs(motion.tau[:, 0]).max()
    result = f"upright, with at most {largest:.1f} N" if motion.t[-1] == 5 else f"falls, level at {motion.t[-1]:.2f} s"
    print(f"tilt {tilt} deg: {result}")
    if tilt == 30 and len(sys.argv) > 1:
        motion.plot("coordinates", "torques", path=sys.argv[1])
