# --- arm
import numpy as np

import lagrangian as lg

l1, l2 = lg.parameter("l1", 0.5), lg.parameter("l2", 0.4)
m1, m2 = lg.parameter("m1", 3.0), lg.parameter("m2", 2.0)

upper = lg.Body("upper", m1, center=(l1 / 2, 0, 0), inertia=(0, *2 * [m1 * l1**2 / 12]))
fore = lg.Body("fore", m2, center=(l2 / 2, 0, 0), inertia=(0, *2 * [m2 * l2**2 / 12]))

shoulder = lg.Joint("shoulder", "revolute", parent="ground", child="upper")
elbow = lg.Joint("elbow", "revolute", "upper", "fore", placement=(l1, 0, 0))

arm = lg.Mechanism(
    "planar arm",
    bodies=[upper, fore],
    joints=[shoulder, elbow],
    frames=[lg.Frame("tip", "fore", (l2, 0, 0))],
    gravity=(0, -9.81, 0),
    parameters={"l1": l1, "l2": l2, "m1": m1, "m2": m2},
)
print(arm)

# --- check
dyn = lg.compile(arm)
print(dyn.pose([0, np.pi / 2], "tip")[:3, 3].round(6))
print(lg.derive(arm).G)

# --- shapes
along_x = lg.Transform.from_rpy((0.25, 0, 0), (0, np.pi / 2, 0))
boom = lg.Body.from_shapes(
    "boom",
    [
        lg.shapes.tube(0.04, 0.035, 0.5, density=2700, at=along_x),
        lg.shapes.sphere(0.05, mass=0.4, at=(0.5, 0, 0)),
    ],
)
print(f"{float(boom.mass):.4f} kg, centre at x = {float(boom.center[0]):.4f} m")

# --- joint-options
elbow = lg.Joint(
    "elbow",
    "revolute",
    "upper",
    "fore",
    placement=(l1, 0, 0),
    friction=lg.Friction(viscous=0.05),
    limits=lg.JointLimits(lower=-2.5, upper=2.5, effort=30),
    rotor=lg.Rotor(inertia=1e-5, ratio=100),
    spring=lg.JointSpring(stiffness=2.0, rest=0.5),
)
arm = arm.replace(joints=[shoulder, elbow])

# --- spring
stay = lg.PointSpring(
    "stay",
    a="ground",
    b="upper",
    a_point=(0, 0.4, 0),
    b_point=(0.3, 0, 0),
    stiffness=200.0,
    rest=0.2,
    damping=2.0,
)
arm = arm.replace(springs=[stay])
motion = lg.simulate(arm, 2, q0={"shoulder": 0.3})
print(motion)

# --- linkage
r, l = lg.parameter("r", 0.1), lg.parameter("l", 0.35)


def bar(name, mass, length):
    moment = mass * length**2 / 12
    return lg.Body(name, mass, center=(length / 2, 0, 0), inertia=(0, moment, moment))


engine = lg.Mechanism(
    "engine",
    bodies=[bar("crank", 0.5, r), bar("rod", 0.3, l), lg.Body("piston", 0.4)],
    joints=[
        lg.Joint("crank", "revolute", "ground", "crank"),
        lg.Joint("rod", "revolute", "crank", "rod", placement=(r, 0, 0), actuated=False),
        lg.Joint("piston", "prismatic", "ground", "piston", axis="x", actuated=False),
    ],
    loops=[
        lg.LoopJoint(
            "pin",
            "point",
            a="rod",
            b="piston",
            a_placement=(l, 0, 0),
            directions=("x", "y"),
        ),
    ],
    gravity=(0, -9.81, 0),
    parameters={"r": r, "l": l},
)
print(lg.mobility(engine))
q = lg.assemble(engine, {"crank": 1.0, "rod": -1.3, "piston": 0.4}, fixed=["crank"])
print(q.round(4))

# --- start
engine = engine.replace(
    poses={"bent": q},
    initial=lg.InitialState(q=q, t_span=(0, 2)),
)
motion = lg.simulate(engine, torque={"crank": "0.5 - 0.05*qd_crank"})
print(motion)

# --- change
longer = engine.with_parameters(l=0.4)
for angle in (0.0, np.pi):
    q = lg.assemble(longer, fixed={"crank": angle})
    print(f"crank at {angle:.3f} rad: piston at {q[2]:.3f} m")
weightless = engine.replace(gravity=(0, 0, 0))

# --- save
lg.save(engine, "engine.toml")
print(lg.load("engine.toml").parameters)
