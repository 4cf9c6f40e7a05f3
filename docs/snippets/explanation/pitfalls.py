"""The snippets of docs/explanation/pitfalls.md, in its order."""

# --- degrees
import numpy as np

import lagrangian as lg

arm = lg.library("two_r")
print(lg.simulate(arm, 1, q0=["30deg", "45deg"]).q[0].round(4))
print(lg.simulate(arm, 1, q0=np.radians([30, 45])).q[0].round(4))

# --- rpy
tilted = """
name = "tilted"
body = [{ name = "link", mass = 1.0, inertia = [0.1, 0.1, 0.1] }]
joint = [{ name = "hinge", type = "revolute", child = "link", rpy = [90, 0, 0] }]
"""
lg.loads(tilted)
lg.loads(tilted.replace("90", '"deg(90)"'))

# --- gravity
link = lg.Body("link", mass=1.0, center=(0.5, 0, 0), inertia=(0, 0.1, 0.1))
hinge = lg.Joint("hinge", "revolute", "ground", "link")
for gravity in ((0, 0, -9.81), (0, -9.81, 0)):
    flat = lg.Mechanism("flat", [link], [hinge], gravity=gravity)
    print(gravity, lg.compile(flat).gravity([0.3]).round(4))

# --- order
dyn = lg.compile(arm)
zero = np.zeros(2)
right = dyn.inverse_dynamics(zero, zero, zero, wrenches={"tip": (0, 0, 0, 0, -10, 0)})
wrong = dyn.inverse_dynamics(zero, zero, zero, wrenches={"tip": (0, -10, 0, 0, 0, 0)})
print("a force of 10 N downwards:", (right - dyn.gravity(zero)).round(3))
print("a moment of 10 N m about y:", (wrong - dyn.gravity(zero)).round(3))

# --- coriolis
q, qd = np.array([0.3, 0.5]), np.array([1.0, 2.0])
C = dyn.coriolis_matrix(q, qd)
other = np.array([[2 * C[0, 0], C[0, 1] - C[0, 0] * qd[0] / qd[1]], C[1]])
print("the same torques:", np.allclose(C @ qd, other @ qd))
print("the same matrix: ", np.allclose(C, other))

# --- speeds
free = lg.Mechanism("free", [link], [lg.Joint("base", "free", "ground", "link")])
print(free.nq, "coordinates:", free.coordinate_names)
print(free.nv, "speeds:", free.speed_names)

# --- inertia
try:
    lg.Body("bar", mass=1.0, inertia=(1.0, 1.0, 5.0))
except lg.MechanismError as error:
    print(error)

# --- massless
empty = lg.Mechanism("empty", [lg.Body("link")], [hinge])
print(lg.compile(empty).forward_dynamics([0.0], [0.0], [1.0]))

# --- effort
limited = arm.replace(
    joints=[
        lg.Joint(
            "theta1", "revolute", "ground", "link1", limits=lg.JointLimits(effort=5.0)
        ),
        arm.joints[1],
    ]
)
for saturate in (False, True):
    motion = lg.simulate(limited, 1, torque=[50.0, 0.0], saturate=saturate)
    print(saturate, motion.tau[0])

# --- memory


class Integral:
    def __init__(self):
        self.sum, self.time = 0.0, 0.0

    def __call__(self, t, q, qd):
        error, step = 0.5 - q[0], t - self.time
        self.sum, self.time = self.sum + step * error, t
        return [20 * error - 3 * qd[0] + 10 * self.sum]


pendulum = lg.library("pendulum")
lg.simulate(pendulum, 2, torque=Integral())  # wrong
lg.simulate(pendulum, 2, torque=lg.Sampled(Integral(), period=1e-3))  # right

# --- branches
try:
    lg.simulate(
        arm, 1, torque=lg.Traced(lambda t, q, qd: [1.0 if q[0] > 0 else 0.0, 0.0])
    )
except lg.ArgumentError as error:
    print(error)

# --- chatter
motion = lg.simulate(pendulum, 5, torque={"theta": "-3*sign(qd_theta)"})
print(motion.t[-1] < 5)

# --- period
motion = lg.simulate(pendulum, 2, torque=lg.Sampled(lambda t, q, qd: [0.0], period=1000))

# --- outside
stop = pendulum.replace(
    joints=[
        lg.Joint("theta", "revolute", "ground", "bob", limits=lg.JointLimits(-1.0, 1.0))
    ]
)
motion = lg.simulate(stop, 1, q0=[2.0])

# --- closed
bar = lg.library("four_bar")
try:
    lg.simulate(bar, q0=[0.5, 0.0, 0.0])
except lg.ArgumentError as error:
    print(error)
print(lg.simulate(bar, 1, q0={"theta1": 0.5}).q[0].round(4))

# --- open-tree
q = np.array(bar.initial.q)
tree = lg.compile(bar).inverse_dynamics(q, np.zeros(3), np.zeros(3))
print("of the open tree:", tree.round(3))
turn = lg.paths.joint_line({"theta1": q[0]}, {"theta1": q[0] + 0.5}, duration=2)
print("of the linkage:  ", lg.inverse(bar, turn).tau[0].round(3))

# --- redundant
print(lg.mobility(lg.library("bricard")))

# --- singular
try:
    lg.simulate(lg.library("parallelogram"), 1, q0="level")
except lg.SimulationError as error:
    print(error)
