"""Swing an acrobot up with the least torque: optimal control by direct collocation, with CasADi and IPOPT.

Give the name of a picture to draw the result: `python acrobot_swing_up.py picture.png`.
It needs CasADi: `pip install 'lagrangian[casadi]'`.
"""

import sys

import casadi as ca
import numpy as np

import lagrangian as lg

LIMIT = 10.0  # N m at the elbow; the shoulder has no motor
DURATION = 3.0  # s
N = 400  # number of intervals; the torque is linear over each

acrobot = lg.library("acrobot")
start, top = (np.array(acrobot.poses[name], dtype=float) for name in ("hanging", "upright"))
forward_dynamics = lg.export(acrobot, "casadi", functions=["forward_dynamics"]).forward_dynamics

# The rates of a state x = (q, qd), and the defect of the equations of motion over an interval (Hermite-Simpson).
x, u = ca.SX.sym("x", 4), ca.SX.sym("u")
rates = ca.Function("rates", [x, u], [ca.vertcat(x[2:], forward_dynamics(x[:2], x[2:], ca.vertcat(0, u)))])

h = DURATION / N
x1, u1 = ca.SX.sym("x1", 4), ca.SX.sym("u1")
f, f1 = rates(x, u), rates(x1, u1)
middle = rates((x + x1) / 2 + h / 8 * (f - f1), (u + u1) / 2)
defect = ca.Function("defect", [x, u, x1, u1], [x1 - x - h / 6 * (f + 4 * middle + f1)])

# The unknowns are the states and torques at the ends of all intervals. The first and the last state are at rest.
problem = ca.Opti()
X, U = problem.variable(4, N + 1), problem.variable(1, N + 1)
problem.minimize(h * ca.sumsqr(U))
problem.subject_to(ca.vec(defect.map(N)(X[:, :-1], U[:, :-1], X[:, 1:], U[:, 1:])) == 0)
problem.subject_to(problem.bounded(-LIMIT, ca.vec(U), LIMIT))
problem.subject_to(X[:, 0] == np.append(start, [0, 0]))
problem.subject_to(X[:, -1] == np.append(top, [0, 0]))
problem.set_initial(X, np.linspace(np.append(start, [0, 0]), np.append(top, [0, 0]), N + 1).T)

problem.solver("ipopt", {"print_time": False}, {"print_level": 0, "sb": "yes", "max_iter": 1000})
solution = problem.solve()
t, tau = np.linspace(0, DURATION, N + 1), np.array(solution.value(U)).ravel()
print(f"IPOPT: {solution.stats()['return_status']} after {solution.stats()['iter_count']} steps")
print(f"largest torque: {np.abs(tau).max():.2f} of {LIMIT:g} N m; integral of its square: {solution.value(problem.f):.1f}")

# Check: apply the same torques in a simulation, which chooses its own steps. Where does the acrobot arrive?
torques = np.column_stack([np.zeros(N + 1), tau])
motion = lg.simulate(acrobot, DURATION, q0=start, torque=(t, torques), rtol=1e-10, atol=1e-12)
miss = np.degrees(np.abs(motion.q[-1] - top).max())
print(f"the simulation arrives {miss:.4f} degrees from the top, with {np.abs(motion.qd[-1]).max():.4f} rad/s")
assert miss < 0.5, "The acrobot did not arrive."

if len(sys.argv) > 1:
    motion.plot("coordinates", "speeds", "torques", path=sys.argv[1])
