"""What docs/actuators.md shows, in its order."""

# --- motors-and-gears
import lagrangian as lg

arm = lg.library("panda")
there = [0.9, 0.5, -0.3, -1.2, 0.4, 1.4, 0.5]
back = [-0.3, -0.4, 0.2, -2.2, -0.4, 2.1, -0.5]
motion = lg.inverse(arm, lg.paths.joint_line(back, there, 1.2))
sizing = lg.size_actuators(arm, motion, dwell=0.4)
print(sizing)

# --- how-it-chooses
q2 = sizing["q2"]
print(len(q2.feasible), "pairs fit; of each motor the best:")
for candidate in q2.alternatives[:4]:
    print(" ", candidate)

# --- how-it-chooses-2
again = lg.inverse(sizing.mechanism, lg.paths.joint_line(back, there, 1.2))
print(abs(again.tau - sizing.tau).max() < 1e-10)

# --- when-nothing-fits
small = [motor for motor in lg.read_catalogue() if motor.rated_power <= 50]
print(lg.size_actuators(arm, motion, catalogue=small)["q2"].message)

# --- gears-screws-catalogues-of-one-s-own
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

# --- gears-screws-catalogues-of-one-s-own-2
with open("mine.csv", "w") as file:
    file.write("name,rated_torque_Nm,peak_torque_Nm,rated_speed_rpm,max_speed_rpm,")
    file.write("inertia_kgm2,source\n")
    file.write("gimbal,0.6,1.8,O,4000,2e-5,measured\n")
try:
    lg.size_actuators(arm, motion, catalogue="mine.csv")
except lg.DescriptionError as error:
    print(error)
