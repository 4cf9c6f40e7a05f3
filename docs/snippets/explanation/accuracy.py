"""The snippets of docs/explanation/accuracy.md, in its order."""

# --- truth
import numpy as np

import lagrangian as lg

arm = lg.library("two_r")
proven = lg.certify(arm, 1.0, digits=20)
truth = np.array([float(number) for number in proven.q])

# --- tolerances
print("rtol     steps   true error   energy balance")
for rtol in (1e-4, 1e-6, 1e-8, 1e-10, 1e-12, 1e-13, 1e-14):
    motion = lg.simulate(arm, 1.0, rtol=rtol, atol=rtol / 100)
    error = np.abs(motion.q[-1] - truth).max()
    off, steps = np.abs(motion.energy_balance).max(), motion.statistics["accepted"]
    print(f"{rtol:.0e} {steps:7} {error:8.0e} rad {off:12.0e} J")

# --- factors
print("mechanism      largest error / rtol, over 10 s")
for name in ("stewart", "four_bar", "two_r", "slider_crank"):
    reference = lg.simulate(
        name, 10, method="verner9", rtol=1e-13, atol=1e-15, t_eval=101
    )
    motion = lg.simulate(name, 10, rtol=1e-6, atol=1e-8, t_eval=101)
    print(f"{name:<14} {np.abs(motion.q - reference.q).max() / 1e-6:8.2g}")

# --- chaos
chaotic = lg.library("double_pendulum")
print("rtol     theta2 at 20 s   energy balance")
for rtol in (1e-6, 1e-8, 1e-10):
    motion = lg.simulate(chaotic, 20, rtol=rtol, atol=rtol / 100, t_eval=101)
    off = np.abs(motion.energy_balance).max() / motion.energy_scale
    print(f"{rtol:.0e} {motion.q[-1, 1]:11.1f} rad {off:11.0e} of the energy moved")

# --- work
bar = lg.library("four_bar")
motion = lg.simulate(bar, 2, torque={"theta1": "3 - 0.2*qd_theta1"})
change = motion.energy[-1] - motion.energy[0]
print(f"change of energy {change:.6f} J, work done {motion.total_work[-1]:.6f} J")
print(f"largest imbalance {np.abs(motion.energy_balance).max():.0e} J")

# --- coarse


def pulses(t, q, qd):  # a function that jumps: the integrator cannot know where
    return [20.0 * np.sign(np.sin(37 * t)), 0.0]


known = {"theta1": "20*sign(sin(37*t))"}  # an expression: its jumps are found
for torque in (pulses, known):
    motion = lg.simulate(arm, 2, torque=torque)
    steps, rejected = motion.statistics["accepted"], motion.statistics["rejected"]
    off = np.abs(motion.energy_balance).max()
    print(f"{steps} steps, {rejected} rejected, off by {off:.0e} J")

# --- drift
print("                 steps   open   rate  energy")
for how in ("projection", "baumgarte", "ggl", "none"):
    motion = lg.simulate(bar, 5, qd0={"theta1": 10.0}, torque=0, stabilisation=how)
    steps, energy = motion.statistics["accepted"], np.abs(motion.energy_balance).max()
    drift, rate = motion.drift.max(), motion.rate_drift.max()
    print(f"{how:<15} {steps:6} {drift:6.0e} {rate:6.0e} {energy:6.0e} J")

# --- off-constraint
off = lg.assemble(bar) + [0.0, 0.02, 0.0]
motion = lg.simulate(
    bar, 2, off, stabilisation="baumgarte", alpha=3, beta=5, off_constraint=True
)
exact = (
    np.exp(-3 * motion.t)
    * (np.cos(4 * motion.t) + 3 / 4 * np.sin(4 * motion.t))
    * motion.drift[0]
)
print("eta:", motion.drift[0].round(4), "then", motion.drift[-1].round(6))
print("as the equation has it:", np.allclose(motion.drift, np.abs(exact), atol=1e-6))

# --- solvers
table = lg.compare_solvers(bar, 2, methods=["dp5", "dop853"], rtols=[1e-6, 1e-10])
print("method  rtol   steps  energy   drift    difference")
for row in table.rows:
    print(
        f"{row.method:<7} {row.rtol:.0e} {row.steps:5} {row.energy_error:9.0e}"
        f" {row.drift:7.0e} {row.difference:8.0e}"
    )
