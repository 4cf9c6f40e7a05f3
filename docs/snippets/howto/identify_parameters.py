"""What docs/howto/identify_parameters.md shows, in its order."""

# --- path
from dataclasses import replace

import numpy as np

import lagrangian as lg

arm = lg.library("two_r")  # the data sheet
limits = {"q_limits": (-1.2, 1.2), "qd_limits": 3, "qdd_limits": 12}
path = lg.excitation_trajectory(arm, period=10, harmonics=5, iterations=10, **limits)
print(path)

# --- record
rough = lg.Friction(viscous=2.0, coulomb=5.0)
robot = arm.with_parameters(m1=13.1, m2=14.0, r2=0.55)  # the robot in the room
robot = robot.replace(joints=[replace(joint, friction=rough) for joint in robot.joints])
t = path.times(4000)
q, qd, qdd = path(t)
tau = lg.compile(robot).inverse_dynamics(q, qd, qdd)
rng = np.random.default_rng(1)
noisy = tau + 0.01 * tau.std(axis=0) * rng.normal(size=tau.shape)

# --- identify
identification = lg.identify(arm, t, q, noisy, qd, qdd, friction="coulomb")
print(identification)

# --- angles
measured = q + 2e-5 * rng.normal(size=q.shape)  # what encoders read
of_angles = lg.identify(arm, t, measured, noisy, friction="coulomb")
print(repr(of_angles))
print(of_angles.treatment)
print(of_angles.residuals.percent_error.round(2), "% left")

# --- fourier
of_path = lg.identify(arm, t, measured, noisy, friction="coulomb", path=path)
print(repr(of_path))
print(of_path.treatment)
print(of_path.residuals.percent_error.round(2), "% left")

# --- validate
other = lg.excitation_trajectory(
    arm, period=6, harmonics=4, iterations=0, seed=3, **limits
)
t2 = other.times(2000)
q2, qd2, qdd2 = other(t2)
tau2 = lg.compile(robot).inverse_dynamics(q2, qd2, qdd2)
print(identification.validate(t2, q2, tau2, qd2, qdd2))

# --- mechanism
error = lg.compile(identification.mechanism).inverse_dynamics(q2, qd2, qdd2) - tau2
before = lg.compile(arm).inverse_dynamics(q2, qd2, qdd2) - tau2
print("RMS error, identified:", np.sqrt((error**2).mean(axis=0)).round(3), "N m")
print("RMS error, data sheet:", np.sqrt((before**2).mean(axis=0)).round(3), "N m")
lg.save(identification.mechanism, "identified.toml")

# --- puma
puma = lg.library("puma560")
rich = lg.excitation_trajectory(puma, period=10, harmonics=5, iterations=3, **limits)
t = rich.times(4000)
q, qd, qdd = rich(t)
tau = lg.compile(puma).inverse_dynamics(q, qd, qdd)
noisy = tau + 0.01 * tau.std(axis=0) * rng.normal(size=tau.shape)
full = lg.identify(puma, t, q, noisy, qd, qdd, friction="asymmetric")
print(repr(full), f"condition number {full.condition:.1f}")
# the description is the truth here
off = np.array([(e.value - e.described) / e.standard_error for e in full.base])
worst, rms = np.abs(off).max(), np.sqrt(np.mean(off**2))
print(len(off), f"base parameters: worst {worst:.2f} standard errors off, RMS {rms:.2f}")
