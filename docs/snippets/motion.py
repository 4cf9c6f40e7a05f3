"""What docs/motion.md shows, in its order."""

# --- a-first-run
import numpy as np

import lagrangian as lg

motion = lg.simulate(lg.library("two_r"))
print(motion)

# --- a-first-run-2
print(motion.t.shape, motion.q.shape, motion.q[-1].round(4))
q, qd = motion(0.12345)  # at any time, or at several: the integrator's own interpolation
print(q.round(4), qd.round(4))

# --- a-first-run-3
motion.save("run.nc")
again = lg.read("run.nc")
print(repr(again))
print(
    again.to_xarray()["q"].sel(coordinate="theta2", time=5.0).item() == motion.q[500, 1]
)

# --- what-drives-it
arm = lg.library("two_r")


def end(torque):
    return lg.simulate(arm, 2, torque=torque).q[-1].round(4).tolist()


print("none       ", end(0))
print("constant   ", end([5.0, 0.0]))
print(
    "expressions",
    end({"theta1": "-20*(theta1 + pi/2) - 2*qd_theta1 + 3*sin(2*t)", "theta2": -1}),
)
times = np.linspace(0, 2, 21)
print("table      ", end((times, np.column_stack([10 * np.sin(times), 0 * times]))))


# --- what-drives-it-2
def law(t, q, qd):
    return [-20 * (q[0] + np.pi / 2) - 2 * qd[0] + 3 * np.sin(2 * t), -1.0]


print("function   ", end(law))
print("traced     ", end(lg.Traced(law)))
print("controller ", end(lg.Sampled(law, period=0.01, delay=0.005)))

# --- what-drives-it-3
values = 10 * np.sin(times)
table = (times, np.column_stack([values, 0 * times]))
for torque in (lambda t, q, qd: [np.interp(t, times, values), 0.0], table):
    motion = lg.simulate(arm, 2, torque=torque)
    counts = motion.statistics
    print(counts["accepted"], "steps,", counts["rejected"], "rejected")

# --- wrenches
motion = lg.simulate(
    arm, 2, torque=0, wrenches={"link2": (0, 0, 0, "30*sin(5*t)", 5.0, 0)}
)
work, balance = motion.work["wrenches"][-1], np.abs(motion.balance).max()
print(motion.q[-1].round(4), "work", work.round(4), "J, balance", f"{balance:.0e} J")


def drag(t, q, qd):
    return [0, 0, -3.0 * (qd[0] + qd[1]), 0, 0, 0]


print(lg.simulate(arm, 2, torque=0, wrenches={"link2": drag}).q[-1].round(4))

# --- closed-loops
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

# --- closed-loops-2
bar = lg.library("four_bar")
driven = bar.replace(
    constraints=[lg.Holonomic("drive", "theta1 = 1 + 2*t + 0.1*sin(5*t)")]
)
motion = lg.simulate(driven, 2, q0=lg.assemble(driven))
print(motion.constraint_names, motion.q[-1].round(4))

# --- closed-loops-3
sleigh = lg.library("chaplygin_sleigh")
blades = [
    lg.KnifeEdge("blade", "sleigh", direction="y"),
    lg.Pfaffian(
        "blade", {"sleigh.vx": "-sin(sleigh.angle)", "sleigh.vy": "cos(sleigh.angle)"}
    ),
    lg.PfaffianFunction(
        "blade", lambda t, q, qd: -np.sin(q[2]) * qd[0] + np.cos(q[2]) * qd[1]
    ),
]
for blade in blades:
    motion = lg.simulate(sleigh.replace(constraints=[blade]))
    print(type(blade).__name__, motion.q[-1].round(6))

