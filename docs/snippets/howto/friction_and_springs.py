# --- viscous
import numpy as np

import lagrangian as lg


def block(**joint):
    """A block of 1 kg that slides along x, without gravity."""
    return lg.Mechanism(
        "block",
        [lg.Body("block", mass=1.0)],
        [lg.Joint("x", "prismatic", "ground", "block", axis="x", **joint)],
        gravity=(0, 0, 0),
    )


damped = block(friction=lg.Friction(viscous=2.0))
motion = lg.simulate(damped, 1, qd0=[3.0])
print(f"speed after 1 s: {motion.qd[-1, 0]:.4f} m/s; 3 exp(-2) = {3 * np.exp(-2):.4f}")

# --- coulomb
spring = lg.JointSpring(stiffness=40.0)
dry = block(friction=lg.Friction(coulomb=3.0), spring=spring)
motion = lg.simulate(dry, 3, q0=[0.5])
print(motion)
held, taken = motion.friction[-1, 0], -motion.work["friction"][-1, 0]
print(f"rests at {motion.q[-1, 0]:.3f} m, held by {held:.3f} N; lost {taken:.3f} J")

# --- static
sticky = block(friction=lg.Friction(coulomb=3.0, static=4.0))
motion = lg.simulate(sticky, 2, torque={"x": "3*t"})
print(motion)

# --- inverse
print(lg.compile(sticky).inverse_dynamics([0.0], [[1.0], [0.0], [-1.0]], [[0.0]] * 3).T)

# --- joint-spring
centred = block(spring=lg.JointSpring(stiffness=40.0, rest=0.1))
print(f"at rest at x = {lg.equilibrium(centred, [0.0])[0]:.3f} m")

# --- point-spring
pendulum = lg.library("pendulum")
stay = lg.PointSpring(
    "stay",
    a="ground",
    b="bob",
    a_point=(0, 0.6, 0),
    b_point=(0.8, 0, 0),
    stiffness=60.0,
    rest=0.4,
    damping=8.0,
)
held = pendulum.replace(springs=[stay])
motion = lg.simulate(held, 3, q0="level")
print(motion)
force = lg.compile(held).spring_forces(motion.q[-1], motion.qd[-1])
print(
    "stays at", np.degrees(motion.q[-1]).round(1), "degrees, tension", force.round(1), "N"
)

# --- coordinate-spring
two = lg.library("two_r")
coupled = two.replace(
    springs=[lg.CoordinateSpring("tendon", "theta1 + theta2", stiffness=30.0)]
)
print("G2 =", lg.derive(coupled).G[1])

# --- stops
door = lg.Mechanism(
    "door",
    [lg.Body("door", 20.0, center=(0.4, 0, 0), inertia=(1.0, 2.0, 1.1))],
    [
        lg.Joint(
            "hinge",
            "revolute",
            "ground",
            "door",
            limits=lg.JointLimits(lower=0.0, upper=1.6),
            spring=lg.JointSpring(stiffness=2.0),
            friction=lg.Friction(viscous=1.0),
        )
    ],
)
print(lg.simulate(door, 8, q0=[0.2], qd0=[2.0], restitution=0.3))

# --- wall
ball = lg.Mechanism(
    "ball",
    [lg.Body("ball", mass=2.0)],
    [lg.Joint("z", "prismatic", "ground", "ball")],
    springs=[lg.Wall("floor", "ball", normal="z", stiffness=1e5, damping=1e4)],
)
motion = lg.simulate(ball, 0.8, q0=[0.5])
print(motion)
push = lg.compile(ball).spring_forces(motion.q, motion.qd).max()
lost = -motion.work["friction"][-1, 0]
print(f"the floor pushes with up to {push:.0f} N; its damping took {lost:.3f} J")
