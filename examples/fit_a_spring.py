"""Identify a spring from a recorded motion: gradient descent through a simulation, with JAX.

Give the name of a picture to draw the result: `python fit_a_spring.py picture.png`.
It needs JAX: `pip install 'lagrangian[jax]'`.
"""

import sys

import jax
import jax.numpy as jnp
import numpy as np

import lagrangian as lg

jax.config.update("jax_enable_x64", True)  # otherwise JAX computes with seven digits

# Two hanging links. A spring and a damper of unknown values pull the lower link aside.
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

# The recording: both angles, 100 times per second for two seconds, with noise of 0.1 degrees.
PERIOD, COUNT = 0.01, 200
true = np.array([30.0, 0.4, 0.5])
q0, qd0 = np.array([-0.5, 0.2]), np.zeros(2)
times = PERIOD * np.arange(COUNT + 1)
motion = lg.simulate(links, times[-1], q0=q0, qd0=qd0, t_eval=times)
record = motion.q + np.random.default_rng(1).normal(0, np.radians(0.1), motion.q.shape)

# The export is one step of a simulation that takes the parameters as an argument. Many steps make a motion.
export_result = lg.export(links, "jax", functions=["step"], parameters=["stiffness", "rest", "damping"])


def simulate_states(p):
    def move(state, _):
        after = export_result.step(*state, jnp.zeros(2), PERIOD, p)
        return tuple(after), after.q_next

    return jax.lax.scan(move, (q0, qd0), None, length=COUNT)[1]


# Minimise the squared error with Adam. The unknowns are the logarithms of the parameters, so that these stay positive.
guess = np.array([10.0, 0.2, 2.0])
off = jax.jit(jax.value_and_grad(lambda x: jnp.mean((simulate_states(jnp.exp(x)) - record[1:]) ** 2)))
x, mean, square = np.log(guess), np.zeros(3), np.zeros(3)
for k in range(1, 201):
    value, slope = (np.asarray(each) for each in off(x))
    if k in (1, 10, 30, 100, 200):
        print(f"step {k:3}: error {np.degrees(np.sqrt(value)):7.3f} degrees, parameters", *(f"{p:8.4f}" for p in np.exp(x)))
    mean, square = 0.9 * mean + 0.1 * slope, 0.99 * square + 0.01 * slope**2
    x = x - 0.05 * (mean / (1 - 0.9**k)) / (np.sqrt(square / (1 - 0.99**k)) + 1e-12)

result = np.exp(x)
for name, value, exact in zip(export_result.parameters, result, true, strict=True):
    print(f"{name}: {value:.4f}, true value {exact:g}")
assert (np.abs(result / true - 1) < 0.01).all(), "The identified values are wrong."

if len(sys.argv) > 1:
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(8, 4), layout="constrained")
    for k, (name, color) in enumerate((("shoulder", "C0"), ("elbow", "C1"))):
        axes.plot(times, np.degrees(record[:, k]), ".", color=color, markersize=3, label=f"{name}, recorded")
        axes.plot(times[1:], np.degrees(simulate_states(result)[:, k]), color=color, label=f"{name}, identified")
        axes.plot(times[1:], np.degrees(simulate_states(guess)[:, k]), "--", color=color, label=f"{name}, first guess")
    axes.set(xlabel="time [s]", ylabel="angle [deg]")
    axes.legend(ncols=2, loc="lower left", bbox_to_anchor=(0, 1), frameon=False)
    figure.savefig(sys.argv[1])