# --- closed-loops-4
disc = lg.Mechanism(
    "disc",
    [lg.Body.from_shapes("disc", [lg.cylinder(0.3, 0.01, mass=2.0)])],
    [lg.Joint("disc", "free", "ground", "disc")],
    # without an axis it would be a sphere
    constraints=[lg.Rolling("edge", "disc", radius=0.3, axis="z")],
)
lean = np.pi / 4 - 0.1
q0 = lg.assemble(disc, [np.cos(lean), np.sin(lean), 0, 0, 0, 0, 0.3])
qd0 = lg.consistent_speeds(disc, q0, fixed={"disc.wx": 0, "disc.wy": 0.5, "disc.wz": -6})
print(lg.simulate(disc, 3, q0, qd0))

rod = lg.LoopJoint(
    "rod",
    "distance",
    a="crank",
    b="rocker",
    a_placement=lg.Placement(position=(0.3, 0, 0)),
    b_placement=lg.Placement(position=(0.6, 0, 0)),
    length=0.9,
)
light = lg.Mechanism(
    "light four-bar",
    [bar.body("crank"), bar.body("rocker")],
    [bar.joint("theta1"), bar.joint("phi3")],
    [rod],
)
print(lg.mobility(light))

# --- assembly
print(lg.assemble(bar, [1.0, 0.0, 1.0]).round(4))
print(lg.assemble(bar, [1.0, 0.0, 1.0], fixed=["theta1"]).round(4))
print(lg.assemble(bar, fixed={"theta1": 2.0}).round(4))
for mode in lg.assembly_modes(bar, fixed={"theta1": 2.0}):
    print("a mode, in degrees:", np.degrees(mode).round(2))
try:
    lg.assemble(bar, fixed={"theta1": 2.0, "phi3": 0.0})
except lg.AssemblyError as error:
    print(error)

# --- assembly-2
q = lg.assemble(bar, fixed={"theta1": 2.0})
print(lg.consistent_speeds(bar, q, fixed={"theta1": 3.0}).round(4))
print(lg.simulate(bar, 1, q, qd0={"theta1": 3.0}).qd[0].round(4))

# --- mobility
print(lg.mobility(lg.library("bricard")))
parallelogram = lg.library("parallelogram")
print(lg.mobility(parallelogram))
print(lg.mobility(parallelogram, parallelogram.poses["level"]))

# --- drift
print("                 steps   open   rate  energy")
for how in ("projection", "baumgarte", "ggl", "none"):
    motion = lg.simulate(bar, 5, qd0={"theta1": 10.0}, torque=0, stabilisation=how)
    steps, energy = motion.statistics["accepted"], np.abs(motion.balance).max()
    drift, rate = motion.drift.max(), motion.rate_drift.max()
    print(f"{how:<15} {steps:6} {drift:6.0e} {rate:6.0e} {energy:6.0e} J")

# --- off-constraint
off = lg.assemble(bar) + [0.0, 0.02, 0.0]
motion = lg.simulate(
    bar, 2, off, stabilisation="baumgarte", alpha=3, beta=5, off_constraint=True
)
exact = (
    np.exp(-3 * motion.t)
    * (np.cos(4 * motion.t) + 3 / 4 * np.sin(4 * motion.t))
    * motion.drift[0]
)
print("eta:", motion.drift[0].round(4), "then", motion.drift[-1].round(6))
print("as the equation has it:", np.allclose(motion.drift, np.abs(exact), atol=1e-6))

# --- events
motion = lg.simulate(arm, events="theta2")
print(motion)
print(motion.success, f"at {motion.events[0].t:.6f} s", motion.events[0].q.round(4))

motion = lg.simulate(
    arm,
    3,
    events=[
        lg.Event("theta2", direction="rising", name="link 2 in line"),
        lg.Event(lambda t, q, qd: qd[0], direction="falling", name="link 1 turns back"),
    ],
)
for event in motion.events:
    print(f"{event.name} at {event.t:.6f} s")

# --- events-2
motion = lg.simulate(
    arm,
    6,
    events=[
        lg.Event("t - 1", lg.Lock("theta2"), name="lock"),
        lg.Event("t - 3", lg.Unlock("theta2"), name="unlock"),
        lg.Event("t - 5", lg.SetTorque({"theta1": 10.0}), name="motor on"),
    ],
)
print(motion)
print("energy lost in the lock:", -motion.work["impacts"][-1].round(4), "J")

