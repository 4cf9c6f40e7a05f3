# --- model
import numpy as np

import lagrangian as lg


def bar(name, mass, length):
    """A uniform thin bar from the origin of its frame along x."""
    moment = mass * length**2 / 12
    return lg.Body(name, mass, center=(length / 2, 0, 0), inertia=(0, moment, moment))


linkage = lg.Mechanism(
    "four-bar",
    bodies=[bar("crank", 0.6, 0.3), bar("coupler", 1.8, 0.9), bar("rocker", 1.2, 0.6)],
    joints=[
        lg.Joint("crank", "revolute", "ground", "crank"),
        lg.Joint(
            "coupler",
            "revolute",
            "crank",
            "coupler",
            placement=(0.3, 0, 0),
            actuated=False,
        ),
        lg.Joint(
            "rocker",
            "revolute",
            "ground",
            "rocker",
            placement=(1.0, 0, 0),
            actuated=False,
        ),
    ],
    loops=[
        lg.LoopJoint(
            "pin",
            "point",
            a="coupler",
            b="rocker",
            a_placement=(0.9, 0, 0),
            b_placement=(0.6, 0, 0),
            directions=("x", "y"),
        )
    ],
    gravity=(0, -9.81, 0),
)

# --- assembly
print(lg.mobility(linkage))
q0 = lg.assemble(linkage, fixed={"crank": 1.0})  # a state target of high priority
print(np.degrees(q0).round(2))

# --- forward
motion = lg.simulate(
    linkage, 4, q0, qd0={"crank": 6.0}, torque={"crank": "2 - 0.3*qd_crank"}
)
print(motion)

# --- inverse
turn = lg.paths.formula({"crank": "1 + 6*t"}, duration=2.0)
driven = lg.inverse(linkage, turn, q0=q0)
print(driven)

# --- sensing
pose = lg.compile(linkage).pose(motion.q, "coupler")  # a Transform Sensor
print("origin of the coupler at the end:", pose[-1, :3, 3].round(4))
force = motion.reactions[:, linkage.joint_index["rocker"], 3:]  # a constraint force
print("largest force in the bearing:", np.linalg.norm(force, axis=1).max().round(2), "N")
