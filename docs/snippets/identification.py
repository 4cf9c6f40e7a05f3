"""What docs/identification.md shows, in its order."""

# --- a-path-that-tells-them-apart
import numpy as np

import lagrangian as lg

puma = lg.library("puma560")
path = lg.exciting_path(
    puma,
    period=10,
    harmonics=5,
    q_limits=(-1.2, 1.2),
    qd_limits=3,
    qdd_limits=12,
    iterations=10,
)
print(path)

# --- from-a-record-to-parameters
t = path.times(4000)
q, qd, qdd = path(t)
tau = lg.compile(puma).inverse_dynamics(q, qd, qdd)
rng = np.random.default_rng(1)
noisy = tau + 0.01 * tau.std(axis=0) * rng.normal(size=tau.shape)
found = lg.identify(puma, t, q, noisy, qd, qdd, friction="asymmetric")
print(found)

# --- from-a-record-to-parameters-2
# the description is the truth here
off = np.array([(e.value - e.described) / e.standard_error for e in found.base])
worst, rms = np.abs(off).max(), np.sqrt(np.mean(off**2))
print(
    len(off), f"base parameters, the worst {worst:.2f} standard errors off, RMS {rms:.2f}"
)

# --- from-coordinates-alone
measured = q + 2e-5 * rng.normal(size=q.shape)  # what encoders read
of_angles = lg.identify(puma, t, measured, noisy)
print(repr(of_angles))
print(of_angles.treatment)
print(of_angles.residuals.percent.round(2), "% left")

# --- from-coordinates-alone-2
of_path = lg.identify(puma, t, measured, noisy, path=path)
print(repr(of_path))
print(of_path.treatment)
print(of_path.residuals.percent.round(2), "% left")

# --- whether-to-believe-it
other = lg.exciting_path(
    puma,
    period=6,
    harmonics=4,
    q_limits=(-1, 1),
    qd_limits=2.5,
    qdd_limits=10,
    iterations=0,
    seed=3,
)
t2 = other.times(2000)
q2, qd2, qdd2 = other(t2)
tau2 = lg.compile(puma).inverse_dynamics(q2, qd2, qdd2)
print(found.validate(t2, q2, tau2, qd2, qdd2))

# --- a-mechanism-to-go-on-with
dyn = lg.compile(found.mechanism)
error = dyn.inverse_dynamics(q2, qd2, qdd2) - tau2
print("RMS error of its torques [N m]:", np.sqrt((error**2).mean(axis=0)).round(3))
print("of torques of RMS              ", np.sqrt((tau2**2).mean(axis=0)).round(3))
