"""What docs/howto/size_motors.md shows, in its order."""

# --- task
import lagrangian as lg

arm = lg.library("two_r")
path = lg.paths.line((1.6, 0.4), (0.6, 1.4), duration=1.5)
load = {"tip": (0, 0, 0, 0, -20, 0)}  # 20 N, downwards
motion = lg.inverse(arm, path, frame="tip", wrenches=load, q0={"theta2": 1.0})
print(motion)

# --- size
sizing = lg.size_actuators(arm, motion, dwell=0.5)
print(sizing)

# --- one
joint = sizing["theta1"]
print(joint.chosen)
for name, margin in joint.chosen.margins.items():
    print(f"  {name}: {margin:.2f}")

# --- nothing
small = [motor for motor in lg.read_catalogue() if motor.rated_power <= 100]
print(lg.size_actuators(arm, motion, catalogue=small)["theta1"].message)

# --- own
speeds = {"rated_speed": 315.0, "max_speed": 520.0}
own = [
    lg.Motor("frameless", rated_torque=3.0, peak_torque=9.0, inertia=2e-4, **speeds),
    lg.Motor("small", rated_torque=0.5, peak_torque=1.5, inertia=3e-5, **speeds),
]
gears = [lg.Gear(ratio, efficiency=0.72) for ratio in (50, 80, 100, 160)]
chosen = lg.size_actuators(arm, motion, catalogue=own, gears=gears, margin=1.3, dwell=0.5)
for name, actuator in chosen.actuators.items():
    print(f"{name}: {actuator.chosen}")

# --- screw
scara = lg.library("scara")
lift = lg.inverse(
    scara, lg.paths.joint_line([0, 0.5, 0, 0], [1, -0.5, 0.1, 1], 0.5), limits=False
)
gears = {
    "theta1": lg.Gear(50, efficiency=0.75, peak_torque=54.0),
    "theta2": lg.GearRange(20, 100, efficiency=0.8),
}
sized = lg.size_actuators(scara, lift, gears=gears, lead={"d3": 0.01})
for name, actuator in sized.actuators.items():
    print(f"{name}: {actuator.chosen}")

# --- catalogue
with open("mine.csv", "w") as file:
    file.write("name,rated_torque_Nm,peak_torque_Nm,rated_speed_rpm,max_speed_rpm,")
    file.write("inertia_kgm2,source\n")
    file.write("gimbal,0.6,1.8,O,4000,2e-5,measured\n")
try:
    lg.size_actuators(arm, motion, catalogue="mine.csv")
except lg.DescriptionError as error:
    print(error)

# --- again
again = lg.inverse(chosen.mechanism, path, frame="tip", wrenches=load, q0={"theta2": 1.0})
print(abs(again.tau - chosen.tau).max() < 1e-9)
lg.save(chosen.mechanism, "sized.toml")
