"""What docs/howto/control.md shows, in its order."""

# --- first
import numpy as np

import lagrangian as lg

arm = lg.library("two_r")
dyn = lg.compile(arm)
move = lg.paths.joint_line([-0.5, 0.8], [0.7, 1.5], duration=1.0)
controller = lg.control.ComputedTorque(arm, move, frequency=20)
motion = lg.simulate(arm, 1.0, q0=[-0.5, 0.8], torque=controller)
print(f"largest error: {np.abs(motion.q - move(motion.t)[0]).max():.1e} rad")

# --- sampled
puma = lg.library("puma560")
start = np.array(puma.poses["qn"])
path = lg.paths.joint_line(start, start + [0.8, -0.5, 0.6, 0.7, -0.4, 1.0], duration=1.0)


def error(torque):
    motion = lg.simulate(puma, 1.0, q0=start, torque=torque, t_eval=101)
    return f"{np.abs(motion.q - path(motion.t)[0]).max():.1e} rad"


controller = lg.control.ComputedTorque(puma, path)
print("continuous            ", error(controller))
print("1 kHz                 ", error(controller.with_sampling(1e-3)))
print("1 kHz, 0.5 ms late    ", error(controller.with_sampling(1e-3, delay=0.5e-3)))

# --- wrong
wrong = puma.replace(
    bodies=[
        b.with_scaled_mass(1.2) if b.name in ("link2", "link3") else b
        for b in puma.bodies
    ]
)
for frequency in (10, 20, 40):
    controller = lg.control.ComputedTorque(wrong, path, frequency=frequency)
    print(f"{frequency} rad/s", error(controller.with_sampling(1e-3)))
controller = lg.control.PDGravityCompensation(wrong, path, frequency=20)
print("PD and gravity, 20 rad/s", error(controller.with_sampling(1e-3)))

# --- rest
light = lg.library("two_r")
light = light.replace(
    bodies=[b.with_scaled_mass(0.8) for b in light.bodies], parameters={}
)
hold = lg.control.PDGravityCompensation(light, [0.4, 0.9], kp=[4000, 1000], kd=[400, 100])
q = lg.simulate(arm, 10, q0=[0.4, 0.9], torque=hold).q[-1]
print("error      ", ([0.4, 0.9] - q).round(5))
print(
    "by theory  ",
    ((dyn.gravity(q) - lg.compile(light).gravity(q)) / [4000, 1000]).round(5),
)

# --- parallel
platform = lg.library("three_rrr")
start = np.array(platform.initial.q)
end = lg.assemble(
    platform, start, {"platform.x": 0.0, "platform.y": 0.05, "platform.angle": 0.2}
)
driven = {"theta1": 0, "theta2": 2, "theta3": 4}
path = lg.paths.joint_line(
    {n: start[k] for n, k in driven.items()},
    {n: end[k] for n, k in driven.items()},
    duration=0.5,
)
motion = lg.simulate(
    platform, 0.5, torque=lg.control.ComputedTorque(platform, path), t_eval=51
)
print(f"joints: {np.abs(motion.q[:, [0, 2, 4]] - path(motion.t)[0]).max():.1e} rad")
print("torques:", np.abs(motion.tau).max(axis=0).round(2))
line = lg.paths.line((0.05, 0), (0, 0.05), duration=0.5, frame="platform")
motion = lg.simulate(
    platform, 0.5, torque=lg.control.OperationalSpace(platform, line), t_eval=51
)
print(f"platform: {np.abs(motion.q[:, 6:8] - line(motion.t)[0][:, :2, 3]).max():.1e} m")

# --- impedance
at = dyn.pose([-0.4, 1.3], "tip")[:2, 3]
soft = lg.control.Impedance(arm, at, frame="tip", stiffness=[300.0, 800.0])
motion = lg.simulate(
    arm, 5, q0=[-0.4, 1.3], torque=soft, wrenches={"tip": (0, 0, 0, 30, -40, 0)}
)
print("moved by", (dyn.pose(motion.q[-1], "tip")[:2, 3] - at).round(6), "m")

# --- forces
wall = lg.Wall(
    "wall",
    "link2",
    point=(1, 0, 0),
    position=(at[0], 0, 0),
    normal=(-1, 0, 0),
    stiffness=1e5,
    damping=1e5,
)
walled = arm.replace(springs=(wall,))
plant = lg.compile(walled)


def spring_force(t, q, qd):
    return plant.spring_forces(q, qd)[0]


def holding_result(model, **gains):
    path = lg.paths.line(at, at + [0, 0.1], duration=0.4)  # along the wall
    press = lg.control.HybridForceMotion(
        model,
        path,
        frame="tip",
        directions="y",
        force={"x": 10.0},
        measured=spring_force,
        kv=300.0,
        **gains,
    )
    motion = lg.simulate(
        walled, 1.0, q0=[-0.4, 1.3], torque=press.with_sampling(1e-3), t_eval=11
    )
    force = spring_force(1.0, motion.q[-1], motion.qd[-1])
    return f"{force:.3f} N at y = {dyn.pose(motion.q[-1], 'tip')[1, 3] - at[1]:.4f} m"


print("right masses              ", holding_result(arm))
print("wrong masses              ", holding_result(light))
print("wrong masses, kf = 9      ", holding_result(light, kf=9.0))
print("wrong masses, with ki = 30", holding_result(light, ki=30.0))

# --- reach
path = lg.paths.line((1.4, 0), (2.2, 0), duration=1.0, frame="tip")
bend = np.arccos(0.7)
far = lg.control.OperationalSpace(arm, path, frequency=10)
motion = lg.simulate(
    arm, 1.5, q0=[-bend, 2 * bend], torque=far.with_sampling(1e-3), t_eval=16
)
print("reaches", np.linalg.norm(dyn.pose(motion.q[-1], "tip")[:2, 3]).round(2), "m")
