"""Simulate closed loops and rolling: forces in a Stewart platform, assembly modes of a four-bar, a rolling coin."""

import numpy as np

import lagrangian as lg

np.set_printoptions(precision=4, suppress=True)

# A Stewart platform: six legs of variable length carry a platform. Its description contains drives that tilt it in a circle.
platform = lg.library("stewart")
print(lg.mobility(platform))
motion = lg.simulate(platform)
print(motion)
legs = [k for k, joint in enumerate(platform.joints) if joint.name.startswith("leg")]
forces = motion.reactions[:, legs, 5]  # the force along the slide of each leg, on its upper part
balls = np.linalg.norm(motion.multipliers.reshape(-1, 6, 3), axis=2)  # each ball joint that closes a loop has three
print("largest force along each leg:  ", forces.max(axis=0).round(), "N")
print("largest force in its ball joint:", balls.max(axis=0).round(), "N")

# A crank-rocker: with the crank at 60 degrees it has two assembly modes, and the rocker moves differently in each.
bar = lg.library("four_bar")
print("\n", lg.mobility(bar), sep="")
for mode in lg.assembly_modes(bar, fixed={"theta1": np.pi / 3}):
    speeds = lg.consistent_speeds(bar, mode, fixed={"theta1": 1.0})
    rocker = lg.simulate(bar, 2, mode, speeds).q[:, 2]
    swing = np.degrees([rocker.min(), rocker.max()]).round(1)
    print(f"mode {np.degrees(mode).round(1)} deg: the rocker starts at {speeds[2]:.3f} rad/s and swings over {swing} deg")

# A coin that rolls and leans: a free body with three constraints, two of which are nonholonomic.
coin = lg.Mechanism(
    "coin",
    [lg.Body.from_shapes("coin", [lg.shapes.cylinder(0.012, 0.002, mass=0.006)])],
    [lg.Joint("coin", "free", "ground", "coin")],
    constraints=[lg.RollingConstraint("edge", "coin", radius=0.012, axis="z")],
)
lean = np.pi / 4 - 0.05  # half the angle between the coin's axis and the vertical
q0 = lg.assemble(coin, [np.cos(lean), np.sin(lean), 0, 0, 0, 0, 0.012])
qd0 = lg.consistent_speeds(coin, q0, fixed={"coin.wx": 0, "coin.wy": 0, "coin.wz": -40})
motion = lg.simulate(coin, 1, q0, qd0)
print(f"\n{motion}")
path = motion.q[:, 4:6]
print("the coin rolls", np.linalg.norm(np.diff(path, axis=0), axis=1).sum().round(3), "m and ends at", path[-1].round(3))
print("the floor pushes with", motion.multipliers[:, 0].min().round(4), "to", motion.multipliers[:, 0].max().round(4), "N")
