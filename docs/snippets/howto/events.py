"""The snippets of docs/howto/events.md, in its order."""

# --- stop
import numpy as np

import lagrangian as lg

arm = lg.library("two_r")
motion = lg.simulate(arm, events="theta2")
print(motion)
print(motion.success, f"at {motion.events[0].t:.6f} s", motion.events[0].q.round(4))

# --- record
motion = lg.simulate(
    arm,
    3,
    events=[
        lg.Event("theta2", direction="rising", name="link 2 in line"),
        lg.Event(lambda t, q, qd: qd[0], direction="falling", name="link 1 turns back"),
    ],
)
for event in motion.events:
    print(f"{event.name} at {event.t:.6f} s")

# --- actions
motion = lg.simulate(
    arm,
    6,
    events=[
        lg.Event("t - 1", lg.LockJoints("theta2"), name="lock"),
        lg.Event("t - 3", lg.UnlockJoints("theta2"), name="unlock"),
        lg.Event("t - 5", lg.SetTorque({"theta1": 10.0}), name="motor on"),
    ],
)
print(motion)
print("energy lost in the lock:", -motion.work["impacts"][-1].round(4), "J")

# --- limits
door = lg.loads("""
name = "door"

[[body]]
name = "door"
mass = 20.0
center = [0.4, 0, 0]
inertia = [1.0, 2.0, 1.1]

[[joint]]
name = "hinge"
type = "revolute"
child = "door"
limits = { lower = 0.0, upper = 1.6 }
spring = { stiffness = 2.0 }
friction = { viscous = 1.0 }
""")
print(lg.simulate(door, 8, q0=[0.2], qd0=[2.0], restitution=0.3))

# --- dead-centres
linkage = lg.library("deployable_four_bar")
motion = lg.simulate(linkage)
print(motion.message, "theta1 =", np.degrees(motion.q[-1, 0]).round(2), "degrees")
motion = lg.simulate(linkage, 13, events={"locked": lg.LockJoints("phi2")})
lost = -motion.work["impacts"][-1]
print("locked:", motion.qd[-1].round(9) + 0.0, "energy lost:", lost.round(3), "J")

# --- singular-configurations
parallelogram = lg.library("parallelogram")
motion = lg.simulate(parallelogram)
turns = abs(motion.q[-1, 0] - motion.q[0, 0]) / (2 * np.pi)
print(motion.message, "after", turns.round(2), "turns")
both = np.abs(motion.q[:, [0, 2]] - motion.q[:, [4, 4]]).max()  # the cranks stay parallel
print("cranks parallel to 1e-12 rad:", both < 1e-12)
try:
    lg.simulate(parallelogram, 1, q0="level")
except lg.SimulationError as error:
    print(error)
