# --- attach
import numpy as np

import lagrangian as lg

arm = lg.library("two_r")
loaded = arm.with_payload("tip", 5.0)

q = [0.5, 0.8]
print(lg.compile(arm).gravity(q).round(2), "N m without the payload")
print(lg.compile(loaded).gravity(q).round(2), "N m with 5 kg")

# --- extended
box = arm.with_payload("tip", 5.0, center=(0.1, 0, 0), inertia=(0.02, 0.05, 0.05))
print(lg.compile(box).gravity(q).round(2), "N m with the box")

# --- torques
circle = lg.paths.circle((1.2, 0.6), 0.3, duration=2.0)
for mass in (0.0, 2.5, 5.0):
    motion = lg.inverse(arm.with_payload("tip", mass), circle, frame="tip")
    print(f"{mass} kg: peak torques {np.abs(motion.tau).max(axis=0).round(1)} N m")

# --- named
mp = lg.parameter("mp", 5.0)
carrying = arm.replace(parameters={**arm.parameters, "mp": mp}).with_payload("tip", mp)
print(lg.derive(carrying).G)

dyn = lg.compile(carrying)
masses = np.linspace(0.0, 10.0, 5)
print(dyn.with_parameters(mp=masses).gravity(q).round(1))

# --- events
hold = {
    "theta1": "-600*(theta1 - 0.5) - 100*qd_theta1 + 209.2",
    "theta2": "-200*(theta2 - 0.8) - 40*qd_theta2 + 19.1",
}
events = [
    lg.Event("t - 1", lg.SetPayload("tip", 5.0), name="grip"),
    lg.Event("t - 2", lg.SetPayload("tip", 0), name="release"),
]
motion = lg.simulate(arm, 7, q0=q, torque=hold, events=events)
print(motion)
tip = lg.compile(arm).pose(motion.q, "tip")[:, 1, 3]
for t in (0.99, 1.99, 6.99):
    print(f"at {t} s the tip is {tip[np.searchsorted(motion.t, t)]:.4f} m high")
print(f"energy brought by payloads: {motion.work['payloads'][-1]:.3f} J")

# --- largest
limit = np.array([400.0, 120.0])  # N m
masses = np.linspace(0.0, 10.0, 101)
level = dyn.with_parameters(mp=masses).gravity([0.0, 0.0])
allowed = (np.abs(level) <= limit).all(axis=1)
print(f"the stretched arm holds at most {masses[allowed].max():.1f} kg")
