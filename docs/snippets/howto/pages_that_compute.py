# --- animate
import lagrangian as lg

linkage = lg.library("four_bar")
motion = lg.simulate(linkage)
motion.animate("linkage.html")

# --- sliders
motion.animate("linkage.html", sliders=["l1", ("l3", 0.5, 0.8), "q0.theta1"])

# --- controller
arm = lg.library("two_r")
path = lg.paths.joint_line([0, 0.5], [1.2, -0.4], duration=1.5)
controller = lg.control.ComputedTorque(arm, path, frequency=15)
run = lg.simulate(arm, 2, q0=[0.1, 0.4], torque=controller)
run.animate("controlled.html", sliders=["frequency", "damping", "m2", "q0.theta1"])

# --- recorded
loose = lg.simulate(arm, 1, torque=lambda t, q, qd: [-5 * qd[0], 0])
loose.animate("loose.html", sliders=False)
try:
    loose.animate("loose.html", sliders=["m2"])
except lg.LagrangianError as error:
    print(error)
