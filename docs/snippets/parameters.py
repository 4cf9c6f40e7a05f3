"""What docs/parameters.md shows, in its order."""

# --- with-parameters
import numpy as np

import lagrangian as lg

arm = lg.library("two_r")
longer = arm.with_parameters(l1=1.2, m2=8.0)
print(float(longer.parameters["l1"]), float(longer.body("link2").mass))

motion = lg.simulate(arm, 2.0, parameters={"l1": 1.2, "m2": 8.0})
print(motion.q[-1].round(6), lg.simulate(longer, 2.0).q[-1].round(6))

# --- samples
dyn = lg.compile(arm)
lengths = np.linspace(0.8, 1.2, 3)
many = dyn.with_parameters(l1=lengths, m2=8.0)
print(many.gravity([0.5, 0.2]).round(3))
print(
    many.mass_matrix(np.zeros((3, 2))).shape,
    len(many),
    float(many[2].mechanism.parameters["l1"]),
)

# --- paths
puma = lg.library("puma560")
heavier = puma.with_parameters({"link3.mass": 6.0, "q2.friction.viscous": 0.002})
print(heavier.body("link3").mass)

# --- payload
q = puma.poses["qn"]
for mass in (0.0, 1.0, 2.5):
    dyn = lg.compile(puma.with_payload("tool", mass, center=(0, 0, 0.1)))
    print(mass, "kg:", dyn.gravity(q)[1:3].round(3), "N m")

# --- sensitivities
found = lg.sensitivities(arm, 1.0, over=["l1", "m2", "theta1"], frames=["tip"])
print(found.dq[-1].round(5))
value, gradient = found.end("tip.x^2 + tip.y^2")
print(round(value, 6), gradient.round(5))
energy, gradient = found.integral("qd_theta1^2")
print(round(energy, 6), gradient.round(5))

# --- balancing
pendulum = lg.loads("""
    name = "lamp"
    gravity = [0, "-g", 0]
    parameters = { m = 1.5, r = 0.4, g = 9.81, k = 50.0, a = 0.25 }
    body = [{ name = "arm", mass = "m", center = ["r", 0, 0], inertia = [0, 0.01, 0.01] }]
    joint = [{ name = "tilt", type = "revolute", child = "arm" }]
    [[spring]]
    name = "balance"
    a = "ground"
    a_point = [0, "a", 0]
    b = "arm"
    b_point = ["r/2", 0, 0]
    stiffness = "k"
""")
poses = np.linspace(-1, 1, 11)[:, None]
best = lg.optimise(pendulum, {"k": (1, 1000)}, lg.goals.holding_torque(poses))
print("k =", round(best.parameters["k"], 6), "N/m:", round(best.value, 9), "N m are left")

# --- lamp
lamp = lg.loads("""
    name = "parallelogram lamp"
    gravity = [0, "-g", 0]
    parameters = { w = 0.1, l = 0.4, m = 1.2, g = 9.81, k = 50.0, a = 0.15 }
    body = [
        { name = "lower", mass = 0.3, center = ["l/2", 0, 0], inertia = [0, 0.01, 0.01] },
        { name = "head", mass = "m", center = [0.2, 0, 0], inertia = [0, 0.01, 0.01] },
        { name = "upper", mass = 0.3, center = ["l/2", 0, 0], inertia = [0, 0.01, 0.01] },
    ]
    [[joint]]
    name = "tilt"
    type = "revolute"
    child = "lower"
    [[joint]]
    name = "neck"
    type = "revolute"
    parent = "lower"
    child = "head"
    xyz = ["l", 0, 0]
    actuated = false
    [[joint]]
    name = "other"
    type = "revolute"
    child = "upper"
    xyz = [0, "w", 0]
    actuated = false
    [[loop]]
    name = "pin"
    type = "point"
    a = "head"
    a_xyz = [0, "w", 0]
    b = "upper"
    b_xyz = ["l", 0, 0]
    directions = ["x", "y"]
    [[spring]]
    name = "balance"
    a = "ground"
    a_point = [0, "a", 0]
    b = "lower"
    b_point = ["l/2", 0, 0]
    stiffness = "k"
""")
tilts = {"tilt": np.linspace(-1, 1, 11)}
best = lg.optimise(lamp, {"k": (1, 1000)}, lg.goals.holding_torque(tilts))
print("k =", round(best.parameters["k"], 6), "N/m:", round(best.value, 9), "N m are left")

# --- synthesis
linkage = lg.library("four_bar")
angles = np.pi / 2 + np.linspace(0, 3, 6)
x = [0.41, 0.20, 0.04, 0.02, 0.12, 0.29]
y = [0.50, 0.49, 0.37, 0.18, 0.00, -0.06]
points = np.stack([x, y], axis=1)
goal = lg.goals.path_points("C", points, driven="theta1", angles=angles)
over = {"l1": (0.2, 0.6), "l2": (0.6, 1.4), "l3": (0.4, 1.0)}
best = lg.optimise(linkage, over, goal, subject_to="l0 + l1 <= l2 + l3 - 0.05")
print({name: round(x, 3) for name, x in best.parameters.items()})
print("the coupler misses the points by", round(best.value, 4), "m")
