"""The snippets of docs/howto/equilibrium_and_modes.md, in its order."""

# --- equilibrium
import numpy as np

import lagrangian as lg

arm = lg.library("two_r")
hanging = lg.equilibrium(arm, [-1.5, 0.1])
print(hanging.round(6) + 0.0)

# --- modes
for mode in lg.linearise(arm, hanging).modes():
    print(f"{mode.frequency:.6f} Hz", mode.shape.real.round(4))

# --- system
upright = [np.pi / 2, 0]
system = lg.linearise(arm, upright)
print(system.A.shape, system.B.shape, system.inputs)
print("stable:", system.stable)
print("eigenvalues:", np.sort(system.eigenvalues().real).round(3))

# --- held
held = {
    "theta1": "-600*(theta1 - pi/2) - 40*qd_theta1",
    "theta2": "-200*theta2 - 10*qd_theta2",
}
print("stable when held:", lg.linearise(arm, upright, torque=held).stable)

# --- loops
bar = lg.library("four_bar")
q = lg.equilibrium(bar, [4.8, -3.5, 2.2])
mode = lg.linearise(bar, q).modes()[0]
print(np.degrees(q).round(2), f"{mode.frequency:.4f} Hz")

# --- steady-motions
bicycle = lg.library("bicycle", parameters={"v0": 5.0, "p0": 0.0})
system = lg.linearise(bicycle, "upright", bicycle.initial.qd)
rates = np.sort_complex(system.eigenvalues())
print(rates[np.abs(rates) > 1e-9].round(4), "stable:", system.stable)

# --- derivatives
dyn = lg.compile(arm)
q, qd, tau = np.array([0.3, 0.5]), np.array([1.0, 2.0]), np.zeros(2)
by_q, by_qd, by_tau = dyn.forward_dynamics_derivatives(q, qd, tau)
print(by_q.round(4).tolist())
h = np.array([1e-6, 0])  # the first column, by differences
more, less = dyn.forward_dynamics(q + h, qd, tau), dyn.forward_dynamics(q - h, qd, tau)
print(((more - less) / 2e-6).round(4).tolist())

closed = lg.compile(bar)
q = np.array(bar.initial.q)
by_q, by_qd, by_tau = closed.forward_dynamics_derivatives(q, np.zeros(3), [2.0, 0, 0])
print("by the torque at the crank:", by_tau[:, 0].round(4))
