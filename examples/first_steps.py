"""Compute the dynamics of a PUMA 560: mass matrix, Coriolis and gravity torques, and inverse dynamics of a million states."""

import time

import numpy as np

import lagrangian as lg

arm = lg.library("puma560")
print(f"{arm.name}: {len(arm.bodies)} bodies; coordinates {', '.join(arm.coordinate_names)}")

dyn = lg.compile(arm)
q = np.array(arm.poses["qn"])
qd = np.ones(6)
qdd = np.zeros(6)

np.set_printoptions(precision=4, suppress=True)
print("\nM(qn) =\n", dyn.mass_matrix(q))
print("\nC(qn, 1) qd =", dyn.coriolis_matrix(q, qd) @ qd)
print("G(qn)       =", dyn.gravity(q))
print("F(1)        =", dyn.friction(qd))
print("tau         =", dyn.inverse_dynamics(q, qd, qdd))

states = 1_000_000
rng = np.random.default_rng(0)
Q, QD, QDD = rng.normal(size=(3, states, 6))
times = []
for _ in range(3):  # the first call compiles the code for batches
    start = time.perf_counter()
    dyn.inverse_dynamics(Q, QD, QDD)
    times.append(time.perf_counter() - start)
each = min(times) / states * 1e9
print(f"\ninverse dynamics of {states:,} states: {min(times) * 1e3:.0f} ms, {each:.0f} ns per state, {dyn.threads} threads")