# --- dead-centres
linkage = lg.library("deployable_four_bar")
motion = lg.simulate(linkage)
print(motion.message, "theta1 =", np.degrees(motion.q[-1, 0]).round(2), "degrees")
motion = lg.simulate(linkage, 13, events={"locked": lg.Lock("phi2")})
lost = -motion.work["impacts"][-1]
print("locked:", motion.qd[-1].round(9) + 0.0, "energy lost:", lost.round(3), "J")

# --- friction-stops-and-locks
block = lg.loads("""
name = "block"
gravity = [0, 0, 0]

[[body]]
name = "block"
mass = 1.0

[[joint]]
name = "x"
type = "prismatic"
child = "block"
axis = "x"
friction = { coulomb = 3.0 }
spring = { stiffness = 40.0 }

[initial]
q = [0.5]
t_span = [0, 3]
""")
motion = lg.simulate(block)
print(motion)
held, taken = motion.friction[-1, 0], -motion.work["friction"][-1, 0]
print(
    f"rests at {motion.q[-1, 0]:.4f} m, held by {held:.4f} N; friction took {taken:.4f} J"
)

# --- friction-stops-and-locks-2
door = lg.loads("""
name = "door"

[[body]]
name = "door"
mass = 20.0
center = [0.4, 0, 0]
inertia = [1.0, 2.0, 1.1]

[[joint]]
name = "hinge"
type = "revolute"
child = "door"
limits = { lower = 0.0, upper = 1.6 }
spring = { stiffness = 2.0 }
friction = { viscous = 1.0 }
""")
print(lg.simulate(door, 8, q0=[0.2], qd0=[2.0], restitution=0.3))

# --- walls
ball = lg.Mechanism(
    "ball",
    [lg.Body("ball", mass=2.0)],
    [lg.Joint("z", "prismatic", "ground", "ball")],
    springs=[lg.Wall("floor", "ball", normal="z", stiffness=1e5, damping=1e4)],
)
motion = lg.simulate(ball, 0.8, q0=[0.5])
print(motion)
push = lg.compile(ball).spring_forces(motion.q, motion.qd)  # of every spring and wall
taken = -motion.work["friction"][-1, 0]
print(f"pushed by up to {push.max():.0f} N; damping took {taken:.4f} J")

# --- singular-configurations
motion = lg.simulate(parallelogram)
turns = abs(motion.q[-1, 0] - motion.q[0, 0]) / (2 * np.pi)
print(motion.message, "after", turns.round(2), "turns")
both = np.abs(motion.q[:, [0, 2]] - motion.q[:, [4, 4]]).max()  # the cranks stay parallel
print("cranks parallel to 1e-12 rad:", both < 1e-12)
try:
    lg.simulate(parallelogram, 1, q0="level")
except lg.SimulationError as error:
    print(error)

# --- results
motion = lg.simulate(bar)
print(motion.constraint_names, motion.multipliers[0].round(3), "N on the coupler")
print("on the crank at its bearing:", motion.reactions[0, 0].round(3))
for name, work in motion.work.items():
    print(name, np.atleast_1d(work[-1]).round(4).tolist())
change = motion.energy[-1] - motion.energy[0]
print(f"change of energy {change:.6f} J, work {motion.total_work[-1]:.6f} J")
print(motion.resample([0.0, 0.5, 1.0]).qdd.round(3).tolist())


# --- many-motions
rng = np.random.default_rng(0)
starts = rng.uniform(-1, 1, (1000, 2))
motions = lg.simulate(arm, 10, q0=starts, keep="extremes")
print(motions)
print("fastest:", motions.extremes["qd_max"].max(axis=0).round(3))

