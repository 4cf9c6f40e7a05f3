"""What docs/howto/design_a_controller.md shows, in its order."""

# --- equilibrium
import numpy as np

import lagrangian as lg

cart = lg.library("cart_pendulum")  # theta = 0 hangs down
rest = lg.equilibrium(cart, [0, 3.0], torque=0)
print("equilibrium:", rest.round(6))
system = lg.linearise(cart, rest, torque=0)
print(system)
print("A =", system.A.round(3), "B =", system.B.round(3), sep="\n")

# --- controllable
A, B = system.A, system.B
reach = np.hstack([np.linalg.matrix_power(A, k) @ B for k in range(len(A))])
print("rank", np.linalg.matrix_rank(reach), "of", len(A))

# --- lqr
from scipy.linalg import solve_continuous_are

# the largest acceptable error of x [m], theta [rad], x' [m/s], theta' [rad/s]; force [N]
Q = np.diag(1 / np.array([0.3, 0.3, 3.0, 3.0]) ** 2)
R = np.array([[1 / 3.0**2]])
P = solve_continuous_are(A, B, Q, R)
K = np.linalg.solve(R, B.T @ P)
print("K =", K.round(2))
print("poles:", np.sort_complex(np.linalg.eigvals(A - B @ K)).round(2))


# --- closed-loop
def lqr(t, q, qd):
    """The force on the cart; nothing drives the pendulum's own joint."""
    x = np.concatenate([q - rest, qd])
    return [-(K @ x)[0], 0.0]


def run(torque, tilt=0.2, mechanism=cart, **options):
    options |= {"q0": [0, np.pi - tilt], "torque": torque, "t_eval": 501}
    return lg.simulate(mechanism, 5, events="cos(theta)", **options)  # stops if it falls


motion = run(lqr)
print("after 5 s:", (motion.q[-1] - rest).round(5))
print("largest force:", np.abs(motion.tau[:, 0]).max().round(2), "N")


# --- saturation
from dataclasses import replace

limits = lg.JointLimits(effort=5.0)
limited = cart.replace(joints=[replace(cart.joints[0], limits=limits), cart.joints[1]])


def settles(motion):
    return bool(motion.t[-1] == 5 and np.abs(motion.q[-1] - rest).max() < 0.01)


for tilt in (0.2, 0.3, 0.4, 0.9, 1.0):
    free = run(lqr, tilt)
    bounded = run(lqr, tilt, limited, saturate=True, rtol=1e-9)
    print(f"{tilt} rad: unlimited {settles(free)}, 5 N {settles(bounded)}")

# --- sampled
for period, delay in ((0.02, 0.0), (0.02, 0.02), (0.06, 0.0), (0.06, 0.06)):
    result = run(lg.Sampled(lqr, period, delay))
    print(f"period {period} s, delay {delay} s: settles {settles(result)}")

# --- discrete
from scipy.linalg import solve_discrete_are
from scipy.signal import cont2discrete


def with_delay(A, B, period):
    """One period with held inputs; the last states are the inputs on their way."""
    n, m = B.shape
    Ad, Bd, *_ = cont2discrete((A, B, np.eye(n), np.zeros((n, m))), period)
    return np.block([[Ad, Bd], [np.zeros((m, n + m))]]), np.eye(n + m)[:, n:]


def radius(F, G, K):
    return np.abs(np.linalg.eigvals(F - G @ K)).max()


period = 0.06
F, G = with_delay(A, B, period)
weights = np.zeros((5, 5))
weights[:4, :4] = Q
S = solve_discrete_are(F, G, weights, R)
Kd = np.linalg.solve(R + G.T @ S @ G, G.T @ S @ F)
print("spectral radius with K: ", radius(F, G, np.hstack([K, [[0.0]]])).round(3))
print("spectral radius with Kd:", radius(F, G, Kd).round(3))


# --- delayed
class Delayed:
    """State feedback that also weighs the force it sent last."""

    def __init__(self):
        self.force = 0.0

    def __call__(self, t, q, qd):
        x = np.concatenate([q - rest, qd, [self.force]])
        self.force = -(Kd @ x)[0]
        return [self.force, 0.0]


motion = run(lg.Sampled(Delayed(), period, delay=period))
print("settles:", settles(motion))

# --- robust
for mass in (0.0, 0.1, 0.2, 0.6):
    loaded = cart.with_payload("tip", mass)
    other = lg.linearise(loaded, rest, torque=0)
    decay = np.linalg.eigvals(other.A - other.B @ K).real.max()
    r = radius(*with_delay(other.A, other.B, period), Kd)
    late = settles(run(lg.Sampled(Delayed(), period, period), 0.1, loaded))
    print(f"{mass} kg: continuous {decay:.2f} 1/s; sampled {r:.3f}, settles {late}")

# --- trajectory
arm = lg.library("two_r")
path = lg.paths.joint_line([-0.5, 0.8], [0.7, 1.5], duration=1.0)


def worst(controller, plant=arm):
    motion = lg.simulate(plant, 1.0, q0=[-0.5, 0.8], torque=controller, t_eval=201)
    return f"{np.abs(motion.q - path(motion.t)[0]).max():.1e} rad"


controller = lg.control.ComputedTorque(arm, path, frequency=20, damping=1.0)
print("kp =", controller.kp, " kd =", controller.kd)
print("continuous:", worst(controller))

# --- highest
A2, B2 = np.array([[0.0, 1.0], [0.0, 0.0]]), np.array([[0.0], [1.0]])  # e'' = u
for w in (20, 40, 80, 120, 160):
    r = radius(*with_delay(A2, B2, 5e-3), np.array([[w**2, 2 * w, 0.0]]))
    print(f"{w:3} rad/s: spectral radius {r:.3f}")
print(f"30 samples per period: {2 * np.pi / (30 * 5e-3):.0f} rad/s")

# --- bandwidth
gripped = arm.with_payload("tip", 3.0)
for frequency in (10, 20, 40, 80):
    controller = lg.control.ComputedTorque(arm, path, frequency=frequency)
    exact = worst(controller.with_sampling(5e-3, delay=5e-3))
    loaded = worst(controller.with_sampling(5e-3, delay=5e-3), gripped)
    print(f"{frequency:3} rad/s: right model {exact}, 3 kg more {loaded}")


# --- effort
def held_back(duration):
    slow = lg.paths.joint_line([-0.5, 0.8], [0.7, 1.5], duration=duration)
    law = lg.control.ComputedTorque(arm, slow, frequency=40).with_sampling(
        5e-3, delay=5e-3
    )
    options = {"q0": [-0.5, 0.8], "torque": law, "saturate": True, "t_eval": 201}
    motion = lg.simulate(weak, duration, **options)
    return f"{np.abs(motion.q - slow(motion.t)[0]).max():.1e} rad"


weak = gripped.replace(
    joints=[replace(joint, limits=lg.JointLimits(effort=600.0)) for joint in arm.joints]
)
for duration in (1.0, 1.2, 1.5):
    print(f"{duration} s: {held_back(duration)}")
