# --- show
import lagrangian as lg

motion = lg.simulate("two_r", 5)
motion.animate()

# --- values
widget = motion.animate(sliders=["l1", ("m2", 5, 20), "q0.theta1"])
print(widget.inputs)

# --- set
widget.inputs["l1"] = 1.2
widget.inputs = {"m2": 15, "q0.theta1": -1.0}  # l1 keeps its value

# --- back
longer = widget.motion()
print(longer.mechanism.parameters["l1"].value, round(longer.q[-1, 0], 4))

# --- watch
widget.observe(lambda change: print(change["new"]["l1"]), "inputs")
widget.inputs["l1"] = 1.3

# --- file
motion.animate("two_r.html")
