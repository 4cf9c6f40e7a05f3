"""The snippets of docs/howto/batch.md, in its order."""

# --- states
import numpy as np

import lagrangian as lg

arm = lg.library("two_r")
dyn = lg.compile(arm)
rng = np.random.default_rng(0)
q, qd = rng.uniform(-1, 1, (10_000, 2)), rng.uniform(-1, 1, (10_000, 2))
tau = dyn.inverse_dynamics(q, qd, np.zeros((10_000, 2)))
print(tau.shape, dyn.mass_matrix(q).shape, dyn.pose(q, "tip").shape)

# --- starts
starts = rng.uniform(-1, 1, (1000, 2))
motions = lg.simulate(arm, 10, q0=starts, keep="extremes")
print(motions)
print("fastest:", motions.extremes["qd_max"].max(axis=0).round(3))

# --- parameters
bar = lg.library("four_bar")
lengths, stiffness = rng.uniform(0.8, 0.95, 1000), rng.uniform(1, 4, 1000)
sprung = bar.with_parameters({"theta1.spring.stiffness": 2.0})
motions = lg.simulate(
    sprung, 5, parameters={"l2": lengths, "theta1.spring.stiffness": stiffness}
)
slowest = int(np.argmin(np.abs(motions.qd_end[:, 0])))
print(len(motions), motions.success.all(), f"l2 = {lengths[slowest]:.4f}")
print(motions[slowest])

# --- torques
motions = lg.simulate(arm, 2, torque={"theta1": np.linspace(0, 20, 5), "theta2": -1.0})
print(motions.q_end.round(4).tolist())


# --- closed-loop
def hold(t, q, qd):  # q and qd of one motion
    return dyn.gravity(q) + dyn.mass_matrix(q) @ (-100 * q - 20 * qd)


motions = lg.simulate(arm, 1, q0=starts[:4], torque=lg.Sampled(hold, period=5e-3))
print("largest angle left:", np.abs(motions.q_end).max(axis=1).round(4), "rad")

# --- rows
motions = lg.simulate(arm, 2, q0=starts[:5], keep=["rows", "events"], t_eval=101)
print(motions.q.shape, motions.statistics("qd_end")["mean"].round(3))
motions.save("batch.nc")

# --- failed
motions = lg.simulate(bar, 1, q0={"theta1": 1.0}, parameters={"l2": [0.9, 3.0, 0.85]})
print(motions.success, motions.message(1))
