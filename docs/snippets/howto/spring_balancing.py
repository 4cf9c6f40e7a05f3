"""What docs/howto/spring_balancing.md shows, in its order."""

# --- link
import numpy as np

import lagrangian as lg

lamp = lg.loads("""
    name = "lamp"
    gravity = [0, "-g", 0]
    parameters = { m = 1.5, r = 0.4, g = 9.81, k = 50.0, a = 0.25, b = 0.2, rest = 0.0 }
    body = [{ name = "arm", mass = "m", center = ["r", 0, 0], inertia = [0, 0.01, 0.01] }]
    joint = [{ name = "tilt", type = "revolute", child = "arm" }]
    [[spring]]
    name = "balance"
    a = "ground"
    a_point = [0, "a", 0]
    b = "arm"
    b_point = ["b", 0, 0]
    stiffness = "k"
    rest = "rest"
""")
m, r, g, a, b = (float(lamp.parameters[name]) for name in ("m", "r", "g", "a", "b"))
exact = m * g * r / (a * b)
print("k =", round(exact, 3), "N/m")

# --- check
tilts = np.linspace(-np.pi / 2, np.pi / 2, 7)[:, None]
for k in (0.0, exact):
    dyn = lg.compile(lamp.with_parameters(k=k))
    rest = np.zeros_like(tilts)
    torque = dyn.inverse_dynamics(tilts, rest, rest)[:, 0]
    energy = dyn.potential_energy(tilts)
    print(f"k = {k:.1f} N/m: holding torque up to {np.abs(torque).max():.3f} N m,")
    print(f"    potential energy varies by {np.ptp(energy):.3f} J")

# --- optimise
goal = lg.goals.holding_torque(tilts)
best = lg.optimise(lamp, {"k": (1, 1000)}, goal)
print("k =", round(best.parameters["k"], 6), "N/m:", round(best.value, 9), "N m are left")

# --- real
real = lamp.with_parameters(rest=0.1)
fixed = lg.optimise(real, {"k": (1, 2000)}, goal)
print(f"k alone: {fixed.value:.3f} N m are left, k = {fixed.parameters['k']:.1f} N/m")
over = {"k": (1, 2000), "a": (0.15, 0.5), "b": (0.05, 0.4)}
freed = lg.optimise(real, over, goal, subject_to="a - b >= 0.12", starts=5)
values = ", ".join(f"{name} = {x:.4g}" for name, x in freed.parameters.items())
print(f"k, a and b: {freed.value:.3f} N m are left, {values}")
print("at bounds:", freed.at_bound)

# --- two-links
arm = lg.library("two_r")
one = lg.PointSpring("shoulder", "ground", "link1", (0, 0.5, 0), (0.5, 0, 0), 100.0)
grid = np.stack(np.meshgrid(np.linspace(-1, 1, 7), np.linspace(-1.5, 1.5, 7)), axis=-1)
poses = grid.reshape(-1, 2)
goal = lg.goals.holding_torque(poses)
single = lg.optimise(arm.replace(springs=[one]), {"shoulder.stiffness": (0, 5000)}, goal)


def holding(mechanism):
    rest = np.zeros_like(poses)
    torque = lg.compile(mechanism).inverse_dynamics(poses, rest, rest)
    return np.abs(torque).max(axis=0).round(2)


print("no spring:    ", holding(arm), "N m")
print("one spring:   ", holding(single.mechanism), "N m")

# --- two-springs
springs = [
    lg.PointSpring("long", "ground", "link2", (0, 0.5, 0), (0.2, 0, 0), 100.0),
    lg.PointSpring("short", "link1", "link2", (1.3, 0, 0), (0.3, 0, 0), 100.0),
]
over = {
    "long.stiffness": (0, 5000),
    "long.b_point.x": (0.05, 0.9),
    "short.stiffness": (0, 20000),
}
pair = lg.optimise(arm.replace(springs=springs), over, goal)
for name, x in pair.parameters.items():
    print(f"{name} = {x:.4f}")
print("two springs:  ", holding(pair.mechanism), "N m")

# --- exact
p = {name: float(arm.parameters[name]) for name in ("m1", "m2", "r1", "r2", "l1", "g")}
first, second = p["m1"] * p["r1"] + p["m2"] * p["l1"], p["m2"] * p["r2"]
k, b = p["g"] * first / (0.5 * p["l1"]), p["l1"] * second / first
print(f"long: k = {k:.4f} N/m at b = {b:.4f} m; short: {k * p['l1'] * b / 0.09:.4f} N/m")

# --- loop
desk = lg.loads("""
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
angles = {"tilt": np.linspace(-1, 1, 11)}
best = lg.optimise(desk, {"k": (1, 1000)}, lg.goals.holding_torque(angles))
print("k =", round(best.parameters["k"], 6), "N/m:", round(best.value, 9), "N m are left")
