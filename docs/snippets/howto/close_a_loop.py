"""What docs/howto/close_a_loop.md shows, in its order."""

# --- mobility
import numpy as np

import lagrangian as lg

linkage = lg.load("linkage.toml")
print(lg.mobility(linkage))

# --- assemble
q = lg.assemble(linkage, fixed={"crank": 1.0})
print(np.degrees(q).round(2))
for mode in lg.assembly_modes(linkage, fixed={"crank": 1.0}):
    print("possible:", np.degrees(mode).round(2))

# --- simulate
motion = lg.simulate(
    linkage,
    4,
    q0={"crank": 1.0},
    qd0={"crank": 6.0},
    torque={"crank": "2 - 0.3*qd_crank"},
)
print(motion)

# --- forces
largest = np.abs(motion.multipliers).max(axis=0)
print(motion.constraint_names, "largest", largest.round(1), "N")

# --- python
l2, l3 = linkage.parameters["l2"], linkage.parameters["l3"]
pin = lg.LoopJoint(
    "pin",
    "point",
    a="coupler",
    b="rocker",
    a_placement=lg.Transform(position=(l2, 0, 0)),
    b_placement=lg.Transform(position=(l3, 0, 0)),
    directions=("x", "y"),
)
same = linkage.replace(loops=[pin])
print(same.loops == linkage.loops)
