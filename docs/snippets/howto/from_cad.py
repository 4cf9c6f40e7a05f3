# --- load
from dataclasses import replace

import numpy as np

import lagrangian as lg

lift = lg.load("lift.urdf")

# --- gyration
for body in lift.bodies:
    if body.mass > 0:
        radii = np.sqrt(body.inertia_matrix.diagonal() / float(body.mass))
        print(f"{body.name:<8} radii of gyration {radii.round(4)} m")

# --- mass
bodies = {body.name: body for body in lift.bodies}
wrong_units = bodies["coupler"]  # kg mm^2 instead of kg m^2
bodies["coupler"] = replace(wrong_units, inertia=[1e-6 * x for x in wrong_units.inertia])
bodies["rocker"] = lg.Body.from_shapes(
    "rocker", [lg.shapes.box((0.4, 0.03, 0.02), mass=1.2, at=(0.2, 0, 0))]
)
bodies["hook"] = lg.Body.from_shapes(
    "hook", [lg.shapes.box((0.03, 0.02, 0.02), mass=0.02, at=(0.005, 0, 0))]
)

# --- limits
drive = replace(lift.joint("drive"), limits=lg.JointLimits(effort=20.0, speed=10.0))
joints = [drive if joint.name == "drive" else joint for joint in lift.joints]
passive = ("knee", "swing")
joints = [replace(j, actuated=False) if j.name in passive else j for j in joints]

# --- loop
pin = lg.LoopJoint(
    "pin",
    "point",
    a="coupler",
    b="rocker",
    a_placement=(0.5, 0, 0),
    b_placement=(0.4, 0, 0),
    directions=("x", "z"),
)
lift = lift.replace(bodies=list(bodies.values()), joints=joints, loops=[pin])
print(lg.mobility(lift))
q = lg.assemble(lift, {"drive": 1.0, "knee": -0.5, "swing": 1.5}, fixed=["drive"])
print(np.degrees(q).round(2))

# --- save
lift = lift.replace(notes=[], poses={"start": q})
lg.save(lift, "lift.toml")
lift = lg.load("lift.toml")
print(lg.simulate(lift, 2, q0="start", torque={"drive": "4 - qd_drive"}))
