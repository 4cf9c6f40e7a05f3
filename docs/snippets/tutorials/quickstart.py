# --- python
import lagrangian as lg

arm = lg.load("arm.toml")
print(lg.derive(arm).M)
motion = lg.simulate(arm, 5)
motion.plot(path="arm.png")
motion.animate("arm.html")

# --- change
longer = lg.load("arm.toml", parameters={"l2": 0.8})
held = {  # springs and dampers at the joints, written as torques
    "theta1": "-60*theta1 - 8*qd_theta1",
    "theta2": "-20*theta2 - 2*qd_theta2",
}
print(lg.simulate(longer, 3, q0="hanging", torque=held))

# --- numbers
dyn = lg.compile(arm)
print(dyn.mass_matrix([0.3, 0.8]).round(4))
print(dyn.gravity([0.3, 0.8]).round(3), "N m")

# --- torques
circle = lg.paths.circle((0.6, 0.2), 0.1, duration=2.0)
print(lg.inverse(arm, circle, frame="tip"))

# --- library
print(lg.mobility(lg.library("stewart")))