# --- many-motions-2
lengths, stiffness = rng.uniform(0.8, 0.95, 1000), rng.uniform(1, 4, 1000)
sprung = bar.with_parameters({"theta1.spring.stiffness": 2.0})
motions = lg.simulate(
    sprung, 5, parameters={"l2": lengths, "theta1.spring.stiffness": stiffness}
)
slowest = int(np.argmin(np.abs(motions.qd_end[:, 0])))
print(len(motions), motions.success.all(), f"l2 = {lengths[slowest]:.4f}")
print(motions[slowest])


# --- when-something-goes-wrong
def fails(t, q, qd):
    if t > 1:
        raise RuntimeError("no more current")
    return [0.0, 0.0]


try:
    lg.simulate(arm, 2, torque=fails)
except lg.SimulationError as error:
    print(error)
    print(len(error.motion.t), "rows")
for wrong in (
    {"t_span": (2, 1)},
    {"torque": {"theta3": 1}},
    {"method": "radau"},
    {"q0": "hangin"},
):
    try:
        lg.simulate(arm, **wrong)
    except lg.ArgumentError as error:
        print(error)
try:
    lg.simulate(bar, q0=[0, 0, 0])
except lg.ArgumentError as error:
    print(error)

# --- equilibria-and-small-motions
hanging = lg.equilibrium(arm, [-1.5, 0.1])
print(hanging.round(6) + 0.0)
for mode in lg.linearise(arm, hanging).modes():
    print(f"{mode.frequency:.6f} Hz", mode.shape.real.round(4))
held = {
    "theta1": "-600*(theta1 - pi/2) - 40*qd_theta1",
    "theta2": "-200*theta2 - 10*qd_theta2",
}
upright = [np.pi / 2, 0]
system = lg.linearise(arm, upright)
print("free:", system.stable, "held:", lg.linearise(arm, upright, torque=held).stable)
print(system.A.shape, system.B.shape, system.inputs)

q = lg.equilibrium(bar, [4.8, -3.5, 2.2])
mode = lg.linearise(bar, q).modes()[0]
print("four-bar:", np.degrees(q).round(2), f"{mode.frequency:.4f} Hz")

# --- steady-motions
bicycle = lg.library("bicycle", parameters={"v0": 5.0, "p0": 0.0})
system = lg.linearise(bicycle, "upright", bicycle.initial.qd)
rates = np.sort_complex(system.eigenvalues())
print(rates[np.abs(rates) > 1e-9].round(4), "stable:", system.stable)

# --- proven-digits
proven = lg.certify("two_r", [0.5, 1.0], digits=30)
for name in ("theta1", "theta2", "qd_theta1", "qd_theta2"):
    print(f"{name:<9} {proven[name]:.30}")
run = lg.simulate("two_r", 1.0, rtol=1e-12, atol=1e-14)
print(proven.contains(run, within=1e-12), (proven.errors(run) < 1e-12).all())
print(0 in proven.balance, proven.balance.radius < 1e-30)
low, high = proven["theta1"].bounds
print(low[:30] == high[:30], float(proven["theta1"]))

# --- proven-digits-2
for refused in ("four_bar", "puma560"):
    try:
        lg.certify(refused, 1)
    except lg.ArgumentError as error:
        print(error)

# --- derivatives
dyn = lg.compile(arm)
q, qd, tau = np.array([0.3, 0.5]), np.array([1.0, 2.0]), np.zeros(2)
by_q, by_qd, by_tau = dyn.forward_dynamics_derivatives(q, qd, tau)
print(by_q.round(4).tolist())
h = np.array([1e-6, 0])  # the first column, by differences
more, less = dyn.forward_dynamics(q + h, qd, tau), dyn.forward_dynamics(q - h, qd, tau)
print(((more - less) / 2e-6).round(4).tolist())

closed = lg.compile(bar)
q = np.array(bar.initial.q)
by_q, by_qd, by_tau = closed.forward_dynamics_derivatives(q, np.zeros(3), [2.0, 0, 0])
print("of a unit torque at the crank, constraints kept:", by_tau[:, 0].round(4))
