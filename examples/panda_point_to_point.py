"""A Panda moves its tool to a point in little time, within its joints' limits of position, speed and torque.

    python panda_point_to_point.py [picture.png]

IPOPT finds the motion with exported functions of CasADi, which it needs: pip install 'lagrangian[casadi]'
"""

import sys

import casadi as ca
import numpy as np

import lagrangian as lg

GOAL = (-0.1, 0.5, 0.3)  # of the tool, in m
N = 40  # intervals of constant acceleration
COST = 0.1  # of a second with all torques at their limits, in seconds: small, for a motion that is not all jerks

panda = lg.library("panda")
start = np.array(panda.poses["ready"])
limits = [joint.limits for joint in panda.joints]
lower, upper = np.array([[x.lower, x.upper] for x in limits], dtype=float).T
speed, effort = np.array([[x.speed, x.effort] for x in limits], dtype=float).T
made = lg.export(panda, "casadi", functions=["inverse_dynamics", "pose:tool"])

# Positions and speeds at the ends of intervals, the accelerations over them and the duration are unknown.
problem = ca.Opti()
q, qd, qdd, duration = problem.variable(7, N + 1), problem.variable(7, N + 1), problem.variable(7, N), problem.variable()
h = duration / N
problem.subject_to(ca.vec(qd[:, 1:] - qd[:, :-1] - h * qdd) == 0)
problem.subject_to(ca.vec(q[:, 1:] - q[:, :-1] - h * qd[:, :-1] - h**2 / 2 * qdd) == 0)

# It begins in its pose, and ends with the tool at the goal, both at rest.
problem.subject_to(q[:, 0] == start)
problem.subject_to(made.pose_tool(q[:, -1])[:3, 3] == ca.DM(GOAL))
problem.subject_to(ca.horzcat(qd[:, 0], qd[:, -1]) == 0)

# The torques at both ends of an interval follow from the motion; they and the motion keep within the limits.
torque = made.inverse_dynamics.map(N)
used = [torque(q[:, :-1], qd[:, :-1], qdd) / effort, torque(q[:, 1:], qd[:, 1:], qdd) / effort]
for part in (*used, qd / speed, (2 * q - lower - upper) / (upper - lower)):
    problem.subject_to(problem.bounded(-1, ca.vec(part), 1))
problem.subject_to(duration >= 0.1)
problem.minimize(duration + COST * h / 14 * (ca.sumsqr(used[0]) + ca.sumsqr(used[1])))

problem.set_initial(q, np.tile(start[:, None], N + 1))
problem.set_initial(duration, 1.0)
problem.solver("ipopt", {"print_time": False, "expand": True}, {"print_level": 0, "sb": "yes"})
solution = problem.solve()
T = float(solution.value(duration))
print(f"IPOPT: {solution.stats()['return_status']} after {solution.stats()['iter_count']} steps; the motion takes {T:.3f} s")

# Is it right? The whole motion, not only at the ends of intervals, and its torques by the compiled inverse dynamics.
Q, V, A = (np.array(solution.value(each)).T for each in (q, qd, qdd))
dynamics = lg.compile(panda)


def planned(t):
    """Positions, speeds and torques of the motion at some times."""
    k = np.clip((t / T * N).astype(int), 0, N - 1)
    s = (t - k * T / N)[:, None]
    positions, speeds = Q[k] + s * V[k] + s**2 / 2 * A[k], V[k] + s * A[k]
    return positions, speeds, dynamics.inverse_dynamics(positions, speeds, A[k])


positions, speeds, torques = planned(np.linspace(0, T, 20 * N + 1))
print("the largest part of each joint's limit that is used:")
parts = {"position": (2 * positions - lower - upper) / (upper - lower), "speed": speeds / speed, "torque": torques / effort}
for name, part in parts.items():
    largest = np.abs(part).max(axis=0)
    print(f"  {name:8}", *(f"{x:6.3f}" for x in largest))
    assert (largest < 1.001).all(), f"a limit of {name} is not kept"

# These torques alone, in a simulation: where does the tool arrive?
motion = lg.simulate(panda, T, q0=start, torque=lambda t, q, qd: planned(np.array([t]))[2][0])
miss = np.linalg.norm(dynamics.pose(motion.q[-1], "tool")[:3, 3] - GOAL)
print(f"simulated with these torques, the tool arrives {1e3 * miss:.2f} mm off its goal")
assert miss < 1e-3, "it did not arrive"

if len(sys.argv) > 1:
    motion.plot("coordinates", "speeds", "torques", path=sys.argv[1])
