"""What docs/howto/change_parameters.md shows, in its order."""

# --- with-parameters
import numpy as np

import lagrangian as lg

arm = lg.library("two_r")
longer = arm.with_parameters(l1=1.2, m2=8.0)
print(float(longer.parameters["l1"]), float(longer.body("link2").mass))

motion = lg.simulate(arm, 2.0, parameters={"l1": 1.2, "m2": 8.0})
print(motion.q[-1].round(6), lg.simulate(longer, 2.0).q[-1].round(6))

# --- gains
held = arm.replace(parameters={**arm.parameters, "k": 300.0, "d": 50.0})
law = {"theta1": "-k*(theta1 + pi/2) - d*qd_theta1", "theta2": "-d*qd_theta2"}
for k in (300.0, 600.0):
    motion = lg.simulate(held, 2.0, torque=law, parameters={"k": k})
    print(k, "N m/rad:", motion.q[-1].round(4))

# --- samples
dyn = lg.compile(arm)
lengths = np.linspace(0.8, 1.2, 3)
many = dyn.with_parameters(l1=lengths, m2=8.0)
print(many.gravity([0.5, 0.2]).round(3))
print(
    many.mass_matrix(np.zeros((3, 2))).shape,
    len(many),
    float(many[2].mechanism.parameters["l1"]),
)

# --- paths
puma = lg.library("puma560")
heavier = puma.with_parameters({"link3.mass": 6.0, "q2.friction.viscous": 0.002})
print(heavier.body("link3").mass)
