"""The examples of docs/howto/visualisation.md, in its order."""

# --- run
import lagrangian as lg

leg = lg.library("jansen")
motion = lg.simulate(leg)

# --- plot
figure = motion.plot()  # every quantity that the motion has
motion.plot("coordinates", "energy", joints=["theta"], path="leg.svg")  # or .png or .pdf

# --- frames
motion.plot("foot", path="foot.png")  # the x, y and z of the foot
lock = lg.simulate("deployable_four_bar")
lock.plot("coordinates", "multipliers", angles="radians", path="lock.png")

# --- others
arm = lg.library("two_r")
free = lg.simulate(arm, 3)
driven = lg.simulate(arm, 4, torque={"theta1": 20})
free.plot("coordinates", "tip", others={"driven": driven}, label="free", path="two.png")

# --- limits
fall = lg.simulate("ur5", 0.3)  # without torques it falls
fall.plot("speeds", path="limits.png")
for line in str(fall).splitlines()[3:]:
    print(line)

# --- phase
motion.phase_portrait("delta", path="leg-phase.png")

# --- path
motion.plot_path("foot", path="leg-path.png")

# --- draw
leg.draw("leg.png", q="lifted")  # the name of a pose, or coordinates
pixels = leg.draw(size=(480, 360))
print(pixels.shape, pixels.dtype)

# --- camera
leg.draw("leg-front.png", view="front")  # back, left, right, top, bottom
leg.draw("leg-side.png", view=(60, 20))  # azimuth and elevation in degrees
leg.draw("foot-near.png", target="foot", zoom=3)

# --- animate
motion.animate("leg.html", trace="foot")  # for any browser
motion.animate("leg.gif", speed=0.5, size=(320, 240))  # slow motion

# --- report
motion.report("leg-report.html")

# --- report-options
lift = lg.inverse(arm, lg.paths.joint_line([0, 0.5], [1, 0.8], duration=2))
motors = lg.size_actuators(arm, lift, margin=1.5, gears=[50, 100])
lift.report(
    "lift.html",
    title="Arm, second draft",
    author="A. Engineer",
    date="2025-03-01",
    notes="Gears of 50 and 100 are in stock.",
    sizing=motors,
)
