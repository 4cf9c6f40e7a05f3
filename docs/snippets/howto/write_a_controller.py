"""What docs/howto/write_a_controller.md shows, in its order."""

# --- law
import numpy as np

import lagrangian as lg

arm = lg.library("two_r")
dyn = lg.compile(arm)
path = lg.paths.joint_line([-0.5, 0.8], [0.7, 1.5], duration=1.0)
kp, kd = np.array([10000, 2000]), np.array([1000, 200])


def law(t, q, qd):
    """Compensate gravity and pull each joint towards the path."""
    expected, speed, _ = path(t)
    return dyn.gravity(q) + kp * (expected - q) + kd * (speed - qd)


def off(torque, **more):
    motion = lg.simulate(arm, 1.0, q0=[-0.5, 0.8], torque=torque, t_eval=101, **more)
    return f"{np.abs(motion.q - path(motion.t)[0]).max():.1e} rad"


print("continuous       ", off(law))

# --- sampled
print("1 kHz            ", off(lg.Sampled(law, period=1e-3)))
print("1 kHz, 1 ms late ", off(lg.Sampled(law, period=1e-3, delay=1e-3)))
print("100 Hz           ", off(lg.Sampled(law, period=1e-2)))


# --- memory
class WithIntegral:
    """The same law with the integral of the error."""

    def __init__(self, period):
        self.period, self.sum = period, np.zeros(2)

    def __call__(self, t, q, qd):
        expected, _, _ = path(t)
        self.sum = self.sum + self.period * (expected - q)
        return law(t, q, qd) + 5 * kp * self.sum


print("with an integral ", off(lg.Sampled(WithIntegral(1e-3), period=1e-3)))

# --- model
print("computed torque  ", off(lg.control.ComputedTorque(arm, path).with_sampling(1e-3)))
wrong = arm.replace(bodies=[body.with_scaled_mass(1.2) for body in arm.bodies])
print(
    "on a wrong model ", off(lg.control.ComputedTorque(wrong, path).with_sampling(1e-3))
)

# --- stable
gains = {
    "theta1": "-10000*(theta1 - 0.7) - 1000*qd_theta1",
    "theta2": "-2000*(theta2 - 1.5) - 200*qd_theta2",
}
rest = lg.equilibrium(arm, [0.6, 1.4], torque=gains)
system = lg.linearise(arm, rest, torque=gains)
print(system.stable, "slowest at", system.eigenvalues().real.max().round(2), "1/s")
