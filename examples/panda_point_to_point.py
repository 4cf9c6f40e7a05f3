"""Plan a fast motion of a Panda arm to a point, within the limits of position, speed and torque of its joints.

Give the name of a picture to draw the result: `python panda_point_to_point.py picture.png`.
IPOPT finds the motion from functions exported to CasADi. It needs CasADi: `pip install 'lagrangian[casadi]'`.
"""

import sys

import casadi as ca
import numpy as np

import lagrangian as lg

GOAL = (-0.1, 0.5, 0.3)  # position of the tool, m
N = 40  # number of intervals with constant acceleration
COST = 0.1  # seconds that one second with all torques at their limits counts; it makes the motion smoother

panda = lg.library("panda")
start = np.array(panda.poses["ready"])
limits = [joint.limits for joint in panda.joints]
lower, upper = np.array([[x.lower, x.upper] for x in limits], dtype=float).T
speed, effort = np.array([[x.speed, x.effort] for x in limits], dtype=float).T
export_result = lg.export(panda, "casadi", functions=["inverse_dynamics", "pose:tool"])

# The unknowns: positions and speeds at the ends of the intervals, accelerations over them, and the duration.
problem = ca.Opti()
q, qd, qdd, duration = problem.variable(7, N + 1), problem.variable(7, N + 1), problem.variable(7, N), problem.variable()
h = duration / N
problem.subject_to(ca.vec(qd[:, 1:] - qd[:, :-1] - h * qdd) == 0)
problem.subject_to(ca.vec(q[:, 1:] - q[:, :-1] - h * qd[:, :-1] - h**2 / 2 * qdd) == 0)

# The arm starts at rest in the pose "ready" and ends at rest with the tool at the goal.
problem.subject_to(q[:, 0] == start)
problem.subject_to(export_result.pose_tool(q[:, -1])[:3, 3] == ca.DM(GOAL))
problem.subject_to(ca.horzcat(qd[:, 0], qd[:, -1]) == 0)

# The torques at both ends of an interval follow from the motion. Torques and motion stay within the limits.
torque = export_result.inverse_dynamics.map(N)
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

# Check the whole motion, not only the ends of the intervals, with the compiled inverse dynamics.
Q, V, A = (np.array(solution.value(each)).T for each in (q, qd, qdd))
dynamics = lg.compile(panda)


def evaluate_plan(t):
    """The positions, speeds and torques of the plan at times t."""
    k = np.clip((t / T * N).astype(int), 0, N - 1)
    s = (t - k * T / N)[:, None]
    positions, speeds = Q[k] + s * V[k] + s**2 / 2 * A[k], V[k] + s * A[k]
    return positions, speeds, dynamics.inverse_dynamics(positions, speeds, A[k])


positions, speeds, torques = evaluate_plan(np.linspace(0, T, 20 * N + 1))
print("largest used fraction of each joint's limit:")
parts = {"position": (2 * positions - lower - upper) / (upper - lower), "speed": speeds / speed, "torque": torques / effort}
for name, part in parts.items():
    largest = np.abs(part).max(axis=0)
    print(f"  {name:8}", *(f"{x:6.3f}" for x in largest))
    assert (largest < 1.001).all(), f"A limit of {name} is exceeded."

# Apply these torques in a simulation, without feedback. Where does the tool arrive?
motion = lg.simulate(panda, T, q0=start, torque=lambda t, q, qd: evaluate_plan(np.array([t]))[2][0])
miss = np.linalg.norm(dynamics.pose(motion.q[-1], "tool")[:3, 3] - GOAL)
print(f"a simulation with these torques takes the tool to within 0.1 mm of its goal: {miss < 1e-4}")
assert miss < 1e-3, "The tool did not arrive."

if len(sys.argv) > 1:
    motion.plot("coordinates", "speeds", "torques", path=sys.argv[1])
