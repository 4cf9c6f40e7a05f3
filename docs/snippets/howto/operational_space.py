"""What docs/howto/operational_space.md shows, in its order."""

# --- frame
import numpy as np

import lagrangian as lg

arm = lg.library("two_r")
dyn = lg.compile(arm)
print(dyn.cartesian([0.3, 0.9], [1.0, -0.5], "tip", ("x", "y")))

# --- redundant
x = lg.compile(lg.library("panda")).cartesian(
    [0, 0.3, 0, -1.8, 0, 2, 0.5], np.zeros(7), "tool"
)
print("push on the tool:", np.diag(x.M_x)[3:].round(2), "kg")
print("condition", round(x.condition, 2))
platform = lg.library("three_rrr")
x = lg.compile(platform).cartesian(
    platform.initial.q, np.zeros(9), "platform", ("wz", "x", "y")
)
print("push on the platform:", np.diag(x.M_x)[1:].round(2), "kg")

# --- euler
puma = lg.compile(lg.library("puma560"))
q, qd = [0.4, -0.7, 0.9, 0.5, 0.8, -0.6], np.full(6, 0.5)
x = puma.cartesian(q, qd, "link6", euler="ZXZ")
print(x.directions)
rates = x.J @ qd
energy = rates @ x.M_x @ rates / 2
print("the same energy:", np.isclose(energy, puma.kinetic_energy(q, qd)))
try:
    dyn.cartesian([0.3, 0.9], [1.0, -0.5], "tip", ("alpha", "x"), euler="ZXZ")
except lg.ArgumentError as error:
    print(error)

# --- singular
x = dyn.cartesian([np.pi / 2, 0.0], [0.0, 0.0], "tip", ("x", "y"))
print(x.singular, x.M_x.round(3).tolist())
