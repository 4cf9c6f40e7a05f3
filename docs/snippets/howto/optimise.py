"""What docs/howto/optimise.md shows, in its order."""

# --- synthesis
import numpy as np

import lagrangian as lg

linkage = lg.library("four_bar")
angles = np.pi / 2 + np.linspace(0, 3, 6)
x = [0.41, 0.20, 0.04, 0.02, 0.12, 0.29]
y = [0.50, 0.49, 0.37, 0.18, 0.00, -0.06]
points = np.stack([x, y], axis=1)
goal = lg.goals.path_points("C", points, driven="theta1", angles=angles)
over = {"l1": (0.2, 0.6), "l2": (0.6, 1.4), "l3": (0.4, 1.0)}
best = lg.optimise(linkage, over, goal, subject_to="l0 + l1 <= l2 + l3 - 0.05")
print({name: round(x, 3) for name, x in best.parameters.items()})
print("the coupler misses the points by", round(best.value, 4), "m")

# --- free
goal = lg.goals.path_points("C", points, driven="theta1")
over |= {"C.placement.position.x": (0, 1), "C.placement.position.y": (-0.5, 0.5)}
best = lg.optimise(linkage, over, goal, "l0 + l1 <= l2 + l3 - 0.05", starts=5)
print({name: round(x, 3) for name, x in best.parameters.items()})
print("it misses the points by", round(best.value, 4), "m; at bounds:", best.at_bound)

# --- springs
arm = lg.library("pendulum")
spring = lg.PointSpring("balance", "ground", "bob", (0, 0.4, 0), (0.5, 0, 0), 10.0)
poses = np.linspace(-1, 1, 11)[:, None]
goal = lg.goals.holding_torque(poses)
over = {"balance.stiffness": (1, 1000)}
best = lg.optimise(arm.replace(springs=[spring]), over, goal)
print({name: round(x, 4) for name, x in best.parameters.items()})
print(f"holding torque {best.value:.4f} N m (RMS), before {best.initial_value:.4f} N m")

# --- gains
two = lg.library("two_r")
two = two.replace(parameters={**two.parameters, "k": 1000.0, "d": 100.0})
law = {
    "theta1": "k*(pi/4 - theta1) - d*qd_theta1",
    "theta2": "-400*theta2 - 100*qd_theta2",
}
cost = "(theta1 - pi/4)^2 + 1e-6*tau_theta1^2"
goal = lg.goals.integral(cost, t_span=2, q0=[0, 0], torque=law)
best = lg.optimise(two, {"k": (10, 20000), "d": (1, 5000)}, goal)
print({name: round(x, 1) for name, x in best.parameters.items()})
print(f"cost {best.value:.4f}, before {best.initial_value:.4f}")

# --- sensitivities
arm = lg.library("two_r")
sensitivities = lg.sensitivities(arm, 1.0, over=["l1", "m2", "theta1"], frames=["tip"])
print(sensitivities.dq[-1].round(5))
value, gradient = sensitivities.end("tip.x^2 + tip.y^2")
print(round(value, 6), gradient.round(5))
energy, gradient = sensitivities.integral("qd_theta1^2")
print(round(energy, 6), gradient.round(5))
