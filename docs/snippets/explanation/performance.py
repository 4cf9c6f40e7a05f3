"""The snippets of docs/explanation/performance.md, in its order."""

# --- once
import numpy as np

import lagrangian as lg

arm = lg.library("two_r")
dyn = lg.compile(arm)
q = np.array([0.3, 0.5])
qd = np.array([1.0, 2.0])
tau = dyn.inverse_dynamics(q, qd, np.zeros(2))  # the first call compiles

# --- batch
states = np.random.default_rng(0).uniform(-1, 1, (4096, 2))
many = dyn.inverse_dynamics(states, 0 * states, 0 * states)  # one call, 4096 states
one = dyn.inverse_dynamics(states[7], np.zeros(2), np.zeros(2))
print(many.shape, (many[7] == one).all())  # batches change no bit of the result

# --- threads
dyn = lg.compile(arm, threads=1)
print(dyn.threads)

# --- start
bar = lg.library("four_bar")
closed = lg.assemble(bar, fixed={"theta1": 2.0})  # the loops are closed once
for gain in (0.1, 0.2, 0.3):
    motion = lg.simulate(bar, 1, q0=closed, torque={"theta1": f"-{gain}*qd_theta1"})
    print(f"{gain} {motion.qd[-1, 0]:.4f} rad/s")

# --- parameters
motion = lg.simulate(arm, 2)
longer = lg.simulate(arm, 2, parameters={"l1": 1.2})  # nothing is compiled
heavier = lg.simulate(arm.with_parameters(m2=8.0), 2)  # nor is anything here

# --- time
from time import perf_counter


def fastest(function, repeats=20):
    function()  # compiles, and fills the cache
    times = []
    for _ in range(repeats):
        began = perf_counter()
        function()
        times.append(perf_counter() - began)
    return min(times)


seconds = fastest(lambda: lg.simulate(arm, 10))
print("faster than 0.1 s:", seconds < 0.1)
