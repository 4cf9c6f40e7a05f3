"""The snippets of docs/howto/assembly.md, in its order."""

# --- assemble
import numpy as np

import lagrangian as lg

bar = lg.library("four_bar")
print(lg.assemble(bar, [1.0, 0.0, 1.0]).round(4))
print(lg.assemble(bar, [1.0, 0.0, 1.0], fixed=["theta1"]).round(4))
print(lg.assemble(bar, fixed={"theta1": 2.0}).round(4))
for mode in lg.assembly_modes(bar, fixed={"theta1": 2.0}):
    print("a mode, in degrees:", np.degrees(mode).round(2))
try:
    lg.assemble(bar, fixed={"theta1": 2.0, "phi3": 0.0})
except lg.AssemblyError as error:
    print(error)

# --- speeds
q = lg.assemble(bar, fixed={"theta1": 2.0})
print(lg.consistent_speeds(bar, q, fixed={"theta1": 3.0}).round(4))
print(lg.simulate(bar, 1, q, qd0={"theta1": 3.0}).qd[0].round(4))

# --- mobility
print(lg.mobility(lg.library("bricard")))
parallelogram = lg.library("parallelogram")
print(lg.mobility(parallelogram))
print(lg.mobility(parallelogram, parallelogram.poses["level"]))

# --- gears
train = lg.loads("""
name = "gear train"

[[body]]
name = "pinion"
mass = 0.2
inertia = [1e-4, 1e-4, 2e-4]

[[body]]
name = "wheel"
mass = 2.0
inertia = [5e-3, 5e-3, 1e-2]

[[joint]]
name = "pinion"
type = "revolute"
child = "pinion"

[[joint]]
name = "wheel"
type = "revolute"
child = "wheel"
xyz = [0.3, 0, 0]
friction = { viscous = 0.05 }

[[constraint]]
name = "teeth"
equation = "pinion + 4*wheel"

[[constraint]]
name = "drive"
equation = "pinion = 10*t + sin(t)"
""")
motion = lg.simulate(train, 2)
print("speeds", motion.qd[-1].round(4), "multipliers", motion.multipliers[-1].round(4))
drive, friction = motion.work["constraints"][-1], motion.work["friction"][-1]
print("work of the drive", drive.round(4), "of friction", friction.round(4))

# --- blades
sleigh = lg.library("chaplygin_sleigh")
blades = [
    lg.KnifeEdgeConstraint("blade", "sleigh", direction="y"),
    lg.PfaffianConstraint(
        "blade", {"sleigh.vx": "-sin(sleigh.angle)", "sleigh.vy": "cos(sleigh.angle)"}
    ),
    lg.PfaffianFunctionConstraint(
        "blade", lambda t, q, qd: -np.sin(q[2]) * qd[0] + np.cos(q[2]) * qd[1]
    ),
]
for blade in blades:
    motion = lg.simulate(sleigh.replace(constraints=[blade]))
    print(type(blade).__name__, motion.q[-1].round(6))

# --- rolling
disc = lg.Mechanism(
    "disc",
    [lg.Body.from_shapes("disc", [lg.shapes.cylinder(0.3, 0.01, mass=2.0)])],
    [lg.Joint("disc", "free", "ground", "disc")],
    # without an axis it would be a sphere
    constraints=[lg.RollingConstraint("edge", "disc", radius=0.3, axis="z")],
)
lean = np.pi / 4 - 0.1
q0 = lg.assemble(disc, [np.cos(lean), np.sin(lean), 0, 0, 0, 0, 0.3])
qd0 = lg.consistent_speeds(disc, q0, fixed={"disc.wx": 0, "disc.wy": 0.5, "disc.wz": -6})
print(lg.simulate(disc, 3, q0, qd0))

# --- rod
rod = lg.LoopJoint(
    "rod",
    "distance",
    a="crank",
    b="rocker",
    a_placement=lg.Transform(position=(0.3, 0, 0)),
    b_placement=lg.Transform(position=(0.6, 0, 0)),
    length=0.9,
)
light = lg.Mechanism(
    "light four-bar",
    [bar.body("crank"), bar.body("rocker")],
    [bar.joint("theta1"), bar.joint("phi3")],
    [rod],
)
print(lg.mobility(light))
