"""A spring is found from a recorded motion: gradient descent through a simulation, with an exported step and JAX.

    python fit_a_spring.py [picture.png]

needs JAX: pip install 'lagrangian[jax]'
"""

import sys

import jax
import jax.numpy as jnp
import numpy as np

import lagrangian as lg

jax.config.update("jax_enable_x64", True)  # without it JAX computes with seven digits

# Two hanging links, of which a spring with a damper pulls the lower one aside. Nobody knows the spring.
links = lg.loads("""
name = "links on a spring"
gravity = [0, -9.81, 0]

[parameters]
stiffness = 30.0
rest = 0.4
damping = 0.5

[[body]]
name = "upper"
mass = 1.0
center = [0, -0.15, 0]
inertia = [0.008, 0.001, 0.008]

[[body]]
name = "lower"
mass = 0.6
center = [0, -0.1, 0]
inertia = [0.002, 0.0005, 0.002]

[[joint]]
name = "shoulder"
type = "revolute"
child = "upper"

[[joint]]
name = "elbow"
type = "revolute"
parent = "upper"
child = "lower"
xyz = [0, -0.3, 0]

[[spring]]
name = "spring"
a = "lower"
b = "ground"
a_point = [0, -0.2, 0]
b_point = [0.5, -0.3, 0]
stiffness = "stiffness"
rest = "rest"
damping = "damping"
""")

# The record: both angles a hundred times a second for two seconds, with noise of 0.1 degrees.
PERIOD, COUNT = 0.01, 200
true = np.array([30.0, 0.4, 0.5])
q0, qd0 = np.array([-0.5, 0.2]), np.zeros(2)
times = PERIOD * np.arange(COUNT + 1)
motion = lg.simulate(links, times[-1], q0=q0, qd0=qd0, t_eval=times)
record = motion.q + np.random.default_rng(1).normal(0, np.radians(0.1), motion.q.shape)

# One step of a simulation, whose last argument are the parameters; many of them are a motion.
made = lg.export(links, "jax", functions=["step"], parameters=["stiffness", "rest", "damping"])


def simulated(p):
    def move(state, _):
        after = made.step(*state, jnp.zeros(2), PERIOD, p)
        return tuple(after), after.q_next

    return jax.lax.scan(move, (q0, qd0), None, length=COUNT)[1]


# Descent on how far the motion is off, with steps by Adam's rule. The logarithms of parameters are moved, so all stay positive.
guess = np.array([10.0, 0.2, 2.0])
off = jax.jit(jax.value_and_grad(lambda x: jnp.mean((simulated(jnp.exp(x)) - record[1:]) ** 2)))
x, mean, square = np.log(guess), np.zeros(3), np.zeros(3)
for k in range(1, 201):
    value, slope = (np.asarray(each) for each in off(x))
    if k in (1, 10, 30, 100, 200):
        print(f"{k:4}: off by {np.degrees(np.sqrt(value)):7.3f} degrees, with", *(f"{p:8.4f}" for p in np.exp(x)))
    mean, square = 0.9 * mean + 0.1 * slope, 0.99 * square + 0.01 * slope**2
    x = x - 0.05 * (mean / (1 - 0.9**k)) / (np.sqrt(square / (1 - 0.99**k)) + 1e-12)

found = np.exp(x)
for name, value, exact in zip(made.parameters, found, true, strict=True):
    print(f"{name}: {value:.4f}, in truth {exact:g}")
assert (np.abs(found / true - 1) < 0.01).all(), "the spring was not found"

if len(sys.argv) > 1:
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots()
    for k, (name, color) in enumerate((("shoulder", "C0"), ("elbow", "C1"))):
        axes.plot(times, np.degrees(record[:, k]), ".", color=color, markersize=3, label=f"{name}, recorded")
        axes.plot(times[1:], np.degrees(simulated(found)[:, k]), color=color, label=f"{name}, with the spring that was found")
        axes.plot(times[1:], np.degrees(simulated(guess)[:, k]), "--", color=color, label=f"{name}, with the first guess")
    axes.set(xlabel="time [s]", ylabel="angle [deg]")
    axes.legend()
    figure.savefig(sys.argv[1])
