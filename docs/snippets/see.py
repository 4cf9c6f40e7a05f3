"""What docs/see.md shows, in its order."""

# --- run
import lagrangian as lg

leg = lg.library("jansen")
motion = lg.simulate(leg)

# --- plot
figure = motion.plot()  # coordinates, speeds, torques, energy, balance, drift ...
motion.plot("coordinates", "energy", joints=["theta"], path="leg.svg")  # or .png, .pdf

# --- frames
motion.plot(frames="foot", path="foot.png")
lock = lg.simulate("deployable_four_bar")
lock.plot("coordinates", "multipliers", angles="radians", path="lock.png")

# --- phase
motion.phase_portrait("delta", path="leg-phase.png")

# --- path
motion.plot_path("foot", path="leg-path.png")

# --- draw
leg.draw("leg.png", q="lifted")  # by name, or coordinates
pixels = leg.draw(size=(480, 360))
print(pixels.shape, pixels.dtype)

# --- animate
motion.animate("leg.html", trace="foot")  # plays offline, in any browser
motion.animate("leg.gif", speed=0.5, size=(320, 240))  # half as fast; .mp4 with ffmpeg

# --- report
motion.report("leg-report.html")
