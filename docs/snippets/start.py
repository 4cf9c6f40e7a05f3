"""What docs/start.md shows, in its order."""

# --- python
import lagrangian as lg

arm = lg.load("arm.toml")
lg.derive(arm).save("arm.md")  # or .show(), in the terminal
motion = lg.simulate(arm)
motion.plot(path="arm.png")
motion.animate("arm.html")

# --- change
arm = lg.load("arm.toml", parameters={"l2": 0.8})  # a longer second link
held = {  # springs and dampers as torques
    "theta1": "-60*theta1 - 8*qd_theta1",
    "theta2": "-20*theta2 - 2*qd_theta2",
}
motion = lg.simulate(arm, 3, q0="hanging", torque=held)
print(motion)

# --- numbers
dyn = lg.compile(arm)
print(dyn.mass_matrix([0.3, 0.8]).round(4))
print(dyn.inverse_dynamics([0.3, 0.8], [0, 0], [0, 0]).round(3), "N m hold it still")

# --- torques
circle = lg.paths.circle((0.6, 0.2), 0.2, duration=2.0)
motion = lg.inverse(arm, circle, frame="tip")
print(motion)

# --- library
platform = lg.library("stewart")
print(lg.mobility(platform))
