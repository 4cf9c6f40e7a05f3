"""What docs/howto/choose_an_integrator.md shows, in its order."""

# --- tolerances
import numpy as np

import lagrangian as lg

arm = lg.library("two_r")
best = lg.simulate(arm, rtol=1e-13, atol=1e-15)
print("rtol     steps  evaluations  error of q  energy balance")
for method in ("dp5", "dop853", "verner9", "rodas5p"):
    for rtol in (1e-6, 1e-8, 1e-10):
        motion = lg.simulate(arm, method=method, rtol=rtol, atol=rtol / 100)
        error, off = np.abs(motion.q - best.q).max(), np.abs(motion.energy_balance).max()
        steps, calls = motion.statistics["accepted"], motion.statistics["evaluations"]
        print(f"{rtol:.0e} {steps:7} {calls:12} {error:11.0e} {off:13.0e} J  {method}")

# --- stiff-mechanisms
flap = lg.loads("""
name = "flap"
gravity = [0, -9.81, 0]

[[body]]
name = "arm"
mass = 1.0
center = [0.5, 0, 0]
inertia = [0, 0.1, 0.1]

[[body]]
name = "flap"
mass = 0.01
center = [0.05, 0, 0]
inertia = [0, 1e-5, 1e-5]

[[joint]]
name = "arm"
type = "revolute"
child = "arm"

[[joint]]
name = "flap"
type = "revolute"
parent = "arm"
child = "flap"
xyz = [1, 0, 0]
spring = { stiffness = 100.0 }
friction = { viscous = 1.0 }

[initial]
t_span = [0, 10]
""")
for method in ("auto", "rodas5p", "dop853"):
    motion = lg.simulate(flap, method=method)
    counts = motion.statistics
    print(f"{method}: {counts['accepted']} steps, at the end of {counts['method']}")
    if "stiff_since" in counts:
        print(f"  stiff since {counts['stiff_since']:.4f} s")

# --- long-runs
print("          step    first 100 s  last 100 s")
for method, step in (("symplectic", 0.02), ("rk4", 0.01), ("dop853", None)):
    motion = lg.simulate(arm, 1000, method=method, step=step, t_eval=10001)
    off = np.abs(motion.energy - motion.energy[0])
    early, late = off[:1000].max(), off[-1000:].max()
    print(f"{method:<11}{step or 'free':>5} {early:11.0e} J {late:9.0e} J")

# --- a-second-opinion
motion = lg.simulate(lg.library("four_bar"))
print(f"{motion.error_against():.0e}")
print(f"{motion.error_against(rtol=1e-11, atol=1e-13):.0e}")
