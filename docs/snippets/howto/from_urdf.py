"""What docs/howto/from_urdf.md shows, in its order."""

# --- load
import lagrangian as lg

robot = lg.load("arm.urdf")
print(robot)

# --- notes
for note in robot.notes:
    print(note)

# --- use
eom = lg.derive(robot)
print("M11 =", eom.M[0, 0])

motion = lg.simulate(robot, 0.5, q0={"shoulder": 0.5, "elbow": 0.8})
print(motion)

dyn = lg.compile(robot)
print(dyn.pose(motion.q[-1], "tool")[:3, 3].round(4))

# --- floating
flying = lg.load("arm.urdf", floating=True)
print(flying.speed_names)

# --- keep
lg.save(robot, "robot.toml")
print(lg.load("robot.toml").joint("elbow").friction)
